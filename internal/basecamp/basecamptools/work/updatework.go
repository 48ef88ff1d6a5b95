// Package work holds the tools of cards, and those that change to-dos, cards and subtasks together:
// plan all, check all, write in order, answer by index.
package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Files *files.Resolver
	Todos *todos.Resolver
}

type updateWorkInput struct {
	Items        []workEntry  `json:"items,omitzero" jsonschema:"This or of; arguments beside hold for all" limits:"maxitems=50"`
	Of           workOf       `json:"of,omitzero" jsonschema:"Open work"`
	ConfirmCount int          `json:"confirm_count,omitzero" jsonschema:"For of: its count"`
	Project      toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	workChange
	everywhereInput
	workTexts `limits:"unlisted"`
}

// workEntry is an item to change. What it gives wins over what stands beside the items.
type workEntry struct {
	Item toolargs.Ref `json:"item" jsonschema:"URL, type:id (todo:1) or title"`
	workTexts
	workChange `limits:"unlisted"`
}

type workTexts struct {
	Title                toolargs.Change[string] `json:"title,omitzero" jsonschema:"New title" limits:"minlen=1 maxlen=1500"`
	Notes                toolargs.Change[string] `json:"notes,omitzero" jsonschema:"Markdown; empty clears" limits:"maxlen=500000"`
	Edits                []parts.Passage         `json:"edits,omitzero" jsonschema:"In order"`
	lookup.MentionsInput `limits:"unlisted"`
}

// workChange is what several items can have in common.
type workChange struct {
	assigneesInput
	DueOn            toolargs.Change[string] `json:"due_on,omitzero" jsonschema:"Day; none clears" limits:"none"`
	StartsOn         toolargs.Change[string] `json:"starts_on,omitzero" jsonschema:"Of to-dos" limits:"none"`
	List             toolargs.Ref            `json:"list,omitzero" jsonschema:"Of to-dos"`
	Column           toolargs.Ref            `json:"column,omitzero" jsonschema:"Of cards"`
	Folder           toolargs.Ref            `json:"folder,omitzero" jsonschema:"Of files, documents"`
	Position         int                     `json:"position,omitzero" jsonschema:"1: top" limits:"min=1 max=10000"`
	Completed        toolargs.Change[bool]   `json:"completed,omitzero" jsonschema:"false reopens"`
	VisibleToClients toolargs.Change[bool]   `json:"visible_to_clients,omitzero" jsonschema:"Also of messages"`
}

// over returns the change of an item: its own arguments, and those beside the items that it does
// not give.
func (own workChange) over(shared workChange) workChange {
	c := workChange{
		DueOn: cmp.Or(own.DueOn, shared.DueOn), StartsOn: cmp.Or(own.StartsOn, shared.StartsOn),
		List: cmp.Or(own.List, shared.List), Column: cmp.Or(own.Column, shared.Column), Folder: cmp.Or(own.Folder, shared.Folder),
		Position: cmp.Or(own.Position, shared.Position), Completed: cmp.Or(own.Completed, shared.Completed),
		VisibleToClients: cmp.Or(own.VisibleToClients, shared.VisibleToClients),
	}
	if c.assigneesInput = own.assigneesInput; !own.asked() {
		c.assigneesInput = shared.assigneesInput
	}
	return c
}

// over does for texts what over of workChange does.
func (own workTexts) over(shared workTexts) workTexts {
	t := workTexts{Title: cmp.Or(own.Title, shared.Title), Notes: own.Notes, Edits: own.Edits, MentionsInput: own.MentionsInput}
	if !own.Notes.Given && len(own.Edits) == 0 {
		t.Notes, t.Edits = shared.Notes, shared.Edits
	}
	if len(t.Mentions) == 0 {
		t.MentionsInput = shared.MentionsInput
	}
	return t
}

// argument is a change that a call gives, by the name of its argument.
type argument struct {
	name  string
	given bool
}

// workArguments returns the arguments that fit only some kinds of items.
func (own workChange) workArguments(t workTexts) []argument {
	return []argument{
		{"title", t.Title.Given}, {"notes", t.Notes.Given}, {"edits", len(t.Edits) > 0},
		{"assignees", own.Assignees.Given}, {"add_assignees", len(own.AddAssignees) > 0}, {"remove_assignees", len(own.RemoveAssignees) > 0},
		{"due_on", own.DueOn.Given}, {"starts_on", own.StartsOn.Given}, {"list", !own.List.IsZero()}, {"column", !own.Column.IsZero()},
		{"folder", !own.Folder.IsZero()}, {"position", own.Position != 0}, {"completed", own.Completed.Given},
		{"visible_to_clients", own.VisibleToClients.Given},
	}
}

// workAnswer holds what was changed, or the work that a call with of found.
type workAnswer struct {
	*ChangedWork
	*FoundWork
	lookup.Seen
	lookup.Reach
	hub.Everywhere
}

// ChangedWork says what a call changed, item by item.
type ChangedWork struct {
	Results []Outcome `json:"results"`
	listing.Progress
}

// Outcome says what became of an item.
type Outcome struct {
	listing.Outcome[workItem]
	Previous *workBefore `json:"previous,omitempty"`
	Changed  bool        `json:"changed"`
}

// workItem is an item after the call, with the fields that the call changed.
type workItem struct {
	lookup.Head
	Title string `json:"title"`
	URL   string `json:"url"`
	workFacts

	previous *workBefore
}

// workBefore has the fields that the call changed, as they were.
type workBefore struct {
	Title string `json:"title,omitempty"`
	workFacts
}

// workFacts are fields that a call can change.
type workFacts struct {
	Notes     *string       `json:"notes,omitempty"` // the paragraphs that are different
	Assignees *[]lookup.Ref `json:"assignees,omitempty"`
	DueOn     any           `json:"due_on,omitempty" limits:"types=string|null"`
	StartsOn  any           `json:"starts_on,omitempty" limits:"types=string|null"`
	List      *lookup.Ref   `json:"list,omitempty"`
	Todoset   *lookup.Ref   `json:"todoset,omitempty"` // of a to-do that was in no list
	Column    *lookup.Ref   `json:"column,omitempty"`
	Folder    *lookup.Ref   `json:"folder,omitempty"`
	Position  int           `json:"position,omitempty"`
	Completed *bool         `json:"completed,omitempty"`
	Visible   *bool         `json:"visible_to_clients,omitempty"`
}

// UpdateWork returns the tool update_work.
func UpdateWork(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_work",
		Title:       "Change or move items",
		Description: "Renames or reassigns Basecamp to-dos, cards, steps, lists, files; changes title, due date, what clients see; moves to another column or list; sorts.",
		Words:       "reassign a to-do, move a card to another column, change the due date, assign",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateWorkInput) (workAnswer, error) {
		w, found, err := rs.workToChange(ctx, in)
		if err != nil || found != nil {
			return workAnswer{FoundWork: found, Reach: lookup.Reach{Mentioned: []string{}, Notified: []string{}}}, err
		}
		ctx = basecamp.WithSiblings(ctx, len(w.entries))
		planned, err := w.plan(ctx)
		if err != nil {
			return workAnswer{}, err
		}
		if err := in.check(ctx, slices.ContainsFunc(planned, workPlan.completes)); err != nil {
			return workAnswer{}, err
		}
		return w.apply(ctx, planned)
	})
}

// workToChange returns the batch that a call asks for, or the work to confirm.
func (rs *Resolver) workToChange(ctx context.Context, in updateWorkInput) (w *workBatch, found *FoundWork, err error) {
	w = &workBatch{Resolver: rs, in: in, entries: in.Items}
	switch {
	case !in.Of.IsZero() && in.Items != nil:
		return nil, nil, fault.Invalid("of", "give either items or of, not both")
	case !in.Of.IsZero():
		found, err = rs.openWork(ctx, w)
		return w, found, err
	case in.ConfirmCount != 0:
		return nil, nil, fault.Invalid("confirm_count", "confirms a call with of; leave it out with items")
	case len(in.Items) == 0:
		return nil, nil, fault.Invalid("items", "must contain at least one item, or give of")
	case in.Title.Given && len(in.Items) > 1:
		return nil, nil, fault.Invalid("title", "give each item its own title, inside items")
	}
	return w, nil, nil
}

// answer turns the outcomes of a batch into the answer.
func (w *workBatch) answer(all listing.Applied[workItem]) *ChangedWork {
	v := &ChangedWork{make([]Outcome, len(all.Results)), all.Progress}
	for i, o := range all.Results {
		v.Results[i].Outcome = o
		if o.Item != nil && o.Item.previous != nil {
			v.Results[i].Previous, v.Results[i].Changed = o.Item.previous, true
		}
	}
	if len(w.rest) > 0 {
		v.NotAttempted = append(v.NotAttempted, w.rest...)
		v.HowToGoOn = cmp.Or(v.HowToGoOn, "a call changes at most 50 items; call again with items = the next 50 of not_attempted and the other arguments as before, without of")
	}
	return v
}

// workOf selects the open to-dos and cards of a person.
type workOf struct {
	Assignee toolargs.Ref `json:"assignee" jsonschema:"Person"`
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
}

// IsZero reports whether the argument is absent.
func (o workOf) IsZero() bool { return o == workOf{} }

const (
	maxWork   = 50 // items of a call
	maxSample = 10 // items that are shown before the call is confirmed
)

// FoundWork is what a call with of would change. It has changed nothing.
type FoundWork struct {
	Count   int          `json:"count"`
	First   []sampleWork `json:"first"`
	Confirm string       `json:"confirm"`
}

type sampleWork struct {
	lookup.Head
	Title   string  `json:"title"`
	DueOn   *string `json:"due_on,omitempty"`
	Project string  `json:"project"`
}

// openWork finds the work that a call selects. It returns what to confirm, or puts the work into
// the batch if the call confirms it.
func (rs *Resolver) openWork(ctx context.Context, w *workBatch) (*FoundWork, error) {
	if len(workPlan{texts: w.in.workTexts, change: w.in.workChange}.given()) == 0 {
		return nil, parts.NothingToChange("what of selects: add_assignees, remove_assignees, due_on or another change")
	}
	tasks, err := rs.openTasks(ctx, w.in.Of, w.in.Project)
	if w.within = cmp.Or(w.in.Of.Project, w.in.Project); err == nil {
		err = w.withoutItems(ctx)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case w.in.ConfirmCount == 0 || len(tasks) == 0:
		return viewFoundWork(tasks), nil
	case w.in.ConfirmCount != len(tasks):
		return nil, fault.Invalid("confirm_count", "is %d, but of selects %d items now; nothing was changed; look at them without confirm_count first",
			w.in.ConfirmCount, len(tasks))
	}
	for i, t := range tasks {
		ref := fmt.Sprintf("%s:%d", lookup.TypeOf(t.Type), t.ID)
		if i >= maxWork {
			w.rest = append(w.rest, ref)
			continue
		}
		w.entries = append(w.entries, workEntry{Item: toolargs.Ref{Name: ref}})
	}
	return nil, nil
}

// openTasks reads the open to-dos and cards of a person, in all projects or in one.
func (rs *Resolver) openTasks(ctx context.Context, of workOf, beside toolargs.Ref) ([]basecamp.Task, error) {
	if !of.Project.IsZero() && !beside.IsZero() && of.Project != beside {
		return nil, fault.Invalid("project", "give the project once, inside of")
	}
	project, err := rs.FilterProject(ctx, cmp.Or(of.Project, beside))
	if err != nil {
		return nil, err
	}
	who, err := rs.FilterPerson(ctx, "of.assignee", of.Assignee, project)
	if err != nil {
		return nil, err
	}
	tasks, err := listing.EverythingIn(ctx, []basecamp.Tasks{basecamp.Todos, basecamp.Cards}, func(kind basecamp.Tasks) listing.Source[basecamp.Task] {
		return rs.Tasks(kind, basecamp.Open, who, project.ID)
	})
	return tasks, rs.VerifyProject(ctx, project, err)
}

func viewFoundWork(tasks []basecamp.Task) *FoundWork {
	v := &FoundWork{Count: len(tasks), First: []sampleWork{}, Confirm: "nothing was changed; there is no such open work"}
	if len(tasks) > 0 {
		v.Confirm = fmt.Sprintf("nothing was changed; if the user wants this, call again with confirm_count %d", len(tasks))
	}
	if len(tasks) > maxSample {
		v.Confirm += "; list_work with this assignee and project shows all of them"
	}
	for _, t := range slices.Clip(tasks)[:min(maxSample, len(tasks))] {
		v.First = append(v.First, sampleWork{
			Head: lookup.Head{ID: t.ID, Type: lookup.TypeOf(t.Type)}, Title: lookup.Shorten(t.Title), DueOn: lookup.DateOrNil(t.DueOn), Project: t.Bucket.Name,
		})
	}
	return v
}

// assigneesInput holds the assignees of an update: all of them, or who is added and removed.
type assigneesInput struct {
	Assignees       toolargs.Change[toolargs.Refs] `json:"assignees,omitzero" jsonschema:"Replaces all; [] clears" limits:"maxitems=20 none"`
	AddAssignees    toolargs.Refs                  `json:"add_assignees,omitzero" jsonschema:"People" limits:"maxitems=20"`
	RemoveAssignees toolargs.Refs                  `json:"remove_assignees,omitzero" jsonschema:"People" limits:"maxitems=20"`
}

func (in assigneesInput) asked() bool {
	return in.Assignees.Given || len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0
}

func (in assigneesInput) check() error {
	if in.Assignees.Given && (len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0) {
		return fault.Invalid("assignees", "assignees replaces all assignees; do not combine it with add_assignees or remove_assignees")
	}
	return nil
}

// reassigned returns the ids of the assignees after the update. People who are added must be on the
// project.
func (rs *Resolver) reassigned(ctx context.Context, project int64, now []basecamp.Person, in assigneesInput) ([]int64, error) {
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
func (rs *Resolver) assigned(ctx context.Context, argument string, who toolargs.Ref, project int64, now []basecamp.Person) (basecamp.Person, error) {
	someone, missing := lookup.PersonAmong(argument, now, project).ByRef(who)
	switch {
	case missing != nil, strings.EqualFold(who.Name, "me"):
		return rs.Person(ctx, argument, who, project)
	case who.Name == "":
		return someone, nil
	}
	people, err := rs.People(ctx, project, memo.Life)
	if whole := naming.Exactly(people, who.Name, func(p basecamp.Person) string { return p.Name }); len(whole) == 1 {
		return whole[0], nil
	}
	if err == nil {
		err = rs.TakenFor(ctx, argument, who.Name, someone)
	}
	return someone, err
}
