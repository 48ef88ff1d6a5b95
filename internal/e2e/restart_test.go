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

func TestRestart_ClientsThatRegisteredBeforeItLogInAfterIt(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startWith(t, []string{"-data", data})
	public, secret := register(t, s, "Ledger", "none", backHome), register(t, s, "Till", "client_secret_post", backHome)
	s.restart(t, "-data", data)
	for _, app := range []*application{public, secret} {
		got := app.login(newPerson(t, "marguerite"), approve)
		if who := whoAmI(t, s, app.refresh(got.RefreshToken).AccessToken); who.Name != "Marguerite Osei" {
			t.Errorf("logged in as %+v", who)
		}
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
