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

// ping is the smallest request.
const ping = `{
  "version": "2.0",
  "rawPath": "/mcp",
  "headers": {"authorization": "Bearer sandbox-ines", "content-type": "application/json", "mcp-protocol-version": "2025-11-25"},
  "requestContext": {"http": {"method": "POST", "sourceIp": "203.0.113.7"}},
  "body": "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
}`

// BenchmarkInvoke measures warm invocations through the Runtime API. The ratio of ping to bare must
// stay below 1.5.
func BenchmarkInvoke(b *testing.B) {
	sandbox := runtimetest.Start(b, runtimetest.Build(b, root, "./functions/mcp"), "BASECAMP_API_URL=sandbox")
	messages := map[string][]byte{"ping": []byte(ping), "tools-call-get-me": read(b, "tools-call-get-me"), "tools-list": read(b, "tools-list")}
	floor := caller{runtimetest.Start(b, runtimetest.Build(b, root, bare)), messages["ping"]}

	b.Run("bare", func(b *testing.B) { measure(b, floor.call) })
	for name, message := range messages {
		ours := caller{sandbox, message}
		b.Run(name, func(b *testing.B) { measure(b, ours.call) })
		b.Run(name+"-ratio", func(b *testing.B) { compare(b, ours, floor) })
	}
	zipped := caller{sandbox, accepting(b, messages["tools-list"], "gzip")}
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
