package main

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestStartCommand_IsWhatTheUserTyped(t *testing.T) {
	for want, given := range map[string][]string{
		"basecamp-mcp -upstream live":                                 {"basecamp-mcp", "-upstream", "live"},
		"./basecamp-mcp -upstream live -addr 8801":                    {"./basecamp-mcp", "-upstream", "live", "-addr", "8801"},
		"'/opt/my programs/basecamp-mcp' serve -data 'a b; it'\\''s'": {"/opt/my programs/basecamp-mcp", "serve", "-data", "a b; it's"},
		"go run ./functions/local -upstream live":                     {"/tmp/go-build1234567/b001/exe/local", "-upstream", "live"},
		"/home/exe/go-build/basecamp-mcp ''":                          {"/home/exe/go-build/basecamp-mcp", ""},
	} {
		if got := startCommand(given[0], given[1:], false); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	for want, given := range map[string][]string{
		`& C:\Tools\basecamp-mcp.exe -upstream live`:             {`C:\Tools\basecamp-mcp.exe`, "-upstream", "live"},
		`& 'C:\Program Files\basecamp-mcp.exe' -data 'it''s $x'`: {`C:\Program Files\basecamp-mcp.exe`, "-data", "it's $x"},
		"go run ./functions/local":                               {`C:\Temp\go-build12\b001\exe\local.exe`},
	} {
		if got := startCommand(given[0], given[1:], true); got != want {
			t.Errorf("%q on Windows: %s, want %s", given, got, want)
		}
	}
}

func TestStartCommand_IsOneThatAShellSplitsAsItWasTyped(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	given := []string{"-data", "a b", "it's", "$(id)", "`id`", "", "*", "\\", "\"", "ä"}
	said, err := exec.Command(sh, "-c", "printf '%s|' "+strings.TrimPrefix(startCommand("x", given, false), "x ")).Output()
	if want := strings.Join(given, "|") + "|"; err != nil || string(said) != want {
		t.Errorf("%s, %v, want %s", said, err, want)
	}
}

// The page shows how to start this program again, with its flags, so that the redirect URI and the
// stored logins stay the same. The secret is not part of the command line.
func TestServe_BeforeSetUpShowsTheCommandThatStartedIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("TestStartCommand_IsWhatTheUserTyped has the words for PowerShell")
	}
	t.Setenv("BASECAMP_CLIENT_ID", "")
	t.Setenv("BASECAMP_CLIENT_SECRET", "")
	t.Setenv("BASECAMP_ACCESS_TOKEN", "")
	_, page := started(t, "-upstream", "live", "-addr", "127.0.0.1:0")
	page = strings.NewReplacer(`<span class="whole">`, "", "</span>", "").Replace(page)
	for _, want := range []string{"read -rs BASECAMP_CLIENT_SECRET", "BASECAMP_CLIENT_ID=...", " -upstream live -addr 127.0.0.1:0 -data ", "It waits for the client secret, which it does not show."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	for _, never := range []string{"go run", "BASECAMP_CLIENT_SECRET=..."} {
		if strings.Contains(page, never) {
			t.Errorf("the page shows %s", never)
		}
	}
	if _, page = started(t, "-upstream", "live", "-addr", "0.0.0.0:0"); strings.Contains(page, "-upstream") || !strings.Contains(page, "Start this server with the client ID") {
		t.Errorf("a page that strangers reach shows %s", page)
	}
}
