package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/stacktest"
)

func usual(t *testing.T) use {
	t.Helper()
	u, _, err := load(docstest.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestDocument_HasWhatTheSimulationPrints(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rated, limited, err := tables(docstest.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	docstest.Section(t, "docs/scale.md", "rates", rated)
	docstest.Section(t, "docs/scale.md", "limits", limited)
}

// The bill counts what a month of work reads through the caches of its instances.
func TestCount_EqualsTheUsageOfTheBill(t *testing.T) {
	u, counted, err := load(docstest.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range counted {
		got, refreshes := count(u, said.People)
		who := strconv.Itoa(said.People) + " people: "
		near(t, who+"reads of records", said.Records, got.Records)
		near(t, who+"reads of tokens", said.Tokens, got.Tokens)
		near(t, who+"reads of the key ring", said.Ring, got.Ring)
		near(t, who+"cold starts", said.ColdStarts, got.ColdStarts)
		near(t, who+"refreshes of a user", u.Refreshes, refreshes)
	}
}

func TestCache_IsClearedWhenItIsFull(t *testing.T) {
	c := cache{}
	if c.has(1, 0, 30) || !c.has(1, 29, 59) || c.has(1, 30, 60) {
		t.Error("an entry is known until its end")
	}
	for user := range cacheSize {
		c.has(user, 30, 60)
	}
	if c.has(cacheSize, 30, 60); len(c) != 1 {
		t.Errorf("a full cache has %d entries after one more, want 1", len(c))
	}
}

func TestTake_StartsAnInstanceAfterAPause(t *testing.T) {
	m := &month{}
	first := m.take(0)
	first.used = 1
	for _, test := range []struct {
		now  float64
		same bool
	}{{600, true}, {601, false}} {
		m.idle = []*memory{first}
		if got := m.take(test.now) == first; got != test.same {
			t.Errorf("after %v s, the instance is used again: %t", test.now, got)
		}
	}
	first.used = wholeLife - 1
	if m.idle = []*memory{first}; m.take(wholeLife) == first || m.coldStarts != 3 {
		t.Errorf("an instance is used after its whole life; %d cold starts", m.coldStarts)
	}
}

func TestSimulate_HasTheSameResultEveryTime(t *testing.T) {
	u := usual(t)
	for _, down := range []outage{healthy, silent, noticed} {
		first, second := simulate(u, 500, down), simulate(u, 500, down)
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(hour{})); diff != "" {
			t.Errorf("outage %d: %s", down, diff)
		}
	}
}

func TestSimulate_HasTheRequestsOfTheUsage(t *testing.T) {
	u := usual(t)
	h := simulate(u, 1000, healthy)
	near(t, "requests a second", float64(len(h.mcp))/h.mcp[len(h.mcp)-1], peak*u.average(1000))
	near(t, "requests to Basecamp for a request", float64(len(h.basecamp))/float64(len(h.mcp)), upstream*u.ToolCalls/u.toTools())
	// Little's law: the mean number of busy instances is the rate times the time of a request.
	busy := 0
	for n, many := range h.busy {
		busy += n * many
	}
	if got, least := float64(busy)/float64(len(h.mcp)), peak*u.average(1000)*u.seconds(); got < 0.9*least || got > 2*least {
		t.Errorf("%.2f instances are busy, want at least %.2f, and more because sessions open in bursts", got, least)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.05*want {
		t.Errorf("%s: %.3f, want %.3f", what, got, want)
	}
}

func TestNeeds_RefuseNoRequestOfTheBusiestHour(t *testing.T) {
	c := newCompany(usual(t), reads{})
	for _, people := range sizes {
		n, h := c.needs(people), c.hour(people, healthy)
		for what, refused := range map[string]float64{
			"tools":    throttled(h.mcp, 1, float64(n.mcp.rate), float64(n.mcp.burst)),
			"tokens":   throttled(h.tokens, 1, float64(n.oauth.rate), float64(n.oauth.burst)),
			"register": throttled(firstHour(people), 1, float64(n.register.rate), float64(n.register.burst)),
		} {
			if refused > 0 {
				t.Errorf("%d people, %s: %.4f of the requests are refused with %+v", people, what, refused, n)
			}
		}
		if n.mcp.burst > 5000 {
			t.Errorf("%d people need a burst of %d, above the quota of an AWS account", people, n.mcp.burst)
		}
	}
}

// The gateway refuses a request at once and says so. The table would let it wait, and fail.
func TestNeeds_ReachTheGatewaysLimitBeforeTheTables(t *testing.T) {
	u, cached, err := load(docstest.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	const sweep = 200 // read units a second, as internal/sweep takes
	r := cached[len(cached)-1]
	n := newCompany(u, r).needs(10_000)
	reads, writes := float64(n.mcp.rate)*u.reads(r), float64(n.mcp.rate)*u.writes()
	page, err := os.ReadFile(filepath.Join(docstest.Root(t), "docs", "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d requests a second take %.0f of the 1,000 read units", n.mcp.rate, reads)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/scale.md does not say: %s", want)
	}
	if reads+sweep > tableReads || writes > tableWrites {
		t.Errorf("%d requests a second, as the gateway lets through, take %.0f read units, %d with the sweep, and %.0f write units",
			n.mcp.rate, reads, int(reads)+sweep, writes)
	}
}

func TestLimits_EqualTheTemplate(t *testing.T) {
	template, err := stacktest.Template()
	if err != nil {
		t.Fatal(err)
	}
	parameters := template["Parameters"].(map[string]any)
	for name, want := range map[string]string{
		"McpLimits":   fmt.Sprintf("%d,%d", mcpRate, mcpBurst),
		"OAuthLimits": fmt.Sprintf("%d,%d,%d,%d", oauthRate, oauthBurst, registerRate, registerBurst),
	} {
		if got := parameters[name].(map[string]any)["Default"]; got != want {
			t.Errorf("%s is %v, and the simulation uses %s", name, got, want)
		}
	}
	table, err := stacktest.Resource("Table")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(map[string]any{
		"MaxReadRequestUnits": strconv.Itoa(tableReads), "MaxWriteRequestUnits": strconv.Itoa(tableWrites),
	}), table["OnDemandThroughput"]); diff != "" {
		t.Error(diff)
	}
}

// The simulation copies numbers of other packages. A change there must be made here, too.
func TestNumbers_EqualThoseOfTheServer(t *testing.T) {
	for file, wants := range map[string][]string{
		"grant/keeper.go":      {"recordLife = 30 * time.Second"},
		"grant/memo.go":        {"memoSize = 1000"},
		"basecamp/client.go":   {"upstream.Rate{Burst: 20, Refill: 250 * time.Millisecond, Window: 10 * time.Second, PerWindow: 45, Spare: 4}"},
		"upstream/breaker.go":  {"failuresToOpen = 3 ", "firstPause     = 5 * time.Second", "maxPause       = time.Minute"},
		"upstream/attempts.go": {"maxTimeouts = 2 ", "readTime    = 8 * time.Second", "firstWait   = time.Second"},
	} {
		source, err := os.ReadFile(filepath.Join(docstest.Root(t), "internal", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(source), want) {
				t.Errorf("internal/%s no longer has %q, which the simulation copies", file, want)
			}
		}
	}
	if recordLife != 30 || cacheSize != 1000 || paceBurst != 20 || paceRefill != 0.25 || paceWindow != 10 || paceMost != 45 ||
		toOpen != 3 || firstPause != 5 || lastPause != 60 || attemptTime != 8 || failedTime != 2*8+1 {
		t.Error("the simulation's numbers differ from those that it copies")
	}
}

func TestDraw_SendsAtMostFortyFiveRequestsInTenSeconds(t *testing.T) {
	i := newInstance()
	var sent []float64
	for at := 0.0; at < 60; {
		at = i.draw(at)
		sent = append(sent, at)
	}
	if sent[paceBurst-1] != 0 || sent[paceBurst] != paceRefill {
		t.Errorf("the burst is sent at %v", sent[:paceBurst+1])
	}
	for k := paceMost; k < len(sent); k++ {
		if sent[k]-sent[k-paceMost] < paceWindow {
			t.Errorf("request %d is sent %.2f s after the one %d before it", k, sent[k]-sent[k-paceMost], paceMost)
		}
	}
	if refused := crowded(sent); refused > 0 {
		t.Errorf("Basecamp refuses %.3f of them", refused)
	}
}

func TestBreaker_OpensAfterThreeFailuresAndTestsAfterEachPause(t *testing.T) {
	var b breaker
	var took []float64
	for _, at := range []float64{0, 17, 34, 55, 56, 64, 70, 73.9, 74} {
		took = append(took, b.fail(at))
	}
	// It opens at 51 for 5 s. The test at 56 takes 8 s, and the next pause is 10 s.
	want := []float64{17, 17, 17, refusedTime, 8, refusedTime, refusedTime, refusedTime, 8}
	if diff := cmp.Diff(want, took); diff != "" {
		t.Error(diff)
	}
}

func TestThrottled_RefusesWhatExceedsBurstAndRate(t *testing.T) {
	at := func(times ...float64) []float64 { return times }
	for name, test := range map[string]struct {
		times             []float64
		cost, rate, burst float64
		want              float64
	}{
		"nothing":         {nil, 1, 1, 1, 0},
		"a burst":         {at(0, 0, 0, 0), 1, 1, 4, 0},
		"above the burst": {at(0, 0, 0, 0), 1, 1, 3, 0.25},
		"refilled":        {at(0, 0, 1, 2), 1, 1, 2, 0},
		"units":           {at(0, 0, 0, 0), 2, 1, 4, 0.5},
	} {
		if got := throttled(test.times, test.cost, test.rate, test.burst); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestCrowded_CountsOnlyTheLatestTenSeconds(t *testing.T) {
	full := slices.Repeat([]float64{0}, basecampMost)
	if got := crowded(append(slices.Clone(full), 9.9, 10)); got != 1.0/52 {
		t.Errorf("%v of the requests are refused, want 1 of 52", got)
	}
}

func TestFirst_FindsTheFirstRoundNumber(t *testing.T) {
	for least, want := range map[int]int{0: 1, 2: 2, 11: 12, 101: 120, 2600: 3000, 900_000: 1_000_000, 1_000_001: 0} {
		if got := first(func(people int) bool { return people >= least }); got != want {
			t.Errorf("from %d on: %d, want %d", least, got, want)
		}
	}
}

func TestBills_GrowEvenlyBetweenTheNumbersOfTheTable(t *testing.T) {
	bill := billed{"all", map[int]float64{1: 1, 100: 100, 10_000: 5050}}
	for dollars, want := range map[float64]int{0.5: 1, 49: 50, 110: 150, 5049: 10_000, 1e7: 0} {
		if got := bill.people(dollars); got != want {
			t.Errorf("$%v: %d people, want %d", dollars, got, want)
		}
	}
}

func TestTables_NameTheFileThatLacksFigures(t *testing.T) {
	const enough = `{"use":{"hours":1,"requests":3,"refreshes":1,"tool_calls":1,"waiting_ms_a_request":1,"memory_mb":{"envelope":1769},"read_units_a_request":1,
		"write_units_a_tool_call":1},"caches":[{}]}`
	for name, files := range map[string]struct{ prices, costs, want string }{
		"no usage":    {`{"use":{"requests":1320}}`, "", usage},
		"not JSON":    {`usage`, "", usage},
		"no totals":   {enough, "# Costs", costs},
		"no document": {enough, "", costs},
	} {
		root := t.TempDir()
		for path, content := range map[string]string{usage: files.prices, costs: files.costs} {
			if content == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := tables(root); err == nil || !strings.Contains(err.Error(), files.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
