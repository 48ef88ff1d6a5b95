package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/github/githubtools"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// promoter makes things of other things.
type promoter struct {
	links    *hub.Hub
	tasks    *task.Tasks
	lists    *checklist.Lists
	basecamp *basecamptools.Wing
	github   *githubtools.Wing // nil: GitHub is not configured
}

type promoteInput struct {
	From      []promoted    `json:"from" jsonschema:"In order" limits:"maxitems=20"`
	To        string        `json:"to" jsonschema:"What to make" limits:"enum=task|basecamp|github"`
	Project   toolargs.Ref  `json:"project,omitzero" jsonschema:"In Basecamp"`
	List      toolargs.Ref  `json:"list,omitzero" jsonschema:"For to-dos"`
	Column    toolargs.Ref  `json:"column,omitzero" jsonschema:"For cards"`
	Repo      string        `json:"repo,omitzero" jsonschema:"On GitHub" limits:"maxlen=1000"`
	Labels    []string      `json:"labels,omitzero" jsonschema:"For issues" limits:"word maxitems=100"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"People" limits:"maxitems=10"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"Day"`
	Notify    bool          `json:"notify,omitzero" jsonschema:"Assignees"`
	Board     toolargs.Ref  `json:"board,omitzero" jsonschema:"GitHub project or card table"`

	Fields []boards.FieldInput `json:"fields,omitzero" jsonschema:"Of the board"`
}

// promoted is what something is made of: an item by its reference, URL or title, or an item of a
// checklist by its text.
type promoted struct {
	Item    string `json:"item,omitzero" jsonschema:"This or content: URL, type:id or title" limits:"maxlen=2000"`
	Content string `json:"content,omitzero" jsonschema:"Of a checklist" limits:"maxlen=2000"`
	ListID  string `json:"list_id,omitzero" jsonschema:"Its checklist" limits:"maxlen=100"`
}

// promotedItem is what was made of an item, now or by an earlier call.
type promotedItem struct {
	From       string    `json:"from"`
	Already    bool      `json:"already"`
	State      hub.State `json:"state,omitempty"` // of what was there already
	Ref        string    `json:"ref"`
	Title      string    `json:"title,omitempty"`
	URL        string    `json:"url,omitempty"`
	Notified   []string  `json:"notified"`
	ClientsSee any       `json:"clients_see,omitempty" limits:"types=true|list"`
	NotApplied []string  `json:"not_applied,omitempty"`
}

type promoteAnswer struct {
	listing.Applied[promotedItem]
}

// planned is an item that is ready to be promoted.
type plannedPromotion struct {
	from  hub.Ref
	said  string
	maker hub.Maker
}

func promote(p *promoter) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "promote",
		Title:       "Make and link",
		Description: "Makes a task, Basecamp to-do, card or GitHub issue of a task, checklist item, to-do or issue, once, and links both.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in promoteInput) (promoteAnswer, error) {
		if len(in.From) == 0 {
			return promoteAnswer{}, fault.Invalid("from", "must contain at least one item")
		}
		making, wrong := p.making(ctx, in)
		plans, err := listing.Plan(ctx, wrong, "from", in.From, func(ctx context.Context, path string, one promoted) (plannedPromotion, error) {
			return p.plan(ctx, path, in, one, making)
		})
		if err == nil {
			err = listing.Once("from", plans, func(one plannedPromotion) string { return one.from.ID })
		}
		if err != nil {
			return promoteAnswer{}, err
		}
		done, err := listing.Apply(ctx, "from", plans, listing.InOrder, func(one plannedPromotion) string { return one.said }, p.make)
		return promoteAnswer{done}, err
	})
}

// check returns an error if arguments do not fit the place.
func (in promoteInput) check(github bool) error {
	type given struct {
		name string
		is   bool
	}
	for place, others := range map[string][]given{
		"task":     {{"project", !in.Project.IsZero()}, {"list", !in.List.IsZero()}, {"column", !in.Column.IsZero()}, {"repo", in.Repo != ""}, {"labels", len(in.Labels) > 0}, {"assignees", len(in.Assignees) > 0}, {"notify", in.Notify}, {"board", !in.Board.IsZero()}, {"fields", len(in.Fields) > 0}},
		"basecamp": {{"repo", in.Repo != ""}, {"labels", len(in.Labels) > 0}, {"fields", len(in.Fields) > 0}},
		"github":   {{"project", !in.Project.IsZero()}, {"list", !in.List.IsZero()}, {"column", !in.Column.IsZero()}, {"due_on", in.DueOn != ""}, {"notify", in.Notify}},
	} {
		for _, other := range others {
			if place == in.To && other.is {
				return fault.Invalid(other.name, "does not go with to: %s; leave it out", in.To)
			}
		}
	}
	switch {
	case in.To == "github" && !github:
		return fault.Invalid("to", "GitHub is not configured on this server; use task or basecamp")
	case in.To == "github" && in.Repo == "":
		return fault.Invalid("repo", "is required for to: github; give owner/name")
	case len(in.Fields) > 0 && in.Board.IsZero():
		return fault.Invalid("fields", "need the board that has them")
	}
	return nil
}

// making resolves the place in which things are made.
func (p *promoter) making(ctx context.Context, in promoteInput) (hub.Making, error) {
	if err := in.check(p.github != nil); err != nil {
		return nil, err
	}
	switch in.To {
	case "task":
		dueOn, err := p.basecamp.Date(ctx, "due_on", in.DueOn)
		return func(title string) (hub.Maker, error) { return p.taskMaker(title, dueOn) }, err
	case "github":
		logins := make([]string, len(in.Assignees))
		for i, who := range in.Assignees {
			logins[i] = strings.TrimSpace(who.String())
		}
		return p.github.Making(ctx, githubtools.Place{Repo: in.Repo, Labels: in.Labels, Assignees: logins, Board: in.Board, Fields: in.Fields})
	}
	return p.basecamp.Making(ctx, basecamptools.Place{
		Project: in.Project, List: in.List, Board: in.Board, Column: in.Column, Assignees: in.Assignees, DueOn: in.DueOn, Notify: in.Notify,
	})
}

// sideOf returns the side in which the argument to makes things.
func sideOf(to string) string {
	return map[string]string{"task": hub.TaskSide, "basecamp": basecamptools.Side, "github": githubtools.Side}[to]
}

// makes reports whether an item is already one of those that the call makes. A card can be made of
// a to-do.
func (in promoteInput) makes(item hub.Ref) bool {
	kind := "todo:"
	if !in.Board.IsZero() || !in.Column.IsZero() {
		kind = "card:"
	}
	side := sideOf(in.To)
	return item.Side == side && (side != basecamptools.Side || strings.HasPrefix(item.ID, kind))
}

// plan resolves an item, and what is made of it. A making of nil is a place that is wrong.
func (p *promoter) plan(ctx context.Context, path string, in promoteInput, one promoted, making hub.Making) (plannedPromotion, error) {
	from, title, err := p.source(ctx, path, in.To, one)
	switch {
	case err != nil:
		return plannedPromotion{}, err
	case in.makes(from):
		return plannedPromotion{}, fault.Invalid(path, "is there already: %s", from.ID)
	case strings.TrimSpace(title) == "":
		return plannedPromotion{}, fault.Invalid(path, "has no title that can be shown")
	}
	v := plannedPromotion{from: from, said: one.Item + one.Content}
	if making != nil {
		v.maker, err = making(title)
	}
	return v, err
}

// source returns what something is made of, and its title.
func (p *promoter) source(ctx context.Context, path, to string, one promoted) (hub.Ref, string, error) {
	switch {
	case (one.Item == "") == (one.Content == ""):
		return hub.Ref{}, "", fault.Invalid(path, "give item, or content with list_id for an item of a checklist")
	case one.Item != "":
		t, err := p.links.Find(ctx, path, one.Item, sideOf(to))
		if err == nil && t.State == hub.Trashed {
			err = fault.Invalid(path, "%s is put away; restore it first", t.Ref.ID)
		}
		return t.Ref, t.Title, err
	}
	list, err := p.lists.Get(ctx, one.ListID, 0)
	if err != nil {
		return hub.Ref{}, "", err
	}
	found := 0
	for _, todo := range list.Todos {
		if todo.Content == one.Content {
			found++
		}
	}
	switch {
	case found == 0:
		return hub.Ref{}, "", fault.Invalid(path, "no item of the checklist has the text %s", plaintext.Quote(one.Content))
	case found > 1:
		return hub.Ref{}, "", fault.Invalid(path, "%d items of the checklist have the text %s; change one of them first", found, plaintext.Quote(one.Content))
	}
	return hub.ChecklistItem(list.ID, one.Content), one.Content, nil
}

func (p *promoter) taskMaker(title, dueOn string) (hub.Maker, error) {
	title, err := task.Title(title)
	return hub.Maker{
		Into: "tasks",
		Make: func(ctx context.Context) (hub.Made, error) {
			made, err := p.tasks.Add(ctx, title, "", dueOn)
			if err != nil {
				return hub.Made{}, err
			}
			return hub.Made{Thing: linkedTask(made)}, nil
		},
		Since: func(ctx context.Context, since time.Time) (found []hub.Thing, err error) {
			all, err := p.tasks.List(ctx, task.Query{Status: task.All, Limit: task.Most})
			for _, t := range all.Tasks {
				if !t.CreatedAt.Before(since) && t.Title == title {
					found = append(found, linkedTask(t))
				}
			}
			return found, err
		},
	}, err
}

func (p *promoter) make(ctx context.Context, one plannedPromotion) (promotedItem, error) {
	made, already, err := p.links.Promote(ctx, one.from, one.maker)
	if err != nil && made.Thing.Ref.ID != "" {
		f := *fault.From(err)
		f.Message = fmt.Sprintf("%s was made; %s", made.Thing.Ref.ID, f.Message)
		err = &f
	}
	v := promotedItem{
		From: one.said, Already: already, Ref: made.Thing.Ref.ID, Title: made.Thing.Title, URL: made.Thing.URL,
		Notified: append([]string{}, made.Notified...), ClientsSee: made.ClientsSee, NotApplied: made.NotApplied,
	}
	if already {
		v.State = made.Thing.State
	}
	return v, err
}
