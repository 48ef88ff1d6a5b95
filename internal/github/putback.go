package github

import (
	"context"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/writeplan"
)

// putBack adds removed items to their projects again, with their values. GitHub gives them new IDs
// and the last places.
func (c *Client) putBack(ctx context.Context, all []*restoring, states []Outcome[nodeState]) {
	var gone []*restoring
	var inputs []Placement
	for i, r := range all {
		switch err := states[i].Err; {
		case err == nil:
			*r.result = writeplan.Restored{Result: writeplan.Undone, Reason: "it was as before already"}
		case fault.Is(err, fault.NotFound):
			gone = append(gone, r)
			inputs = append(inputs, Placement{writeplan.Text(r.With["projectId"]), writeplan.Text(r.With["contentId"])})
		default:
			r.result.Err = err
		}
	}
	for i, one := range c.AddItems(ctx, inputs) {
		r := gone[i]
		switch {
		case fault.Is(one.Err, fault.NotFound):
			*r.result = writeplan.Restored{Result: writeplan.Refused, Reason: "the issue or the project no longer exists, or you no longer have access to it"}
			continue
		case one.Err != nil:
			r.result.Err = one.Err
			continue
		}
		*r.result = writeplan.Restored{Result: writeplan.Undone, Reason: "it has the last place on the board now"}
		for field, value := range r.Was {
			if one.Value.values[field] == nil { // otherwise another person added it again, or GitHub set the field
				r.writes = append(r.writes, valueWrite(r.With["projectId"], one.Value.ID, field, value))
			}
		}
	}
	c.carryOut(ctx, gone)
	for _, r := range gone {
		if err := r.result.Err; err != nil && len(r.writes) > 0 { // tried again, the item stays and gets its values
			f := *fault.From(err)
			f.Message, f.MayHaveHappened = "it is on the project again, but without some of its values: "+f.Message, false
			r.result.Err = &f
		}
	}
}

// valueWrite returns the write that gives a field of an item a value; nil clears the field.
func valueWrite(project, item any, field string, value any) write {
	input := fields{"projectId": project, "itemId": item, "fieldId": field}
	if value == nil {
		return write{"clearProjectV2ItemFieldValue", input}
	}
	input["value"] = value
	return write{"updateProjectV2ItemFieldValue", input}
}

// onItem keeps the old value of a field of an item, or what puts a removed item back.
func (w *journaled) onItem() {
	id := writeplan.Text(w.body["fieldId"])
	w.u.With["projectId"] = w.body["projectId"]
	if id != "" {
		w.u.Keep(id, values(w.old)[id], w.body["value"])
		return
	}
	if w.u.With["contentId"] = w.old["contentId"]; w.u.With["contentId"] == nil {
		w.step.Cannot = "GitHub deletes drafts permanently, and does not show all items"
		return
	}
	w.u.Was = values(w.old)
}
