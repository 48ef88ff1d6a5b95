package app

import (
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
)

// restarting is a local server of the demo with a file, which starts several times at one address.
type restarting struct {
	*place
	data string
	stop func()
}

// newRestarting returns a server that has started once.
func newRestarting(t *testing.T) *restarting {
	r := &restarting{place: &place{Site: mcptest.Site{TB: t}}, data: t.TempDir()}
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
	r.URL, r.sandbox, r.storage = c.PublicURL, company.Sandbox, s
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
	r.start(strings.TrimPrefix(r.URL, "http://"))
}

func TestRestart_AClientGoesOnWithoutANewLogin(t *testing.T) {
	r := newRestarting(t)
	tokens := r.LogIn("ines")
	r.wants("before", tokens.Access, "Ines Albrecht")
	r.Call("/mcp", tokens.Access, "add_task", `{"title":"Order bells"}`)

	r.restart()
	r.wants("after a restart", tokens.Access, "Ines Albrecht")
	if said := r.Call("/mcp", tokens.Access, "undo", `{"last":1}`); !strings.Contains(said, `\"tool\":\"add_task\",\"result\":\"undone\"`) {
		t.Errorf("undo after a restart: %s", said)
	}
	tokens = r.Renew(tokens)
	r.wants("after a restart and a refresh", tokens.Access, "Ines Albrecht")
	r.expire("ines")
	r.wants("after Basecamp's token has expired, too", tokens.Access, "Ines Albrecht")

	r.restart()
	r.wants("after two restarts", r.Renew(tokens).Access, "Ines Albrecht")
	again := r.Redeem(tokens.Client, r.SignIn(tokens.Client, "ines"))
	r.wants("with a new login of the client that registered before", again.Access, "Ines Albrecht")
}
