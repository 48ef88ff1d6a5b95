package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Each client logs in, and the server is killed and started again at the same address with the same
// directory. The client must go on with the tokens and the registration that it has.
func TestRestart_EveryClientGoesOnWithoutANewLogin(t *testing.T) {
	t.Parallel()
	for name, login := range logins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			s := startWith(t, []string{"-data", data})
			c := login(t, s, newPerson(t, "marguerite"), approve)
			wantsMe(t, c, "Marguerite Osei", "read", "write")

			again := s.restart(t, "-data", data)
			wantsMe(t, c, "Marguerite Osei", "read", "write")
			c.spoil()
			wantsMe(t, c, "Marguerite Osei", "read", "write")

			again.restart(t, "-data", data)
			c.spoil()
			wantsMe(t, c, "Marguerite Osei", "read", "write")
		})
	}
}

// A program's token outlives kill -9 of the server, and stays ended after it was disconnected.
func TestRestart_AProgramGoesOnUntilItIsDisconnected(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startWith(t, []string{"-data", data})
	ines := newPerson(t, "ines")
	token := first(t, `bcm_pt_[\w-]{68}`, connectProgram(ines, s, "token"))
	ask := func(s *server) int { return message{method: "tools/list", bearer: token}.post(t, s).status }
	again := s.restart(t, "-data", data)
	if got := ask(again); got != http.StatusOK {
		t.Errorf("after kill -9: HTTP %d", got)
	}
	form := ines.account(again).form(t, "/account")
	ines.submit(form, url.Values{"step": {strings.TrimPrefix(token, "bcm_pt_")[:16]}})
	if got := ask(again.restart(t, "-data", data)); got != http.StatusUnauthorized {
		t.Errorf("disconnected, after kill -9: HTTP %d", got)
	}
}

// restart kills the server and starts another one at its address.
func (s *server) restart(t *testing.T, arguments ...string) *server {
	t.Helper()
	return s.restartWith(t, nil, arguments...)
}

// restartWith restarts the server with an environment.
func (s *server) restartWith(t *testing.T, env []string, arguments ...string) *server {
	t.Helper()
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	return startWith(t, append(arguments, "-addr", at.Host), env...)
}
