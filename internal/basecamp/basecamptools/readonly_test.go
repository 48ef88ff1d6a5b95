package basecamptools

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
)

// Where only reads are allowed, Basecamp gets only reads.
func TestReadOnly_NoWriteReachesBasecamp(t *testing.T) {
	writes := map[string]bool{}
	for _, tool := range ofBasecamp() {
		writes[tool.Name] = tool.Effect != mcptool.Reads
	}
	for name, at := range map[string]func(d *toolEnv){
		"by a read-only endpoint": func(d *toolEnv) { d.readOnly = true },
		"by a read-only token":    func(d *toolEnv) { d.who.Scopes = []identity.Scope{identity.Read} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newToolEnv(t, sandbox.Options{RateLimit: -1})
				calls := typical(d)
				at(d)
				d.sandbox.ResetRequests()
				for _, tool := range slices.Sorted(maps.Keys(calls)) {
					answer := d.answer(tool, calls[tool])
					if refused := strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error":{"code"`); refused != writes[tool] {
						t.Errorf("%s: refused is %v: %.300s", tool, refused, answer)
					}
				}
				for _, r := range d.sandbox.Requests() {
					if r.Method != http.MethodGet {
						t.Errorf("%s %s", r.Method, r.Path)
					}
				}
			})
		})
	}
}
