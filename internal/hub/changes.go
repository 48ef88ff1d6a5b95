package hub

import (
	"context"
	"encoding/json"
	"time"
)

// News is a thing of another system that changed, as it is now. It has what fits into a line.
type News struct {
	At        string   `json:"at"` // of the last change
	Item      string   `json:"item"`
	Title     string   `json:"title"`
	What      string   `json:"what"`
	Who       string   `json:"who,omitempty"`
	Excerpt   string   `json:"excerpt,omitempty"`
	Board     string   `json:"board,omitempty"`
	Assignees []string `json:"assignees,omitempty"`
	Status    string   `json:"status,omitempty"` // if it is not open
	Outsider  bool     `json:"outsider,omitempty"`
}

// ChangesOf is what changes are read for.
type ChangesOf struct {
	Since         time.Time       // where a first reading begins
	Place         json.RawMessage // where the last one ended; nil for the first
	Mine          bool
	IncludeMe     bool // also what the connection wrote
	ExcludePerson bool
	Items, Bytes  int // that the answer has room for
}

// Changes is what changed, and the place where the next reading begins. What could not be read or
// has no room comes with that.
type Changes struct {
	News       []News
	Place      json.RawMessage
	More       bool
	Excluded   int
	NotCovered []string
	Failed     []FailedPart
}

// FailedPart is a part of a system that could not be read.
type FailedPart struct {
	Name string
	Err  error
}

// ReadChanges reads the changes of a system.
type ReadChanges func(ctx context.Context, of ChangesOf) Changes
