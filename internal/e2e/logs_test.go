package e2e

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Even at the level DEBUG, the program prints no secret, whether requests succeed or fail.
func TestLogs_HoldNoSecret(t *testing.T) {
	t.Parallel()
	s := start(t, "LOG_LEVEL=DEBUG")
	w := &witness{t: t, seen: map[string]string{}}
	w.succeeds(s)
	w.fails(s)
	call(t, s, ines, "get_me", nil)
	for _, upstream := range []string{"sandbox-secret", "sandbox-access-", "sandbox-refresh-", "sandbox-upstream-"} {
		w.notes("the server's own token at Basecamp", upstream)
	}

	s.end(t) // the output is then complete
	printed, logged := s.output.String(), s.log.String()
	for secret, what := range w.seen {
		if strings.Contains(printed, secret) {
			t.Errorf("%s was printed: %s", what, secret)
		}
	}
	if strings.Contains(logged, ines) {
		t.Errorf("the bearer token of the demo was logged")
	}
	for _, event := range []string{
		`msg="tool call"`, "outcome=NOT_FOUND", "a code was replayed", "an old refresh token was used", "exchange a code: ",
	} {
		if !strings.Contains(logged, event) {
			t.Errorf("the log does not contain %q, so the test proves little:\n%s", event, logged)
		}
	}
	for _, kind := range []string{
		"access token", "refresh token", "code", "verifier", "state", "client secret", "cookie", "query", "csrf", "step", "bearer",
	} {
		if !slices.Contains(slices.Collect(maps.Values(w.seen)), kind) {
			t.Errorf("no %s was seen, so the test proves little", kind)
		}
	}
}

// witness remembers every secret that it sees, and its kind.
type witness struct {
	t    *testing.T
	seen map[string]string
}

// succeeds logs in, calls a tool, refreshes, revokes, and uses the account page.
func (w *witness) succeeds(s *server) {
	p := w.person("tomas")
	app := w.application(s, "client_secret_post")
	held := w.login(app, p)
	call(w.t, s, held.AccessToken, "list_todos", map[string]any{"project_id": "No Such Project"})
	next := w.tokens(app.refresh(held.RefreshToken))
	again := w.tokens(app.refresh(held.RefreshToken)) // the same token again, within the grace period
	app.revoke(again.AccessToken)
	app.revoke(next.RefreshToken)

	w.login(w.application(s, "none"), p)
	p.disconnectAll(s)
	w.login(w.application(s, "client_secret_basic"), w.person("aoife"))
}

// fails makes requests that the server or Basecamp refuses: denied consents, replayed and stolen
// codes and tokens, and made-up values.
func (w *witness) fails(s *server) {
	p, app := w.person("jonas"), w.application(s, "client_secret_post")
	for _, answer := range []consent{deny, notAtHome} {
		w.query(p.logsIn(w.attempt(app).url, answer))
	}
	w.replays(app, p)
	w.strays(s, app, p)

	wrong := *app
	wrong.secret = w.notes("client secret", "a-client-secret-that-was-made-up")
	wrong.refresh(w.notes("refresh token", "bcm_rt_abcdefghijklmnop_made-up-made-up-made-up-made-up-made-up-mad"))
	message{method: "tools/list", bearer: w.notes("bearer", "a-bearer-that-was-made-up")}.post(w.t, s)
	message{method: "tools/list", bearer: w.notes("bearer", "bcm_at_abcdefghijklmnop_made-up-made-up-made-up-made-up-made-up-mad")}.post(w.t, s)
	for _, address := range []string{
		"/mcp?access_token=", "/oauth/start?t=", "/oauth/callback?state=x&code=", "/authorize?client_id=x&code_challenge=", "/account?done=",
		"/no/such/path?token=",
	} {
		p.open(s.at(address) + "a-value-that-was-made-up")
	}
}

// replays uses codes and refresh tokens again that were used before.
func (w *witness) replays(app *application, p *person) {
	begun := w.attempt(app)
	code := w.query(p.logsIn(begun.url, approve)).Get("code")
	app.redeem(code, w.notes("verifier", strings.Repeat("a-verifier-that-was-made-up", 2)))
	w.tokens(app.redeem(code, begun.verifier))
	app.redeem(code, strings.Repeat("a-verifier-that-was-made-up", 2))

	first := w.login(app, p)
	second := w.tokens(app.refresh(first.RefreshToken))
	w.tokens(app.refresh(second.RefreshToken))
	app.refresh(first.RefreshToken)
}

// strays opens the callback in the wrong browser, which ends the login, and in the right browser
// with a code that Basecamp never issued.
func (w *witness) strays(s *server, app *application, p *person) {
	stolen := w.callback(s, app, p)
	for _, browser := range []*person{w.person("hanna"), p} {
		if at := browser.open(stolen); at.status != http.StatusBadRequest {
			w.t.Errorf("the callback of another browser answers %s with %d %q, %v", browser.handle, at.status, at.title, at.leaves)
		}
	}
	if at := p.open(w.callback(s, app, p)); at.leaves == nil || at.leaves.Query().Get("error") != "server_error" {
		w.t.Errorf("a made-up code leads to %q, %v", at.title, at.leaves)
	}
}

// callback returns the callback URL of a login after the consent, with a made-up code.
func (w *witness) callback(s *server, app *application, p *person) string {
	consented := p.open(w.attempt(app).url).form(w.t, "/authorize")
	signOn := p.submit(consented, url.Values{"decision": {"approve"}}).form(w.t, "/launchpad/authorization/new")
	return s.at("/oauth/callback?") + url.Values{
		"state": signOn.fields["state"], "code": {w.notes("code", "an-upstream-code-that-was-made-up")},
	}.Encode()
}

func (w *witness) application(s *server, method string) *application {
	app := register(w.t, s, "Loud", method, backHome)
	w.notes("client secret", app.secret)
	return app
}

func (w *witness) login(app *application, p *person) tokens {
	begun := w.attempt(app)
	return w.tokens(app.redeem(w.query(p.logsIn(begun.url, approve)).Get("code"), begun.verifier))
}

func (w *witness) attempt(app *application) attempt {
	begun := app.begins()
	w.notes("verifier", begun.verifier)
	return begun
}

func (w *witness) tokens(got tokens) tokens {
	for kind, token := range map[string]string{"access token": got.AccessToken, "refresh token": got.RefreshToken} {
		w.notes(kind, token)
		if parts := strings.SplitN(token, "_", 4); len(parts) == 4 {
			w.notes(kind, parts[3]) // the part before is the name of the family, which is not secret
		}
	}
	return got
}

// query remembers a whole query, and each secret in it.
func (w *witness) query(u *url.URL) url.Values {
	if u.RawQuery != "" {
		w.notes("query", u.RawQuery)
	}
	w.values(u.Query())
	return u.Query()
}

func (w *witness) values(of url.Values) {
	for name, values := range of {
		switch name {
		case "code", "state", "csrf", "step", "code_challenge":
			for _, value := range values {
				w.notes(name, value)
			}
		}
	}
}

// notes remembers a value, unless it is so short that any text may contain it.
func (w *witness) notes(what, value string) string {
	if len(value) > 8 {
		w.seen[value] = what
	}
	return value
}

// person returns a user whose requests the witness sees.
func (w *witness) person(handle string) *person {
	p := newPerson(w.t, handle)
	p.browser.Transport = w
	return p
}

// RoundTrip sends a request and remembers the secrets in it and in its response.
func (w *witness) RoundTrip(request *http.Request) (*http.Response, error) {
	w.query(request.URL)
	for _, cookie := range request.Cookies() {
		w.notes("cookie", cookie.Value)
	}
	if request.GetBody != nil {
		body, _ := request.GetBody()
		sent, _ := io.ReadAll(body)
		form, _ := url.ParseQuery(string(sent))
		w.values(form)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	for _, cookie := range answer.Cookies() {
		w.notes("cookie", cookie.Value)
	}
	if to, err := answer.Location(); err == nil {
		w.query(to)
	}
	return answer, nil
}
