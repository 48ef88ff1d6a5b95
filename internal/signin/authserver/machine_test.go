package authserver_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
)

func newMachineEnv(t *testing.T) *browser {
	t.Helper()
	b := newSignInEnv(t, func(c *authserver.Config) { c.Machines, c.Toolsets = true, []string{"tasks", "basecamp"} }).browser()
	b.start("ines")
	return b
}

// usual are the fields that a user gives a program with a token.
var usual = []string{"name", "Nightly report", "days", "30", "write", "yes", "toolset basecamp", "yes", "proof", "token"}

// making submits the form, with changed fields.
func (b *browser) making(changes ...string) shown {
	b.Helper()
	return b.submit(b.get(origin+"/account/machines"), append(slices.Clone(usual), changes...)...)
}

var (
	machineToken = regexp.MustCompile(`bcm_pt_[a-z0-9]{16}_[\w-]{43}[0-9a-f]{8}`)
	machineID    = regexp.MustCompile(`m_[a-z0-9]{16}`)
	secretCode   = regexp.MustCompile(`>([\w-]{43})</`)
)

// made returns the first match of a pattern on the page of a new machine.
func (b *browser) made(pattern *regexp.Regexp, changes ...string) string {
	b.Helper()
	page := b.making(changes...)
	found := pattern.FindStringSubmatch(page.text)
	if page.status != http.StatusOK || found == nil {
		b.Fatalf("HTTP %d: %s", page.status, page.text)
	}
	return found[len(found)-1]
}

// caller returns the caller of a token, where users may make machines.
func (h *signInEnv) caller(token string) (identity.Caller, error) {
	v := authserver.NewVerifier(h.store, h.clock.Now)
	v.Machines = true
	c, _, err := v.Authenticate(identity.WithOrigin(h.Context(), origin), token, "")
	return c, err
}

func TestMachine_ATokenActsForItsUserWithinItsBounds(t *testing.T) {
	b := newMachineEnv(t)
	token := b.made(machineToken)
	c, err := b.caller(token)
	if err != nil || c.Subject != b.subject("Ines Albrecht") || c.Client != "Nightly report" || !c.Can(identity.Write) ||
		!slices.Equal(c.Toolsets, []string{"basecamp"}) || c.Account != b.sandbox.Account() {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := b.caller(b.made(machineToken, "write", "")); err != nil || c.Can(identity.Write) {
		t.Errorf("for reading: %+v %v", c, err)
	}
	for what, wrong := range map[string]string{
		"cut":                  token[:len(token)-1],
		"longer":               token + "0",
		"of another checksum":  token[:len(token)-8] + "00000000",
		"of another secret":    strings.Replace(token, "_", "_a", 1),
		"as an access token":   strings.Replace(token[:len(token)-8], "bcm_pt_", "bcm_at_", 1),
		"as a refresh token":   strings.Replace(token[:len(token)-8], "bcm_pt_", "bcm_rt_", 1),
		"the client's ID":      machineID.FindString("m_" + token[7:23]),
		"of a family alone":    "bcm_pt_" + token[7:24],
		"with a space before":  " " + token,
		"with a line break":    token + "\n",
		"in capitals":          strings.ToUpper(token),
		"twice":                token + token,
		"with another family":  "bcm_pt_aaaaaaaaaaaaaaaa" + token[23:],
		"of no characters yet": "bcm_pt_",
	} {
		if _, err := b.caller(wrong); err == nil {
			t.Errorf("a token %s is accepted", what)
		}
	}
	elsewhere := authserver.NewVerifier(b.store, b.clock.Now)
	if _, _, err := elsewhere.Authenticate(identity.WithOrigin(b.Context(), origin), token, ""); err == nil {
		t.Error("accepted though the operator allows no machines")
	}
	elsewhere.Machines = true
	if _, _, err := elsewhere.Authenticate(identity.WithOrigin(b.Context(), "https://other.example"), token, ""); err == nil {
		t.Error("a token of another server is accepted")
	}
	b.clock.pass(30 * 24 * time.Hour)
	if _, err := b.caller(token); err == nil {
		t.Error("accepted after its end")
	}
}

func TestMachine_IsLimitedFromItsFirstCall(t *testing.T) {
	b := newMachineEnv(t)
	id := b.seen("Ines Albrecht")[cargo]
	project := fmt.Sprint("p", id)
	for name, test := range map[string]struct {
		changes []string
		want    string
	}{
		"nothing chosen": {nil, `{}`},
		"one project":    {[]string{"places", "named", project, "write"}, fmt.Sprintf(`{"read":{"projects":[%d]}}`, id)},
		"some of all":    {[]string{"places", "read", "no_pings", "on"}, `{"write":{},"no_pings":true}`},
	} {
		for _, token := range []string{b.made(machineToken, test.changes...), b.secretToken(test.changes...)} {
			if c, err := b.caller(token); err != nil || c.Fence.Text() != test.want {
				t.Errorf("%s: %s, want %s; %v", name, c.Fence.Text(), test.want, err)
			}
		}
	}
	for name, test := range map[string]struct {
		changes []string
		says    string
	}{
		"an unknown choice": {[]string{"places", "x"}, "Choose one of these lines."},
		"an unseen project": {[]string{"places", "named", "p99", "read"}, "You do not see the project 99"},
	} {
		wantPage(t, name, b.making(test.changes...), http.StatusUnprocessableEntity, test.says, "<details open>")
	}
}

// secretToken makes a machine with a secret, and returns an access token of it.
func (b *browser) secretToken(changes ...string) string {
	b.Helper()
	page := b.making(append([]string{"proof", "secret"}, changes...)...)
	_, answer := b.ask("client_id", machineID.FindString(page.text), "client_secret", secretCode.FindStringSubmatch(page.text)[1])
	token, _ := answer["access_token"].(string)
	return token
}

func TestMachine_EndsWithTheAccountPage(t *testing.T) {
	b := newMachineEnv(t)
	app, _ := b.connected("ines")
	token, second := b.made(machineToken), b.made(machineToken, "name", "CI")
	page := b.get(origin + "/account")
	if !strings.Contains(page.text, "Nightly report") || !strings.Contains(page.text, "a program of yours") || strings.Contains(page.text, token) {
		t.Errorf("the account page: %s", page.text)
	}
	b.submit(page, "step", token[7:23])
	if _, err := b.caller(token); err == nil {
		t.Error("a disconnected machine is accepted")
	}
	if _, err := b.caller(second); err != nil || !b.accepts(app) {
		t.Errorf("another connection ended too: %v", err)
	}
	b.submit(b.submit(b.get(origin+"/account"), "step", "all"))
	if _, err := b.caller(second); err == nil || b.accepts(app) {
		t.Error("something is accepted after everything was disconnected")
	}
}

func TestMachine_WrongFormsMakeNothing(t *testing.T) {
	b := newMachineEnv(t)
	page := b.get(origin + "/account/machines")
	refused := map[string]shown{
		"without a session":    b.browser().submit(page, usual...),
		"without the token":    b.submit(page, append(slices.Clone(usual), "csrf", "")...),
		"without a name":       b.making("name", " "),
		"with a long name":     b.making("name", strings.Repeat("n", 61)),
		"for no day":           b.making("days", "0"),
		"for too many days":    b.making("days", "366"),
		"for a word":           b.making("days", "ever"),
		"for a huge number":    b.making("days", "106752"),
		"without toolsets":     b.making("toolset basecamp", ""),
		"with another toolset": b.making("toolset basecamp", "", "toolset github", "yes"),
		"without proof":        b.making("proof", "other"),
	}
	for what, got := range refused {
		if got.status < 400 || machineToken.MatchString(got.text) {
			t.Errorf("%s: HTTP %d", what, got.status)
		}
	}
	if kept := refused["for too many days"].text; !strings.Contains(kept, `value="Nightly report"`) || !strings.Contains(kept, "from 1 to 365") {
		t.Errorf("the form lost what was typed: %s", kept)
	}
	for _, proof := range []string{"token", "secret"} { // as it was chosen, and no other
		page := b.making("days", "0", "proof", proof).text
		if strings.Count(page, `name="proof"`) != 2 || !regexp.MustCompile(`name="proof" value="`+proof+`"[^>]* checked>`).MatchString(page) ||
			len(regexp.MustCompile(`name="proof"[^>]* checked>`).FindAllString(page, -1)) != 1 {
			t.Errorf("the form comes back with another choice than %s: %s", proof, page)
		}
	}
	if got := b.get(origin + "/account"); strings.Contains(got.text, "Nightly report") {
		t.Error("a refused form made a machine")
	}
	for range 10 {
		b.made(machineToken)
	}
	b.making().want(t, http.StatusUnprocessableEntity, "10 programs already")
	b.get(origin+"/.well-known/oauth-authorization-server").want(t, http.StatusOK, `"client_credentials"`)
	off := newSignInEnv(t).browser()
	off.start("ines")
	if status, answer := off.ask("client_id", "m_aaaaaaaaaaaaaaaa", "client_secret", "x"); status != http.StatusBadRequest || answer["error"] != "unsupported_grant_type" {
		t.Errorf("a grant where machines are off: HTTP %d %v", status, answer)
	}
	wantPage(t, "where machines are off", off.get(origin+"/account/machines"), http.StatusNotFound)
}

func TestMachine_ASecretIsWorthAnAccessToken(t *testing.T) {
	b := newMachineEnv(t)
	page := b.making("proof", "secret")
	id, secret := machineID.FindString(page.text), secretCode.FindStringSubmatch(page.text)[1]
	status, answer := b.ask("client_id", id, "client_secret", secret, "resource", origin+"/mcp")
	token, _ := answer["access_token"].(string)
	c, err := b.caller(token)
	if status != http.StatusOK || answer["refresh_token"] != nil || answer["expires_in"] != 28800.0 || err != nil || c.Connection != id[2:] || len(c.Toolsets) != 1 {
		t.Errorf("HTTP %d %v: %+v %v", status, answer, c, err)
	}
	_, narrow := b.ask("client_id", id, "client_secret", secret, "scope", "read")
	if c, err := b.caller(narrow["access_token"].(string)); err != nil || c.Can(identity.Write) {
		t.Errorf("narrowed: %+v %v", c, err)
	}
	tokenMachine := machineID.FindString("m_" + b.made(machineToken)[7:23])
	for what, fields := range map[string][]string{
		"a wrong secret":    {"client_id", id, "client_secret", secret + "x"},
		"no secret":         {"client_id", id},
		"another machine":   {"client_id", tokenMachine, "client_secret", secret},
		"no machine":        {"client_id", "m_aaaaaaaaaaaaaaaa", "client_secret", secret},
		"an app":            {"client_id", b.client, "client_secret", secret},
		"a machine's token": {"client_id", tokenMachine},
		"another resource":  {"client_id", id, "client_secret", secret, "resource", "https://evil.example/mcp"},
	} {
		if status, answer := b.ask(fields...); status < 400 || answer["access_token"] != nil {
			t.Errorf("%s: HTTP %d %v", what, status, answer)
		}
	}
	short := b.making("proof", "secret", "days", "1").text
	b.clock.pass(25 * time.Hour)
	if status, _ := b.ask("client_id", machineID.FindString(short), "client_secret", secretCode.FindStringSubmatch(short)[1]); status != http.StatusUnauthorized {
		t.Errorf("after its end: HTTP %d", status)
	}
	b.start("ines")
	b.submit(b.get(origin+"/account"), "step", id[2:])
	if status, _ := b.ask("client_id", id, "client_secret", secret); status != http.StatusUnauthorized {
		t.Errorf("disconnected: HTTP %d", status)
	}
	if _, err := b.caller(token); err == nil {
		t.Error("the access token of a disconnected machine is accepted")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
