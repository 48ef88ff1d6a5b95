package github

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/report/fault"
)

// Field is a field of a project.
type Field struct {
	Kind          string `json:"__typename"`
	ID            string // GitHub's node ID
	Name          string
	DataType      string // such as TEXT or SINGLE_SELECT
	Options       []Option
	Configuration *struct {
		Iterations          []Iteration
		CompletedIterations []Iteration
	}
}

// Option is an option of a single-select field.
type Option struct{ ID, Name string }

// Iteration is an iteration of an iteration field.
type Iteration struct {
	ID        string
	Title     string
	StartDate string // a date
	Duration  int    // in days
}

// Iterations returns the current and coming iterations, and the completed ones.
func (f Field) Iterations() (open, completed []Iteration) {
	if f.Configuration == nil {
		return nil, nil
	}
	return f.Configuration.Iterations, f.Configuration.CompletedIterations
}

func checkFields(fields *connection[Field]) error {
	nameless := slices.ContainsFunc(fields.Entries(), func(f Field) bool { return f.ID == "" || f.Name == "" })
	return cmp.Or(fields.check(), identified(!nameless))
}

// maxFieldPages limits the pages of a project's fields.
const maxFieldPages = 10

// fieldsWire is a further page of fields.
type fieldsWire struct {
	ID     string
	Fields *connection[Field]
}

func (f fieldsWire) check() error {
	return cmp.Or(present(f.ID), checkFields(f.Fields))
}

func (f fieldsWire) hidden() int { return f.Fields.hidden() }

func (c *Client) moreFields(ctx context.Context, id, after string) (fields []Field, missing *Incomplete, err error) {
	for page := 1; after != "" && page < maxFieldPages; page++ {
		variables := map[string]any{"id": id, "after": after}
		wire, hidden, err := ask[fieldsWire](ctx, c, "MoreFields", fault.Resource{Type: "project", ID: id}, variables)
		if err != nil {
			return nil, nil, err
		}
		fields, missing, after = append(fields, wire.Fields.Entries()...), missing.And(hidden), wire.Fields.next()
	}
	return fields, missing, nil
}
