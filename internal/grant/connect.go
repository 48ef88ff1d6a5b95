package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/provider"
)

const (
	// recent is how often a Store likes to be written for one person, at most.
	recent = 10 * time.Minute
	// connectTries is how often Connect is ready to be second to a refresh.
	connectTries = 10
)

// Connect stores what a login gave. It waits for nobody: a refresh that is under way loses, and what it brings is dropped.
// When the person connected minutes ago and that connection still works, it is kept, and t is not. Errors are faults.
func (k *Keeper) Connect(ctx context.Context, subject, name string, t provider.Tokens) (Record, error) {
	return k.connect(ctx, subject, name, t, false)
}

// Reconnect is a Connect that keeps nothing, for when it was asked for.
func (k *Keeper) Reconnect(ctx context.Context, subject, name string, t provider.Tokens) (Record, error) {
	return k.connect(ctx, subject, name, t, true)
}

func (k *Keeper) connect(ctx context.Context, subject, name string, t provider.Tokens, replace bool) (Record, error) {
	t, ok := sound(t, k.now())
	if !ok {
		return Record{}, unusable()
	}
	writer := rand.Text()
	for range connectTries {
		c, err := k.recordStore.Record(ctx, subject)
		switch {
		case errors.Is(err, ErrNotFound):
			c = Record{Subject: subject}
		case err != nil:
			return Record{}, unreachable(err)
		case !replace && k.keeps(ctx, c):
			return c, nil
		}
		c, err = k.replace(ctx, c, name, writer, t)
		if !errors.Is(err, ErrConflict) {
			return c, err
		}
	}
	return Record{}, busy(0)
}

// keeps reports whether a connection is so new, and so well, that another would be no better.
func (k *Keeper) keeps(ctx context.Context, c Record) bool {
	if k.works == nil || c.Status != Active || k.now().Sub(c.ConnectedAt) >= recent {
		return false
	}
	t, err := k.load(ctx, c)
	return err == nil && k.fresh(holding{Record: c, tokens: t}) && k.works(ctx, t.AccessToken)
}

// replace writes tokens over a connection. ErrConflict when it changed, else a fault.
func (k *Keeper) replace(ctx context.Context, c Record, name, writer string, t provider.Tokens) (Record, error) {
	since := k.now()
	t.Revision = c.Revision + 1
	version, err := k.store.Save(ctx, c.Subject, writer, t)
	if errors.Is(err, ErrTooLarge) {
		return Record{}, tooLarge().Because(err)
	}
	if err != nil {
		return Record{}, unreachable(err)
	}
	c, err = k.recordStore.SaveRecord(ctx, Record{
		Subject: c.Subject, Name: name, Change: c.Change,
		Revision: t.Revision, Version: version, Status: Active, ConnectedAt: since, ExpiresAt: t.ExpiresAt,
	})
	switch {
	case errors.Is(err, ErrConflict):
		return Record{}, err
	case err != nil:
		return Record{}, unreachable(err)
	}
	k.remember(c, t, since)
	return c, nil
}

// Disconnect removes a person's connection and tokens, if there are any. Errors are faults; then it can be called again.
func (k *Keeper) Disconnect(ctx context.Context, subject string) error {
	defer k.forget(subject)
	if err := k.recordStore.DeleteRecord(ctx, subject); err != nil {
		return unreachable(err)
	}
	_, err := persist(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.store.Delete(ctx, subject)
	})
	if err != nil {
		return unreachable(err)
	}
	return nil
}
