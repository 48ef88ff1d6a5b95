package app

import (
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/icon"
	"basecamp-mcp/internal/undo"
)

func TestServer_IntroducesItselfWithItsFrontPageAndAnIconThatItServes(t *testing.T) {
	p := open(t, config.Config{})
	_, _, hello := send(t, p.url+"/mcp", "sandbox-ines", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	for _, want := range []string{`"websiteUrl":"` + p.url + `/"`, `"description":"Reads and updates`, `"src":"` + icon.URI() + `"`} {
		if !strings.Contains(hello, want) {
			t.Errorf("%s is not in %s", want, hello)
		}
	}
	for _, path := range []string{icon.Path, "/favicon.ico"} {
		response, err := http.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s: HTTP %d %v", path, response.StatusCode, response.Header)
		}
	}
}

func TestLine_OfABearerTokenWithoutALoginNamesNoClientOfItsOwn(t *testing.T) {
	p := openFunction(t, "")
	send(t, p.url+"/mcp", "sandbox-ines", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	if line := p.line(); line["client"] != "bearer token" || line["client_info"] != "t/1" {
		t.Errorf("initialize: %v", line)
	}
	p.whoAmI("sandbox-ines")
	if line := p.line(); line["client"] != "bearer token" {
		t.Errorf("a call: %v", line)
	}
}

func TestLocal_LeavesClientDocumentsOutIfAsked(t *testing.T) {
	for _, without := range []bool{false, true} {
		p := open(t, config.Config{NoClientDocuments: without})
		metadata, _ := p.get(visitor(), p.url+"/.well-known/oauth-authorization-server")
		if got := strings.Contains(metadata, `"client_id_metadata_document_supported":false`); got != without {
			t.Errorf("NoClientDocuments %v: %s", without, metadata)
		}
	}
	for address, hints := range map[string]bool{"http://127.0.0.1:8787": true, "https://mcp.fernhill.example": false, "": false} {
		c := config.Config{PublicURL: address}
		if server := noLogins(c, quiet, inMemory("", "")).server(c, quiet, undo.Changes{}); (server.WithoutDocuments != "") != hints {
			t.Errorf("%q: %q", address, server.WithoutDocuments)
		}
	}
}
