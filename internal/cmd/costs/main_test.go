package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/stacktest"
)

func usual(t *testing.T) usage {
	t.Helper()
	u, err := load(figures)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestDocument_HasWhatThePricesComeTo(t *testing.T) {
	docstest.Section(t, "docs/costs.md", "costs", usual(t).tables())
	docstest.Section(t, "docs/costs.md", "memory", usual(t).memories([]float64{192, 256, 320, 384, 512, 1024}))
	docstest.Section(t, "docs/costs.md", "million", usual(t).million())
}

func TestPicture_HasTheTotals(t *testing.T) {
	const path = "../../../docs/pictures/costs.svg"
	want := usual(t).picture()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("docs/pictures/costs.svg differs from the figures; run the test with UPDATE_GOLDEN=1: %v", err)
	}
}

func TestREADME_NamesTheTotals(t *testing.T) {
	u := usual(t)
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("from about $%.1f0 a month; 100 people $%.0f to $%.0f", u.total(secrets, 1), u.total(envelope, 100), u.total(secrets, 100))
	if !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

func TestOnePerson_CostsAtMostEightyFiveCentsWithTheDefaults(t *testing.T) {
	if total := usual(t).total(secrets, 1); total > 0.85 {
		t.Errorf("one person costs $%.2f a month", total)
	}
}

func TestEnvelope_CostsTenThousandPeopleAtMostSixtyFiveDollars(t *testing.T) {
	u := usual(t)
	if total := u.total(envelope, 10_000); total > 65 {
		t.Errorf("10,000 people cost $%.2f a month, want at most 65", total)
	}
}

// plain has prices and a usage that are easy to multiply. Two people are counted with the second
// cache.
var plain = usage{
	prices{
		GatewayMillion: 1, LambdaMillion: 2, LambdaGBSecond: 0.5, ReadMillion: 3, WriteMillion: 4, StoredGB: 5, Secret: 6,
		BackupGB: 5, SecretReads10000: 7, LogGB: 8, Metric: 9, FreeMetrics: 10, InternetGB: 11, AlarmMetric: 12, FreeAlarmMetrics: 10,
	},
	use{
		Requests: 1e6, Refreshes: 1e5, ToolCalls: 5e5, WaitingMS: 1, ProcessorMS: 1, MemoryMB: byMode{1769, 1769}, InitMS: 1000,
		ReadUnits: 1, RefreshReads: 10, WriteUnits: 1, RefreshWrites: 10, WriteUnitsBesides: 1e6, StoredKB: 1 << 20,
		LogKB: 1.048576, SentKB: 1.048576, Metrics: byMode{24, 26}, Hours: 182.5, AlarmMetrics: byMode{12, 13},
		StoreReads: byMode{1e5, 2e5}, StoreWrites: byMode{0, 3e5},
	},
	[]caches{{People: 1}, {People: 2, RecordReads: 2, TokenReads: 0.2, RingReads: 0.1, ColdStarts: 0.001}, {People: 3}},
}

func TestBill_CountsEachPartOnce(t *testing.T) {
	gb := 1769.0 / 1024
	shared := []float64{2 * 1, 2*2 + 2*(2000+1000)*gb*0.5}
	table := 2 * (3*(0.9+1+1) + 4*(0.5+1+1) + 2*5)
	for m, want := range map[mode][]float64{
		secrets:  append(shared[:2:2], table+2*3*0.1, 3*6+2*50*0.2*7, 2*8, 18, 24, 2*11),
		envelope: append(shared[:2:2], table+2*3*(0.05+0.2)+2*4*0.3, 2*6+2*50*0.1*7, 2*8, 27, 36, 2*11),
	} {
		sum := 0.0
		for i, part := range plain.bill(m) {
			if got := part.cost(2); math.Abs(got-want[i]) > 1e-6 {
				t.Errorf("%s, %s: %v, want %v", m, part.name, got, want[i])
			}
			sum += want[i]
		}
		if got := plain.total(m, 2); math.Abs(got-sum) > 1e-6 {
			t.Errorf("%s: all is %v, want %v", m, got, sum)
		}
	}
}

// The sweep reads what is stored once a day, and never more than its runs can read.
func TestBill_TheSweepHasALimit(t *testing.T) {
	u := plain
	u.use.StoredKB, u.use.SweepUnits, u.use.SweepGBSeconds = 8, 304, 2
	for people, want := range map[float64]float64{1: 0.1, 5: 0.5, 10: 1, 1000: 1} {
		if got := u.swept(people); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v people: %v of the most units, want %v", people, got, want)
		}
	}
	still := u
	still.use.SweepUnits, still.use.SweepGBSeconds = 0, 0
	if got := u.dynamo(secrets, 10) - still.dynamo(secrets, 10); math.Abs(got-304*3/1e6) > 1e-9 {
		t.Errorf("the sweep of the table costs %v", got)
	}
	if got := u.lambda(1769, 10) - still.lambda(1769, 10); math.Abs(got-2*0.5) > 1e-6 {
		t.Errorf("the sweep's function costs %v", got)
	}
}

func TestBill_CountsTheSweepsLimits(t *testing.T) {
	source, err := os.ReadFile("../../sweep/sweep.go")
	if err != nil {
		t.Fatal(err)
	}
	const aSecond, seconds, days, gb = 200, 14 * 60, 30.4, 256.0 / 1024
	if !strings.Contains(string(source), "readRate = 200\n") || !strings.Contains(string(source), "spare = time.Minute\n") {
		t.Error("the sweep's limits differ from those of the bill")
	}
	u := usual(t).use
	for what, each := range map[string][2]float64{
		"read units": {u.SweepUnits, aSecond * seconds * days}, "GB-seconds": {u.SweepGBSeconds, seconds * gb * days},
	} {
		if math.Abs(each[0]-each[1]) > 0.01*each[1] {
			t.Errorf("the bill counts %.0f %s, want %.0f", each[0], what, each[1])
		}
	}
}

func TestBill_SeesEachPrice(t *testing.T) {
	before := usual(t)
	before.prices.FreeAlarmMetrics = 0
	for name, change := range map[string]func(p *prices){
		"gateway": func(p *prices) { p.GatewayMillion *= 2 }, "function": func(p *prices) { p.LambdaGBSecond *= 2 },
		"reads": func(p *prices) { p.ReadMillion *= 2 }, "writes": func(p *prices) { p.WriteMillion *= 2 }, "storage": func(p *prices) { p.StoredGB *= 2 },
		"secret": func(p *prices) { p.Secret *= 2 }, "secret reads": func(p *prices) { p.SecretReads10000 *= 2 }, "logs": func(p *prices) { p.LogGB *= 2 },
		"metrics": func(p *prices) { p.Metric *= 2 }, "alarms": func(p *prices) { p.AlarmMetric *= 2 }, "internet": func(p *prices) { p.InternetGB *= 2 },
	} {
		after := before
		change(&after.prices)
		for _, m := range modes {
			if after.total(m, 10_000) <= before.total(m, 10_000) {
				t.Errorf("twice the price of %s changes nothing with TokenStore=%s", name, m)
			}
		}
	}
}

func template(t *testing.T) map[string]any {
	t.Helper()
	whole, err := stacktest.Template()
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func TestBill_CountsTheTemplatesAlarms(t *testing.T) {
	looked, sealed := 0.0, 0.0
	for _, each := range template(t)["Resources"].(map[string]any) {
		resource := each.(map[string]any)
		if resource["Type"] != "AWS::CloudWatch::Alarm" {
			continue
		}
		metrics := 1
		if queries, ok := resource["Properties"].(map[string]any)["Metrics"].([]any); ok {
			metrics = len(queries) - 1 // one query is the expression
		}
		switch resource["Condition"] {
		case "HasKeyRing":
			sealed += float64(metrics)
		default:
			looked += float64(metrics)
		}
	}
	if got, counted := (byMode{looked, looked + sealed}), usual(t).use.AlarmMetrics; got != counted {
		t.Errorf("the alarms look at %v metrics, and the bill counts %v", got, counted)
	}
	page, err := os.ReadFile("../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("The alarms look at %v metrics, and %v with a key ring", looked, looked+sealed); !strings.Contains(string(page), want) {
		t.Errorf("docs/costs.md does not say: %s", want)
	}
}

func TestBill_CountsTheTemplatesMemory(t *testing.T) {
	whole := template(t)
	if size := whole["Parameters"].(map[string]any)["MemorySize"].(map[string]any)["Default"]; size != "auto" {
		t.Errorf("MemorySize is %v, and the bill counts auto", size)
	}
	sizes, u := whole["Mappings"].(map[string]any)["Memory"].(map[string]any), usual(t)
	for _, m := range modes {
		if size := sizes[string(m)].(map[string]any)["Size"]; size != strconv.Itoa(int(u.use.MemoryMB.value(m))) {
			t.Errorf("with TokenStore=%s, auto is %v, and the bill counts %v MB", m, size, u.use.MemoryMB.value(m))
		}
	}
}

func TestBill_TheSweepsMetricsHaveAnHourADay(t *testing.T) {
	u := usage{prices{Metric: 24}, use{SweepMetrics: 3, MemoryMB: byMode{1, 1}}, []caches{{}}}
	if cost := u.bill(secrets)[5].cost(1); cost != 3 {
		t.Errorf("%v, want 3", cost)
	}
}

func TestBill_MetricsArePaidForByTheHoursOfTheirUse(t *testing.T) {
	u := usage{prices{Metric: 1, FreeMetrics: 10}, use{Metrics: byMode{16, 16}, Hours: 365, MemoryMB: byMode{1, 1}}, []caches{{}}}
	for people, want := range map[float64]float64{1: 0, 2: 6, 1000: 6} {
		if parts := u.bill(secrets); parts[5].cost(people) != want {
			t.Errorf("%v people: %v, want %v", people, parts[5].cost(people), want)
		}
	}
}

func TestLoad_RefusesUnknownAndMissingFigures(t *testing.T) {
	for _, text := range []string{"prices", `{"use":{"price_of_tea":1}}`, `{"use":{"memory_mb":{"secrets":512,"envelope":192}}}`, `{"caches":[{"people":1}],"use":{"memory_mb":{"secrets":512}}}`} {
		if _, err := load([]byte(text)); err == nil {
			t.Errorf("%s is loaded", text)
		}
	}
}

func TestDollars_ShowCentsWhileTheyMatter(t *testing.T) {
	for amount, want := range map[float64]string{0: "0", 0.004: "< 0.01", 0.404: "0.40", 41.256: "41.26", 4061.5: "4062"} {
		if got := dollars(amount); got != want {
			t.Errorf("%v is %s, want %s", amount, got, want)
		}
	}
}
