// Command costs computes what a deployment costs on AWS, as Markdown tables for docs/costs.md. The
// unit prices and the usage are in prices.json.
package main

import (
	"fmt"
	"os"
	"strings"
)

// mode is a value of the template's parameter TokenStore.
type mode string

const (
	secrets  mode = "secrets"
	envelope mode = "envelope"
)

var modes = []mode{secrets, envelope}

// part is a line of the bill: the dollars per month for a number of people.
type part struct {
	name string
	cost func(people float64) float64
}

const million, mb, month = 1e6, 1024, 730

const (
	mostReads = 3   // read units to check an access token
	rowRead   = 0.5 // read units of a row of tokens, which is read without consistency
)

// bill returns all parts of one mode.
func (u usage) bill(m mode) []part {
	p, use := u.prices, u.use
	manager := "Secrets Manager: the application's secret and the key ring"
	if m == secrets {
		manager = "Secrets Manager: a secret for each, and the application's"
	}
	return []part{
		{"API Gateway", func(n float64) float64 { return n * use.Requests / million * p.GatewayMillion }},
		{"Lambda", func(n float64) float64 { return u.lambda(use.MemoryMB.value(m), n) }},
		{"DynamoDB", func(n float64) float64 { return u.dynamo(m, n) }},
		{manager, func(n float64) float64 { return u.manager(m, n) }},
		{"Logs", func(n float64) float64 { return n * use.Requests * use.LogKB / mb / mb * p.LogGB }},
		{"Metrics, at most", func(n float64) float64 {
			return max(0, use.Metrics.value(m)*min(1, n*use.Hours/month)+use.SweepMetrics/24-p.FreeMetrics) * p.Metric
		}},
		{"Alarms", func(float64) float64 { return max(0, use.AlarmMetrics.value(m)-p.FreeAlarmMetrics) * p.AlarmMetric }},
		{"Data sent to the internet", func(n float64) float64 { return n * use.Requests * use.SentKB / mb / mb * p.InternetGB }},
	}
}

// lambda returns what Lambda costs with a size of memory in MB.
func (u usage) lambda(size, people float64) float64 {
	starting := u.cached(people).ColdStarts * u.use.InitMS / 1000 * size / mb
	requests := people * u.use.Requests
	return requests/million*u.prices.LambdaMillion + (requests*(u.use.gbSeconds(size)+starting)+u.use.SweepGBSeconds*u.swept(people))*u.prices.LambdaGBSecond
}

func (u usage) dynamo(m mode, people float64) float64 {
	p, use, c := u.prices, u.use, u.cached(people)
	reads := (use.Requests-use.Refreshes)*use.ReadUnits + use.Refreshes*use.RefreshReads + use.ToolCalls*c.RecordReads + use.StoreReads.value(m)
	writes := use.ToolCalls*use.WriteUnits + use.Refreshes*use.RefreshWrites + use.WriteUnitsBesides + use.StoreWrites.value(m)
	if m == envelope {
		reads += use.ToolCalls * c.TokenReads * rowRead
	}
	return people*(reads/million*p.ReadMillion+writes/million*p.WriteMillion+use.StoredKB/mb/mb*(p.StoredGB+p.BackupGB)) +
		use.SweepUnits*u.swept(people)/million*p.ReadMillion
}

// swept returns which part of its most read units the sweep takes. It reads the whole table each
// day, at half a unit for 4 KB, as far as it comes.
func (u usage) swept(people float64) float64 {
	const days = 30.4
	if u.use.SweepUnits == 0 {
		return 0
	}
	return min(1, people*u.use.StoredKB/4/2*days/u.use.SweepUnits)
}

func (u usage) manager(m mode, people float64) float64 {
	kept, reads := people+1, u.cached(people).TokenReads
	if m == envelope {
		kept, reads = 2, u.cached(people).RingReads
	}
	return kept*u.prices.Secret + people*u.use.ToolCalls*reads/10_000*u.prices.SecretReads10000
}

func (u usage) total(m mode, people float64) (sum float64) {
	for _, part := range u.bill(m) {
		sum += part.cost(people)
	}
	return sum
}

var sizes = []float64{1, 100, 10_000}

// tables returns the bills of both modes in Markdown.
func (u usage) tables() string {
	var b strings.Builder
	for i, m := range modes {
		if i > 0 {
			b.WriteByte('\n')
		}
		u.table(&b, m)
	}
	return b.String()
}

func (u usage) table(b *strings.Builder, m mode) {
	row := func(name, mark string, cost func(people float64) float64) {
		fmt.Fprintf(b, "| %s%s%s |", mark, name, mark)
		for _, people := range sizes {
			fmt.Fprintf(b, " %s%s%s |", mark, dollars(cost(people)), mark)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "| a month, in dollars, with `TokenStore=%s` | 1 person | 100 people | 10,000 people |\n|---|---|---|---|\n", m)
	for _, part := range u.bill(m) {
		row(part.name, "", part.cost)
	}
	row("all, with `TokenStore="+string(m)+"`", "**", func(people float64) float64 { return u.total(m, people) })
}

// dollars formats an amount, with cents only if they matter.
func dollars(amount float64) string {
	switch {
	case amount == 0:
		return "0"
	case amount < 0.01:
		return "< 0.01"
	case amount < 100:
		return fmt.Sprintf("%.2f", amount)
	}
	return fmt.Sprintf("%.0f", amount)
}

func main() {
	u, err := load(figures)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "prices.json:", err)
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(u.tables())
}
