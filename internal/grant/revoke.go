package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

// revokeTime is the timeout of the revocations at the provider that one change of a grant causes.
const revokeTime = 5 * time.Second

// revocable returns the tokens of a record, if they can be read and the provider revokes.
func (k *Keeper) revocable(ctx context.Context, r Record) []provider.Tokens {
	if !k.provider.Revokes {
		return nil
	}
	t, err := k.load(ctx, r)
	if err != nil {
		return nil
	}
	return []provider.Tokens{t}
}

// last returns the tokens to revoke when a user disconnects: those of the record, and newer ones
// that a call stored before it ended without a record.
func (k *Keeper) last(ctx context.Context, subject string) []provider.Tokens {
	if !k.provider.Revokes {
		return nil
	}
	r, err := k.records.Record(ctx, subject)
	if err != nil {
		return nil
	}
	all := k.revocable(ctx, r)
	newest, err := k.store.Load(ctx, subject, "")
	if err == nil && newest.Revision > r.Revision {
		all = append(all, newest)
	}
	return all
}

// revoke ends tokens at a provider that revokes. It finishes even if the caller has left, and only
// logs failures.
func (k *Keeper) revoke(ctx context.Context, subject string, tokens ...provider.Tokens) {
	if !k.provider.Revokes {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	for _, t := range tokens {
		if err := k.provider.SignOn.Revoke(ctx, t); err != nil {
			k.log.WarnContext(ctx, "tokens were not revoked at the provider", "person", identity.Alias(subject), "error", err)
		}
	}
}

// drop ends stored tokens that lost against another write of the grant. If the user has
// disconnected, it removes them from the Store. It revokes them, unless the record has them or
// could still adopt them.
func (k *Keeper) drop(ctx context.Context, subject string, t provider.Tokens) {
	r, err := k.records.Record(ctx, subject)
	switch {
	case errors.Is(err, ErrNotFound):
		if err := k.store.Delete(ctx, subject); err != nil {
			k.log.ErrorContext(ctx, "tokens of a user who disconnected were not removed", "person", identity.Alias(subject), "error", err)
		}
		k.revoke(ctx, subject, t)
	case err == nil && r.Revision >= t.Revision:
		held := k.revocable(ctx, r)
		if len(held) > 0 && held[0].AccessToken != t.AccessToken {
			k.revoke(ctx, subject, t)
		}
	}
}
