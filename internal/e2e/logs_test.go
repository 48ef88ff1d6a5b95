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

// V5: whatever goes well or wrong, nothing that opens anything is in what the program prints, at its most talkative.
func TestLogs_TellNothingThatOpensAnything(t *testing.T) {
	t.Parallel()
	s := start(t, "LOG_LEVEL=DEBUG")
	w := &witness{t: t, seen: map[string]string{}}
	w.goesWell(s)
	w.goesWrong(s)
	call(t, s, ines, "get_me", nil)
	for _, upstream := range []string{"sandbox-secret", "sandbox-access-", "sandbox-refresh-", "sandbox-upstream-"} {
		w.notes("what the server holds at Basecamp", upstream)
	}

	s.end(t) // what it has printed is whole then
	printed, logged := s.output.String(), s.log.String()
	for secret, what := range w.seen {
		if strings.Contains(printed, secret) {
			t.Errorf("%s was printed: %s", what, secret)
		}
	}
	if strings.Contains(logged, ines) {
		t.Errorf("the bearer for trying things was logged")
	}
	for _, event := range []string{
		`msg="tool call"`, "outcome=NOT_FOUND", "a code was replayed", "an old refresh token was used", "exchange a code: ",
	} {
		if !strings.Contains(logged, event) {
			t.Errorf("nothing was logged of %q, so little is proven:\n%s", event, logged)
		}
	}
	for _, kind := range []string{
		"access token", "refresh token", "code", "verifier", "state", "client secret", "cookie", "query", "csrf", "step", "bearer",
	} {
		if !slices.Contains(slices.Collect(maps.Values(w.seen)), kind) {
			t.Errorf("no %s was seen, so little is proven", kind)
		}
	}
}

// witness remembers every secret that passes by, and what it is.
type witness struct {
	t    *testing.T
	seen map[string]string
}

// goesWell is a connection's life: login, calls, refreshes, revocation, and the account page.
func (w *witness) goesWell(s *server) {
	p := w.person("tomas")
	app := w.application(s, "client_secret_post")
	held := w.login(app, p)
	call(w.t, s, held.AccessToken, "list_todos", map[string]any{"project_id": "No Such Project"})
	next := w.tokens(app.refresh(held.RefreshToken))
	again := w.tokens(app.refresh(held.RefreshToken)) // the same once more, within its grace
	app.revoke(again.AccessToken)
	app.revoke(next.RefreshToken)

	w.login(w.application(s, "none"), p)
	p.disconnectAll(s)
	w.login(w.application(s, "client_secret_basic"), w.person("aoife"))
}

// goesWrong is all that fails: people who say no, clients and strangers that come with what is not theirs, and an upstream
// that does.
func (w *witness) goesWrong(s *server) {
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

// strays comes to the callback in the wrong browser, which ends the login, and in the right one with a code that Basecamp
// never gave.
func (w *witness) strays(s *server, app *application, p *person) {
	stolen := w.callback(s, app, p)
	for _, browser := range []*person{w.person("hanna"), p} {
		if at := browser.open(stolen); at.status != http.StatusBadRequest {
			w.t.Errorf("a callback in another browser leads %s to %d %q, %v", browser.handle, at.status, at.title, at.leaves)
		}
	}
	if at := p.open(w.callback(s, app, p)); at.leaves == nil || at.leaves.Query().Get("error") != "server_error" {
		w.t.Errorf("a made-up code leads to %q, %v", at.title, at.leaves)
	}
}

// callback is where a person who has given their consent would come back to, with a made-up code.
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
			w.notes(kind, parts[3]) // what comes before is the name of the connection, which may be printed
		}
	}
	return got
}

// query takes note of a query as a whole, and of what in it is secret.
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

// notes remembers a value, unless it is so short that it would be found anywhere.
func (w *witness) notes(what, value string) string {
	if len(value) > 8 {
		w.seen[value] = what
	}
	return value
}

// person is one whose browser is watched.
func (w *witness) person(handle string) *person {
	p := newPerson(w.t, handle)
	p.browser.Transport = w
	return p
}

// RoundTrip makes it the person's network.
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
