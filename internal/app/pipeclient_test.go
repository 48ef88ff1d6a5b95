package app

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/memory"
)

// A client of the earlier era sends its name only in the handshake.
func TestPipe_TheTrailNamesTheClientOfAHandshake(t *testing.T) {
	demo := local.NewDemo()
	s := inMemory("", "")
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: "http://127.0.0.1:8787", Stdio: true, Loopback: true}
	started, err := newLocalDemo(c, quiet, s, demo)
	if err != nil {
		t.Fatal(err)
	}
	var answers strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Plumcot","version":"2"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_me","arguments":{}}}
`)
	if err := started.ServeStdio(t.Context(), quiet, "", false, in, &answers); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answers.String(), "Ines Albrecht") {
		t.Fatal(answers.String())
	}
	caller, err := demo.Users().Authenticate(t.Context(), started.Bearer)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.Audit.(*memory.Store).Entries(t.Context(), caller.Subject, "", 10)
	if err != nil || len(entries) != 1 || entries[0].Client != "Plumcot/2" {
		t.Errorf("the trail has %+v, %v", entries, err)
	}
}
