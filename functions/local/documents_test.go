package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asked matches the commands of documents that ask a local server: by its address, or in a crontab.
var asked = regexp.MustCompile(`(?m)^(?:30 7 \* \* 1-5 )?((?:curl -s http://127.0.0.1:8787|\. "\$HOME)/(?:.*\\\n)*.*)`)

func TestDocuments_AskTheLocalServerWithCommandsThatAnswer(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil || testing.Short() {
		t.Skip("needs curl and a shell, and starts this program")
	}
	server, home, found := startServer(t, "-store", "memory"), t.TempDir(), 0
	origin := strings.TrimSuffix(server.url, "/mcp")
	if err := os.WriteFile(filepath.Join(home, ".basecamp-mcp"), []byte("SERVER="+origin+"\nTOKEN="+server.bearer+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "docs/messages-api.md", "docs/clients.md"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range asked.FindAllStringSubmatch(string(text), -1) {
			found++
			command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(match[1], "http://127.0.0.1:8787", origin))
			command.Env = append(os.Environ(), "HOME="+home)
			if said, err := command.CombinedOutput(); err != nil || !strings.Contains(string(said), `"is_error":false`) && !strings.Contains(string(said), `"name":"list_projects"`) {
				t.Errorf("%s: %s: %v\n%s", name, match[1], err, said)
			}
		}
	}
	if found != 4 {
		t.Errorf("found %d commands", found)
	}
}
