package main

import (
	_ "embed"
	"encoding/json"
	"errors"
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

// use is what one person uses in a month, if it says nothing else.
type use struct {
	Hours             float64 `json:"hours"`     // with any use; CloudWatch charges for metrics by the hour
	Requests          float64 `json:"requests"`  // of all kinds
	Refreshes         float64 `json:"refreshes"` // requests for a new access token of the server
	ToolCalls         float64 `json:"tool_calls"`
	WaitingMS         float64 `json:"waiting_ms_a_request"`   // for Basecamp and AWS
	ProcessorMS       float64 `json:"processor_ms_a_request"` // of a whole processor
	MemoryMB          byMode  `json:"memory_mb"`              // that MemorySize=auto means
	InitMS            float64 `json:"init_ms"`                // of a cold start
	ReadUnits         float64 `json:"read_units_a_request"`   // to check the access token
	RefreshReads      float64 `json:"read_units_a_refresh"`
	RefreshWrites     float64 `json:"write_units_a_refresh"`
	WriteUnits        float64 `json:"write_units_a_tool_call"`
	WriteUnitsBesides float64 `json:"write_units_besides"`
	// StoreReads and StoreWrites are what the store of Basecamp's tokens adds to logins and
	// refreshes.
	StoreReads     byMode  `json:"store_read_units"`
	StoreWrites    byMode  `json:"store_write_units"`
	StoredKB       float64 `json:"stored_kb"`
	SweepUnits     float64 `json:"sweep_units_a_month"` // the most read units of the daily sweep, for all people
	SweepGBSeconds float64 `json:"sweep_gb_seconds_a_month"`
	LogKB          float64 `json:"log_kb_a_request"`
	SentKB         float64 `json:"sent_kb_a_request"`
	Metrics        byMode  `json:"metrics"`       // of the whole deployment
	SweepMetrics   float64 `json:"sweep_metrics"` // in one hour of each day
	AlarmMetrics   byMode  `json:"alarm_metrics"` // that the alarms look at
}

// byMode holds a figure for each mode.
type byMode struct {
	Secrets  float64 `json:"secrets"`
	Envelope float64 `json:"envelope"`
}

func (b byMode) value(m mode) float64 {
	if m == envelope {
		return b.Envelope
	}
	return b.Secrets
}

// caches says how often the work of a number of people reads what instances cache. The tests of
// the command simulate count it.
type caches struct {
	People      float64 `json:"people"`
	RecordReads float64 `json:"record_reads_a_tool_call"`
	TokenReads  float64 `json:"token_reads_a_tool_call"`
	RingReads   float64 `json:"ring_reads_a_tool_call"` // of the key ring, with TokenStore=envelope
	ColdStarts  float64 `json:"cold_starts_a_request"`
}

// usage is everything that the bill depends on.
type usage struct {
	prices prices
	use    use
	caches []caches // by rising numbers of people
}

// wholeProcessor is the memory in MB with which a function has one processor (AWS Lambda Developer
// Guide, "Configure Lambda function memory").
const wholeProcessor = 1769

// gbSeconds returns the memory and time of a request, with a size of memory in MB.
func (u use) gbSeconds(size float64) float64 {
	return u.time(size) / 1000 * size / 1024
}

// time returns the milliseconds of a request.
func (u use) time(size float64) float64 { return u.WaitingMS + u.ProcessorMS*wholeProcessor/size }

// cached returns the counts of the largest number of people that is not larger.
func (u usage) cached(people float64) caches {
	found := u.caches[0]
	for _, c := range u.caches[1:] {
		if c.People <= people {
			found = c
		}
	}
	return found
}

func load(data []byte) (usage, error) {
	var all struct {
		Note   string
		Prices prices
		Use    use
		Caches []caches
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&all)
	if err == nil && (len(all.Caches) == 0 || min(all.Use.MemoryMB.Secrets, all.Use.MemoryMB.Envelope) <= 0) {
		err = errors.New("caches or memory_mb is missing")
	}
	return usage{all.Prices, all.Use, all.Caches}, err
}
