package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type setItemStatusInput struct {
	Items   []string     `json:"items" jsonschema:"URL, type:id (todo:123) or title" limits:"maxitems=20"`
	Status  string       `json:"status" jsonschema:"active restores" limits:"enum=active|archived|trashed"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:""`
	Confirm string       `json:"confirm_title,omitzero" jsonschema:"Name of the project"`
}

// statusItem is an item whose status was set.
type statusItem struct {
	lookup.Head
	Title   string            `json:"title"`
	Status  string            `json:"status"`
	Changed bool              `json:"changed"`
	URL     string            `json:"url"`
	Project lookup.ProjectRef `json:"project"`

	is basecamp.Recording
}

type statusResults struct {
	Results []listing.Outcome[statusItem] `json:"results"`
	Changed int                           `json:"changed"`
	Failed  int                           `json:"failed"`
	lookup.Seen
	lookup.Gaps
}

func setItemStatus(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "set_item_status",
		Title:       "Trash, archive or restore",
		Description: "Trashes, archives or restores Basecamp items or a whole project. Deletes nothing permanently.",
		Effect:      mcptool.Deletes,
	}, func(ctx context.Context, in setItemStatusInput) (statusResults, error) {
		if len(in.Items) == 0 {
			return statusResults{}, fault.Invalid("items", "must contain at least one item")
		}
		targets, err := rs.targets(ctx, in)
		if err != nil {
			return statusResults{}, err
		}
		var r statusResults
		changing := lookup.Matching(targets, func(t statusItem) bool { return t.Status != in.Status })
		items := lookup.RecordingsOf(changing, func(t statusItem) basecamp.Recording { return t.is })
		beside := rs.Audience(ctx)
		beside.Start(items...)
		r.Results, r.Failed, err = listing.Each(ctx, "items", targets, func(ctx context.Context, t statusItem) (statusItem, error) {
			return rs.setStatus(ctx, t, in.Status)
		})
		for _, outcome := range r.Results {
			if outcome.OK && outcome.Item.Changed {
				r.Changed++
			}
		}
		clients, left := beside.SeenBy(items...)
		r.Seen, r.Gaps = lookup.SeenBy(clients), left
		return r, err
	})
}

// statusOf returns the status of a new message or document.
func statusOf(draft bool) string {
	if draft {
		return lookup.Drafted
	}
	return lookup.Active
}

// targets reads every named item before the first one is changed, so that the type of an id is
// never guessed.
func (rs *resolver) targets(ctx context.Context, in setItemStatusInput) ([]statusItem, error) {
	within, wrong := rs.SharedProject(ctx, in.Project)
	targets, err := listing.Plan(ctx, wrong, "items", in.Items, func(ctx context.Context, path, item string) (statusItem, error) {
		target, err := rs.target(ctx, path, lookup.ItemInput{Item: item, Project: within}, in.Status)
		if err == nil {
			err = allowed(path, target, in.Status)
		}
		return target, err
	})
	if err == nil {
		err = listing.Once("items", targets, func(t statusItem) string { return fmt.Sprintf("%s:%d", t.Type, t.ID) })
	}
	if err == nil {
		err = rs.confirmedAway(ctx, targets, in)
	}
	return targets, err
}

// soughtFor returns the item kinds for a search by title. An item to restore is in the trash or
// the archive.
func soughtFor(status string) []lookup.Kind {
	kinds := slices.Clone(lookup.ItemKinds)
	for i := range kinds {
		if status == lookup.Active {
			kinds[i].Statuses = []string{lookup.Trashed, lookup.Archived}
		}
	}
	return kinds
}

func (rs *resolver) target(ctx context.Context, argument string, in lookup.ItemInput, status string) (statusItem, error) {
	t, err := rs.thingOrProject(ctx, argument, in, soughtFor(status))
	if err != nil {
		return statusItem{}, err
	}
	if t.Kind.Kind == lookup.ProjectKind.Kind {
		return rs.projectTarget(ctx, argument, in, t)
	}
	r, k, err := rs.recordingOf(ctx, argument, t)
	if err != nil {
		return statusItem{}, err
	}
	m := lookup.ViewMeta(r)
	return statusItem{Head: lookup.Head{ID: r.ID, Type: k.Kind}, Title: plaintext.Clean(r.Title), Status: r.Status, URL: m.URL, Project: m.Project, is: r}, t.In.Holds(r, k)
}

// projectTarget returns a project as a target. Other tools accept the URL of an item for its
// project; this one requires the project's own URL.
func (rs *resolver) projectTarget(ctx context.Context, argument string, in lookup.ItemInput, t lookup.Thing) (statusItem, error) {
	if strings.Contains(in.Item, "/buckets/") || t.Link.Comment != 0 {
		return statusItem{}, fault.Invalid(argument, "must be the project's own URL; got the URL of an item in it. To change that item, give its URL without a type")
	}
	p, err := rs.BC.Project(ctx, t.ID)
	if err != nil {
		return statusItem{}, err
	}
	name := cmp.Or(lookup.ProjectName(p), fmt.Sprintf("project:%d", p.ID)) // an empty name would confirm itself
	return statusItem{Head: lookup.Head{ID: p.ID, Type: lookup.ProjectKind.Kind}, Title: name, Status: p.Status, URL: p.AppURL, Project: lookup.ProjectRef{ID: p.ID, Name: name}, is: wholeProject(p)}, nil
}

// wholeProject returns a project as an item that all clients on it see.
func wholeProject(p basecamp.Project) basecamp.Recording {
	return basecamp.Recording{Bucket: basecamp.Bucket{ID: p.ID}, VisibleToClients: new(true)}
}

// recordingOf reads an item. A URL that scrolls to a comment, a reply or a subtask means that
// part: the caller does not expect a URL of a part to trash the whole item.
func (rs *resolver) recordingOf(ctx context.Context, argument string, t lookup.Thing) (basecamp.Recording, lookup.Kind, error) {
	k := t.WithArguments(argument, "project")
	switch {
	case t.Link.Comment != 0 && k.Kind == lookup.ForwardKind.Kind:
		r, err := rs.BC.ForwardReply(ctx, t.ID, t.Link.Comment)
		return r.Recording, replyKind.WithArguments(argument, "project"), err
	case t.Link.Comment != 0:
		r, err := rs.BC.Item(ctx, lookup.CommentKind.Kind, t.Link.Comment)
		k = lookup.CommentKind.WithArguments(argument, "project")
		if fault.Is(err, fault.NotFound) {
			r, err = rs.BC.Item(ctx, lookup.SubtaskKind.Kind, t.Link.Comment)
			k = lookup.SubtaskKind.WithArguments(argument, "project")
		}
		return r.Recording, k, err
	}
	r, err := rs.Verified(ctx, t)
	return r, k, err
}

// replyKind is a reply to a forwarded e-mail. No tool lists or reads it by itself.
var replyKind = lookup.Kind{Noun: lookup.Noun{One: "reply to an e-mail", Many: "replies to e-mails", Kind: "reply"}, Reader: "get_item"}

// allowed refuses changes that Basecamp would accept but that the caller cannot have meant.
func allowed(argument string, item statusItem, status string) error {
	switch {
	case status == lookup.Archived && (item.Type == lookup.CommentKind.Kind || item.Type == lookup.LineKind.Kind || item.Type == replyKind.Kind):
		return fault.Invalid(argument, "a %s cannot be archived; trash it, or archive the item that contains it", strings.ReplaceAll(item.Type, "_", " "))
	case item.Status == lookup.Drafted && status == lookup.Active:
		return fault.Invalid(argument, "this is a draft; publish it with edit_text")
	case item.Status == lookup.Drafted && status == lookup.Archived:
		return fault.Invalid(argument, "a draft cannot be archived; trash it, or publish it first with edit_text")
	}
	return nil
}

func (rs *resolver) setStatus(ctx context.Context, t statusItem, status string) (statusItem, error) {
	if t.Status == status {
		return t, nil
	}
	var err error
	if t.Type == lookup.ProjectKind.Kind {
		err = rs.BC.SetProjectStatus(ctx, t.ID, status)
		rs.ForgetProjects(ctx)
	} else {
		err = rs.BC.SetStatus(ctx, t.ID, status)
	}
	if err != nil {
		return statusItem{}, err
	}
	t.Status, t.Changed = status, true
	return t, nil
}
