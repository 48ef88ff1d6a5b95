package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"basecamp-mcp/internal/signin/grant"
)

// Reasons for the end of families on a client's request.
const (
	revokedByClient  = "client"
	revokedForReuse  = "reuse"
	revokedForReplay = "replay"
)

// revoke revokes a token for its client: POST /revoke. It answers 200 also to unknown tokens and
// to tokens of other clients, and revokes nothing then (RFC 7009, 2.1 and 2.2).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) error {
	return serveClient(w, r, func(form clientForm) (any, error) {
		return struct{}{}, s.revokeToken(r.Context(), form)
	})
}

// revokeToken revokes the family of a refresh token, or one access token (RFC 7009, 2.1). A
// rotated refresh token counts too. A token's prefix shows its type, so token_type_hint is
// ignored.
func (s *Server) revokeToken(ctx context.Context, form clientForm) error {
	token := form.get("token")
	if token == "" {
		return refuse(invalidRequest, "token is missing")
	}
	f, _, err := s.findRefresh(ctx, token)
	if err != nil {
		return err
	}
	if f.ID != "" {
		return s.revokeFor(ctx, form, f, func() error { return s.endFamily(ctx, f) })
	}
	f, a, err := s.findAccess(ctx, token)
	if err != nil {
		return err
	}
	return s.revokeFor(ctx, form, f, func() error {
		if err := confirm(ctx, s.Store, f, a); err != nil { // a client that revokes the token has received it
			return err
		}
		return s.Store.RevokeAccess(ctx, f.ID, a.Hash)
	})
}

// endFamily revokes a family. The end of a user's last family also ends every provider's grant,
// unless the user has just signed in: the client of that sign-in may not have its family yet.
func (s *Server) endFamily(ctx context.Context, f Family) error {
	if err := s.Store.Revoke(ctx, f.ID, revokedByClient, s.Now()); err != nil {
		return err
	}
	left, err := s.Store.FamiliesOf(ctx, f.Subject)
	if err != nil || len(left) > 0 {
		return err
	}
	held, err := s.first().Keeper.Status(ctx, f.Subject)
	switch {
	case err != nil && !errors.Is(err, grant.ErrNotFound):
		return err
	case err == nil && s.Now().Before(held.ConnectedAt.Add(stateTTL+codeTTL)):
		return nil
	}
	return s.endGrants(ctx, f.Subject)
}

func (s *Server) revokeFor(ctx context.Context, form clientForm, f Family, end func() error) error {
	if err := s.authenticate(ctx, form.credentials, f.Client); err != nil {
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

// findAccess returns an empty Family if the token is unknown.
func (s *Server) findAccess(ctx context.Context, token string) (Family, Access, error) {
	family, ok := familyOf(accessPrefix, token)
	if !ok {
		return Family{}, Access{}, nil
	}
	f, a, _, err := s.Store.Access(ctx, family, HashOf(token), "")
	if errors.Is(err, ErrNotFound) {
		return Family{}, Access{}, nil
	}
	if err != nil {
		return Family{}, Access{}, fmt.Errorf("read an access token: %w", err)
	}
	return f, a, nil
}
