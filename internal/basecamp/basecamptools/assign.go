package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/toolargs"
)

// assigneesInput holds the assignees of an update: all of them, or who is added and removed.
type assigneesInput struct {
	Assignees       toolargs.Change[toolargs.Refs] `json:"assignees,omitzero" jsonschema:"Replaces all; [] clears" limits:"maxitems=20 none"`
	AddAssignees    toolargs.Refs                  `json:"add_assignees,omitzero" jsonschema:"People" limits:"maxitems=20"`
	RemoveAssignees toolargs.Refs                  `json:"remove_assignees,omitzero" jsonschema:"People" limits:"maxitems=20"`
}

// asked reports whether the call changes assignees.
func (in assigneesInput) asked() bool {
	return in.Assignees.Given || len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0
}

// check returns an error if the arguments contradict each other.
func (in assigneesInput) check() error {
	if in.Assignees.Given && (len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0) {
		return fault.Invalid("assignees", "assignees replaces all assignees; do not combine it with add_assignees or remove_assignees")
	}
	return nil
}

// reassigned returns the ids of the assignees after the update. People who are added must be on the
// project.
func (rs *resolver) reassigned(ctx context.Context, project int64, now []basecamp.Person, in assigneesInput) ([]int64, error) {
	if in.Assignees.Given {
		people, err := rs.Persons(ctx, "assignees", in.Assignees.To, project)
		return lookup.PersonIDs(people), err
	}
	added, wrong := rs.Persons(ctx, "add_assignees", in.AddAssignees, project)
	ids := lookup.PersonIDs(now)
	for _, id := range lookup.PersonIDs(added) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for i, who := range in.RemoveAssignees {
		argument := fmt.Sprintf("remove_assignees[%d]", i)
		gone, err := rs.assigned(ctx, argument, who, project, now)
		if err == nil && slices.Contains(lookup.PersonIDs(added), gone.ID) {
			err = fault.Invalid(argument, "add_assignees adds the same person; name the person in only one of them")
		}
		wrong = fault.All(wrong, err)
		ids = slices.DeleteFunc(ids, func(id int64) bool { return id == gone.ID })
	}
	return ids, wrong
}

// assigned finds the person to remove. If several people on the project have the name, the one who
// is assigned is meant. A person on the project who is not assigned is accepted too.
func (rs *resolver) assigned(ctx context.Context, argument string, who toolargs.Ref, project int64, now []basecamp.Person) (basecamp.Person, error) {
	named, err := rs.Person(ctx, argument, who, project)
	if err == nil && (lookup.IsAmong(now, named.ID) || lookup.Fold(named.Name) == lookup.Fold(who.Name)) || strings.EqualFold(who.Name, "me") {
		return named, err
	}
	if someone, missing := lookup.PersonAmong(argument, now, project).ByRef(who); missing == nil {
		return someone, nil
	}
	return named, err
}
