package authserver

import (
	"net/http"
	"net/url"
	"strings"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

// login is what a client asked for at /authorize, checked. It is carried from step to step until the client gets its code.
type login struct {
	Client      Client           `json:"client"`
	RedirectURI string           `json:"redirect_uri"`
	State       []byte           `json:"state"` // the client's, given back byte for byte (A30)
	Scopes      []identity.Scope `json:"scopes"`
	Resource    string           `json:"resource"`
	Challenge   string           `json:"challenge"`
}

// answer sends the browser back to the client, with iss so that the client knows whose answer it is (A31). The status is 302
// after a GET and 303 after a POST, never one that repeats a POST (A32).
func (b *Broker) answer(w http.ResponseWriter, r *http.Request, to login, values url.Values) {
	redirect(w, r, b.clientURL(r, to, values))
}

// clientURL is the redirect URI with parameters added; a query it has already stays as it is (A33).
func (b *Broker) clientURL(r *http.Request, to login, values url.Values) string {
	if len(to.State) > 0 {
		values.Set("state", string(to.State))
	}
	values.Set("iss", b.Origin(r))
	glue := "?"
	if strings.Contains(to.RedirectURI, "?") {
		glue = "&"
	}
	return to.RedirectURI + glue + values.Encode()
}

// refuse tells the client, by way of the browser (A21).
func (b *Broker) refuse(w http.ResponseWriter, r *http.Request, to login, f *failure) {
	b.answer(w, r, to, url.Values{"error": {f.code}, "error_description": {f.description}})
}

// issue gives the client its code, once the person's grant has been stored. Nothing can fail after it.
func (b *Broker) issue(w http.ResponseWriter, r *http.Request, to login, who person, account grantedAccount) error {
	code := newSecret()
	err := b.Store.AddCode(r.Context(), Code{
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
		ExpiresAt:   b.Now().Add(codeTTL),
	})
	if err != nil {
		return err
	}
	b.answer(w, r, to, url.Values{"code": {code}})
	return nil
}

// person is who logged in at Basecamp's sign-on, and what it gave us for them.
type person struct {
	Subject string           `json:"subject"`
	Name    string           `json:"name"`
	Grants  []grantedAccount `json:"accounts"` // the accounts they have that may use this deployment
	tokens  provider.Tokens
}

type grantedAccount struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

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
