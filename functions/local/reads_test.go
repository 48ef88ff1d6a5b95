package main

import (
	"cmp"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/mcptest"
)

// slowness is how long Basecamp takes for each request, and how many calls a round then makes.
type slowness struct {
	delay time.Duration
	calls int
}

var slownesses = []slowness{{0, 20}, {20 * time.Millisecond, 8}, {200 * time.Millisecond, 3}}

// longestReads is the time after which no round begins.
const longestReads = 90 * time.Second

// build is a server to measure.
type build struct {
	name        string // empty: the current one with its default store
	command     []string
	running     *listening
	first, took map[string][]time.Duration // the first calls after a start, and later ones, by read
}

// read is a call that users often make.
type read struct{ tool, arguments string }

func readsOf(basecamp *sandbox.Sandbox) []read {
	const project = "Cargo Bike Launch"
	id := basecamp.ProjectID(project)
	return []read{
		{"list_todos", fmt.Sprintf(`{"project_id":%d,"todolist_id":%d}`, id, basecamp.TodolistID(project, "Launch checklist"))},
		{"get_todo", fmt.Sprintf(`{"todo_id":"todo:%d"}`, basecamp.FindIn(project, "Todo", "Print the serial number plates"))},
		{"get_board", fmt.Sprintf(`{"project":%d,"board":"Frame design"}`, id)},
		{"get_my_work", `{}`},
		{"get_activity", `{}`},
	}
}

// BenchmarkReads measures how long a user waits for frequent reads while Basecamp takes 0, 20 and
// 200 ms for each request: with the default store, with the same after 10,000 calls, and with
// memory. BENCH_READS is the number of rounds. BEFORE is the path of an older build of this
// command, which is measured in turn with this one. The benchmark ends by itself after two minutes.
func BenchmarkReads(b *testing.B) {
	rounds, err := strconv.Atoi(os.Getenv("BENCH_READS"))
	if err != nil {
		b.Skip("run make bench-reads")
	}
	basecamp := sandbox.New(sandbox.Options{RateLimit: -1})
	upstream := httptest.NewServer(basecamp)
	defer upstream.Close()
	reads := readsOf(basecamp)
	binary := compiled(b)
	builds := []*build{
		{name: "", command: []string{binary, "-data", b.TempDir()}},
		{name: "memory", command: []string{binary, "-store", "memory"}},
		{name: "after 10,000 calls", command: []string{binary, "-data", b.TempDir()}},
	}
	if before := os.Getenv("BEFORE"); before != "" {
		builds = append(builds, &build{name: "before", command: []string{before, "-data", b.TempDir()}})
	}
	load, began := machineLoad(), time.Now()
	builds[2].grow(b, upstream.URL, basecamp.Account())
	done := 0
	for ; done < rounds && (done == 0 || time.Since(began) < longestReads); done++ {
		for _, slow := range slownesses {
			basecamp.ClearFaults()
			measureReads(b, basecamp, upstream.URL, builds, reads, slow, done)
		}
		_, _ = fmt.Fprintf(os.Stderr, "round %d of %d, %v\n", done+1, rounds, time.Since(began).Round(time.Second))
	}
	text := table(builds, reads) + fmt.Sprintf("\nMedians; number of rounds: %d. On %d virtual cores, with a load average of %s before and %s after.\n",
		done, runtime.NumCPU(), load, machineLoad())
	if _, err := os.Stdout.WriteString("\n" + text); err != nil {
		b.Fatal(err)
	}
	if os.Getenv("UPDATE_BENCH") != "" {
		docstest.Write(b, "docs/performance.md", "reads", text)
	}
}

// measureReads starts a new process of each build, whose cache is empty, and makes all calls of a
// round. The builds take turns with each call.
func measureReads(b *testing.B, basecamp *sandbox.Sandbox, origin string, builds []*build, reads []read, slow slowness, round int) {
	b.Helper()
	running := slices.Clone(builds)
	for _, r := range running {
		r.start(b, origin, basecamp.Account())
	}
	defer func() {
		for _, r := range running {
			r.running.stop()
		}
	}()
	if round%2 == 1 {
		slices.Reverse(running)
	}
	for _, r := range running { // signs in, and opens connections
		r.ask(b, read{"list_tasks", `{}`})
	}
	if slow.delay > 0 {
		basecamp.Inject(sandbox.Fault{Delay: slow.delay})
	}
	for _, asked := range reads {
		key := readKey(asked, slow.delay)
		for n := range slow.calls + 1 {
			for _, r := range running {
				took := r.ask(b, asked)
				if n == 0 {
					r.first[key] = append(r.first[key], took)
				} else {
					r.took[key] = append(r.took[key], took)
				}
			}
		}
	}
}

func readKey(r read, delay time.Duration) string { return r.tool + " " + delay.String() }

// start runs a binary as a server of one user.
func (r *build) start(b *testing.B, origin string, account int64) {
	b.Helper()
	r.running = startProgram(b, []string{
		"BASECAMP_API_URL=" + origin, "LAUNCHPAD_URL=" + origin, "BASECAMP_ACCESS_TOKEN=sandbox-upstream-ines",
		fmt.Sprintf("BASECAMP_ACCOUNT_ID=%d", account), "USER_AGENT_CONTACT=https://fernhill.example",
	}, append(slices.Clone(r.command), "-addr", "127.0.0.1:0", "-upstream", "live")...)
	if r.first == nil {
		r.first, r.took = map[string][]time.Duration{}, map[string][]time.Duration{}
	}
}

// grow makes 10,000 calls, whose audit entries stay in the file of the build.
func (r *build) grow(b *testing.B, origin string, account int64) {
	b.Helper()
	r.start(b, origin, account)
	for range 10_000 {
		r.ask(b, read{"list_tasks", `{}`})
	}
	r.running.stop()
}

// ask makes a call and returns the time until the whole answer has arrived.
func (r *build) ask(b *testing.B, asked read) time.Duration {
	b.Helper()
	began := time.Now()
	answer := r.running.asks(mcptest.Message("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, asked.tool, asked.arguments)))
	took := time.Since(began)
	if !strings.Contains(answer, `"structuredContent"`) {
		b.Fatalf("%s of the build %q: %.500s", asked.tool, r.name, answer)
	}
	return took
}

// table returns the medians of all builds that were measured.
func table(builds []*build, reads []read) string {
	var said strings.Builder
	header, line := "| call |", "|---|"
	for _, slow := range slownesses {
		header += fmt.Sprintf(" Basecamp at %d ms |", slow.delay.Milliseconds())
		line += "---|"
	}
	said.WriteString(header + "\n" + line + "\n")
	row := func(label string, asked read, took func(*build) map[string][]time.Duration) {
		said.WriteString("| " + label + " |")
		for _, slow := range slownesses {
			said.WriteString(" " + milliseconds(took(builds[0])[readKey(asked, slow.delay)]))
			for i, other := range builds[1:] {
				said.WriteString([]string{" (", "; "}[min(i, 1)] + other.name + ": " + milliseconds(took(other)[readKey(asked, slow.delay)]))
			}
			said.WriteString(") |")
		}
		said.WriteString("\n")
	}
	for _, asked := range reads {
		row("`"+asked.tool+"`", asked, func(r *build) map[string][]time.Duration { return r.took })
		row("the first one", asked, func(r *build) map[string][]time.Duration { return r.first })
	}
	return said.String()
}

// milliseconds returns the median.
func milliseconds(all []time.Duration) string {
	if len(all) == 0 {
		return "not measured"
	}
	sorted := slices.SortedFunc(slices.Values(all), cmp.Compare[time.Duration])
	middle := sorted[len(sorted)/2].Seconds() * 1000
	if middle < 20 {
		return fmt.Sprintf("%.1f ms", middle)
	}
	return fmt.Sprintf("%.0f ms", middle)
}

// compiled builds this command as make bench-peers does.
func compiled(b *testing.B) string {
	b.Helper()
	path := b.TempDir() + "/local"
	if said, err := exec.CommandContext(b.Context(), "go", "build", "-ldflags", "-s -w", "-o", path, ".").CombinedOutput(); err != nil {
		b.Fatalf("build this command: %v\n%s", err, said)
	}
	return path
}

// machineLoad returns the load average of the last minute.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}
