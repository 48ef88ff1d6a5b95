package github

import (
	"encoding/json"
	"strconv"
	"time"
)

// FieldValue is the value of a field of an item.
type FieldValue struct {
	Field struct {
		ID       string
		Name     string
		DataType string // such as TEXT or SINGLE_SELECT
	}
	// Value is a string, a float64, a []string or nil. Dates, options, iterations, milestones and
	// repositories are strings; users, labels, pull requests and reviewers are lists.
	Value     any        `json:"-"`
	OptionID  string     // of a single-select field
	Iteration *Iteration `json:"-"` // of an iteration field
	Truncated bool       `json:"-"` // the list has more entries
	UpdatedAt time.Time  // of options and iterations; zero for others
}

// valueWire is a value of any kind in an answer.
type valueWire struct {
	Text         *string
	Number       *float64
	Date         *string
	Name         *string
	Title        *string
	IterationID  string
	StartDate    string
	Duration     int
	Milestone    *struct{ Title string }
	Repository   *struct{ NameWithOwner string }
	Users        *connection[nameWire]
	Labels       *connection[nameWire]
	Reviewers    *connection[nameWire]
	PullRequests *connection[nameWire]
}

// nameWire is a user, a label, a team or a pull request.
type nameWire struct {
	Login        string
	Name         string
	CombinedSlug string
	Number       int
	Repository   struct{ NameWithOwner string }
}

func (n nameWire) name() string {
	if n.Number > 0 {
		return n.Repository.NameWithOwner + "#" + strconv.Itoa(n.Number)
	}
	return n.Login + n.Name + n.CombinedSlug // only one of them was asked for
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *FieldValue) UnmarshalJSON(data []byte) error {
	type fields FieldValue
	if err := json.Unmarshal(data, (*fields)(v)); err != nil {
		return err
	}
	var wire valueWire
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	v.Value, v.Truncated = wire.value()
	if wire.IterationID != "" && wire.Title != nil {
		v.Iteration = &Iteration{ID: wire.IterationID, Title: *wire.Title, StartDate: wire.StartDate, Duration: wire.Duration}
	}
	return nil
}

// value returns the value, and whether it is a list that has more entries.
func (w valueWire) value() (value any, truncated bool) {
	for _, text := range []*string{w.Text, w.Date, w.Name, w.Title} {
		if text != nil {
			return *text, false
		}
	}
	for _, names := range []*connection[nameWire]{w.Users, w.Labels, w.Reviewers, w.PullRequests} {
		if names != nil {
			return namesOf(names), names.TotalCount > len(names.Nodes)
		}
	}
	switch {
	case w.Number != nil:
		return *w.Number, false
	case w.Milestone != nil:
		return w.Milestone.Title, false
	case w.Repository != nil:
		return w.Repository.NameWithOwner, false
	}
	return nil, false
}

func namesOf(from *connection[nameWire]) []string {
	names := []string{}
	for _, n := range from.Entries() {
		names = append(names, n.name())
	}
	return names
}
