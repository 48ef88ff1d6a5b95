package stacktest_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
	"basecamp-mcp/internal/mcptest"
)

// storedCalls are calls that need the store, but no request to Basecamp.
var storedCalls = []struct{ name, message string }{
	{"tools/list", mcptest.Message("tools/list", `{}`)},
	{"list_tasks", mcptest.Message("tools/call", `{"name":"list_tasks","arguments":{}}`)},
	{"todolist__lists", mcptest.Message("tools/call", `{"name":"todolist__lists","arguments":{}}`)},
}

// BenchmarkStored compares the processor time of calls to the deployed endpoint with that of a
// handler that does nothing, each by the clock of its process. DynamoDB is the stand-in of
// BenchmarkCold, which speaks TLS. BENCH_STORED is the number of rounds, in which the processes
// take turns. BEFORE is the path of an older build of the endpoint, to be measured too. Figures are
// medians.
func BenchmarkStored(b *testing.B) {
	rounds, err := strconv.Atoi(os.Getenv("BENCH_STORED"))
	if err != nil {
		b.Skip("run make bench-stored")
	}
	messages := make([]string, len(storedCalls))
	for i, call := range storedCalls {
		messages[i] = call.message
	}
	c := rehearse(b, messages...)
	run := func(bootstrap string) *runtimetest.Function {
		f := runtimetest.Start(b, bootstrap, pairs(c.environment)...)
		for _, event := range c.load { // fills caches
			spent(b, f, event)
		}
		return f
	}
	bare := run(c.bootstraps["bare"])
	builds := map[string]*runtimetest.Function{"now": run(c.bootstraps["deployed"])}
	if before := os.Getenv("BEFORE"); before != "" {
		builds["before"] = run(before)
	}
	var said strings.Builder
	fmt.Fprint(&said, "| call | build | processor time | times a bare handler |\n|---|---|---|---|\n")
	for i, call := range storedCalls {
		times, ratios := map[string][]time.Duration{}, map[string][]float64{}
		for range rounds {
			floor := spent(b, bare, c.load[i])
			for build, f := range builds {
				cost := spent(b, f, c.load[i])
				times[build], ratios[build] = append(times[build], cost), append(ratios[build], float64(cost)/float64(floor))
			}
		}
		for _, build := range slices.Sorted(maps.Keys(builds)) {
			cost, ratio := middle(times[build], time.Duration.Microseconds), middle(ratios[build], func(r float64) float64 { return r })
			fmt.Fprintf(&said, "| `%s` | %s | %d µs | %.1f |\n", call.name, build, cost, ratio)
		}
	}
	if _, err := os.Stdout.WriteString("\n" + said.String()); err != nil {
		b.Fatal(err)
	}
}

// spent returns the processor time of a call, on average.
func spent(b *testing.B, f *runtimetest.Function, event []byte) time.Duration {
	b.Helper()
	const calls = 150
	before, err := f.CPU()
	if err != nil {
		b.Fatal(err)
	}
	for range calls {
		if answer, err := f.Invoke(event); err != nil || !strings.Contains(string(answer), `"statusCode":200`) {
			b.Fatalf("%s, %v\n%s", answer, err, f.Logs())
		}
	}
	after, err := f.CPU()
	if err != nil {
		b.Fatal(err)
	}
	return (after - before) / calls
}
