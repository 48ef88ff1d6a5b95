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
	Hours             float64 `json:"hours"`
	Requests          float64 `json:"requests"`
	ToolCalls         float64 `json:"tool_calls"`
	Milliseconds      float64 `json:"ms_a_request"`
	ReadUnits         float64 `json:"read_units_a_request"`
	WriteUnits        float64 `json:"write_units_a_tool_call"`
	WriteUnitsBesides float64 `json:"write_units_besides"`
}

const usage = "internal/cmd/costs/prices.json"

// load reads the usage from the repository.
func load(root string) (use, error) {
	data, err := os.ReadFile(filepath.Join(root, usage))
	if err != nil {
		return use{}, err
	}
	var all struct{ Use use }
	if err := json.Unmarshal(data, &all); err != nil {
		return use{}, fmt.Errorf("%s: %w", usage, err)
	}
	u := all.Use
	if min(u.Hours, u.Requests-u.ToolCalls, u.ToolCalls, u.Milliseconds, u.ReadUnits, u.WriteUnits) <= 0 {
		return use{}, errors.New(usage + " lacks a figure that the simulation needs")
	}
	return u, nil
}

// Assumptions about the work of people and their agents. The usage has only sums of a month.
const (
	peak     = 3.0  // requests of the busiest hour, in those of an average working hour
	opening  = 3    // requests that a client sends at once when it begins
	think    = 5.0  // seconds between an answer and the next tool call, on average
	upstream = 2.0  // requests to Basecamp in a tool call, on average
	ownTime  = 0.01 // seconds of a request that asks Basecamp nothing
	life     = 1.0  // hours that an access token is valid
)

// A job is what an agent does without a pause of its user: it opens a session and calls tools.

// callsAJob returns the average number of tool calls in a job.
func (u use) callsAJob() float64 { return opening * u.ToolCalls / (u.Requests - u.ToolCalls) }

// average returns the requests a second in working hours.
func (u use) average(people int) float64 { return float64(people) * u.Requests / u.Hours / 3600 }

// jobs returns the jobs that begin each second of the busiest hour.
func (u use) jobs(people int) float64 {
	return peak * u.average(people) / (opening + u.callsAJob())
}

// refreshes returns the share of jobs that begin with a new access token.
func (u use) refreshes() float64 { return 1 / (1 + 3600*life*u.jobs(1)) }

// answerTime returns the seconds that Basecamp takes for a request, on average.
func (u use) answerTime() float64 {
	whole := u.Requests*u.Milliseconds/1000 - (u.Requests-u.ToolCalls)*ownTime
	return (whole/u.ToolCalls - ownTime) / upstream
}

// writes returns the write units of a request, on average.
func (u use) writes() float64 {
	return (u.ToolCalls*u.WriteUnits + u.WriteUnitsBesides) / u.Requests
}
