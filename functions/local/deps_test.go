package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The Lambdas start in milliseconds, also because they link no database and no keyring.
func TestLambdas_DoNotLinkTheFileStore(t *testing.T) {
	for function, want := range map[string]bool{"mcp": false, "oauth": false, "local": true} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "basecamp-mcp/functions/"+function).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"modernc.org/", "github.com/zalando/go-keyring", "basecamp-mcp/internal/sqlite", "basecamp-mcp/internal/sealkey"} {
			if got := strings.Contains("\n"+string(out), "\n"+part); got != want {
				t.Errorf("%s links %s: %v, want %v", function, part, got, want)
			}
		}
	}
}
