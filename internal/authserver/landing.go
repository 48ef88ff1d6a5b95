package authserver

import (
	"errors"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// landing is the front page: GET /.
func (b *Broker) landing(w http.ResponseWriter, r *http.Request) {
	view := pages.Landing{URL: b.Origin(r) + "/mcp", Demo: b.Demo, Bearer: b.Bearer}
	_, err := b.Provider.SignOn.AuthorizationURL(r.Context(), "", "")
	if errors.Is(err, provider.ErrNotConfigured) && b.Demo {
		err = nil
	}
	if errors.Is(err, provider.ErrNotConfigured) {
		b.note(r.Context(), slog.LevelWarn, "not set up yet", err) // what was stored may only be misspelt
		view.Setup = &pages.Setup{RedirectURI: b.Origin(r) + callbackPath, Command: b.Setup}
	} else if err != nil {
		b.storeDown(w, r, "read the application's credentials", err)
		return
	}
	view.Write(w)
}
