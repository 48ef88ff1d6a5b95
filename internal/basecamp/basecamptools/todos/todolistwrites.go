package todos

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// CreatedTodolist is a list that a call made.
type CreatedTodolist struct {
	TodolistItem
	copied
	lookup.Reach
}

type createTodolistInput struct {
	Project     toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	Todoset     toolargs.Ref `json:"todoset_id,omitzero" jsonschema:"If there are several"`
	GroupOf     toolargs.Ref `json:"group_of,omitzero" jsonschema:"Its list"`
	Name        string       `json:"name,omitzero" jsonschema:"This or copy_of" limits:"minlen=1 maxlen=1500"`
	Description string       `json:"description,omitzero" jsonschema:"What it is for, Markdown" limits:"maxlen=500000"`
	copyInput
	parts.ClientsInput
}

// CreateTodolist returns the tool create_todolist.
func CreateTodolist(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_todolist",
		Title:       "Make a to-do list",
		Description: "Starts an empty to-do list in Basecamp, a group in one, or a list's copy.",
		Words:       "new to-do list, copy a to-do list to another project",
		Effect:      mcptool.Creates,
		Resumes:     true,
	}, func(ctx context.Context, in createTodolistInput) (CreatedTodolist, error) {
		if err := in.check(); err != nil {
			return CreatedTodolist{}, err
		}
		project, err := rs.Project(ctx, "project", in.Project)
		if err != nil {
			return CreatedTodolist{}, err
		}
		if !in.CopyOf.IsZero() {
			return rs.copyTodolist(ctx, project, in)
		}
		draft, at, holder, err := rs.draftTodolist(ctx, project, in)
		if err != nil {
			return CreatedTodolist{}, err
		}
		made, reached, err := parts.Make(ctx, rs.Base, draft, at, holder)
		if err != nil {
			return CreatedTodolist{}, err
		}
		v := rs.viewTodolist(made, nil)
		v.Trim(parts.MaxWritten)
		v.Seen = reached.ViewClients()
		return CreatedTodolist{TodolistItem: v, Reach: reached}, nil
	})
}

func (in createTodolistInput) check() error {
	switch {
	case in.CopyOf.IsZero() && in.Name == "":
		return fault.Invalid("name", "is required; leave it out only with copy_of")
	case in.CopyOf.IsZero() && in.Shift != 0:
		return fault.Invalid("shift_days", "moves the dates of a copy; give copy_of, or leave shift_days out")
	case in.Shift > maxShift || in.Shift < -maxShift:
		return fault.Invalid("shift_days", "must be from -%d to %[1]d days, got %d", maxShift, in.Shift)
	case in.CopyOf.IsZero():
		return parts.NotBlank("name", in.Name)
	}
	return parts.NotBlankIfGiven("name", in.Name)
}

// draftTodolist returns a list or a group that is ready to be made, and in what.
func (rs *Resolver) draftTodolist(ctx context.Context, project basecamp.Project, in createTodolistInput) (d parts.Draft, at basecamp.Endpoint[basecamp.Todolist], holder int64, err error) {
	d = parts.Draft{Project: project.ID, Clients: in.ClientsInput, Body: map[string]any{"name": lookup.Plainly(in.Name)}}
	if !in.GroupOf.IsZero() {
		list, err := rs.listOfGroup(ctx, project, in)
		if err == nil {
			_, err = rs.Visible(ctx, in.ClientsInput, project.ID, list.Recording)
		}
		return d, basecamp.GroupsIn, list.ID, err
	}
	set, err := rs.Dock(ctx, project, lookup.Todoset, in.Todoset)
	if err == nil {
		err = rs.Draft(ctx, &d, "description", lookup.Prose{Argument: "description", Markdown: in.Description})
	}
	return d, basecamp.TodolistsIn, set.ID, err
}

// listOfGroup returns the list in which the call makes a group.
func (rs *Resolver) listOfGroup(ctx context.Context, project basecamp.Project, in createTodolistInput) (basecamp.Todolist, error) {
	if in.Description != "" || !in.Todoset.IsZero() {
		return basecamp.Todolist{}, fault.Invalid("group_of", "a group has only a name; leave description and todoset_id out")
	}
	kind := lookup.ListKind.WithArguments("group_of", "project")
	list, err := rs.oneList(ctx, listWanted{Kind: kind, list: in.GroupOf, project: toolargs.Ref{ID: project.ID}})
	switch {
	case err != nil:
		return list, err
	case IsGroup(list):
		return list, fault.Invalid("group_of", "%s is a group itself; name the list that it is in", plaintext.Quote(list.Name))
	}
	return list, lookup.NotPutAway("group_of", list.Recording)
}
