package e2e

import (
	"net/url"
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
