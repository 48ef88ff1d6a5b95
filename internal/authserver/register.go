package authserver

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/mcphttp"
)

// maxRegistration is the largest registration, in bytes (C25).
const maxRegistration = 8 << 10

func grantTypes() []string    { return []string{"authorization_code", "refresh_token"} }
func responseTypes() []string { return []string{"code"} }

// register answers POST /register: dynamic client registration (RFC 7591), which anybody may use.
func (b *Broker) register(w http.ResponseWriter, r *http.Request) {
	if !admit(w, r, http.MethodPost) {
		return
	}
	body, f := readRegistration(r)
	if f != nil {
		f.write(w)
		return
	}
	reg, f := parseRegistration(body, b.RedirectURIs)
	if f != nil {
		f.write(w)
		return
	}
	c := reg.client()
	c.CreatedAt = b.Now()
	c.ExpiresAt = c.CreatedAt.Add(clientTTL)
	if err := b.Store.SaveClient(r.Context(), c); err != nil {
		b.note(r.Context(), slog.LevelError, "save a client", err)
		unavailable().write(w)
		return
	}
	reg.IssuedAt = c.CreatedAt.Unix()
	mcphttp.JSON(w, http.StatusCreated, reg)
}

// registration is a client as it was registered, which need not be quite what it asked for (RFC 7591 3.2.1).
type registration struct {
	ID       string `json:"client_id"`
	IssuedAt int64  `json:"client_id_issued_at"` // Unix time
	Secret   string `json:"client_secret,omitempty"`
	// SecretExpiresAt is 0, never, for what holds a secret: a registration ends when it has not been used for a while, and
	// a client that was told a day would give up one that lives on. That it has ended a client learns at /token (C28).
	SecretExpiresAt *int64   `json:"client_secret_expires_at,omitempty"`
	Name            string   `json:"client_name"`
	RedirectURIs    []string `json:"redirect_uris"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
}

// client names the registration and gives it a secret if it wants one. What is to be stored of it is returned.
func (reg *registration) client() Client {
	c := Client{Name: reg.Name, RedirectURIs: reg.RedirectURIs, AuthMethod: reg.AuthMethod}
	if reg.AuthMethod == authNone {
		c.ID = publicID(c)
	} else {
		c.ID = "s_" + strings.ToLower(rand.Text())
		reg.Secret, reg.SecretExpiresAt = newSecret(), new(int64)
		c.SecretHash = hashOf(reg.Secret)
	}
	reg.ID = c.ID
	return c
}

// publicID names a public client by all there is to know about it, so that a client that registers at every login, as some do,
// is one client and one item (C26). There is no key in it: the id of a public client is no secret, and who works out that of
// somebody else can register nothing under it but the same redirect URIs.
func publicID(c Client) string {
	described, _ := json.Marshal([]any{c.Name, c.RedirectURIs}) // strings: never fails
	sum := sha256.Sum256(described)
	return "c_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
}

func readRegistration(r *http.Request) ([]byte, *failure) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil, refuse(invalidClientMetadata, "the body must be application/json")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRegistration+1))
	if err != nil {
		return nil, refuse(invalidClientMetadata, "the body ended early")
	}
	if len(body) > maxRegistration {
		return nil, refuse(invalidClientMetadata, "the body is larger than 8192 bytes")
	}
	return body, nil
}

// parseRegistration reads what a client asks for. Members it does not know are nothing to it, a software_statement included
// (C22).
func parseRegistration(body []byte, extra []string) (reg registration, f *failure) {
	o, err := parseObject(body)
	if err != nil {
		return reg, refuse(invalidClientMetadata, "the body is "+err.Error())
	}
	if reg.RedirectURIs, f = registeredURIs(o, extra); f != nil {
		return reg, f
	}
	name, ok := member[string](o, "client_name")
	if !ok {
		return reg, refuse(invalidClientMetadata, "client_name must be a string")
	}
	reg.Name = cmp.Or(cleanName(name), redirectHost(reg.RedirectURIs[0]))
	if reg.AuthMethod, f = registeredAuth(o); f != nil {
		return reg, f
	}
	if reg.GrantTypes, f = supported(o, "grant_types", grantTypes()); f != nil {
		return reg, f
	}
	reg.ResponseTypes, f = supported(o, "response_types", responseTypes())
	return reg, f
}

// registeredURIs are the redirect URIs, all of them or none: a client would go on with one that we had left out (C23).
func registeredURIs(o object, extra []string) ([]string, *failure) {
	uris, ok := member[[]string](o, "redirect_uris")
	switch {
	case !ok || len(uris) == 0:
		return nil, refuse(invalidRedirectURI, "redirect_uris must be a list of at least one URI")
	case len(uris) > maxRedirectURIs:
		return nil, refuse(invalidRedirectURI, "redirect_uris may be 10 at most")
	case slices.ContainsFunc(uris, func(uri string) bool { return !validRedirectURI(uri, extra) }):
		return nil, refuse(invalidRedirectURI, "redirect URIs are https, or http on localhost, 127.0.0.1 or [::1], "+
			"without a fragment, a user name or a parameter of the answer such as code or state, and of 1024 bytes at most")
	}
	return uris, nil
}

// registeredAuth is how the client will authenticate. What it asks for it gets, since some products ask for a secret and use it.
// Who asks for nothing is made a public client, and not one with client_secret_basic as RFC 7591 has it: products that leave
// the choice to us read it from our answer, PKCE protects them all the same, and each secret would be one more item.
func registeredAuth(o object) (string, *failure) {
	method, ok := member[string](o, "token_endpoint_auth_method")
	method = cmp.Or(method, authNone)
	if !ok || !slices.Contains(authMethods(), method) {
		return "", refuse(invalidClientMetadata, "token_endpoint_auth_method must be one of "+strings.Join(authMethods(), ", "))
	}
	return method, nil
}

// supported is what we support of a list; everything when there is none. The first of ours is what nothing works without.
func supported(o object, name string, ours []string) ([]string, *failure) {
	asked, ok := member[[]string](o, name)
	if ok && len(asked) == 0 {
		return ours, nil
	}
	if !ok || !slices.Contains(asked, ours[0]) {
		return nil, refuse(invalidClientMetadata, name+" must be a list with "+ours[0]+" in it")
	}
	return slices.DeleteFunc(ours, func(one string) bool { return !slices.Contains(asked, one) }), nil
}
