package stacktest_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
	"basecamp-mcp/internal/mcptest"
)

// memories are the sizes of the functions, in MB.
var memories = []int{192, 512}

// load are the messages of one round.
var load = []string{
	mcptest.Message("tools/list", `{}`),
	mcptest.Message("tools/call", `{"name":"list_projects","arguments":{}}`),
	mcptest.Message("tools/call", `{"name":"get_my_work","arguments":{}}`),
	mcptest.Message("tools/call", `{"name":"search","arguments":{"query":"wheel"}}`),
	mcptest.Message("tools/call", `{"name":"list_todos","arguments":{"project":"Cargo Bike Launch"}}`),
}

// BenchmarkCold measures how long a person waits when no function is running. It compares the
// deployed endpoint with the same endpoint without warm-ups, and with a handler that does nothing.
// The services are stand-ins that speak TLS and repeat from memory what DynamoDB Local, moto and
// the sandbox answered during a real login and call. BENCH_COLD sets the number of starts of each
// kind. Kinds alternate, so that a busy machine slows all of them equally. Figures are medians. Two
// starts are the check of make cold: of the smallest size, without further calls.
func BenchmarkCold(b *testing.B) {
	starts, err := strconv.Atoi(os.Getenv("BENCH_COLD"))
	if err != nil {
		b.Skip("run make bench-cold")
	}
	sizes, messages := memories, load
	if starts == 2 {
		sizes, messages = memories[:1], nil
	}
	shares := sharesOf(b, sizes)
	c := rehearse(b, messages...)
	var table figures
	for _, memory := range sizes {
		for range starts {
			for _, kind := range kinds {
				table.add(kind, memory, c.start(b, kind, memory, shares[memory]))
			}
		}
	}
	firstCall := func(kind string) time.Duration {
		return middle(table[kind][memories[0]], func(s coldStart) time.Duration { return s.call })
	}
	if with, without := firstCall("deployed"), firstCall("unwarmed"); with > without/2 {
		b.Errorf("the first call takes %v, and %v without warm-ups: the warm-ups save no time", with, without)
	}
	if len(sizes) < len(memories) {
		return
	}
	said := table.markdown() + fmt.Sprintf("\nMedians of %d starts on %d virtual cores. The first answer is to a health check; the first tool call is get_me. Each process then made %d more calls. %s",
		starts, runtime.NumCPU(), moreRounds*len(messages), c.sizes(b))
	if _, err := os.Stdout.WriteString("\n" + said); err != nil {
		b.Fatal(err)
	}
}

// kinds are the programs to start. A bare function only gets a health check.
var kinds = []string{"deployed", "unwarmed", "bare"}

// commands are the packages that the kinds are built from.
var commands = map[string]string{
	"deployed": sources["McpFunction"], "unwarmed": "./functions/mcp/testdata/unwarmed", "bare": "./functions/mcp/testdata/bare",
}

// company holds everything that a cold start needs.
type company struct {
	bootstraps  map[string]string
	environment map[string]string
	first       []byte   // an event that needs no service
	call        []byte   // an event that calls a tool
	load        [][]byte // events with further messages
}

// rehearse lets a person log in, call a tool and send further messages, and records the answers of
// the services.
func rehearse(b *testing.B, messages ...string) company {
	b.Helper()
	d := prepare(b)
	recorders := map[string]*recorder{}
	recorded := func(service string) string {
		recorders[service] = &recorder{tb: b, answers: map[string]recorded{}}
		return recorders[service].record(service)
	}
	listened := services{recorded(d.services.database), recorded(d.services.manager), recorded(d.services.basecamp)}
	d.ship(func(string) services { return d.services })
	d.setUp()
	d.ship(func(function string) services { // again, so that no "not found" from before the set-up is repeated
		if function == "McpFunction" {
			return listened
		}
		return d.services
	})
	access := d.logIn("ines").access
	for range fleetSize {
		d.wantMe(access, "Ines Albrecht")
	}
	for range 3 * fleetSize { // later calls of a process read what the first ones left
		for _, message := range messages {
			if answer, body := d.ask(http.MethodPost, "/mcp", access, "", message); answer.StatusCode != http.StatusOK || strings.Contains(body, `"isError":true`) {
				b.Fatalf("%s: HTTP %d %s\n%s", message, answer.StatusCode, body, d.log)
			}
		}
	}
	trusted := newAuthority(b)
	c := company{bootstraps: map[string]string{}, environment: d.environment(services{
		trusted.serve(b, recorders[d.services.database], false), trusted.serve(b, recorders[d.services.manager], false),
		trusted.serve(b, recorders[d.services.basecamp], true),
	})}
	c.environment["SSL_CERT_FILE"] = trusted.file
	for name, value := range global(b)["Environment"].(anything)["Variables"].(anything) {
		if text := value.(string); !strings.HasPrefix(text, "!") && c.environment[name] == "" {
			c.environment[name] = text
		}
	}
	for kind, command := range commands {
		c.bootstraps[kind] = runtimetest.Build(b, root, command)
	}
	c.first = d.gateway.event(httptest.NewRequest(http.MethodGet, "/healthz", nil), "GET /healthz")
	event := func(message string) []byte {
		call := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
		call.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + access}, "Accept-Encoding": {"gzip"}}
		return d.gateway.event(call, "ANY /mcp")
	}
	c.call = event(mcptest.Message("tools/call", `{"name":"get_me","arguments":{}}`))
	for _, message := range messages {
		c.load = append(c.load, event(message))
	}
	return c
}

// coldStart holds the measurements of one start.
type coldStart struct {
	init     time.Duration // from exec until the request for an event
	answer   time.Duration // from an event without service calls to its answer
	call     time.Duration // the same for a tool call, in another process
	resident int64         // bytes, after that call

	later []time.Duration // of further calls in that process
}

// moreRounds is how often a process that answered its first call gets all messages of load. More
// would wait for the limit of requests to Basecamp.
const moreRounds = 2

// start starts a function twice: for a first answer, and for a tool call.
func (c company) start(b *testing.B, kind string, memory int, share *runtimetest.Share) (s coldStart) {
	b.Helper()
	var again time.Duration
	s.init, s.answer, s.resident, _ = c.ask(b, kind, memory, share, c.first, `"statusCode":200`)
	if kind != "bare" {
		again, s.call, s.resident, s.later = c.ask(b, kind, memory, share, c.call, "Ines Albrecht", slices.Repeat(c.load, moreRounds)...)
		s.init = (s.init + again) / 2
	}
	return s
}

// ask sends one event to a new process, and then more. Until the process asks for the event, it has
// a whole processor.
func (c company) ask(
	b *testing.B, kind string, memory int, share *runtimetest.Share, event []byte, part string, more ...[]byte,
) (init, took time.Duration, resident int64, later []time.Duration) {
	b.Helper()
	variables := maps.Clone(c.environment)
	variables["GOMEMLIMIT"] = fmt.Sprintf("%dMiB", memory*7/10)
	began := time.Now()
	f := runtimetest.Start(b, c.bootstraps[kind], pairs(variables)...)
	defer f.Stop()
	if err := f.Ready(); err != nil {
		b.Fatalf("%v\n%s", err, f.Logs())
	}
	init = time.Since(began)
	if err := share.Hold(f); err != nil {
		b.Fatal(err)
	}
	invoke := func(event []byte, part string) time.Duration {
		began := time.Now()
		answer, err := f.Invoke(event)
		took := time.Since(began)
		if err != nil || !strings.Contains(string(answer), part) {
			b.Fatalf("%s answers %s, %v\n%s", kind, answer, err, f.Logs())
		}
		return took
	}
	took = invoke(event, part)
	resident, err := f.Resident()
	if err != nil {
		b.Fatal(err)
	}
	for _, event := range more {
		later = append(later, invoke(event, `"statusCode":200`))
	}
	return init, took, resident, later
}

// figures holds all starts by kind and memory.
type figures map[string]map[int][]coldStart

func (f *figures) add(kind string, memory int, s coldStart) {
	if *f == nil {
		*f = figures{}
	}
	if (*f)[kind] == nil {
		(*f)[kind] = map[int][]coldStart{}
	}
	(*f)[kind][memory] = append((*f)[kind][memory], s)
}

// rows are the lines of the table: milliseconds of a kind, or the ratio of two kinds.
var rows = []struct {
	what        string
	kind, times string
	of          func(coldStart) time.Duration
}{
	{"exec to first answer", "deployed", "", coldStart.toFirstAnswer},
	{"the same without warm-ups", "unwarmed", "", coldStart.toFirstAnswer},
	{"the same for a bare handler", "bare", "", coldStart.toFirstAnswer},
	{"times the bare handler", "deployed", "bare", coldStart.toFirstAnswer},
	{"times the bare handler, without warm-ups", "unwarmed", "bare", coldStart.toFirstAnswer},
	{"first tool call, once started", "deployed", "", func(s coldStart) time.Duration { return s.call }},
	{"the same without warm-ups", "unwarmed", "", func(s coldStart) time.Duration { return s.call }},
	{"times as long without", "unwarmed", "deployed", func(s coldStart) time.Duration { return s.call }},
	{"exec through first tool call", "deployed", "", coldStart.throughCall},
	{"the same without warm-ups", "unwarmed", "", coldStart.throughCall},
	{"times as long without", "unwarmed", "deployed", coldStart.throughCall},
}

func (s coldStart) toFirstAnswer() time.Duration { return s.init + s.answer }
func (s coldStart) throughCall() time.Duration   { return s.init + s.call }

func (f figures) markdown() string {
	var said strings.Builder
	line := func(what string, cell func(memory int) string) {
		said.WriteString("| " + what + " |")
		for _, memory := range memories {
			said.WriteString(" " + cell(memory) + " |")
		}
		said.WriteString("\n")
	}
	line("cold start", func(memory int) string { return fmt.Sprintf("%d MB", memory) })
	said.WriteString("|---" + strings.Repeat("|---", len(memories)) + "|\n")
	for _, row := range rows {
		line(row.what, func(memory int) string {
			took := middle(f[row.kind][memory], row.of)
			if row.times == "" {
				return fmt.Sprintf("%.1f ms", took.Seconds()*1000)
			}
			return fmt.Sprintf("%.1f", float64(took)/float64(middle(f[row.times][memory], row.of)))
		})
	}
	spread := func(kind string, of func(s coldStart) []time.Duration) func(memory int) string {
		return func(memory int) string {
			var all []time.Duration
			for _, s := range f[kind][memory] {
				all = append(all, of(s)...)
			}
			slices.Sort(all)
			return fmt.Sprintf("%.1f / %.1f ms", all[len(all)/2].Seconds()*1000, all[len(all)*99/100].Seconds()*1000)
		}
	}
	line("first tool call, p50 / p99", spread("deployed", func(s coldStart) []time.Duration { return []time.Duration{s.call} }))
	line("later calls, p50 / p99", spread("deployed", func(s coldStart) []time.Duration { return s.later }))
	held := func(kind string, memory int) float64 {
		return float64(middle(f[kind][memory], func(s coldStart) int64 { return s.resident })) / 1e6
	}
	line("memory used then (bare handler: after its answer)", func(memory int) string {
		return fmt.Sprintf("%.0f MB (%.0f)", held("deployed", memory), held("bare", memory))
	})
	return said.String()
}

// sizes returns the sizes of the binaries, for Lambda's processors and for this machine's.
func (c company) sizes(b *testing.B) string {
	var said []string
	for _, arch := range slices.Compact([]string{"arm64", runtime.GOARCH}) {
		b.Setenv("GOARCH", arch)
		var sizes []any
		for _, command := range []string{sources["McpFunction"], sources["OAuthFunction"], commands["bare"]} {
			file, err := os.Stat(runtimetest.Build(b, root, command))
			if err != nil {
				b.Fatal(err)
			}
			sizes = append(sizes, float64(file.Size())/1e6)
		}
		said = append(said, fmt.Sprintf("%.1f and %.1f MB on "+arch+" (bare %.1f)", sizes...))
	}
	return "The two bootstraps are " + strings.Join(said, ", ") + ".\n"
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

// middle returns the median of a measurement.
func middle[F any, T cmp.Ordered](all []F, of func(F) T) T {
	values := make([]T, len(all))
	for i, f := range all {
		values[i] = of(f)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
