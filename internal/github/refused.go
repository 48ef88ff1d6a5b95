package github

import (
	"cmp"
	"context"
	"strings"

	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/writeplan"
)

// shown returns a function that shows values as people know them: things by their names, which the
// record or the state has, and texts without hidden characters.
func (r *restoring) shown(state fields) func(any) any {
	names := r.Names
	if names == nil {
		names = map[string]string{}
	}
	collectNames(names, state)
	r.Names = names
	var show func(any) any
	show = func(value any) any {
		switch v := value.(type) {
		case string:
			return plaintext.Clean(cmp.Or(names[v], v))
		case []any:
			all := make([]any, len(v))
			for i, entry := range v {
				all[i] = show(entry)
			}
			return all
		case []string:
			all := make([]any, len(v))
			for i, entry := range v {
				all[i] = show(entry)
			}
			return all
		case fields:
			for _, only := range v { // the value of a field
				return show(only)
			}
		}
		return value
	}
	return show
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
func (c *Client) named(ctx context.Context, r writeplan.Restored, names map[string]string, state fields) writeplan.Restored {
	if c.locked(ctx) {
		withheldFields(r.Now, state)
		withheldFields(r.Left, state) // the call may have added to a text of an outsider
	}
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
