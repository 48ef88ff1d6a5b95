package main

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
)

const root = "../.."

// bare is a handler that answers every event with the same bytes. It shows the cost of Lambda's
// library and of the Runtime API. Calls alternate between both functions and ratios use medians, so
// that a busy machine slows both.
const bare = "./functions/mcp/testdata/bare"

// BenchmarkInvoke measures warm invocations through the Runtime API. The ratio of ping to bare must
// stay below 1.5.
func BenchmarkInvoke(b *testing.B) {
	sandbox := runtimetest.Start(b, runtimetest.Build(b, root, "./functions/mcp"), "BASECAMP_API_URL=sandbox")
	floor := caller{runtimetest.Start(b, runtimetest.Build(b, root, bare)), read(b, "ping")}

	b.Run("bare", func(b *testing.B) { measure(b, floor.call) })
	for _, name := range []string{"ping", "invalid-arguments", "tools-call-get-me", "tools-list", "tools-call-list-todos"} {
		ours := caller{sandbox, read(b, name)}
		b.Run(name, func(b *testing.B) { measure(b, ours.call) })
		b.Run(name+"-ratio", func(b *testing.B) { compare(b, ours, floor) })
	}
	zipped := caller{sandbox, accepting(b, read(b, "tools-list"), "gzip")}
	b.Run("tools-list-gzip-ratio", func(b *testing.B) { compare(b, zipped, floor) })
}

// caller sends one event repeatedly.
type caller struct {
	function *runtimetest.Function
	event    []byte
}

func (c caller) call(b *testing.B) time.Duration {
	start := time.Now()
	if _, err := c.function.Invoke(c.event); err != nil {
		b.Fatalf("%v\n%s", err, c.function.Logs())
	}
	return time.Since(start)
}

// cpu returns the processor time that the function has used, by its own clock.
func (c caller) cpu(b *testing.B) time.Duration {
	used, err := c.function.CPU()
	if err != nil {
		b.Fatal(err)
	}
	return used
}

// accepting returns an event whose client accepts an encoding.
func accepting(b *testing.B, event []byte, encoding string) []byte {
	changed := bytes.Replace(event, []byte(`"headers": {`), []byte(`"headers": {"accept-encoding": "`+encoding+`",`), 1)
	if len(changed) == len(event) {
		b.Fatal("the event has no headers")
	}
	return changed
}

func measure(b *testing.B, run func(*testing.B) time.Duration) {
	var took durations
	for b.Loop() {
		took = append(took, run(b))
	}
	b.ReportMetric(float64(took.quantile(0.5).Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took.quantile(0.99).Nanoseconds()), "p99-ns")
}

func compare(b *testing.B, ours, floor caller) {
	var a, z durations
	oursBefore, floorBefore := ours.cpu(b), floor.cpu(b)
	for b.Loop() {
		a, z = append(a, ours.call(b)), append(z, floor.call(b))
	}
	b.ReportMetric(float64(a.quantile(0.5))/float64(z.quantile(0.5)), "x-bare")
	b.ReportMetric(float64(ours.cpu(b)-oursBefore)/float64(floor.cpu(b)-floorBefore), "x-bare-cpu")
	b.ReportMetric(0, "ns/op") // the time for both together is meaningless
}

type durations []time.Duration

// quantile returns the duration below which this share of all durations is.
func (d durations) quantile(share float64) time.Duration {
	slices.Sort(d)
	return d[int(share*float64(len(d)-1))]
}

// read returns a file of events/.
func read(b *testing.B, name string) []byte {
	b.Helper()
	event, err := os.ReadFile(root + "/events/" + name + ".json")
	if err != nil {
		b.Fatal(err)
	}
	return event
}
