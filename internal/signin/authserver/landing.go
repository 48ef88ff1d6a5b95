package authserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// landing shows the front page: GET /.
func (s *Server) landing(w http.ResponseWriter, r *http.Request) error {
	up := s.first()
	view := pages.Landing{URL: s.Origin(r) + "/mcp", Provider: up.Name, Demo: s.Demo, Owner: s.Owner != nil, SignedIn: s.cookie(r, sessionCookie) != ""}
	if !s.HideBearer {
		view.Bearer = s.Bearer
	}
	for _, further := range s.Upstreams[1:] {
		if slices.Contains(s.Toolsets, further.ID) {
			view.Further = append(view.Further, further.Name)
		}
	}
	_, err := up.SignOn.AuthorizationURL(r.Context(), provider.Authorization{})
	switch {
	case errors.Is(err, provider.ErrNotConfigured) && s.Demo:
	case errors.Is(err, provider.ErrNotConfigured):
		// The log says what is missing, because stored credentials may be misspelt.
		s.Log.InfoContext(r.Context(), "authserver: users cannot sign in yet", "err", err, "request_id", identity.RequestID(r.Context()))
		setup := s.setup(r, up)
		view.Setup = &setup
	case err != nil:
		return fmt.Errorf("read the provider's credentials: %w", err)
	}
	if view.Setup == nil && !s.Demo && s.Owner == nil {
		view.Links = s.unregistered(r)
	}
	pages.Write(w, view)
	return nil
}

// setup returns what the operator must do at a provider.
func (s *Server) setup(r *http.Request, up Upstream) pages.Setup {
	return pages.Setup{Provider: up.Name, RegisterURL: up.RegisterURL, RedirectURI: s.Origin(r) + s.callbackPath(up), Command: up.Setup}
}

// unregistered returns what the operator must do at each further provider that this server has no
// credentials for. The front page appears also if they cannot be read.
func (s *Server) unregistered(r *http.Request) []pages.Setup {
	var all []pages.Setup
	for _, up := range s.Upstreams[1:] {
		_, err := up.SignOn.AuthorizationURL(r.Context(), provider.Authorization{})
		if errors.Is(err, provider.ErrNotConfigured) {
			all = append(all, s.setup(r, up))
			continue
		}
		s.note(r.Context(), slog.LevelWarn, err)
	}
	return all
}
