package authserver

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/serve/mcphttp"
)

// maxRegistration is the largest registration, in bytes.
const maxRegistration = 8 << 10

func grantTypes() []string    { return []string{"authorization_code", "refresh_token"} }
func responseTypes() []string { return []string{"code"} }

// register registers a client: POST /register (RFC 7591). It needs no authentication.
func (s *Server) register(w http.ResponseWriter, r *http.Request) error {
	body, f := readRegistration(r)
	if f != nil {
		return f
	}
	reg, f := parseRegistration(body)
	telemetry.Asked(r.Context(), reg.Name)
	if f != nil {
		return f
	}
	c := reg.client()
	c.CreatedAt = s.Now()
	c.ExpiresAt = c.CreatedAt.Add(clientTTL)
	if err := s.Store.SaveClient(r.Context(), c); err != nil {
		return fmt.Errorf("store a client: %w", err)
	}
	reg.IssuedAt = c.CreatedAt.Unix()
	mcphttp.JSON(w, http.StatusCreated, reg)
	return nil
}

// registration is a client as registered. It may differ from the request (RFC 7591, 3.2.1).
type registration struct {
	ID       string `json:"client_id"`
	IssuedAt int64  `json:"client_id_issued_at"` // Unix time
	Secret   string `json:"client_secret,omitempty"`
	// SecretExpiresAt is 0, which means never. A registration expires when it is not used for a
	// while; a client that received a date would give up a registration that use has extended.
	// Clients notice at /token that a registration has expired.
	SecretExpiresAt *int64   `json:"client_secret_expires_at,omitempty"`
	Name            string   `json:"client_name"`
	RedirectURIs    []string `json:"redirect_uris"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
}

// client assigns an ID, and a secret if the client asked for one. It returns what must be stored.
func (reg *registration) client() Client {
	c := Client{Name: reg.Name, RedirectURIs: reg.RedirectURIs, AuthMethod: reg.AuthMethod}
	if reg.AuthMethod == authNone {
		c.ID = publicID(c)
	} else {
		c.ID = "s_" + strings.ToLower(rand.Text())
		reg.Secret, reg.SecretExpiresAt = newSecret(), new(int64)
		c.SecretHash = HashOf(reg.Secret)
	}
	reg.ID = c.ID
	return c
}

// publicID derives the ID of a public client from its name and redirect URIs. Some clients
// register at every login: they stay one client and one stored item. The ID is not secret. A
// client that computes another's ID can register only the same redirect URIs under it.
func publicID(c Client) string {
	described, _ := json.Marshal([]any{c.Name, c.RedirectURIs}) // strings only: never fails
	sum := sha256.Sum256(described)
	return "c_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
}

// readRegistration returns the body of a registration, or why it is refused (RFC 7591, 3.2.2).
func readRegistration(r *http.Request) ([]byte, *oauthError) {
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

// parseRegistration reads a registration request. It ignores unknown members, including
// software_statement (RFC 7591, 2).
func parseRegistration(body []byte) (reg registration, f *oauthError) {
	o, err := parseObject(body)
	if err != nil {
		return reg, refuse(invalidClientMetadata, "the body is "+err.Error())
	}
	if reg.RedirectURIs, f = registeredURIs(o); f != nil {
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

// registeredURIs returns the redirect URIs. It refuses all of them if one is not allowed: a client
// would use a URI that was left out.
func registeredURIs(o object) ([]string, *oauthError) {
	uris, ok := member[[]string](o, "redirect_uris")
	switch {
	case !ok || len(uris) == 0:
		return nil, refuse(invalidRedirectURI, "redirect_uris must be a list with at least one URI")
	case len(uris) > maxRedirectURIs:
		return nil, refuse(invalidRedirectURI, "redirect_uris must contain at most 10 URIs")
	case slices.ContainsFunc(uris, func(uri string) bool { return !validRedirectURI(uri) }):
		return nil, refuse(invalidRedirectURI, "a redirect URI must be https, or http on localhost, 127.0.0.1 or [::1], "+
			"without a fragment, a user name or an answer parameter such as code or state, and have at most 1024 bytes")
	}
	return uris, nil
}

// registeredAuth returns the client's authentication method. A client that names none becomes a
// public client, although RFC 7591 makes client_secret_basic the default: such clients read the
// method from the answer, PKCE protects them, and each secret would be one more stored item.
func registeredAuth(o object) (string, *oauthError) {
	method, ok := member[string](o, "token_endpoint_auth_method")
	method = cmp.Or(method, authNone)
	if !ok || !slices.Contains(authMethods(), method) {
		return "", refuse(invalidClientMetadata, "token_endpoint_auth_method must be one of "+strings.Join(authMethods(), ", "))
	}
	return method, nil
}

// supported returns the members of a list that this server supports, or ours if the list is
// empty. A list must contain our first one.
func supported(o object, name string, ours []string) ([]string, *oauthError) {
	asked, ok := member[[]string](o, name)
	if ok && len(asked) == 0 {
		return ours, nil
	}
	if !ok || !slices.Contains(asked, ours[0]) {
		return nil, refuse(invalidClientMetadata, name+" must be a list that contains "+ours[0])
	}
	return slices.DeleteFunc(ours, func(one string) bool { return !slices.Contains(asked, one) }), nil
}

// object is a JSON object of an unknown client, with its members still encoded. Decoding into a
// struct is too lenient: it accepts Redirect_URIs for redirect_uris, and takes the last of two
// members with one name, where another reader may take the first.
type object map[string]json.RawMessage

var errNoObject = errors.New("not a single JSON object in UTF-8 with unique member names")

func parseObject(text []byte) (object, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	if start, err := in.Token(); err != nil || start != json.Delim('{') || !utf8.Valid(text) || !json.Valid(text) {
		return nil, errNoObject
	}
	members := object{}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, errNoObject
		}
		key, _ := name.(string)
		if _, twice := members[key]; twice {
			return nil, errNoObject
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, errNoObject
		}
		members[key] = value
	}
	return members, nil
}

// member decodes a member. It returns the zero value if the member is absent or null, and false if
// it has another type.
func member[T any](o object, name string) (value T, ok bool) {
	raw, found := o[name]
	if !found {
		return value, true
	}
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}
