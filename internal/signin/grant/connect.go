package grant

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"basecamp-mcp/internal/signin/provider"
)

const (
	// recent is the shortest time between two writes of a user's tokens after sign-ins. A Store may
	// limit the number of writes.
	recent = 10 * time.Minute
	// connectTries is how often Connect repeats a write that lost to a refresh.
	connectTries = 10
)

// Connect stores the tokens of a sign-in. It does not wait for a refresh that is running: that one
// loses, and its tokens are dropped. If the user connected minutes ago and that grant still works,
// it stays, and t is dropped. Errors are faults.
func (k *Keeper) Connect(ctx context.Context, subject, name string, t provider.Tokens) (Record, error) {
	return k.connect(ctx, Record{Subject: subject, Name: name}, t, func(r Record) (bool, error) { return k.keeps(ctx, r), nil })
}

// Reconnect stores the tokens of a sign-in like Connect, and always replaces the grant.
func (k *Keeper) Reconnect(ctx context.Context, subject, name string, t provider.Tokens) (Record, error) {
	return k.connect(ctx, Record{Subject: subject, Name: name}, t, func(Record) (bool, error) { return false, nil })
}

// Link stores the tokens of an account that the user links, and always replaces the grant. It
// returns ErrOtherAccount, and changes nothing, if the grant belongs to another account of the
// provider, whatever its status. Other errors are faults. At a provider that revokes, Link revokes
// the tokens that are replaced, once the new ones are stored, and the new ones if it refuses them.
func (k *Keeper) Link(ctx context.Context, subject string, of provider.Identity, t provider.Tokens) (Record, error) {
	var replaced []provider.Tokens
	next := Record{Subject: subject, Name: of.Name, Account: of.Subject}
	r, err := k.connect(ctx, next, t, func(r Record) (bool, error) {
		if r.Account != "" && r.Account != of.Subject {
			return false, ErrOtherAccount
		}
		replaced = append(replaced, k.revocable(ctx, r)...)
		return false, nil
	})
	switch {
	case errors.Is(err, ErrOtherAccount):
		k.revoke(ctx, subject, t)
	case err == nil:
		replaced = slices.DeleteFunc(replaced, func(old provider.Tokens) bool { return sameToken(old, t) })
		k.revoke(ctx, subject, slices.CompactFunc(replaced, sameToken)...)
	}
	return r, err
}

func sameToken(a, b provider.Tokens) bool { return a.AccessToken == b.AccessToken }

// connect stores tokens and a record for them: next has its subject, name and account. If the user
// has a record, keeps is called with it, also after each conflict. It reports whether the record
// stays, or why it must not be replaced.
func (k *Keeper) connect(ctx context.Context, next Record, t provider.Tokens, keeps func(Record) (bool, error)) (Record, error) {
	t, ok := sound(t, k.c.Now())
	if !ok {
		return Record{}, k.unusable()
	}
	writer := rand.Text()
	for range connectTries {
		r, err := k.untouched(ctx, next.Subject)
		kept := false
		switch {
		case errors.Is(err, ErrNotFound):
			r, err = Record{}, nil
		case err != nil:
			return Record{}, k.unreachable(err)
		default:
			kept, err = keeps(r)
		}
		if kept || err != nil {
			return r, err
		}
		r, err = k.replace(ctx, r, next, writer, t)
		if !errors.Is(err, ErrConflict) {
			return r, err
		}
	}
	return Record{}, k.busy(0)
}

// keeps reports whether a grant is so recent that Connect keeps it, and works.
func (k *Keeper) keeps(ctx context.Context, r Record) bool {
	if k.c.Works == nil || r.Status != Active || k.c.Now().Sub(r.ConnectedAt) >= recent {
		return false
	}
	t, err := k.load(ctx, r)
	return err == nil && k.fresh(holding{Record: r, tokens: t}) && k.c.Works(ctx, t.AccessToken)
}

// replace writes tokens and the record next over the grant r. It returns ErrConflict if the grant
// has changed, otherwise a fault.
func (k *Keeper) replace(ctx context.Context, r, next Record, writer string, t provider.Tokens) (Record, error) {
	since := k.c.Now()
	t.Revision = r.Revision + 1
	version, err := k.c.Store.Save(ctx, next.Subject, writer, t)
	if errors.Is(err, ErrTooLarge) {
		return Record{}, k.tooLarge().Because(err)
	}
	if err != nil {
		return Record{}, k.unreachable(err)
	}
	next = Record{
		Subject: next.Subject, Name: next.Name, Account: cmp.Or(next.Account, r.Account), Change: r.Change,
		Status: Active, ConnectedAt: since,
	}.withTokens(t, version)
	if r, err = k.c.Records.SaveRecord(ctx, next); err != nil {
		return Record{}, k.lost(err)
	}
	k.remember(r, t, since)
	return r, nil
}

// Disconnect removes a user's record and tokens, if they exist. It revokes the tokens at a provider
// that revokes, also if only the record could be removed. Errors are faults; then Disconnect can be
// called again. A failed revocation is only logged.
func (k *Keeper) Disconnect(ctx context.Context, subject string) error {
	defer k.forget(subject)
	last := k.last(ctx, subject)
	if err := k.c.Records.DeleteRecord(ctx, subject); err != nil {
		return k.unreachable(err)
	}
	_, err := persist(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.c.Store.Delete(ctx, subject)
	})
	k.revoke(ctx, subject, last...) // a second call finds no record, and would not know the tokens
	if err != nil {
		return k.unreachable(err)
	}
	return nil
}
