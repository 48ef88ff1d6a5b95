package authserver_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

func TestToken_AcceptsOnlyPOST(t *testing.T) { // RFC 6749, 3.2
	k := newTokenEnv(t)
	code, _ := k.code()
	form := redeeming(code)
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE"} {
		r := httptest.NewRequest(method, origin+"/token?"+form.Encode(), strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		s := k.send(r)
		if s.status != http.StatusMethodNotAllowed || !strings.Contains(s.header.Get("Allow"), "POST") {
			t.Errorf("%s: %d, Allow %q", method, s.status, s.header.Get("Allow"))
		}
	}
	k.issues(form)
}

func TestToken_AnswersAreNotCached(t *testing.T) { // RFC 6749, 5.1
	k := newTokenEnv(t)
	code, _ := k.code()
	down, _ := k.code()
	answers := []said{k.issues(redeeming(code)), k.post(nil), k.post(redeeming("unknown"))}
	k.store.failing(1)
	for _, s := range append(answers, k.post(redeeming(down))) {
		if s.header.Get("Cache-Control") != "no-store" || s.header.Get("Pragma") != "no-cache" {
			t.Errorf("%d %s: %v", s.status, s.Error, s.header)
		}
	}
}

func TestToken_RefusesAnInvalidFormAndKeepsTheCode(t *testing.T) { // RFC 6749, 3.2
	k := newTokenEnv(t)
	code, _ := k.code()
	good := redeeming(code).Encode()
	asJSON, _ := json.Marshal(map[string]string{"grant_type": "authorization_code", "code": code})
	const form = "application/x-www-form-urlencoded"
	for name, test := range map[string]struct{ kind, body string }{
		"JSON":            {"application/json", string(asJSON)},
		"a form as JSON":  {"application/json", good},
		"no type":         {"", good},
		"multipart":       {"multipart/form-data; boundary=x", good},
		"text":            {"text/plain", good},
		"oversize":        {form, good + "&x=" + strings.Repeat("x", 64<<10)},
		"bad escape":      {form, good + "&x=%zz"},
		"semicolon":       {form, good + ";x=1"},
		"two codes":       {form, good + "&code=" + code},
		"two clients":     {form, good + "&client_id=" + publicClient.ID},
		"two verifiers":   {form, good + "&code_verifier=" + verifier},
		"two grant types": {form, good + "&grant_type=refresh_token"},
		"two of others":   {form, good + "&x=1&x=2"},
	} {
		r := httptest.NewRequest(http.MethodPost, origin+"/token", strings.NewReader(test.body))
		r.Header.Del("Content-Type")
		if test.kind != "" {
			r.Header.Set("Content-Type", test.kind)
		}
		t.Run(name, func(t *testing.T) {
			k := k.in(t)
			k.untouched(func() { k.refuses(k.send(r), http.StatusBadRequest, "invalid_request") })
		})
	}
	k.issues(redeeming(code))
}

func TestToken_IgnoresParametersInTheURL(t *testing.T) { // RFC 6749, 3.2
	k := newTokenEnv(t)
	code, _ := k.code()
	r := posting("/token?"+redeeming(code).Encode(), nil)
	k.refuses(k.send(r), http.StatusBadRequest, "invalid_request")
}

func TestToken_NamesTheMissingParameter(t *testing.T) {
	k := newTokenEnv(t)
	code, _ := k.code()
	for _, name := range []string{"grant_type", "client_id", "code", "redirect_uri", "code_verifier"} {
		for _, empty := range []bool{false, true} { // an empty parameter counts as absent
			form := redeeming(code, name, "")
			if empty {
				form[name] = []string{""}
			}
			s := k.post(form)
			k.refuses(s, http.StatusBadRequest, "invalid_request")
			if !strings.Contains(s.Description, name) {
				t.Errorf("%s: %q", name, s.Description)
			}
		}
	}
	k.refuses(k.post(refreshing("", "refresh_token", "")), http.StatusBadRequest, "invalid_request")
	k.issues(redeeming(code))
}

func TestToken_OtherGrantTypesAreUnsupported(t *testing.T) {
	k := newTokenEnv(t)
	code, _ := k.code()
	for _, kind := range []string{"password", "client_credentials", "implicit", "AUTHORIZATION_CODE", "urn:ietf:params:oauth:grant-type:jwt-bearer"} {
		k.refuses(k.post(redeeming(code, "grant_type", kind)), http.StatusBadRequest, "unsupported_grant_type")
	}
}

// authenticating returns a request with credentials in the header, the form, or both.
func authenticating(path string, form url.Values, authorization string) *http.Request {
	r := posting(path, form)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return r
}

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
}

func encoded(id, secret string) string { return basic(url.QueryEscape(id), url.QueryEscape(secret)) }

func TestToken_AuthenticatesClients(t *testing.T) { // RFC 6749, 5.2; RFC 6749, 2.3.1
	for name, test := range map[string]struct {
		client        authserver.Client
		id, secret    string // in the form
		authorization string
		want          string // the error; empty for tokens
	}{
		"public":                         {publicClient, publicClient.ID, "", "", ""},
		"public, basic, no secret":       {publicClient, "", "", basic(publicClient.ID, ""), ""},
		"public, some other scheme":      {publicClient, publicClient.ID, "", "Bearer bcm_at_x", ""},
		"public, a secret":               {publicClient, publicClient.ID, "guess", "", "invalid_client"},
		"public, a secret by basic":      {publicClient, "", "", basic(publicClient.ID, "guess"), "invalid_client"},
		"document":                       {documentClient, documentClient.ID, "", "", ""},
		"document, a secret":             {documentClient, documentClient.ID, "guess", "", "invalid_client"},
		"document by basic":              {documentClient, "", "", encoded(documentClient.ID, ""), ""},
		"post":                           {postClient, postClient.ID, theSecret, "", ""},
		"post, by basic":                 {postClient, "", "", encoded(postClient.ID, theSecret), ""},
		"post, no secret":                {postClient, postClient.ID, "", "", "invalid_client"},
		"post, wrong secret":             {postClient, postClient.ID, theSecret + " ", "", "invalid_client"},
		"basic":                          {basicClient, "", "", encoded(basicClient.ID, theSecret), ""},
		"basic, scheme in lower case":    {basicClient, "", "", "basic" + strings.TrimPrefix(encoded(basicClient.ID, theSecret), "Basic"), ""},
		"basic, its id in the form too":  {basicClient, basicClient.ID, "", encoded(basicClient.ID, theSecret), ""},
		"basic, by post":                 {basicClient, basicClient.ID, theSecret, "", ""},
		"basic, not encoded":             {basicClient, "", "", basic(basicClient.ID, theSecret), "invalid_request"},
		"basic, no secret":               {basicClient, "", "", basic(basicClient.ID, ""), "invalid_client"},
		"basic, wrong secret":            {basicClient, "", "", encoded(basicClient.ID, "guess"), "invalid_client"},
		"basic, another id in the form":  {basicClient, publicClient.ID, "", encoded(basicClient.ID, theSecret), "invalid_request"},
		"two ways at once":               {postClient, postClient.ID, theSecret, encoded(postClient.ID, theSecret), "invalid_request"},
		"two ways at once, one empty":    {postClient, postClient.ID, theSecret, basic(postClient.ID, ""), "invalid_request"},
		"basic, no base64":               {basicClient, basicClient.ID, "", "Basic !", "invalid_request"},
		"basic, no colon":                {basicClient, basicClient.ID, "", "Basic eA==", "invalid_request"},
		"basic, no id":                   {basicClient, "", "", basic("", theSecret), "invalid_request"},
		"confidential, but never stored": {authserver.Client{ID: "c_x", AuthMethod: "client_secret_post"}, "c_x", "", "", "invalid_client"},
		"of no method":                   {authserver.Client{ID: "c_x"}, "c_x", "", "", "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTokenEnv(t)
			code, family := k.code(of(test.client))
			form := redeeming(code, "client_id", test.id, "client_secret", test.secret)
			s := k.send(authenticating("/token", form, test.authorization))
			if test.want == "" {
				if s.status != http.StatusOK {
					t.Errorf("%d %s", s.status, s.text)
				}
				return
			}
			status := http.StatusBadRequest
			if test.want == "invalid_client" {
				status = http.StatusUnauthorized
			}
			k.refuses(s, status, test.want)
			challenged := len(s.header["WWW-Authenticate"]) == 1 && strings.HasPrefix(s.header["WWW-Authenticate"][0], "Basic ") &&
				s.header.Get("X-Mcp-Challenge") == s.header["WWW-Authenticate"][0] // some gateways rename the first header
			if want := test.want == "invalid_client" && test.authorization != ""; challenged != want {
				t.Errorf("WWW-Authenticate: %v", s.header["WWW-Authenticate"])
			}
			if _, _, err := k.store.Store.Refresh(t.Context(), family, ""); !errors.Is(err, authserver.ErrNotFound) {
				t.Error("there is a family")
			}
		})
	}
}

func TestToken_TwoAuthorizationHeadersAreRefused(t *testing.T) { // RFC 6749, 2.3.1
	k := newTokenEnv(t)
	code, _ := k.code(of(basicClient))
	r := authenticating("/token", redeeming(code, "client_id", ""), encoded(basicClient.ID, theSecret))
	r.Header.Add("Authorization", encoded(basicClient.ID, theSecret))
	k.refuses(k.send(r), http.StatusBadRequest, "invalid_request")
}

func TestToken_AnUnknownClientReceivesInvalidClient(t *testing.T) { // RFC 6749, 5.2
	k := newTokenEnv(t)
	k.register(postClient)
	k.refuses(k.post(redeeming("unknown")), http.StatusUnauthorized, "invalid_client")
	k.refuses(k.post(refreshing("unknown")), http.StatusUnauthorized, "invalid_client")
	k.refuses(k.post(redeeming("unknown", "client_id", strings.Repeat("c", 3000))), http.StatusUnauthorized, "invalid_client")
	// A known client learns that its code is unknown, but only after it has authenticated.
	k.refuses(k.post(redeeming("unknown", "client_id", postClient.ID, "client_secret", theSecret)), http.StatusBadRequest, "invalid_grant")
	k.refuses(k.post(redeeming("unknown", "client_id", postClient.ID)), http.StatusUnauthorized, "invalid_client")
	k.clock.pass(91 * 24 * time.Hour)
	k.refuses(k.post(redeeming("unknown", "client_id", postClient.ID, "client_secret", theSecret)), http.StatusUnauthorized, "invalid_client")
}

func TestToken_AConnectionOutlivesTheClientsRegistration(t *testing.T) {
	for _, client := range []authserver.Client{publicClient, documentClient} { // not registered, not fetched
		k := newTokenEnv(t)
		code, _ := k.code(of(client))
		s := k.issues(redeeming(code, "client_id", client.ID))
		for range 5 {
			k.clock.pass(25 * 24 * time.Hour)
			s = k.issues(refreshing(s.RefreshToken, "client_id", client.ID))
		}
	}
}

func TestToken_ADocumentIsNeverFetched(t *testing.T) {
	k := newTokenEnv(t)
	k.refuses(k.post(redeeming("unknown", "client_id", documentClient.ID)), http.StatusBadRequest, "invalid_grant")
	k.refuses(k.post(refreshing("unknown", "client_id", documentClient.ID)), http.StatusBadRequest, "invalid_grant")
	s := k.send(posting("/revoke", url.Values{"client_id": {documentClient.ID}, "token": {"unknown"}}))
	if s.status != http.StatusOK {
		t.Errorf("%d %s", s.status, s.text)
	}
}

// After the end of its connection an unknown client learns so at /token, and not from a page.
func TestToken_AnUnknownClientOfAnEndedConnectionIsInvalid(t *testing.T) { // RFC 6749, 5.2
	k, family, s := loggedIn(t)
	if err := k.store.Revoke(t.Context(), family, "disconnected", k.clock.Now()); err != nil {
		t.Fatal(err)
	}
	k.refuses(k.post(refreshing(s.RefreshToken)), http.StatusUnauthorized, "invalid_client")
	k.register(publicClient)
	k.refuses(k.post(refreshing(s.RefreshToken)), http.StatusBadRequest, "invalid_grant")
}

func TestToken_WhenTheStoreFailsTheSameRequestSucceedsLater(t *testing.T) {
	logs := func(k *tokenEnv) {
		if !strings.Contains(k.log.String(), errDown.Error()) {
			t.Errorf("the cause is not in the log: %s", k.log)
		}
	}
	for name, prepare := range map[string]func(*tokenEnv) *http.Request{
		"code": func(k *tokenEnv) *http.Request {
			code, _ := k.code()
			return posting("/token", redeeming(code))
		},
		"refresh": func(k *tokenEnv) *http.Request {
			_, s := k.login()
			return posting("/token", refreshing(s.RefreshToken))
		},
		"refresh again": func(k *tokenEnv) *http.Request {
			_, s := k.login()
			k.issues(refreshing(s.RefreshToken))
			return posting("/token", refreshing(s.RefreshToken))
		},
		"revoke refresh": func(k *tokenEnv) *http.Request {
			_, s := k.login()
			return posting("/revoke", url.Values{"client_id": {publicClient.ID}, "token": {s.RefreshToken}})
		},
		"revoke access": func(k *tokenEnv) *http.Request {
			_, s := k.login()
			return posting("/revoke", url.Values{"client_id": {publicClient.ID}, "token": {s.AccessToken}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			failed := 0
			for n := 1; ; n++ {
				if n > 50 {
					t.Fatal("the request still fails when the store fails late")
				}
				k := newTokenEnv(t)
				r := prepare(k)
				body, _ := io.ReadAll(r.Body)
				again := r.Clone(t.Context())
				r.Body, again.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
				k.store.failing(n)
				s := k.send(r)
				if s.status == http.StatusOK {
					break
				}
				failed++
				k.refuses(s, http.StatusServiceUnavailable, "temporarily_unavailable")
				if seconds, err := strconv.Atoi(s.header.Get("Retry-After")); err != nil || seconds < 1 {
					t.Errorf("Retry-After %q", s.header.Get("Retry-After"))
				}
				logs(k)
				if s := k.send(again); s.status != http.StatusOK {
					t.Errorf("call %d failed, then %d %s", n, s.status, s.text)
				}
			}
			want := 2 // a read and a write
			if name == "revoke refresh" {
				want = 3 // and a read whether it was the last
			}
			if failed != want {
				t.Errorf("failed %d times, want %d", failed, want)
			}
		})
	}
}

func TestToken_AFailedClientLookupIsATemporaryError(t *testing.T) {
	k := newTokenEnv(t)
	k.register(publicClient)
	for n := 1; n <= 2; n++ { // the code, the client
		k.store.failing(n)
		k.refuses(k.post(redeeming("unknown")), http.StatusServiceUnavailable, "temporarily_unavailable")
	}
	k.refuses(k.post(redeeming("unknown")), http.StatusBadRequest, "invalid_grant")
}

func TestToken_SecretsAreNeitherLoggedNorRepeated(t *testing.T) { // MCP authorization, "Token Theft"
	k := newTokenEnv(t)
	k.register(strangersClient)
	code, _ := k.code()
	s := k.issues(redeeming(code))
	next := k.issues(refreshing(s.RefreshToken))
	k.issues(refreshing(next.RefreshToken))
	answers := []said{k.post(redeeming(code, "client_id", strangersClient.ID)), k.post(refreshing(s.RefreshToken)), k.post(refreshing(next.RefreshToken))}
	replayed, _ := k.code()
	k.issues(redeeming(replayed))
	answers = append(answers, k.post(redeeming(replayed, "code_verifier", challenge)))
	k.store.failing(1)
	answers = append(answers, k.post(refreshing(next.RefreshToken)))
	heard := k.log.String()
	for _, a := range answers {
		heard += a.text
	}
	for _, secret := range []string{code, replayed, verifier, s.AccessToken, s.RefreshToken, next.RefreshToken, strangersClient.ID} {
		if strings.Contains(heard, secret) {
			t.Errorf("%s is in: %s", secret, heard)
		}
	}
	if !strings.Contains(heard, "old refresh token") || !strings.Contains(heard, "replayed") {
		t.Errorf("the thefts are not in the log: %s", heard)
	}
}
