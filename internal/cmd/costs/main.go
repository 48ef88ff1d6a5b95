// Command costs computes what a deployment costs on AWS, as a Markdown table for docs/costs.md. The
// unit prices and the usage are in prices.json.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

//go:embed prices.json
var figures []byte

// prices are unit prices in US dollars.
type prices struct {
	GatewayMillion   float64 `json:"gateway_million_requests"`
	LambdaMillion    float64 `json:"lambda_million_requests"`
	LambdaGBSecond   float64 `json:"lambda_gb_second_arm64"`
	ReadMillion      float64 `json:"dynamodb_million_read_units"`
	WriteMillion     float64 `json:"dynamodb_million_write_units"`
	StoredGB         float64 `json:"dynamodb_gb_month"`
	BackupGB         float64 `json:"dynamodb_backup_gb_month"`
	Secret           float64 `json:"secret_month"`
	SecretReads10000 float64 `json:"secrets_10000_calls"`
	LogGB            float64 `json:"log_gb"`
	Metric           float64 `json:"metric_month"`
	FreeMetrics      float64 `json:"free_metrics"`
	InternetGB       float64 `json:"internet_gb"`
	AlarmMetric      float64 `json:"alarm_metric_month"`
	FreeAlarmMetrics float64 `json:"free_alarm_metrics"`
}

// use is what one person uses in a month.
type use struct {
	Hours             float64 `json:"hours"` // with any use; CloudWatch charges for metrics by the hour
	Requests          float64 `json:"requests"`
	ToolCalls         float64 `json:"tool_calls"`
	Milliseconds      float64 `json:"ms_a_request"`
	MemoryMB          float64 `json:"memory_mb"`
	ReadUnits         float64 `json:"read_units_a_request"`
	WriteUnits        float64 `json:"write_units_a_tool_call"`
	WriteUnitsBesides float64 `json:"write_units_besides"`
	StoredKB          float64 `json:"stored_kb"`
	SecretReads       float64 `json:"secret_reads_a_request"`
	LogKB             float64 `json:"log_kb_a_request"`
	SentKB            float64 `json:"sent_kb_a_request"`
	Metrics           float64 `json:"metrics"`       // of the whole deployment
	AlarmMetrics      float64 `json:"alarm_metrics"` // that the alarms look at
}

// part is a line of the bill: the dollars per month for a number of people.
type part struct {
	name string
	cost func(people float64) float64
}

func bill(p prices, u use) []part {
	const million, mb, month = 1e6, 1024, 730
	return []part{
		{"API Gateway", func(n float64) float64 { return n * u.Requests / million * p.GatewayMillion }},
		{"Lambda", func(n float64) float64 {
			return n * u.Requests * (p.LambdaMillion/million + u.Milliseconds/1000*u.MemoryMB/mb*p.LambdaGBSecond)
		}},
		{"DynamoDB", func(n float64) float64 {
			reads, writes := u.Requests*u.ReadUnits, u.ToolCalls*u.WriteUnits+u.WriteUnitsBesides
			return n * (reads/million*p.ReadMillion + writes/million*p.WriteMillion + u.StoredKB/mb/mb*(p.StoredGB+p.BackupGB))
		}},
		{"Secrets Manager: a secret for each, and the application's", func(n float64) float64 {
			return (n+1)*p.Secret + n*u.Requests*u.SecretReads/10_000*p.SecretReads10000
		}},
		{"Logs", func(n float64) float64 { return n * u.Requests * u.LogKB / mb / mb * p.LogGB }},
		{"Metrics, at most", func(n float64) float64 {
			return max(0, u.Metrics*min(1, n*u.Hours/month)-p.FreeMetrics) * p.Metric
		}},
		{"Alarms", func(float64) float64 { return max(0, u.AlarmMetrics-p.FreeAlarmMetrics) * p.AlarmMetric }},
		{"Data sent to the internet", func(n float64) float64 { return n * u.Requests * u.SentKB / mb / mb * p.InternetGB }},
	}
}

var sizes = []float64{1, 100, 10_000}

// table returns the bill in Markdown.
func table(p prices, u use) string {
	var b strings.Builder
	b.WriteString("| a month, in dollars | 1 person | 100 people | 10,000 people |\n|---|---|---|---|\n")
	totals := make([]float64, len(sizes))
	for _, part := range bill(p, u) {
		fmt.Fprintf(&b, "| %s |", part.name)
		for i, people := range sizes {
			cost := part.cost(people)
			totals[i] += cost
			fmt.Fprintf(&b, " %s |", dollars(cost))
		}
		b.WriteByte('\n')
	}
	b.WriteString("| **all** |")
	for _, total := range totals {
		fmt.Fprintf(&b, " **%s** |", dollars(total))
	}
	b.WriteByte('\n')
	return b.String()
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

func load(data []byte) (prices, use, error) {
	var all struct {
		Note   string
		Prices prices
		Use    use
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&all)
	return all.Prices, all.Use, err
}

func main() {
	p, u, err := load(figures)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "prices.json:", err)
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(table(p, u))
}
