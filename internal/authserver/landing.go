package authserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// landing shows the front page: GET /.
func (s *Server) landing(w http.ResponseWriter, r *http.Request) error {
	up := s.first()
	view := pages.Landing{URL: s.Origin(r) + "/mcp", Provider: up.Name, Demo: s.Demo, Bearer: s.Bearer}
	_, err := up.SignOn.AuthorizationURL(r.Context(), provider.Authorization{})
	switch {
	case errors.Is(err, provider.ErrNotConfigured) && s.Demo:
	case errors.Is(err, provider.ErrNotConfigured):
		s.note(r.Context(), slog.LevelWarn, err) // stored credentials may be misspelt
		view.Setup = &pages.Setup{
			RegisterURL: s.RegisterURL,
			RedirectURI: s.Origin(r) + s.callbackPath(up),
			Command:     s.Setup,
		}
	case err != nil:
		return fmt.Errorf("read the provider's credentials: %w", err)
	}
	view.Write(w)
	return nil
}
