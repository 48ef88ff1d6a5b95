package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// use is what one person uses in a month. The command costs computes the bill from the same file.
type use struct {
	Hours       float64 `json:"hours"`
	Requests    float64 `json:"requests"`
	Refreshes   float64 `json:"refreshes"`
	ToolCalls   float64 `json:"tool_calls"`
	WaitingMS   float64 `json:"waiting_ms_a_request"`
	ProcessorMS float64 `json:"processor_ms_a_request"`
	MemoryMB    struct {
		Envelope float64 `json:"envelope"` // the smaller one, with which requests take longer
	} `json:"memory_mb"`
	ReadUnits         float64 `json:"read_units_a_request"`
	RefreshReads      float64 `json:"read_units_a_refresh"`
	RefreshWrites     float64 `json:"write_units_a_refresh"`
	WriteUnits        float64 `json:"write_units_a_tool_call"`
	WriteUnitsBesides float64 `json:"write_units_besides"`
	StoreReads        struct {
		Envelope float64 `json:"envelope"`
	} `json:"store_read_units"`
	StoreWrites struct {
		Envelope float64 `json:"envelope"`
	} `json:"store_write_units"`
}

// reads is how often the work of a number of people reads what instances cache.
type reads struct {
	People     int     `json:"people"`
	Records    float64 `json:"record_reads_a_tool_call"`
	Tokens     float64 `json:"token_reads_a_tool_call"`
	Ring       float64 `json:"ring_reads_a_tool_call"` // of the key ring, with TokenStore=envelope
	ColdStarts float64 `json:"cold_starts_a_request"`
}

const usage = "internal/cmd/costs/prices.json"

// load reads the usage from the repository, and the reads that the bill counts.
func load(root string) (use, []reads, error) {
	data, err := os.ReadFile(filepath.Join(root, usage))
	if err != nil {
		return use{}, nil, err
	}
	var all struct {
		Use    use
		Caches []reads
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return use{}, nil, fmt.Errorf("%s: %w", usage, err)
	}
	u := all.Use
	if min(u.Hours, u.Requests-u.ToolCalls-u.Refreshes, u.ToolCalls, u.Refreshes, u.WaitingMS, u.MemoryMB.Envelope, u.ReadUnits, u.WriteUnits) <= 0 {
		return use{}, nil, errors.New(usage + " lacks a figure that the simulation needs")
	}
	return u, all.Caches, nil
}

// Assumptions about the work of people and their agents. The usage has only sums of a month.
const (
	peak     = 3.0  // requests of the busiest hour, in those of an average working hour
	opening  = 3    // requests that a client sends at once when it begins
	think    = 5.0  // seconds between an answer and the next tool call, on average
	upstream = 2.0  // requests to Basecamp in a tool call, on average
	ownTime  = 0.01 // seconds of a request that asks Basecamp nothing
)

// A job is what an agent does without a pause of its user: it opens a session and calls tools.

// toTools returns the requests to the tools. The others ask for a new access token.
func (u use) toTools() float64 { return u.Requests - u.Refreshes }

// callsAJob returns the average number of tool calls in a job.
func (u use) callsAJob() float64 { return opening * u.ToolCalls / (u.toTools() - u.ToolCalls) }

// average returns the requests to the tools a second in working hours.
func (u use) average(people int) float64 { return float64(people) * u.toTools() / u.Hours / 3600 }

// seconds returns the average time of a request. A function has a whole processor with 1769 MB.
func (u use) seconds() float64 { return (u.WaitingMS + u.ProcessorMS*1769/u.MemoryMB.Envelope) / 1000 }

// callTime returns the average time of a tool call.
func (u use) callTime() float64 {
	return (u.toTools()*u.seconds() - (u.toTools()-u.ToolCalls)*ownTime) / u.ToolCalls
}

// jobs returns the jobs that begin each second of the busiest hour.
func (u use) jobs(people int) float64 {
	return peak * u.average(people) / (opening + u.callsAJob())
}

// tokenLife is how long an access token of this server is valid, in seconds.
const tokenLife = 3600.0

// refreshes returns the share of jobs that begin with a new access token.
func (u use) refreshes() float64 { return 1 / (1 + tokenLife*u.jobs(1)) }

// answerTime returns the seconds that Basecamp takes for a request, on average.
func (u use) answerTime() float64 { return (u.callTime() - ownTime) / upstream }

// writes returns the write units of a request to the tools, on average, with those of all other
// requests.
func (u use) writes() float64 {
	return (u.ToolCalls*u.WriteUnits + u.Refreshes*u.RefreshWrites + u.WriteUnitsBesides + u.StoreWrites.Envelope) / u.toTools()
}

// reads returns the same for read units, with TokenStore=envelope. r says how often the caches lack
// something. A row of tokens takes half a unit.
func (u use) reads(r reads) float64 {
	return u.ReadUnits + (u.Refreshes*u.RefreshReads+u.ToolCalls*(r.Records+r.Tokens/2)+u.StoreReads.Envelope)/u.toTools()
}
