package app

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// mostAtStart is how often the initialization of a package of this module may allocate. A regular
// expression that lists the months takes as many allocations.
const mostAtStart = 400

// Package variables are set at each cold start, whatever the function then serves. Allocations are
// counted instead of time, because their number is the same on every machine.
func TestPackages_AllocateLittleAtTheirStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	traced, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, traced)
	}
	const own, tests = "basecamp-mcp/internal/", "basecamp-mcp/internal/app" // with the variables of these tests
	seen := 0
	for line := range strings.Lines(string(traced)) {
		var name string
		var at, took float64
		var size, times int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &size, &times); err != nil || !strings.HasPrefix(name, own) || name == tests {
			continue
		}
		seen++
		t.Logf("%-50s %5d allocations, %7d bytes", name, times, size)
		if times > mostAtStart {
			t.Errorf("%s allocates %d times at the start, at most %d times are allowed: make its variables at their first use", name, times, mostAtStart)
		}
	}
	if seen == 0 {
		t.Errorf("the trace shows no package of this module:\n%s", traced)
	}
}
