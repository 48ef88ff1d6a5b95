package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// unlinkStep begins the step of a form that unlinks a further provider; its ID follows.
const unlinkStep = "unlink:"

// providers returns the state of each provider for a user. form is the one of the account page.
func (s *Server) providers(ctx context.Context, subject string, form pages.Form) ([]pages.Provider, error) {
	var all []pages.Provider
	for i, up := range s.Upstreams {
		held, err := up.Keeper.Status(ctx, subject)
		if err != nil && !errors.Is(err, grant.ErrNotFound) {
			return nil, err
		}
		view := pages.Provider{
			Name:        up.Name,
			Healthy:     err == nil && held.Status == grant.Active,
			ConnectedAt: held.ConnectedAt,
			ExpiresAt:   held.ExpiresAt,
			Connect:     "/oauth/start?for=" + startAccount,
		}
		if i > 0 {
			form.Step = unlinkStep + up.ID
			view.Connect = "/oauth/start?link=" + up.ID
			view.Link = &pages.LinkState{
				Account: marked(up, held.Name),
				May:     up.Scopes.Words(provider.Names(held.Scope)),
				Asks:    up.Scopes.Words(up.Scopes.First),
				Unlink:  form,
			}
		}
		all = append(all, view)
	}
	return all, nil
}

// unlink deletes a user's grant of a further provider, and no other.
func (s *Server) unlink(w http.ResponseWriter, r *http.Request, subject, id string) error {
	up, err := s.further(id)
	if err != nil {
		return err
	}
	if err := up.Keeper.Disconnect(r.Context(), subject); err != nil {
		return fmt.Errorf("unlink %s: %w", up.ID, err)
	}
	s.notify(w, r, unlinkDone+up.ID)
	redirect(w, r, "/account")
	return nil
}
