package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

const (
	// recent is the shortest time between two writes of a user's tokens after sign-ins. A Store may
	// limit the number of writes.
	recent = 10 * time.Minute
	// connectTries is how often Connect repeats a write that lost to a refresh.
	connectTries = 10
	// revokeTime is the timeout of a revocation at the provider.
	revokeTime = 5 * time.Second
)

// Connect stores the tokens of a sign-in. It does not wait for a refresh that is running: that one
// loses, and its tokens are dropped. If the user connected minutes ago and that grant still works,
// it stays, and t is dropped. Errors are faults.
func (k *Keeper) Connect(ctx context.Context, subject, name string, t provider.Tokens) (Record, error) {
	return k.connect(ctx, subject, name, t, false)
}

// Reconnect stores the tokens of a sign-in like Connect, and always replaces the grant.
func (k *Keeper) Reconnect(ctx context.Context, subject, name string, t provider.Tokens) (Record, error) {
	return k.connect(ctx, subject, name, t, true)
}

// Link stores the tokens of an account that the user links, and always replaces the grant. It
// returns ErrOtherAccount, and changes nothing, if the grant belongs to another account of the
// provider. Other errors are faults.
func (k *Keeper) Link(ctx context.Context, subject string, of provider.Identity, t provider.Tokens) (Record, error) {
	return k.connect(ctx, subject, of.Name, t, true)
}

func (k *Keeper) connect(ctx context.Context, subject, name string, t provider.Tokens, replace bool) (Record, error) {
	t, ok := sound(t, k.now())
	if !ok {
		return Record{}, k.unusable()
	}
	writer := rand.Text()
	for range connectTries {
		r, err := k.records.Record(ctx, subject)
		switch {
		case errors.Is(err, ErrNotFound):
			r = Record{Subject: subject}
		case err != nil:
			return Record{}, k.unreachable(err)
		case !replace && k.keeps(ctx, r):
			return r, nil
		}
		r, err = k.replace(ctx, r, name, writer, t)
		if !errors.Is(err, ErrConflict) {
			return r, err
		}
	}
	return Record{}, k.busy(0)
}

// keeps reports whether a grant is so recent that Connect keeps it, and works.
func (k *Keeper) keeps(ctx context.Context, r Record) bool {
	if k.works == nil || r.Status != Active || k.now().Sub(r.ConnectedAt) >= recent {
		return false
	}
	t, err := k.load(ctx, r)
	return err == nil && k.fresh(holding{Record: r, tokens: t}) && k.works(ctx, t.AccessToken)
}

// replace writes tokens over a grant. It returns ErrConflict if the grant has changed, otherwise a
// fault.
func (k *Keeper) replace(ctx context.Context, r Record, name, writer string, t provider.Tokens) (Record, error) {
	since := k.now()
	t.Revision = r.Revision + 1
	version, err := k.store.Save(ctx, r.Subject, writer, t)
	if errors.Is(err, ErrTooLarge) {
		return Record{}, k.tooLarge().Because(err)
	}
	if err != nil {
		return Record{}, k.unreachable(err)
	}
	r, err = k.records.SaveRecord(ctx, Record{
		Subject: r.Subject, Name: name, Change: r.Change,
		Revision: t.Revision, Version: version, Status: Active, ConnectedAt: since, ExpiresAt: t.ExpiresAt,
	})
	switch {
	case errors.Is(err, ErrConflict):
		return Record{}, err
	case err != nil:
		return Record{}, k.unreachable(err)
	}
	k.remember(r, t, since)
	return r, nil
}

// Disconnect removes a user's record and tokens, if they exist, and revokes the tokens at a
// provider that revokes. Errors are faults; then it can be called again. A failed revocation is
// only logged.
func (k *Keeper) Disconnect(ctx context.Context, subject string) error {
	defer k.forget(subject)
	last, held := k.revocable(ctx, subject)
	if err := k.records.DeleteRecord(ctx, subject); err != nil {
		return k.unreachable(err)
	}
	_, err := persist(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.store.Delete(ctx, subject)
	})
	if err != nil {
		return k.unreachable(err)
	}
	if held {
		k.revoke(ctx, subject, last)
	}
	return nil
}

// revocable returns the tokens to revoke when a user disconnects.
func (k *Keeper) revocable(ctx context.Context, subject string) (provider.Tokens, bool) {
	if !k.provider.Revokes {
		return provider.Tokens{}, false
	}
	r, err := k.records.Record(ctx, subject)
	if err != nil {
		return provider.Tokens{}, false
	}
	t, err := k.load(ctx, r)
	return t, err == nil
}

func (k *Keeper) revoke(ctx context.Context, subject string, t provider.Tokens) {
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	if err := k.provider.SignOn.Revoke(ctx, t); err != nil {
		k.log.WarnContext(ctx, "tokens were not revoked at the provider", "person", identity.Alias(subject), "error", err)
	}
}
