package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/stacktest"
)

func TestDocument_HasWhatThePricesComeTo(t *testing.T) {
	p, u, err := load(figures)
	if err != nil {
		t.Fatal(err)
	}
	docstest.Section(t, "docs/costs.md", "costs", table(p, u))
}

func TestREADME_NamesTheTotals(t *testing.T) {
	p, u, err := load(figures)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	total := func(people float64) (sum float64) {
		for _, part := range bill(p, u) {
			sum += part.cost(people)
		}
		return sum
	}
	if want := fmt.Sprintf("$%.2f a month, a hundred $%.0f", total(1), total(100)); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

func TestBill_CountsEachPartOnce(t *testing.T) {
	p := prices{
		GatewayMillion: 1, LambdaMillion: 2, LambdaGBSecond: 0.5, ReadMillion: 3, WriteMillion: 4, StoredGB: 5, Secret: 6,
		BackupGB: 5, SecretReads10000: 7, LogGB: 8, Metric: 9, FreeMetrics: 10, InternetGB: 11, AlarmMetric: 12, FreeAlarmMetrics: 10,
	}
	u := use{
		Requests: 1e6, ToolCalls: 1e6, Milliseconds: 1, MemoryMB: 1024, ReadUnits: 1, WriteUnits: 1, WriteUnitsBesides: 1e6,
		StoredKB: 1 << 20, SecretReads: 0.01, LogKB: 1.048576, SentKB: 1.048576, Metrics: 24, Hours: 182.5, AlarmMetrics: 12,
	}
	want := []float64{2 * 1, 2 * (2 + 500), 2 * (3 + 2*4 + 2*5), 3*6 + 2*7, 2 * 8, 18, 24, 2 * 11}
	for i, part := range bill(p, u) {
		if got := part.cost(2); math.Abs(got-want[i]) > 1e-6 {
			t.Errorf("%s: %v, want %v", part.name, got, want[i])
		}
	}
}

func TestBill_CountsTheTemplatesAlarms(t *testing.T) {
	_, u, err := load(figures)
	if err != nil {
		t.Fatal(err)
	}
	text, err := stacktest.Text()
	if err != nil {
		t.Fatal(err)
	}
	value, err := stacktest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0.0
	for _, each := range value.(map[string]any)["Resources"].(map[string]any) {
		resource := each.(map[string]any)
		if resource["Type"] != "AWS::CloudWatch::Alarm" || resource["Condition"] == "HasGitHub" || resource["Condition"] == "IsGradual" {
			continue
		}
		looked++
		if queries, ok := resource["Properties"].(map[string]any)["Metrics"].([]any); ok {
			looked += float64(len(queries) - 2) // one query is the expression
		}
	}
	if looked != u.AlarmMetrics {
		t.Errorf("the alarms look at %v metrics, and the bill counts %v", looked, u.AlarmMetrics)
	}
}

func TestBill_MetricsArePaidForByTheHoursOfTheirUse(t *testing.T) {
	p, u := prices{Metric: 1, FreeMetrics: 10}, use{Metrics: 16, Hours: 365}
	for people, want := range map[float64]float64{1: 0, 2: 6, 1000: 6} {
		if parts := bill(p, u); parts[5].cost(people) != want {
			t.Errorf("%v people: %v, want %v", people, parts[5].cost(people), want)
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
