package authserver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/authserver"
)

const (
	documentID   = "https://rimless.example/oauth/client.json"
	documentBody = `{"client_id":"https://rimless.example/oauth/client.json","client_name":"Rimless","redirect_uris":["https://rimless.example/cb","http://localhost/cb"],
	"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"logo_uri":"https://rimless.example/logo.png"}`
)

// hosting serves metadata documents in place of the internet.
type hosting func(*http.Request) (*http.Response, error)

func (h hosting) RoundTrip(r *http.Request) (*http.Response, error) { return h(r) }

// page returns an answer with status 200 and pairs of headers. Its type is application/json by
// default.
func page(body string, headers ...string) *http.Response {
	response := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(headers); i += 2 {
		response.Header.Set(headers[i], headers[i+1])
	}
	return response
}

// serving returns the same answer for every URL and counts the fetches.
func serving(answer func() *http.Response) (hosting, *atomic.Int32) {
	var fetched atomic.Int32
	return func(*http.Request) (*http.Response, error) {
		fetched.Add(1)
		return answer(), nil
	}, &fetched
}

func wantFound(t *testing.T, g *registry, id string) authserver.Client {
	t.Helper()
	c, status, code := g.Lookup(t.Context(), id)
	if status != 0 {
		t.Fatalf("%s: %d %s", id, status, code)
	}
	return c
}

func wantInvalid(t *testing.T, g *registry, what string) {
	t.Helper()
	if c, status, code := g.Lookup(t.Context(), documentID); status != http.StatusUnauthorized || code != "invalid_client" {
		t.Errorf("%s: %d %s, %+v", what, status, code, c)
	}
	if len(g.store.writes()) > 0 {
		t.Errorf("%s: was stored", what)
	}
}

func TestDocument_DescribesAPublicClient(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	var sent *http.Request
	g := newRegistry(hosting(func(r *http.Request) (*http.Response, error) {
		sent = r
		return page(documentBody, "Cache-Control", "max-age=3600"), nil
	}))
	c := wantFound(t, g, documentID)
	want := authserver.Client{
		ID: documentID, Name: "Rimless", RedirectURIs: []string{"https://rimless.example/cb", "http://localhost/cb"}, AuthMethod: "none",
		CreatedAt: *g.now, ExpiresAt: g.now.Add(time.Hour),
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if sent.Method != "GET" || sent.URL.String() != documentID || sent.Header.Get("Accept-Encoding") != "identity" || sent.Header.Get("Authorization") != "" {
		t.Errorf("sent %s %s %v", sent.Method, sent.URL, sent.Header)
	}
	if !c.Allows("http://localhost:51001/cb") || !c.Allows("https://rimless.example/cb") || c.Allows("http://127.0.0.1/cb") || c.Allows("https://evil.example/cb") {
		t.Error("accepts another redirect URI")
	}
}

func TestDocument_AcceptsTheDocumentsOfRealProducts(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	for product, c := range map[string]struct{ id, rest, calls string }{
		"Claude": {"https://claude.ai/oauth/mcp-oauth-client-metadata",
			`"redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],
			"token_endpoint_auth_method":"none","client_uri":"https://claude.ai"`, "https://claude.ai/api/mcp/auth_callback"},
		"Claude Code": {"https://claude.ai/oauth/claude-code-client-metadata",
			`"redirect_uris":["http://localhost/callback","http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"`, "http://localhost:51001/callback"},
		"ChatGPT": {"https://chatgpt.com/oauth/aB3_x/client.json",
			`"redirect_uris":["https://chatgpt.com/connector/oauth/aB3_x"],"token_endpoint_auth_method":"private_key_jwt",
			"token_endpoint_auth_methods_supported":["private_key_jwt","none"],"jwks_uri":"https://chatgpt.com/oauth/jwks.json",
			"token_endpoint_auth_signing_alg":"RS256"`, "https://chatgpt.com/connector/oauth/aB3_x"},
		"VS Code": {"https://vscode.dev/oauth/client-metadata.json",
			`"redirect_uris":["https://vscode.dev/redirect","https://insiders.vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],
			"token_endpoint_auth_method":"none","application_type":"native"`, "http://127.0.0.1:60123/"},
		"Copilot CLI": {"https://github.com/copilot/cli/client-metadata.json", `"redirect_uris":["http://127.0.0.1:33418/"]`, "http://127.0.0.1:40404/"},
		"opencode":    {"https://opencode.ai/oauth/opencode/client.json", `"redirect_uris":["http://127.0.0.1/callback"]`, "http://127.0.0.1:19876/callback"},
		"with a key": {"https://rimless.example/c",
			`"redirect_uris":["https://rimless.example/cb"],"token_endpoint_auth_method":"none","jwks":{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b"}]}`,
			"https://rimless.example/cb"},
	} {
		host, _ := serving(func() *http.Response {
			return page(fmt.Sprintf(`{"client_id":%q,"client_name":%q,%s}`, c.id, product, c.rest))
		})
		found := wantFound(t, newRegistry(host), c.id)
		if found.Name != product || found.AuthMethod != "none" || found.SecretHash != "" || !found.Allows(c.calls) {
			t.Errorf("%s: %+v", product, found)
		}
	}
}

func TestDocument_AnAmbiguousURLIsNotFetched(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document; RFC 6890
	host, fetched := serving(func() *http.Response { return page(documentBody) })
	g := newRegistry(host)
	for _, id := range []string{
		"https://", "https:///client.json", "https://rimless.example", "https://rimless.example/", "https://rimless.example?x", "https://rimless.example/c?x=1",
		"https://rimless.example/c?", "https://rimless.example/c#", "https://rimless.example/c#x", "https://user@rimless.example/c", "https://@rimless.example/c",
		"https://user:word@rimless.example/c", "https://rimless.example@evil.example/c", "https://rimless.example/a/../c", "https://rimless.example/./c",
		"https://rimless.example/..", "https://rimless.example/.", "https://rimless.example/a/%2e%2E/c", "https://rimless.example/a/.%2e/c",
		"https://rimless.example/%2e/c", "https://rimless.example\\c", "https://rimless.example/\\..\\c", "https://rimless.example/c d", "https://rimless.example/c\n",
		"https://rimless.example/%", "https://rimless.example/%zz", "https://rimless.example:443/c", "https://rimless.example:8443/c", "https://rimless.example:/c",
		"https://rimless.example:9001/c", "https://127.0.0.1/c", "https://127.1/c", "https://2130706433/c", "https://0x7f.1/c", "https://0x7f000001/c", "https://017700000001/c",
		"https://169.254.169.254/c", "https://8.8.8.8/c", "https://[::1]/c", "https://[2606:4700::1111]/c", "https://localhost/c", "https://metadata/c", "https://.example/c",
		"https://rimless.example./c", "https://rimless..example/c", "https://rímless.example/c", "https://rimless.example/ć", "https://%72imless.example/c",
		"https://rimless.example/" + strings.Repeat("a", 2<<10),
	} {
		if _, status, code := g.Lookup(t.Context(), id); status != http.StatusUnauthorized || code != "invalid_client" {
			t.Errorf("%q: %d %s", id, status, code)
		}
	}
	if fetched.Load() > 0 {
		t.Errorf("fetched %d times", fetched.Load())
	}
}

func TestDocument_ChecksStatusTypeAndSize(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	for what, answer := range map[string]*http.Response{
		"not found":          {StatusCode: http.StatusNotFound},
		"no content":         {StatusCode: http.StatusNoContent},
		"not modified":       {StatusCode: http.StatusNotModified},
		"HTML":               {Header: http.Header{"Content-Type": {"text/html"}}},
		"text of JSON":       {Header: http.Header{"Content-Type": {"text/json"}}},
		"no type":            {Header: http.Header{"Content-Type": {""}}},
		"some other +json":   {Header: http.Header{"Content-Type": {"image/svg+json"}}},
		"JSON in the middle": {Header: http.Header{"Content-Type": {"application/json-seq"}}},
	} {
		host, _ := serving(func() *http.Response {
			response := page(documentBody)
			if answer.StatusCode != 0 {
				response.StatusCode = answer.StatusCode
			}
			if answer.Header != nil {
				response.Header = answer.Header
			}
			return response
		})
		wantInvalid(t, newRegistry(host), what)
	}
	for _, kind := range []string{"application/json", "application/json; charset=utf-8", "application/cimd+json", "Application/JSON"} {
		host, _ := serving(func() *http.Response { return page(documentBody, "Content-Type", kind) })
		wantFound(t, newRegistry(host), documentID)
	}
}

func TestDocument_ARedirectIsNotFollowed(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	for _, status := range []int{301, 302, 303, 307, 308} {
		host, fetched := serving(func() *http.Response {
			response := page("", "Location", "https://169.254.169.254/latest/meta-data/")
			response.StatusCode = status
			return response
		})
		wantInvalid(t, newRegistry(host), "a redirect")
		if fetched.Load() != 1 {
			t.Errorf("%d: %d requests", status, fetched.Load())
		}
	}
}

func TestDocument_AnUnavailableHostIsNoErrorOfThisServer(t *testing.T) {
	for _, status := range []int{429, 500, 502, 503, 504} {
		host, _ := serving(func() *http.Response {
			response := page("{}")
			response.StatusCode = status
			return response
		})
		wantInvalid(t, newRegistry(host), http.StatusText(status))
	}
	wantInvalid(t, newRegistry(hosting(func(*http.Request) (*http.Response, error) { return nil, errDown })), "no connection")
	wantInvalid(t, newRegistry(hosting(func(*http.Request) (*http.Response, error) {
		response := page("")
		response.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"client_id":`), broken{}))
		return response, nil
	})), "a body that breaks off")
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestDocument_ASlowBodyTimesOutAfterFourSeconds(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	synctest.Test(t, func(t *testing.T) {
		g := newRegistry(hosting(func(r *http.Request) (*http.Response, error) {
			response := page("")
			response.Body = io.NopCloser(trickle{r.Context()})
			return response, nil
		}))
		began := time.Now()
		wantInvalid(t, g, "a slow body")
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// trickle returns one space a second until the reader closes it.
type trickle struct{ ctx context.Context }

func (s trickle) Read(p []byte) (int, error) {
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(time.Second):
		return copy(p, " "), nil
	}
}

// endless is an endless body that counts the bytes read.
type endless struct{ read *int }

func (e endless) Read(p []byte) (int, error) {
	*e.read += len(p)
	return copy(p, bytes.Repeat([]byte(" "), len(p))), nil
}

func TestDocument_ReadsOnlyTheStartOfAHugeBody(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	read := 0
	wantInvalid(t, newRegistry(hosting(func(*http.Request) (*http.Response, error) {
		response := page("")
		response.Body = io.NopCloser(endless{&read})
		return response, nil
	})), "a huge body")
	if read > 16<<10 {
		t.Errorf("%d bytes were read", read)
	}
	exact := documentBody + strings.Repeat(" ", 5<<10-len(documentBody))
	host, _ := serving(func() *http.Response { return page(exact) })
	wantFound(t, newRegistry(host), documentID)
	host, _ = serving(func() *http.Response { return page(exact + " ") })
	wantInvalid(t, newRegistry(host), "a byte too many")
}

func TestDocument_IsNotDecompressed(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	_, _ = io.WriteString(packer, documentBody+strings.Repeat(" ", 1<<20))
	_ = packer.Close()
	for _, coding := range []string{"gzip", "br", "deflate", "zstd", "gzip, gzip"} {
		host, _ := serving(func() *http.Response { return page(bomb.String(), "Content-Encoding", coding) })
		wantInvalid(t, newRegistry(host), coding)
	}
	host, _ := serving(func() *http.Response { return page(bomb.String()) })
	wantInvalid(t, newRegistry(host), "gzip that does not say so")
}

func TestDocument_ChecksItsMembers(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document; RFC 8252, 7
	const (
		id     = `"client_id":"` + documentID + `"`
		name   = `"client_name":"Rimless"`
		uris   = `"redirect_uris":["https://rimless.example/cb"]`
		enough = id + "," + name + "," + uris
	)
	for what, body := range map[string]string{
		"nothing":                     "",
		"no object":                   `[` + `{` + enough + `}]`,
		"null":                        "null",
		"two of them":                 `{` + enough + `}{` + enough + `}`,
		"half":                        `{` + enough,
		"bytes that are no text":      `{` + enough + `,"x":"` + "\xc3\x28" + `"}`,
		"a member twice":              `{` + enough + `,"redirect_uris":["https://evil.example/cb"]}`,
		"a member twice, hidden":      `{` + enough + `,"redirect\u005furis":["https://evil.example/cb"]}`,
		"no client_id":                `{` + name + `,` + uris + `}`,
		"a client_id in capitals":     `{"Client_ID":"` + documentID + `",` + name + `,` + uris + `}`,
		"another client_id":           `{"client_id":"https://rimless.example/oauth/other.json",` + name + `,` + uris + `}`,
		"nearly the client_id":        `{"client_id":"` + documentID + `/",` + name + `,` + uris + `}`,
		"the client_id in upper case": `{"client_id":"https://Rimless.example/oauth/client.json",` + name + `,` + uris + `}`,
		"a number for client_id":      `{"client_id":7,` + name + `,` + uris + `}`,
		"no name":                     `{` + id + `,` + uris + `}`,
		"a name of nothing":           `{` + id + `,"client_name":" \u200b",` + uris + `}`,
		"a number for a name":         `{` + id + `,"client_name":7,` + uris + `}`,
		"no redirect_uris":            `{` + id + `,` + name + `}`,
		"empty redirect_uris":         `{` + id + `,` + name + `,"redirect_uris":[]}`,
		"redirect_uris of one string": `{` + id + `,` + name + `,"redirect_uris":"https://rimless.example/cb"}`,
		"a bad redirect_uri":          `{` + id + `,` + name + `,"redirect_uris":["https://rimless.example/cb","javascript:alert(1)"]}`,
		"an answer in it":             `{` + id + `,` + name + `,"redirect_uris":["https://rimless.example/cb?iss=https://evil.example"]}`,
		"plain http":                  `{` + id + `,` + name + `,"redirect_uris":["http://rimless.example/cb"]}`,
		"a secret":                    `{` + enough + `,"client_secret":"x"}`,
		"a secret of null":            `{` + enough + `,"client_secret":null}`,
		"a secret that expires":       `{` + enough + `,"client_secret_expires_at":0}`,
		"a private key":               `{` + enough + `,"jwks":{"keys":[{"kty":"EC","x":"a","y":"b"},{"kty":"EC","x":"a","y":"b","d":"c"}]}}`,
		"a part of a private key":     `{` + enough + `,"jwks":{"keys":[{"kty":"RSA","n":"a","e":"b","qi":"c"}]}}`,
		"a shared key":                `{` + enough + `,"jwks":{"keys":[{"kty":"oct","k":"c"}]}}`,
		"a private key without a set": `{` + enough + `,"jwks":{"kty":"AKP","priv":"c"}}`,
		"only a key of its own":       `{` + enough + `,"token_endpoint_auth_method":"private_key_jwt"}`,
		"only keys of its own":        `{` + enough + `,"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["private_key_jwt","tls_client_auth"]}`,
		"client_secret_basic":         `{` + enough + `,"token_endpoint_auth_method":"client_secret_basic"}`,
		"client_secret_post":          `{` + enough + `,"token_endpoint_auth_method":"client_secret_post","token_endpoint_auth_methods_supported":["none"]}`,
		"client_secret_jwt":           `{` + enough + `,"token_endpoint_auth_method":"client_secret_jwt","token_endpoint_auth_methods_supported":["none"]}`,
		"a method of no type":         `{` + enough + `,"token_endpoint_auth_method":["none"]}`,
	} {
		host, _ := serving(func() *http.Response { return page(body) })
		wantInvalid(t, newRegistry(host), what)
	}
	for what, body := range map[string]string{
		"just enough":            `{` + enough + `}`,
		"blanks around":          " \r\n\t{" + enough + "}\n",
		"private_key_jwt or not": `{` + enough + `,"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["private_key_jwt","none"]}`,
		"what we do not know":    `{` + enough + `,"x":{"d":1},"software_statement":7}`,
	} {
		host, _ := serving(func() *http.Response { return page(body) })
		if c := wantFound(t, newRegistry(host), documentID); c.AuthMethod != "none" {
			t.Errorf("%s: %+v", what, c)
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(documentBody), "max-age=3600")
	f.Add([]byte(`{"client_id":"`+documentID+`","client_name":"R","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback"],"jwks":{"keys":[{}]}}`), "no-store")
	f.Fuzz(func(t *testing.T, body []byte, caching string) {
		host, _ := serving(func() *http.Response { return page(string(body), "Cache-Control", caching) })
		g := newRegistry(host)
		c, status, _ := g.Lookup(t.Context(), documentID)
		if status != 0 {
			if len(g.store.writes()) > 0 {
				t.Error("a bad document was stored")
			}
			return
		}
		if c.ID != documentID || c.Name == "" || len(c.RedirectURIs) == 0 || c.AuthMethod != "none" || c.SecretHash != "" {
			t.Errorf("found %+v", c)
		}
		if kept := c.ExpiresAt.Sub(*g.now); kept != 0 && (kept < 5*time.Minute || kept > 24*time.Hour) {
			t.Errorf("kept for %v", kept)
		}
	})
}
