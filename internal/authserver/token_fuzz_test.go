package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzToken sends arbitrary forms to /token and /revoke. Answers must be JSON with a known status.
// Tokens require a code with its verifier, or a refresh token. Refused requests must write
// nothing.
func FuzzToken(f *testing.F) {
	const form = "application/x-www-form-urlencoded"
	good := redeeming("code-1").Encode()
	f.Add("/token", form, good, "")
	f.Add("/token", form, refreshing("bcm_rt_ffffffffffffff11_"+strings.Repeat("A", 43)).Encode(), basic("c_quince", theSecret))
	f.Add("/token", "application/json", `{"grant_type":"authorization_code"}`, "Bearer x")
	f.Add("/token", form+"; charset=utf-8", "grant_type=&grant_type=&client_id=%00&code=%ff", "Basic Og==")
	f.Add("/revoke", form, "token=bcm_at_&client_id=https://plumcot.example/client.json&token_type_hint=x", "basic =")
	f.Add("/revoke", "multipart/form-data", "resource=a&resource=b;&&=&%", "Basic")
	f.Fuzz(func(t *testing.T, path, kind, body, authorization string) {
		if path != "/revoke" {
			path = "/token"
		}
		k := newTokenEnv(t)
		k.code()
		k.register(publicClient, postClient)
		r := httptest.NewRequest(http.MethodPost, origin+path, strings.NewReader(body))
		r.Header["Content-Type"], r.Header["Authorization"] = []string{kind}, []string{authorization}
		before := len(k.store.writes())
		s := k.send(r)
		wrote := k.store.writes()[before:]
		switch s.status {
		case http.StatusOK:
			if path == "/token" && (!strings.Contains(body, "code-1") || !strings.Contains(body, "dBjftJeZ4CVP") && !strings.Contains(body, "%")) {
				t.Errorf("tokens for %q", body)
			}
		case http.StatusBadRequest, http.StatusUnauthorized:
			if s.Error == "" || s.Description == "" || len(wrote) > 0 {
				t.Errorf("%q writes %v and says %s", body, wrote, s.text)
			}
		default:
			t.Errorf("%q: %d %s", body, s.status, s.text)
		}
		if s.header.Get("Cache-Control") != "no-store" || s.header.Get("Pragma") != "no-cache" {
			t.Errorf("%v", s.header)
		}
		code := "code-1"
		if len(wrote) == 0 && k.post(redeeming(code)).status != http.StatusOK {
			t.Errorf("%q has spoiled the code", body)
		}
	})
}
