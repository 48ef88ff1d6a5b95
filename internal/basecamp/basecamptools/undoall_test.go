package basecamptools

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
)

// Eight calls of different tools are taken back at once, in random orders.
func TestUndo_PutsTheWorldBackAfterEightCalls(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		synctest.Test(t, func(t *testing.T) {
			d := withUndo(t)
			calls, all := typical(d), writingTools()
			before := d.sandbox.World()
			var made []string
			r := rand.New(rand.NewPCG(uint64(round), 9))
			for _, i := range r.Perm(len(all)) {
				name := all[i].Name
				if slices.Contains(irreversible, name) || len(made) == 8 {
					continue
				}
				// a call before may have moved its item
				if text, failed := d.raw(name, calls[name]); !failed && strings.Contains(text, `"undo":"u`) {
					made = append(made, name)
				}
			}
			u := call[undone](d, "undo", args{"last": len(made)})
			for _, one := range u.Undone {
				if one.Result != "restored" {
					t.Errorf("%v: %+v", made, one)
				}
			}
			for _, line := range differences(before, d.sandbox.World()) {
				t.Errorf("%v: %s", made, line)
			}
		})
	}
}

// An operation that changes something in the sandbox is taken back, or says why it is not.
func TestUndo_PutsTheWorldBackAfterEveryOperation(t *testing.T) {
	restored := 0
	operating(t, true, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
		if !row.Changes() {
			return
		}
		d.server = d.serverWith(undo.New(memory.New(nil), undo.Unsealed{}, 7*24*time.Hour, nil))
		missing := false // what the write asks for is not in the sandbox
		s.next = noticing{s.next, &missing}
		before := d.sandbox.World()
		answer := call[map[string]any](d, row.Runner(), in)
		if missing {
			return
		}
		u := call[undone](d, "undo", args{"last": 1}).Undone
		switch {
		case len(u) != 1:
			t.Errorf("%s: %+v", row.Name, u)
		case answer["undo"] == nil && (u[0].Result != "cannot" || u[0].Reason == ""):
			t.Errorf("%s: %+v", row.Name, u)
		case answer["undo"] != nil && u[0].Result != "restored":
			t.Errorf("%s: %+v", row.Name, u)
		case answer["undo"] != nil:
			restored++
			for _, line := range differences(before, d.sandbox.World()) {
				t.Errorf("%s: %s", row.Name, line)
			}
		}
	})
	if restored == 0 {
		t.Error("no operation was taken back")
	}
	t.Log(restored, "operations were taken back")
}

// noticing notices writes to what does not exist.
type noticing struct {
	to      http.RoundTripper
	missing *bool
}

func (n noticing) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := n.to.RoundTrip(r)
	if err == nil && r.Method != http.MethodGet && response.StatusCode == http.StatusNotFound {
		*n.missing = true
	}
	return response, err
}
