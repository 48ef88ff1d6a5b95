package stacktest_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/lambdahttp/runtimetest"
	"basecamp-mcp/internal/mcptest"
)

// collectors are the settings of the garbage collector to compare. GOMEMLIMIT is always 70 % of the
// memory.
var collectors = []string{"off", "400", "300", "200"}

// underLoad are the sizes of functions that BenchmarkFootprint measures, in MB.
var underLoad = []int{128, 256, 320, 384, 512}

// mostUsed is the most memory in bytes that a function may use under load.
const mostUsed = 60_000_000

// load are the messages of one round.
var load = []string{
	mcptest.Message("tools/list", `{}`),
	mcptest.Message("tools/call", `{"name":"list_projects","arguments":{}}`),
	mcptest.Message("tools/call", `{"name":"get_my_work","arguments":{}}`),
	mcptest.Message("tools/call", `{"name":"search","arguments":{"query":"wheel"}}`),
	mcptest.Message("tools/call", `{"name":"list_todos","arguments":{"project":"Cargo Bike Launch"}}`),
}

// footprint is what one process used for its calls.
type footprint struct {
	peak      int64         // bytes
	processor time.Duration // of a call
}

// BenchmarkFootprint measures the deployed endpoint under load with several settings of the garbage
// collector and the processor share of several sizes. BENCH_FOOTPRINT sets the number of processes
// of each kind; kinds alternate. Figures are medians. It does not measure how long calls take: most
// of them wait for the limit of requests to Basecamp, as they would in a deployment.
func BenchmarkFootprint(b *testing.B) {
	runs, err := strconv.Atoi(os.Getenv("BENCH_FOOTPRINT"))
	if err != nil {
		b.Skip("run make bench-footprint")
	}
	const rounds = 24
	shares := sharesOf(b, underLoad)
	c := rehearse(b, load...)
	found := map[string][]footprint{}
	for range runs {
		for _, memory := range underLoad {
			for _, collector := range collectors {
				kind := fmt.Sprint(collector, memory)
				u := c.use(b, shares[memory], memory, collector, rounds)
				_, _ = fmt.Fprintf(os.Stderr, "%d MB, GOGC=%s: %+v\n", memory, collector, u)
				found[kind] = append(found[kind], u)
			}
		}
	}
	var said strings.Builder
	fmt.Fprint(&said, "| `GOGC` | memory of the function | most memory used | processor time of a call |\n|---|---|---|---|\n")
	for _, memory := range underLoad {
		for _, collector := range collectors {
			all := found[fmt.Sprint(collector, memory)]
			fmt.Fprintf(&said, "| %s | %d MB | %.0f MB | %.1f ms |\n", collector, memory,
				float64(middle(all, func(f footprint) int64 { return f.peak }))/1e6,
				middle(all, func(f footprint) time.Duration { return f.processor }).Seconds()*1000)
		}
	}
	fmt.Fprintf(&said, "\nMedians of %d processes on %d virtual cores, each for %d calls.\n", runs, runtime.NumCPU(), rounds*len(load))
	if _, err := os.Stdout.WriteString("\n" + said.String()); err != nil {
		b.Fatal(err)
	}
	chosen := global(b)["Environment"].(anything)["Variables"].(anything)["GOGC"]
	for _, memory := range underLoad {
		all := found[fmt.Sprint(chosen, memory)]
		if len(all) == 0 {
			b.Fatalf("GOGC=%v of the template is not measured", chosen)
		}
		peak := middle(all, func(f footprint) int64 { return f.peak })
		if peak > mostUsed {
			b.Errorf("GOGC=%v and %d MB: %d bytes used, want at most %d", chosen, memory, peak, mostUsed)
		}
	}
	if os.Getenv("UPDATE_BENCH") != "" {
		docstest.Write(b, "docs/performance.md", "garbage collection", said.String())
	}
}

// sharesOf returns the shares of a processor that functions of some sizes have.
func sharesOf(b *testing.B, sizes []int) map[int]*runtimetest.Share {
	b.Helper()
	shares := map[int]*runtimetest.Share{}
	for _, memory := range sizes {
		share, err := runtimetest.NewShare(b, memory)
		if err != nil {
			b.Fatalf("this machine cannot limit a process to a share of a processor, which needs Linux and root: %v", err)
		}
		shares[memory] = share
	}
	return shares
}

// use runs rounds of calls in a new process.
func (c company) use(b *testing.B, share *runtimetest.Share, memory int, collector string, rounds int) (u footprint) {
	b.Helper()
	variables := maps.Clone(c.environment)
	variables["GOGC"], variables["GOMEMLIMIT"] = collector, fmt.Sprintf("%dMiB", memory*7/10)
	f := runtimetest.Start(b, c.bootstraps["deployed"], pairs(variables)...)
	defer f.Stop()
	if err := f.Ready(); err != nil {
		b.Fatalf("%v\n%s", err, f.Logs())
	}
	if err := share.Hold(f); err != nil {
		b.Fatal(err)
	}
	before, err := f.CPU()
	if err != nil {
		b.Fatal(err)
	}
	for range rounds {
		for i, event := range c.load {
			answer, err := f.Invoke(event)
			if err != nil || !strings.Contains(string(answer), `"statusCode":200`) {
				b.Fatalf("%s answers %s, %v\n%s", load[i], answer, err, f.Logs())
			}
		}
	}
	peak, err := f.Peak()
	after, errCPU := f.CPU()
	if err := errors.Join(err, errCPU); err != nil {
		b.Fatal(err)
	}
	return footprint{peak, (after - before) / time.Duration(rounds*len(c.load))}
}

// middle returns the median of a measurement.
func middle[F any, T cmp.Ordered](all []F, of func(F) T) T {
	values := make([]T, len(all))
	for i, f := range all {
		values[i] = of(f)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
