package operationtools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/memo"
)

// words returns what events of the item say, in their order.
func (p *prepared) words(ctx context.Context, raw []json.RawMessage) ([]string, listing.Gaps, error) {
	events := lookup.Mapped(raw, func(e json.RawMessage) (v basecamp.Event) {
		_ = json.Unmarshal(e, &v) // the list is JSON
		return v
	})
	var people, holders map[int64]string
	left, err := listing.Extras(ctx,
		listing.Into("names of assignees", &people, func(ctx context.Context) (map[int64]string, error) { return p.rs.namesIn(ctx, events) }),
		listing.Into("names of where it was", &holders, func(ctx context.Context) (map[int64]string, error) {
			return p.rs.Work.Holders(ctx, lookup.Kind{Noun: lookup.Noun{Kind: p.on.Type}}, basecamp.Recording{ID: p.on.ID}, events)
		}),
	)
	return lookup.Mapped(events, func(e basecamp.Event) string { return whatHappened(e, people, holders) }), left, err
}

// namesIn returns the names of the people that events assign and unassign. People who have left the
// account have no name. It reads people only if an event names some.
func (rs *Resolver) namesIn(ctx context.Context, events []basecamp.Event) (map[int64]string, error) {
	names := map[int64]string{}
	if !slices.ContainsFunc(events, func(e basecamp.Event) bool { return len(e.Details.Added)+len(e.Details.Removed) > 0 }) {
		return names, nil
	}
	people, err := rs.People(ctx, 0, memo.Life)
	for _, p := range people {
		names[p.ID] = plaintext.Clean(p.Name)
	}
	return names, err
}

// actionWords describes Basecamp's actions. Basecamp may add others.
var actionWords = map[string]string{
	"created":            "created it",
	"completed":          "completed it",
	"uncompleted":        "reopened it",
	"content_changed":    "changed the text",
	"title_changed":      "renamed it",
	"due_date_changed":   "changed the dates",
	"due_on_changed":     "changed the dates",
	"assignment_changed": "changed who is assigned",
	"rescheduled":        "rescheduled it",
	"adopted":            "moved it",
	"position_changed":   "changed its place in the list",
	"blob_changed":       "replaced the file",
	"archived":           "archived it",
	"trashed":            "put it in the trash",
	"active":             "restored it",
}

// whatHappened describes an event, with the names of people and of columns, lists or folders.
func whatHappened(e basecamp.Event, people, holders map[int64]string) string {
	d := e.Details
	switch from, to := holders[d.From], holders[d.To]; {
	case from != "" && to != "":
		return fmt.Sprintf("moved it from %s to %s", plaintext.Quote(from), plaintext.Quote(to))
	case to != "":
		return fmt.Sprintf("moved it to %s", plaintext.Quote(to))
	case len(d.Added)+len(d.Removed) > 0:
		return reassignment(d, people)
	}
	if words, ok := actionWords[e.Action]; ok {
		return words
	}
	return strings.ReplaceAll(plaintext.Clean(e.Action), "_", " ")
}

func reassignment(d basecamp.EventDetails, names map[int64]string) string {
	var parts []string
	if len(d.Added) > 0 {
		parts = append(parts, "assigned "+AllNames(d.Added, names))
	}
	if len(d.Removed) > 0 {
		parts = append(parts, "unassigned "+AllNames(d.Removed, names))
	}
	return strings.Join(parts, ", ")
}

// AllNames joins the names of people. A person without a name is shown by id.
func AllNames(ids []int64, names map[int64]string) string {
	return strings.Join(lookup.Mapped(ids, func(id int64) string { return cmp.Or(names[id], fmt.Sprintf("a person (id %d)", id)) }), " and ")
}
