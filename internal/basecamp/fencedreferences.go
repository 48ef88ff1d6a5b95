package basecamp

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/wire/writeplan"
)

// projectFields are the fields of queries and bodies that name projects.
var projectFields = []string{"bucket", "bucket_id", "bucket_ids", "buckets", "project_ids", "destination_project_id"}

// referredTo has the fields of bodies that name an item, with the words of the request that reads
// it, or "" if it can be of several kinds.
var referredTo = map[string]string{
	"column_id": "card_tables/columns", "parent_id": "", "source_id": "", "target_id": "card_tables/columns", "id": "",
	"recording_id": "", "destination_recording_id": "card_tables/columns", "destination_parent_id": "", "template_recording_id": "",
	"tracked": "todolists", "untracked": "todolists", "readables": "",
}

// reference is an item or a project that a query or a body names.
type reference struct{ field, id string }

// references returns what the query and the body name. The field id names an item
// only in Up Next.
func (g *fenced) references() (all []reference) {
	for name, values := range g.sent.query {
		if name = strings.TrimSuffix(name, "[]"); slices.Contains(projectFields, name) {
			for id := range strings.SplitSeq(strings.Join(values, ","), ",") {
				all = append(all, reference{name, id})
			}
		}
	}
	if g.sent.contentType != "" {
		return all // a file
	}
	value, _ := writeplan.Decode(g.sent.body)
	eachValue("", value, func(field string, value any) {
		_, item := referredTo[field]
		id := writeplan.Text(value)
		if id != "" && (item || slices.Contains(projectFields, field)) && (field != "id" || g.sent.path == "my/priorities.json") {
			all = append(all, reference{field, id})
		}
	})
	return all
}

// eachValue calls a function for each text and number in a value, with the field that holds it.
func eachValue(field string, value any, do func(field string, value any)) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			eachValue(field, entry, do)
		}
	case fields:
		for name, member := range v {
			eachValue(name, member, do)
		}
	default:
		do(field, value)
	}
}

// permitReferences checks the items and projects that the query and the body name.
func (g *fenced) permitReferences(ctx context.Context) error {
	all := g.references()
	if g.at.Place == operations.OfBody && len(all) == 0 {
		return fence.Denied(g.origin)
	}
	for _, r := range all {
		place := r.id
		if reads, item := referredTo[r.field]; r.field == "readables" {
			place = g.call.PlaceOf(r.id)
		} else if item {
			var err error
			if place, err = g.placeOf(ctx, operations.Location{ID: r.id, Reads: reads}); err != nil {
				return err
			}
		}
		if !g.allows(place) {
			return g.refuse(place)
		}
	}
	return nil
}
