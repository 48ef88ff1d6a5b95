package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
)

// chain measures a call on a Basecamp that takes exactly one unit of time for each request: how many requests it
// sends, and the longest chain of them that wait for each other.
func (d *toolEnv) chain(tool string, in any) (requests []string, length int) {
	d.Helper()
	const unit = 10 * time.Millisecond
	d.sandbox.ClearFaults()
	d.sandbox.Inject(sandbox.Fault{Delay: unit})
	start := time.Now()
	requests = d.asked(func() {
		if text, isError := d.raw(tool, in); isError {
			d.Errorf("%s %v: %s", tool, in, text)
		}
	})
	length = int(time.Since(start) / unit)
	d.sandbox.ClearFaults()
	return requests, length
}

func TestChains_Print(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		d := newToolEnv(t, sandbox.Options{RateLimit: -1})
		calls := typical(d)
		for name := range calls {
			names = append(names, name)
		}
		slices.Sort(names)
		_ = http.MethodGet
		for _, name := range names {
			d := newToolEnv(t, sandbox.Options{RateLimit: -1})
			in := typical(d)[name]
			cold, c := d.chain(name, in)
			warm, w := []string(nil), 0
			if c > 0 {
				d.TB = quiet{t}
				warm, w = d.chain(name, in)
			}
			fmt.Printf("%-26s cold %2d in %d, warm %2d in %d  %v\n", name, len(cold), c, len(warm), w, in)
			if w > 1 {
				for _, r := range warm { fmt.Println("      ", r) }
			}
		}
	})
}

type quiet struct{ *testing.T }

func (quiet) Errorf(string, ...any) {}
