package projects

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type changeProjectInput struct {
	Project     toolargs.Ref                  `json:"project" jsonschema:"Id, name or URL"`
	Name        string                        `json:"name,omitzero" jsonschema:"New name" limits:"minlen=1 maxlen=250"`
	Description toolargs.Change[string]       `json:"description" jsonschema:"Plain text; empty clears" limits:"maxlen=5000"`
	Dates       toolargs.Change[projectDates] `json:"dates" jsonschema:"Its span"`
	Add         toolargs.Refs                 `json:"add_people,omitzero" jsonschema:"Of the account" limits:"maxitems=50"`
	Remove      toolargs.Refs                 `json:"remove_people,omitzero" jsonschema:"From it" limits:"maxitems=50"`
}

type projectDates struct {
	StartsOn string `json:"starts_on,omitzero" jsonschema:"Day"`
	EndsOn   string `json:"ends_on,omitzero" jsonschema:"Day"`
}

// ChangedProject is a project after a change. Previous has what the change replaced.
type ChangedProject struct {
	lookup.Head
	Name        string         `json:"name"`
	Description string         `json:"description"`
	StartsOn    *string        `json:"starts_on"`
	EndsOn      *string        `json:"ends_on"`
	URL         string         `json:"url"`
	PeopleCount int            `json:"people_count"`
	Added       []lookup.Ref   `json:"added"`
	Removed     []lookup.Ref   `json:"removed"`
	Unchanged   bool           `json:"unchanged,omitempty"`
	Previous    map[string]any `json:"previous"`
	lookup.Seen
}

// ChangeProject returns the tool change_project.
func ChangeProject(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "change_project",
		Title:       "Change a project",
		Description: "Renames a Basecamp project, describes or dates it, adds or removes people.",
		Words:       "add people to the project, remove people from the project, members",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in changeProjectInput) (ChangedProject, error) {
		if in.Name == "" && !in.Description.Given && !in.Dates.Given && len(in.Add)+len(in.Remove) == 0 {
			return ChangedProject{}, parts.NothingToChange("name, description, dates, add_people or remove_people")
		}
		if err := parts.NotBlankIfGiven("name", in.Name); err != nil {
			return ChangedProject{}, err
		}
		plan, err := rs.planProject(ctx, in)
		if err != nil {
			return ChangedProject{}, err
		}
		defer rs.ForgetProjects(ctx)
		return rs.applyProject(ctx, plan)
	})
}

// projectPlan is a change of a project that was checked.
type projectPlan struct {
	old         basecamp.Project
	fields      basecamp.ProjectFields
	people      []basecamp.Person // who is on it
	add, remove []basecamp.Person
}

// planProject reads the project and its people, and checks the change.
func (rs *Resolver) planProject(ctx context.Context, in changeProjectInput) (p projectPlan, err error) {
	id, err := rs.ProjectID(ctx, "project", in.Project)
	if err != nil {
		return p, err
	}
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) { p.old, err = basecamp.ProjectAt.Get(ctx, rs.BC, id); return err },
		func(ctx context.Context) (err error) { p.people, err = rs.People(ctx, id, 0); return err },
	)
	if err == nil {
		err = lookup.NotPutAway("project", basecamp.Recording{Title: p.old.Name, Status: p.old.Status})
	}
	if err != nil {
		return p, err
	}
	p.fields = p.old.Fields()
	p.fields.Name = cmp.Or(lookup.Plainly(in.Name), p.old.Name)
	p.fields.Description = in.Description.ValueOr(p.old.Description)
	var dates, who error
	if in.Dates.Given {
		p.fields.Dates, dates = rs.projectDates(ctx, p.old, in.Dates.To)
	}
	p.add, p.remove, who = rs.members(ctx, p, in)
	return p, fault.All(dates, who)
}

// projectDates returns the dates of a project after a change. Basecamp needs both.
func (rs *Resolver) projectDates(ctx context.Context, old basecamp.Project, in projectDates) (*basecamp.ProjectDates, error) {
	starts, wrongStart := rs.DateOrNone(ctx, "dates.starts_on", in.StartsOn)
	ends, wrongEnd := rs.DateOrNone(ctx, "dates.ends_on", in.EndsOn)
	if err := fault.All(wrongStart, wrongEnd); err != nil {
		return nil, err
	}
	d := basecamp.ProjectDates{Start: cmp.Or(starts, old.StartDate), End: cmp.Or(ends, old.EndDate)}
	switch {
	case starts+ends == "":
		return nil, fault.Invalid("dates", "must have starts_on or ends_on; a project's dates can be removed only in Basecamp")
	case d.Start == "" || d.End == "":
		return nil, fault.Invalid("dates", "must have both starts_on and ends_on: the project has no dates yet")
	case d.End < d.Start:
		return nil, fault.Invalid("dates.ends_on", "must not be before starts_on: %s is before %s", d.End, d.Start)
	}
	return &d, nil
}

// members resolves the people to add and to remove. Those to add who are on the project already are
// left out. Clients have a list of their own in Basecamp, and so are refused.
func (rs *Resolver) members(ctx context.Context, p projectPlan, in changeProjectInput) (add, remove []basecamp.Person, err error) {
	add, unknown := rs.Persons(ctx, "add_people", in.Add, 0)
	remove, missing := rs.Persons(ctx, "remove_people", in.Remove, p.old.ID)
	if err := fault.All(unknown, missing); err != nil {
		return nil, nil, err
	}
	var me basecamp.Person
	if len(remove) > 0 {
		if me, err = rs.Me(ctx); err != nil {
			return nil, nil, err
		}
	}
	for _, someone := range slices.Concat(add, remove) {
		argument := "remove_people"
		if lookup.IsAmong(add, someone.ID) {
			argument = "add_people"
		}
		switch name := plaintext.Quote(someone.Name); {
		case lookup.IsAmong(add, someone.ID) && lookup.IsAmong(remove, someone.ID):
			return nil, nil, fault.Invalid(argument, "remove_people names %s too; name each person once", name)
		case lookup.IsClient(someone):
			return nil, nil, fault.Invalid(argument, "%s belongs to a client, whose access the user can change only in Basecamp", name)
		case someone.ID == me.ID && lookup.IsAmong(remove, me.ID):
			return nil, nil, fault.Invalid(argument, "%s is you, and you could not add yourself again; leave a project in Basecamp", name)
		}
	}
	return lookup.Matching(add, func(a basecamp.Person) bool { return !lookup.IsAmong(p.people, a.ID) }), remove, nil
}

func (rs *Resolver) applyProject(ctx context.Context, p projectPlan) (v ChangedProject, err error) {
	now, access := p.old, basecamp.AccessChange{}
	edited := p.fields.Name != p.old.Name || p.fields.Description != p.old.Description || p.newDates()
	if edited {
		if now, err = basecamp.ProjectAt.Put(ctx, rs.BC, p.fields, p.old.ID); err != nil {
			return v, err
		}
	}
	if len(p.add)+len(p.remove) > 0 {
		access, err = basecamp.AccessTo.Put(ctx, rs.BC, basecamp.NewAccess{Grant: lookup.PersonIDs(p.add), Revoke: lookup.PersonIDs(p.remove)}, p.old.ID)
		if err != nil && edited {
			err = parts.AfterOthers(err, "name, description and dates are as asked now, but the people are not changed: ")
		}
		if err != nil {
			return v, err
		}
	}
	v = p.view(now, access)
	v.Unchanged = !edited && len(p.add)+len(p.remove) == 0
	return v, nil
}

// newDates reports whether a change has other dates.
func (p projectPlan) newDates() bool {
	return p.fields.Dates != nil && *p.fields.Dates != basecamp.ProjectDates{Start: p.old.StartDate, End: p.old.EndDate}
}

// view returns the project after a change, and what it replaced.
func (p projectPlan) view(now basecamp.Project, access basecamp.AccessChange) ChangedProject {
	after := slices.DeleteFunc(slices.Clone(p.people), func(who basecamp.Person) bool { return lookup.IsAmong(access.Revoked, who.ID) })
	after = append(after, access.Granted...)
	v := ChangedProject{
		Head: lookup.Head{ID: now.ID, Type: lookup.ProjectKind.Kind}, Name: plaintext.Clean(now.Name), Description: plaintext.Clean(now.Description),
		StartsOn: lookup.DateOrNil(now.StartDate), EndsOn: lookup.DateOrNil(now.EndDate), URL: now.AppURL, PeopleCount: len(after),
		Added: lookup.ViewNames(access.Granted), Removed: lookup.ViewNames(access.Revoked), Previous: map[string]any{},
		Seen: lookup.SeenBy(lookup.Matching(after, lookup.IsClient)),
	}
	if now.Name != p.old.Name {
		v.Previous["name"] = plaintext.Clean(p.old.Name)
	}
	if now.Description != p.old.Description {
		v.Previous["description"] = parts.PreviousText(plaintext.Clean(p.old.Description), v.Description)
	}
	if p.newDates() {
		v.Previous["starts_on"], v.Previous["ends_on"] = lookup.DateOrNil(p.old.StartDate), lookup.DateOrNil(p.old.EndDate)
	}
	if len(after) != len(p.people) || len(access.Granted) > 0 {
		v.Previous["people_count"] = len(p.people)
	}
	return v
}
