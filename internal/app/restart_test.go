package app

import (
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
)

// restarting is a local server of the demo with a file, which starts several times at one address.
type restarting struct {
	*place
	data string
	stop func()
}

// newRestarting returns a server that has started once.
func newRestarting(t *testing.T) *restarting {
	r := &restarting{place: &place{T: t}, data: t.TempDir()}
	r.start("127.0.0.1:0")
	t.Cleanup(func() { r.stop() })
	return r
}

// start starts the server with a new company and new connections to the file.
func (r *restarting) start(address string) {
	r.Helper()
	listener := must(net.Listen("tcp", address))
	c := config.Config{BasecampURL: config.Sandbox, Data: r.data, PublicURL: "http://" + listener.Addr().String()}
	s := must(inFile(r.Context(), c, quiet, openFile))
	company := local.NewDemoWith(s.ledger)
	started := must(newLocalDemo(c, quiet, s, company))
	server := httptest.NewUnstartedServer(started.Handler)
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	r.url, r.sandbox, r.storage = c.PublicURL, company.Sandbox, s
	r.stop = func() {
		server.Close()
		if err := s.shut(); err != nil {
			r.Error(err)
		}
	}
}

// restart ends the server and starts it at the same address.
func (r *restarting) restart() {
	r.Helper()
	r.stop()
	r.start(strings.TrimPrefix(r.url, "http://"))
}

// refresh returns the tokens for a refresh token.
func (r *restarting) refresh(clientID, token string) (access, next string) {
	r.Helper()
	answer := r.token("grant_type", "refresh_token", "client_id", clientID, "refresh_token", token)
	access, _ = answer["access_token"].(string)
	next, _ = answer["refresh_token"].(string)
	if access == "" || next == "" {
		r.Fatalf("the refresh is answered with %v", answer)
	}
	return access, next
}

func TestRestart_AClientGoesOnWithoutANewLogin(t *testing.T) {
	r := newRestarting(t)
	clientID := r.register("http://127.0.0.1/done")
	access, refresh := r.logInWith(clientID, "ines")
	r.wants("before", access, "Ines Albrecht")
	send(t, r.url+"/mcp", access, "tools/call", `{"name":"add_task","arguments":{"title":"Order bells"}}`)

	r.restart()
	r.wants("after a restart", access, "Ines Albrecht")
	if _, _, said := send(t, r.url+"/mcp", access, "tools/call", `{"name":"undo","arguments":{"last":1}}`); !strings.Contains(said, `\"tool\":\"add_task\",\"result\":\"undone\"`) {
		t.Errorf("undo after a restart: %s", said)
	}
	access, refresh = r.refresh(clientID, refresh)
	r.wants("after a restart and a refresh", access, "Ines Albrecht")
	r.expire("ines")
	r.wants("after Basecamp's token has expired, too", access, "Ines Albrecht")

	r.restart()
	access, _ = r.refresh(clientID, refresh)
	r.wants("after two restarts", access, "Ines Albrecht")
	again, _ := r.logInWith(clientID, "ines")
	r.wants("with a new login of the client that registered before", again, "Ines Albrecht")
}
