package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

// assigneesInput is how an update says who an item is for: anew, or by who comes and goes.
type assigneesInput struct {
	Assignees       mcptool.Change[mcptool.Refs] `json:"assignees,omitzero" jsonschema:"From now on: id, name or me; [] for nobody" limits:"maxitems=20"`
	AddAssignees    mcptool.Refs                 `json:"add_assignees,omitzero" jsonschema:"People to add to its assignees" limits:"maxitems=20"`
	RemoveAssignees mcptool.Refs                 `json:"remove_assignees,omitzero" jsonschema:"People to remove from them" limits:"maxitems=20"`
}

// asked reports whether assignees are to change.
func (in assigneesInput) asked() bool {
	return in.Assignees.Given || len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0
}

func (in assigneesInput) check() error {
	if in.Assignees.Given && (len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0) {
		return fault.Invalid("assignees", "says who it is for in all; give it alone, or add_assignees and remove_assignees")
	}
	return nil
}

// reassigned is who an item is for afterwards. Whoever is added must be on the project.
func (ws *workspace) reassigned(ctx context.Context, project int64, now []basecamp.Person, in assigneesInput) ([]int64, error) {
	if in.Assignees.Given {
		people, err := ws.persons(ctx, "assignees", in.Assignees.To, project)
		return personIDs(people), err
	}
	added, err := ws.persons(ctx, "add_assignees", in.AddAssignees, project)
	if err != nil {
		return nil, err
	}
	ids := personIDs(now)
	for _, id := range personIDs(added) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for i, who := range in.RemoveAssignees {
		gone, err := ws.assigned(ctx, fmt.Sprintf("remove_assignees[%d]", i), who, project, now)
		if err != nil {
			return nil, err
		}
		if slices.Contains(personIDs(added), gone.ID) {
			return nil, fault.Invalid(fmt.Sprintf("remove_assignees[%d]", i), "is somebody whom add_assignees adds")
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return id == gone.ID })
	}
	return ids, nil
}

// assigned looks among the assignees first: of two of one name on the project the one who is assigned is meant. Anybody else
// on the project is not wrong either, and removed already.
func (ws *workspace) assigned(ctx context.Context, argument string, who mcptool.Ref, project int64, now []basecamp.Person) (basecamp.Person, error) {
	named, err := ws.person(ctx, argument, who, project)
	if err == nil && (isAmong(now, named.ID) || fold(named.Name) == fold(who.Name)) || strings.EqualFold(who.Name, "me") {
		return named, err
	}
	if someone, missing := personAmong(argument, now, project).byRef(who); missing == nil {
		return someone, nil
	}
	return named, err
}
