package authserver_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
)

func TestRedeem_IssuesTokensForWhatTheUserAgreedTo(t *testing.T) { // RFC 6749, 4.1.3; RFC 6749, 5.1
	k := newTokenEnv(t)
	code, family := k.code()
	s := k.issues(redeeming(code))
	if s.Type != "Bearer" || s.ExpiresIn != 28800 || s.Scope != "read write" {
		t.Errorf("%s", s.text)
	}
	for prefix, token := range map[string]string{"bcm_at_": s.AccessToken, "bcm_rt_": s.RefreshToken} {
		if !strings.HasPrefix(token, prefix+family+"_") || len(token) != len(prefix)+16+1+43 {
			t.Errorf("token %q", token)
		}
	}
	caller, err := k.verify(s.AccessToken)
	if err != nil || len(caller.Key) != 32 {
		t.Fatalf("%+v, %v", caller, err)
	}
	want := identity.Caller{Client: "Plumcot", Subject: "37s:9007199254741210", Connection: family, Scopes: both, Account: 195539477, Key: caller.Key}
	if diff := cmp.Diff(want, caller); diff != "" {
		t.Error(diff)
	}
	f, r, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(s.RefreshToken))
	if err != nil {
		t.Fatal(err)
	}
	now, day := k.clock.Now(), 24*time.Hour
	wantFamily := authserver.Family{
		Permit: permit, ID: family, Key: caller.Key, Generation: 1,
		CreatedAt: now, RefreshedAt: now, ExpiresAt: now.Add(30 * day), EndsAt: now.Add(180 * day),
	}
	if diff := cmp.Diff(wantFamily, f); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(authserver.Refresh{Hash: authserver.HashOf(s.RefreshToken), Generation: 1, ExpiresAt: f.ExpiresAt}, r); diff != "" {
		t.Error(diff)
	}
}

func TestRedeem_EachFamilyHasItsOwnKey(t *testing.T) {
	k, _, s := loggedIn(t)
	_, other := k.login()
	x, _ := k.verify(s.AccessToken)
	y, _ := k.verify(other.AccessToken)
	if len(x.Key) != 32 || bytes.Equal(x.Key, y.Key) || bytes.Equal(x.Key, make([]byte, 32)) {
		t.Errorf("keys %x and %x", x.Key, y.Key)
	}
}

func TestRedeem_AccessTokensLiveForEightHours(t *testing.T) {
	k := newTokenEnv(t)
	_, s := k.login()
	k.clock.pass(8*time.Hour - time.Second)
	if !k.opens(s.AccessToken) {
		t.Error("ended early")
	}
	k.clock.pass(time.Second)
	if k.opens(s.AccessToken) {
		t.Error("still opens")
	}
}

func TestRedeem_AFailedAttemptConsumesNothing(t *testing.T) { // RFC 6749, 4.1.3; RFC 6749, 4.1.2; RFC 7636, 4.6
	k := newTokenEnv(t)
	k.register(strangersClient)
	code, _ := k.code()
	for name, test := range map[string]struct {
		pairs []string
		want  string
	}{
		"another client":          {[]string{"client_id", strangersClient.ID}, "invalid_grant"},
		"an unknown client":       {[]string{"client_id", "c_unknown"}, "invalid_client"},
		"another port":            {[]string{"redirect_uri", "http://localhost:54322/callback"}, "invalid_grant"},
		"no port":                 {[]string{"redirect_uri", "http://localhost/callback"}, "invalid_grant"},
		"another loopback host":   {[]string{"redirect_uri", "http://127.0.0.1:54321/callback"}, "invalid_grant"},
		"a longer redirect":       {[]string{"redirect_uri", callback + "/"}, "invalid_grant"},
		"a wrong verifier":        {[]string{"code_verifier", strings.Repeat("a", 43)}, "invalid_grant"},
		"the challenge itself":    {[]string{"code_verifier", challenge}, "invalid_grant"}, // plain
		"and the method plain":    {[]string{"code_verifier", challenge, "code_challenge_method", "plain"}, "invalid_grant"},
		"a challenge of its own":  {[]string{"code_verifier", strings.Repeat("a", 43), "code_challenge", "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA"}, "invalid_grant"},
		"no verifier":             {[]string{"code_verifier", ""}, "invalid_request"},
		"no redirect":             {[]string{"redirect_uri", ""}, "invalid_request"},
		"another host's resource": {[]string{"resource", "https://evil.example/mcp"}, "invalid_target"},
		"another path":            {[]string{"resource", origin + "/other"}, "invalid_target"},
		"a path that begins so":   {[]string{"resource", origin + "/mcpx"}, "invalid_target"},
		"no URL":                  {[]string{"resource", "mcp"}, "invalid_target"},
		"a secret":                {[]string{"client_secret", "guess"}, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			k := k.in(t)
			k.untouched(func() {
				status := http.StatusBadRequest
				if test.want == "invalid_client" {
					status = http.StatusUnauthorized
				}
				k.refuses(k.post(redeeming(code, test.pairs...)), status, test.want)
			})
		})
	}
	k.issues(redeeming(code))
}

func TestRedeem_ACodeWithoutAChallengeIsRefused(t *testing.T) { // RFC 7636, 4.6
	k := newTokenEnv(t)
	code, _ := k.code(func(c *authserver.Code) { c.Challenge = "" })
	k.refuses(k.post(redeeming(code)), http.StatusBadRequest, "invalid_grant")
}

func TestRedeem_ChecksLengthAndCharactersOfTheVerifier(t *testing.T) { // RFC 7636, 4.6
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	for name, test := range map[string]struct {
		verifier string
		want     bool
	}{
		"42":          {strings.Repeat("a", 42), false},
		"43":          {strings.Repeat("a", 43), true},
		"128":         {strings.Repeat("a", 128), true},
		"129":         {strings.Repeat("a", 129), false},
		"all letters": {letters, true},
		"plus":        {strings.Repeat("a", 43) + "+", false},
		"equals":      {strings.Repeat("a", 43) + "=", false},
		"blank":       {strings.Repeat("a", 43) + " ", false},
		"not ASCII":   {strings.Repeat("a", 43) + "é", false},
		"NUL":         {strings.Repeat("a", 43) + "\x00", false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTokenEnv(t)
			code, _ := k.code(func(c *authserver.Code) { c.Challenge = s256(test.verifier) })
			if s := k.post(redeeming(code, "code_verifier", test.verifier)); (s.status == http.StatusOK) != test.want {
				t.Errorf("%d %s", s.status, s.text)
			}
		})
	}
}

func TestRedeem_AcceptsAResourceWithinTheAuthorizedOne(t *testing.T) { // RFC 8707, 2.2
	const whole, part = origin + "/mcp", origin + "/mcp/x/todos"
	for _, test := range []struct {
		authorized string
		named      []string
		want       bool
	}{
		{whole, nil, true},
		{whole, []string{whole}, true},
		{whole, []string{whole + "/"}, true},
		{whole, []string{"HTTPS://MCP.Fernhill.example/mcp"}, true},
		{whole, []string{whole + "/readonly"}, true},
		{whole, []string{whole, part}, true},
		{whole, []string{whole, "https://evil.example/mcp"}, false},
		{whole, []string{whole + "#x"}, false},
		{whole, []string{whole + "/x/unknown"}, false},
		{part, nil, true},
		{part, []string{part}, true},
		{part, []string{part + "/readonly"}, true},
		{part, []string{whole}, false},
		{part, []string{origin + "/mcp/x/messages"}, false},
		{part, []string{part + ",messages"}, false},
	} {
		k := newTokenEnv(t)
		code, _ := k.code(func(c *authserver.Code) { c.Resource = test.authorized })
		form := redeeming(code)
		form["resource"] = test.named
		s := k.post(form)
		if (s.status == http.StatusOK) != test.want {
			t.Errorf("%s, then %s: %d %s", test.authorized, test.named, s.status, s.text)
		}
		if test.want && !k.opens(s.AccessToken) {
			t.Errorf("%s, then %s: is refused", test.authorized, test.named)
		}
	}
}

func TestRedeem_CodesExpireAfterAMinute(t *testing.T) { // RFC 6749, 4.1.3
	k := newTokenEnv(t)
	inTime, _ := k.code()
	late, family := k.code()
	k.clock.pass(time.Minute - time.Second)
	k.issues(redeeming(inTime))
	k.clock.pass(time.Second)
	k.untouched(func() { k.refuses(k.post(redeeming(late)), http.StatusBadRequest, "invalid_grant") })
	if _, _, err := k.store.Store.Refresh(t.Context(), family, ""); !errors.Is(err, authserver.ErrNotFound) {
		t.Error("there is a family")
	}
}

func TestRedeem_ConcurrentRequestsCreateOneFamily(t *testing.T) { // RFC 6749, 4.1.2
	k := newTokenEnv(t)
	code, _ := k.code()
	answers := make([]said, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = k.post(redeeming(code)) })
	}
	all.Wait()
	var won []said
	for _, s := range answers {
		if s.status == http.StatusOK {
			won = append(won, s)
			continue
		}
		k.refuses(s, http.StatusBadRequest, "invalid_grant")
	}
	if len(won) != 1 {
		t.Fatalf("%d got tokens", len(won))
	}
	k.alive(true, won[0])
}

// Another request may redeem the code between the check and the redemption.
func TestRedeem_TheLoserOfARaceIsRefusedAndTheFamilyStays(t *testing.T) { // RFC 6749, 4.1.2
	k := newTokenEnv(t)
	code, _ := k.code()
	var first said
	k.store.before = map[string]func(){"Redeem": func() { first = k.issues(redeeming(code)) }}
	k.refuses(k.post(redeeming(code)), http.StatusBadRequest, "invalid_grant")
	k.alive(true, first)
}

func TestRedeem_AReplayRevokesTheIssuedTokens(t *testing.T) { // RFC 6749, 4.1.2
	for name, test := range map[string]struct {
		after  time.Duration
		pairs  []string
		status int
		alive  bool
	}{
		"at once, with the verifier":       {0, nil, 400, true}, // a retry
		"in 10 s, with the verifier":       {10 * time.Second, nil, 400, true},
		"in 11 s, with the verifier":       {11 * time.Second, nil, 400, false},
		"after the code's own minute":      {2 * time.Minute, nil, 400, false},
		"at once, with a wrong one":        {0, []string{"code_verifier", strings.Repeat("a", 43)}, 400, false},
		"at once, by another client":       {0, []string{"client_id", strangersClient.ID}, 400, true},
		"in an hour, by another client":    {time.Hour, []string{"client_id", strangersClient.ID}, 400, true},
		"another client, wrong one too":    {0, []string{"client_id", strangersClient.ID, "code_verifier", challenge}, 400, true},
		"in an hour, by an unknown client": {time.Hour, []string{"client_id", "c_unknown"}, 401, true},
		"in an hour, with a secret":        {time.Hour, []string{"client_secret", "guess"}, 401, true},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTokenEnv(t)
			k.register(strangersClient)
			code, _ := k.code()
			s := k.issues(redeeming(code))
			k.clock.pass(test.after)
			again := k.post(redeeming(code, test.pairs...))
			if again.status != test.status || again.AccessToken != "" {
				t.Errorf("%d %s", again.status, again.text)
			}
			k.register(publicClient) // a revoked family does not identify its client
			k.alive(test.alive, s)
		})
	}
}

func TestRedeem_AReplayWithoutTheClientSecretRevokesNothing(t *testing.T) { // RFC 6749, 4.1.2
	k := newTokenEnv(t)
	code, _ := k.code(of(postClient))
	form := redeeming(code, "client_id", postClient.ID, "client_secret", theSecret)
	s := k.issues(form)
	k.clock.pass(time.Minute)
	form.Set("client_secret", "guess")
	k.untouched(func() { k.refuses(k.post(form), http.StatusUnauthorized, "invalid_client") })
	if !k.opens(s.AccessToken) {
		t.Error("revoked")
	}
}

func TestRedeem_AReplayDuringAStoreFailureRevokesAtTheNextTry(t *testing.T) {
	k := newTokenEnv(t)
	k.register(publicClient)
	code, _ := k.code()
	s := k.issues(redeeming(code))
	k.clock.pass(time.Minute)
	k.store.failing(2)
	k.refuses(k.post(redeeming(code)), http.StatusServiceUnavailable, "temporarily_unavailable")
	k.refuses(k.post(redeeming(code)), http.StatusBadRequest, "invalid_grant")
	k.alive(false, s)
}

// The TypeScript SDK does not form-encode credentials in the header, names a charset in the body's
// type and always sends resource.
func TestToken_AcceptsTheRequestsOfTheTypeScriptSDK(t *testing.T) {
	secret := "S3cr3t-of_base64url"
	withSecret := authserver.Client{ID: "c_sdk", AuthMethod: "client_secret_basic", SecretHash: authserver.HashOf(secret)}
	for name, test := range map[string]struct {
		client        authserver.Client
		form          []string
		authorization string
	}{
		"none":                {publicClient, []string{"client_id", publicClient.ID}, ""},
		"client_secret_post":  {withSecret, []string{"client_id", withSecret.ID, "client_secret", secret}, ""},
		"client_secret_basic": {withSecret, nil, basic(withSecret.ID, secret)},
		"metadata document":   {documentClient, []string{"client_id", documentClient.ID}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTokenEnv(t)
			send := func(pairs ...string) said {
				t.Helper()
				form := with(with(url.Values{}, "resource", origin+"/mcp"), append(pairs, test.form...)...)
				r := authenticating("/token", form, test.authorization)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
				r.Header.Set("Accept", "application/json")
				s := k.send(r)
				if s.status != http.StatusOK || s.AccessToken == "" || s.RefreshToken == "" || s.Scope == "" || s.ExpiresIn == 0 {
					t.Fatalf("%d %s", s.status, s.text)
				}
				return s
			}
			code, _ := k.code(of(test.client))
			s := send("grant_type", "authorization_code", "code", code, "code_verifier", verifier, "redirect_uri", callback)
			s = send("grant_type", "refresh_token", "refresh_token", s.RefreshToken)
			if !k.opens(s.AccessToken) {
				t.Error("the token is refused")
			}
		})
	}
}

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
