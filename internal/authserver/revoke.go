package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"basecamp-mcp/internal/grant"
)

// Reasons why clients' requests end families.
const (
	revokedByClient  = "client"
	revokedForReuse  = "reuse"
	revokedForReplay = "replay"
)

// revoke ends a token at its client's wish: POST /revoke (RFC 7009). A token that is not the client's, or none, is 200 too: it
// opens nothing for this client, and more is not its business (V1).
func (b *Broker) revoke(w http.ResponseWriter, r *http.Request) {
	b.serveClient(w, r, func(form clientForm) (any, error) {
		return struct{}{}, b.revokeToken(r.Context(), form)
	})
}

// revokeToken ends all that hangs on a refresh token, an old one included, or one access token (V2). Tokens say themselves
// what they are, so that token_type_hint is of no use.
func (b *Broker) revokeToken(ctx context.Context, form clientForm) error {
	token := form.get("token")
	if token == "" {
		return refuse(invalidRequest, "token is missing")
	}
	f, _, err := b.findRefresh(ctx, token)
	if err != nil {
		return err
	}
	if f.ID != "" {
		return b.revokeFor(ctx, form, f, func() error { return b.leave(ctx, f) })
	}
	f, a, err := b.findAccess(ctx, token)
	if err != nil {
		return err
	}
	return b.revokeFor(ctx, form, f, func() error {
		if err := confirm(ctx, b.Store, f, a); err != nil { // who revokes it has it
			return err
		}
		return b.Store.RevokeAccess(ctx, f.ID, a.Hash)
	})
}

// leave ends a family. With a person's last one goes what we hold at Basecamp, unless it is of a login just now, whose client may
// not have its family yet.
func (b *Broker) leave(ctx context.Context, f Family) error {
	if err := b.Store.Revoke(ctx, f.ID, revokedByClient, b.Now()); err != nil {
		return err
	}
	left, err := b.Store.FamiliesOf(ctx, f.Subject)
	if err != nil || len(left) > 0 {
		return err
	}
	held, err := b.Keeper.Status(ctx, f.Subject)
	switch {
	case errors.Is(err, grant.ErrNotFound):
		return nil
	case err != nil || b.Now().Before(held.ConnectedAt.Add(stepTTL+codeTTL)):
		return err
	}
	return b.Keeper.Disconnect(ctx, f.Subject)
}

func (b *Broker) revokeFor(ctx context.Context, form clientForm, f Family, end func() error) error {
	if err := b.authenticate(ctx, form.credentials, f.Client); err != nil {
		return err
	}
	if form.id != f.Client.ID {
		return nil
	}
	if err := end(); err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	return nil
}

// findAccess gives an empty Family when the token is none of ours, or no longer.
func (b *Broker) findAccess(ctx context.Context, token string) (Family, Access, error) {
	family, ok := familyOf(accessPrefix, token)
	if !ok {
		return Family{}, Access{}, nil
	}
	f, a, _, err := b.Store.Access(ctx, family, hashOf(token), "")
	if errors.Is(err, ErrNotFound) {
		return Family{}, Access{}, nil
	}
	if err != nil {
		return Family{}, Access{}, fmt.Errorf("read an access token: %w", err)
	}
	return f, a, nil
}
