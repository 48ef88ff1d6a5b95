package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The sweep has more rights over users' data than the other functions, so it links neither the
// tools nor their protocol.
func TestSweep_LinksNoTools(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		for _, foreign := range []string{
			"basecamp-mcp/internal/app", "basecamp-mcp/internal/tools", "basecamp-mcp/internal/mcptool", "basecamp-mcp/internal/basecamp",
			"basecamp-mcp/internal/github", "basecamp-mcp/internal/basecamp/sandbox",
		} {
			if pkg == foreign || strings.HasPrefix(pkg, "github.com/mark3labs/mcp-go") || strings.HasPrefix(pkg, "modernc.org/") {
				t.Errorf("links %s", pkg)
			}
		}
	}
}
