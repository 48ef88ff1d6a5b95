package authserver

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
)

// authRequest is a client's verified request at /authorize. The login states carry it until the
// client receives its code.
type authRequest struct {
	Client      Client           `json:"client"`
	RedirectURI string           `json:"redirect_uri"`
	State       []byte           `json:"state"` // the client's, returned byte for byte (RFC 6749, 4.1.2)
	Scopes      []identity.Scope `json:"scopes"`
	Fence       fence.Fence      `json:"fence,omitzero"` // what the user allows the client
	Resource    string           `json:"resource"`
	Challenge   string           `json:"challenge"`
}

// redirectToClient sends the browser to the client with an answer. The answer contains iss, so
// that the client knows which server answered (RFC 9207, 2).
func (s *Server) redirectToClient(w http.ResponseWriter, r *http.Request, to authRequest, values url.Values) {
	if len(to.State) > 0 {
		values.Set("state", string(to.State))
	}
	values.Set("iss", s.Origin(r))
	glue := "?"
	if strings.Contains(to.RedirectURI, "?") { // its own query stays unchanged (RFC 6749, 3.1.2)
		glue = "&"
	}
	redirect(w, r, to.RedirectURI+glue+values.Encode())
}

// newCode stores a code for the client and returns it. The user's grant must have been stored.
func (s *Server) newCode(ctx context.Context, to authRequest, who upstreamUser, account fence.Account) (string, error) {
	code := newSecret()
	return code, s.Store.AddCode(ctx, Code{
		Hash:        hashOf(code),
		Family:      newFamilyID(),
		Subject:     who.Subject,
		Person:      who.Name,
		Account:     account.ID,
		AccountName: account.Name,
		Client:      to.Client,
		RedirectURI: to.RedirectURI,
		Challenge:   to.Challenge,
		Resource:    to.Resource,
		Scopes:      to.Scopes,
		Fence:       to.Fence,
		ExpiresAt:   s.Now().Add(codeTTL),
	})
}

// redirect answers 302 to a GET and 303 to a POST, never a status that repeats a POST (RFC 9700,
// 4.12).
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther
	}
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
}
