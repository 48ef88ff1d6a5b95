package e2e

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// connectProgram connects a program on the page, with a way to prove who it is, and returns the
// words of the page that follows.
func connectProgram(p *person, s *server, proof string) string {
	p.t.Helper()
	p.account(s)
	form := p.open(s.at("/account/machines")).form(p.t, "/account/machines")
	made := p.submit(form, url.Values{"name": {"Nightly"}, "proof": {proof}})
	if made.heading != "“Nightly” is connected" {
		p.t.Fatalf("%d: %s", made.status, made.words)
	}
	return made.words
}

// first returns the first match of a pattern.
func first(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindString(text)
	if found == "" {
		t.Fatalf("%s is not in %s", pattern, text)
	}
	return found
}

func TestMachine_TheCronLineOfTheDocumentsWorksWithItsToken(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := first(t, `bcm_pt_[\w-]{68}`, connectProgram(newPerson(t, "ines"), s, "token"))
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := first(t, `(?m)^30 7 .*TOKEN.*$`, string(document))
	command := strings.Join(strings.Fields(line)[5:], " ") // without its time
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".basecamp-mcp"), []byte("SERVER="+s.at("")+"\nTOKEN="+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	shell.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "SHELL=/bin/sh"} // as cron starts it
	if said, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(said), `"is_error":false`) {
		t.Errorf("%s: %v\n%s", command, err, said)
	}
}

func TestMachine_TheTypeScriptSDKGetsItsOwnTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := connectProgram(newPerson(t, "ines"), s, "secret")
	program := exec.CommandContext(t.Context(), node(t), "clients/machine.mjs")
	program.Env = append(os.Environ(), "CLIENT_ID="+first(t, `m_[a-z0-9]{16}`, made), "CLIENT_SECRET="+first(t, `[\w-]{43}\b`, made), "ENDPOINT="+s.at("/mcp"))
	if said, err := program.CombinedOutput(); err != nil || !strings.Contains(string(said), "Ines Albrecht") {
		t.Errorf("%v\n%s", err, said)
	}
}
