package writes

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// restoring is a step that is undone.
type restoring struct {
	undoing
	about  fault.Resource
	now    fields
	writes []write
	result *writeplan.Restored
}

// write is a write that undoes another: a mutation with its input, or a method of REST with its
// body. The member "" of the body is the path.
type write struct {
	does string
	with fields
}

// Client is what takes writes back.
type Client struct {
	States States
	// Undo sends writes of one kind, mutations or those of a method, and returns the error of each.
	// The member "" of an input of REST is its path.
	Undo     func(ctx context.Context, does string, inputs []map[string]any, about fault.Resource) []error
	Withhold func(all, thing map[string]any) // as in a Request
}

// Restore undoes steps of this package in their order, unless what they wrote has changed since.
// Steps of one kind are read together and written together. Between the read and the write, GitHub
// may still accept a change of another person.
func (c Client) Restore(ctx context.Context, steps []writeplan.Step) []writeplan.Restored {
	results := make([]writeplan.Restored, len(steps))
	all := make([]*restoring, len(steps))
	for i, s := range steps {
		all[i] = &restoring{about: fault.Resource{Type: s.Type, ID: s.ID}, result: &results[i]}
		if err := writeplan.DecodeInto(s.Opposite, &all[i].undoing); err != nil {
			results[i].Err = fmt.Errorf("restore %s: %w", s.What, err)
		}
	}
	all = slices.DeleteFunc(all, func(r *restoring) bool { return r.result.Err != nil })
	all, within := absorbed(all)
	for len(all) > 0 {
		n := together(all)
		c.restore(ctx, all[:n])
		all = all[n:]
	}
	for r, item := range within {
		*r.result = *item.result
	}
	return results
}

// absorbed returns the steps without those that set fields of items that other steps made: the
// values go with the item, and it is compared with them. within has the item of each.
func absorbed(all []*restoring) (rest []*restoring, within map[*restoring]*restoring) {
	items := map[string]*restoring{}
	for _, r := range all {
		if r.Node == itemNode && r.made() {
			if items[r.Read] = r; r.Left == nil {
				r.Left = fields{}
			}
		}
	}
	within = map[*restoring]*restoring{}
	for _, r := range slices.Backward(all) { // the latest value counts
		if item := items[r.Read]; item != nil && r != item {
			maps.Copy(item.Left, r.Left)
			within[r] = item
		}
	}
	return slices.DeleteFunc(all, func(r *restoring) bool { return within[r] != nil }), within
}

// together returns how many of the first steps can be undone at once: those of one kind that left
// different things.
func together(all []*restoring) int {
	left := map[string]bool{}
	for n, r := range all {
		if r.Node != all[0].Node || r.made() != all[0].made() {
			return n
		}
		for name := range r.Left {
			if left[r.Read+" "+name] {
				return n
			}
			left[r.Read+" "+name] = true
		}
	}
	return len(all)
}

// made reports whether the step made something.
func (u undoing) made() bool { return len(u.Was) == 0 }

// restore undoes steps of one kind.
func (c Client) restore(ctx context.Context, all []*restoring) {
	at := make([]string, len(all))
	for i, r := range all {
		at[i] = r.Read
	}
	states := c.States(ctx, all[0].Node, at)
	for i, r := range all {
		switch err := states[i].Err; {
		case fault.Is(err, fault.NotFound):
			*r.result = writeplan.Gone()
		case err != nil:
			r.result.Err = err
		default:
			c.decide(r, states[i].Fields)
		}
	}
	c.carryOut(ctx, all)
}

// decide says what undoes a step, given the state of what it wrote.
func (c Client) decide(r *restoring, state fields) {
	r.now = flat(state)
	now := r.now
	if r.Node == itemNode || r.Node == valuesNode {
		now = values(r.now)
	}
	if r.Node == itemNode && r.made() { // what others have set is lost with the item
		all := fields{}
		for name := range now {
			all[name] = r.Left[name]
		}
		r.Left = all
	}
	result, settled := r.Settled(now, r.shown(state))
	switch {
	case !settled:
		*r.result = writeplan.Restored{Result: writeplan.Undone, Reason: r.Note}
		r.writes = r.opposites()
	case result.Result == writeplan.Refused:
		result.At = writeplan.Text(r.now[updated])
		*r.result = c.named(result, r.Names, state)
	default:
		*r.result = result
	}
}

// opposites returns the writes that undo the step.
func (r *restoring) opposites() (all []write) {
	switch {
	case r.Node == valuesNode:
		return r.valueWrites()
	case r.Node == itemNode && !r.made():
		for field, value := range r.Was {
			all = append(all, valueWrite(r.With["projectId"], r.Read, field, value))
		}
		return all
	}
	with := fields{}
	maps.Copy(with, r.With)
	maps.Copy(with, r.Was)
	switch {
	case r.Node == issueNode && !r.made():
		return r.issueWrites(with)
	case r.Node != "":
		return []write{{r.By, with}}
	}
	if text, was := with["body"]; was && text == nil {
		with["body"] = ""
	}
	with[""] = r.Read
	return []write{{r.By, with}}
}

// issueWrites returns the writes that give an issue its old fields.
func (r *restoring) issueWrites(input fields) (all []write) {
	state := writeplan.Text(input["state"])
	delete(input, "issueId")
	input["id"] = r.Read
	if delete(input, "state"); state == "open" {
		input["state"] = "OPEN"
	}
	if len(input) > 1 {
		all = append(all, write{"updateIssue", input})
	}
	if reason, closed := strings.CutPrefix(state, closedAs); closed {
		all = append(all, write{"closeIssue", fields{"issueId": r.Read, "stateReason": strings.ToUpper(reason)}})
	}
	if state == duplicate || r.Left["state"] == duplicate {
		r.result.Reason = "of which issue it is a duplicate stays as it is"
	}
	return all
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

// valueWrites returns the writes that give an issue the old values of its fields.
func (r *restoring) valueWrites() (all []write) {
	var sets []any
	below, now := r.Read+"/"+FieldValues, values(r.now)
	for _, id := range slices.Sorted(maps.Keys(r.Was)) {
		switch was := r.Was[id]; {
		case writeplan.Equal(was, now[id]):
		case was == nil:
			all = append(all, write{http.MethodDelete, fields{"": below + "/" + id}})
		default:
			sets = append(sets, fields{"field_id": json.Number(id), "value": was})
		}
	}
	if len(sets) > 0 {
		all = append(all, write{http.MethodPost, fields{"": below, "issue_field_values": sets}})
	}
	return all
}

// carryOut sends the writes of steps, those of one kind together.
func (c Client) carryOut(ctx context.Context, all []*restoring) {
	var kinds []string
	of, inputs := map[string][]*restoring{}, map[string][]fields{}
	for _, r := range all {
		for _, w := range r.writes {
			if of[w.does] == nil {
				kinds = append(kinds, w.does)
			}
			of[w.does], inputs[w.does] = append(of[w.does], r), append(inputs[w.does], w.with)
		}
	}
	for _, does := range kinds {
		for i, err := range c.Undo(ctx, does, inputs[does], all[0].about) {
			switch r := of[does][i]; {
			case r.made() && fault.Is(err, fault.NotFound):
				*r.result = writeplan.Gone()
			case err != nil:
				r.result.Err = err
			}
		}
	}
}

// shown returns a function that shows values as people know them: things by their names, which the
// record or the state has, and texts without hidden characters.
func (r *restoring) shown(state fields) func(any) any {
	names := r.Names
	if names == nil {
		names = map[string]string{}
	}
	collectNames(names, state)
	r.Names = names
	return func(value any) any { return shown(value, func(id string) string { return names[id] }) }
}

// collectNames adds the names of the things in a state by their IDs.
func collectNames(names map[string]string, value any) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			collectNames(names, entry)
		}
	case fields:
		for _, id := range []string{"id", "optionId", "iterationId"} {
			if name := nameIn(v); v[id] != nil && name != "" {
				names[writeplan.Text(v[id])] = name
			}
		}
		for _, member := range v {
			collectNames(names, member)
		}
	}
}

// named returns a refusal with the fields by their names. Under lockdown, it has no text of an
// outsider.
func (c Client) named(r writeplan.Restored, names map[string]string, state fields) writeplan.Restored {
	c.Withhold(r.Now, state)
	c.Withhold(r.Left, state) // the call may have added to a text of an outsider
	for _, all := range []fields{r.Left, r.Now} {
		for name, value := range all {
			shown := names[name]
			if list, byIDs := strings.CutSuffix(name, "Ids"); byIDs {
				shown = list + "s"
			} else if name == "milestoneId" {
				shown = "milestone"
			}
			if shown != "" {
				delete(all, name)
				all[plaintext.Clean(shown)] = value
			}
		}
	}
	return r
}
