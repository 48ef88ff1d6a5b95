package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type setItemStatusInput struct {
	Items   []string     `json:"items" jsonschema:"URL, type:id (todo:123) or title" limits:"maxitems=20"`
	Status  string       `json:"status" jsonschema:"active restores" limits:"enum=active|archived|trashed"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Their project"`
	Confirm string       `json:"confirm_title,omitzero" jsonschema:"Name of the project"`
}

// statusItem is an item whose status was set.
type statusItem struct {
	head
	Title   string     `json:"title"`
	Status  string     `json:"status"`
	Changed bool       `json:"changed"`
	URL     string     `json:"url"`
	Project projectRef `json:"project"`

	is basecamp.Recording
}

type statusResults struct {
	Results []listing.Outcome[statusItem] `json:"results"`
	Changed int                           `json:"changed"`
	Failed  int                           `json:"failed"`
	seen
	gaps
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
		changing := matching(targets, func(t statusItem) bool { return t.Status != in.Status })
		items := recordingsOf(changing, func(t statusItem) basecamp.Recording { return t.is })
		beside := rs.audience(ctx)
		beside.start(items...)
		r.Results, r.Failed, err = listing.Each(ctx, "items", targets, func(ctx context.Context, t statusItem) (statusItem, error) {
			return rs.setStatus(ctx, t, in.Status)
		})
		for _, outcome := range r.Results {
			if outcome.OK && outcome.Item.Changed {
				r.Changed++
			}
		}
		clients, left := beside.seenBy(items...)
		r.seen, r.gaps = seenBy(clients), left
		return r, err
	})
}

// The statuses that items and projects have in Basecamp.
const (
	active   = "active"
	drafted  = "drafted" // only for messages and documents, and visible only to their author
	archived = "archived"
	trashed  = "trashed"
)

// statusOf returns the status of a new message or document.
func statusOf(draft bool) string {
	if draft {
		return drafted
	}
	return active
}

// targets reads every named item before the first one is changed, so that the type of an id is
// never guessed.
func (rs *resolver) targets(ctx context.Context, in setItemStatusInput) ([]statusItem, error) {
	within, wrong := rs.sharedProject(ctx, in.Project)
	targets, err := listing.Plan(ctx, wrong, "items", in.Items, func(ctx context.Context, path, item string) (statusItem, error) {
		target, err := rs.target(ctx, path, itemInput{item, within}, in.Status)
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
func soughtFor(status string) []kind {
	kinds := slices.Clone(itemKinds)
	for i := range kinds {
		if status == active {
			kinds[i].statuses = []string{trashed, archived}
		}
	}
	return kinds
}

func (rs *resolver) target(ctx context.Context, argument string, in itemInput, status string) (statusItem, error) {
	t, err := rs.thingOrProject(ctx, argument, in, soughtFor(status))
	if err != nil {
		return statusItem{}, err
	}
	if t.kind.kind == projectKind.kind {
		return rs.projectTarget(ctx, argument, in, t)
	}
	r, k, err := rs.recordingOf(ctx, argument, t)
	if err != nil {
		return statusItem{}, err
	}
	m := viewMeta(r)
	return statusItem{head: head{r.ID, k.kind}, Title: plaintext.Clean(r.Title), Status: r.Status, URL: m.URL, Project: m.Project, is: r}, t.in.holds(r, k)
}

// projectTarget returns a project as a target. Other tools accept the URL of an item for its
// project; this one requires the project's own URL.
func (rs *resolver) projectTarget(ctx context.Context, argument string, in itemInput, t thing) (statusItem, error) {
	if strings.Contains(in.Item, "/buckets/") || t.link.Comment != 0 {
		return statusItem{}, fault.Invalid(argument, "must be the project's own URL; got the URL of an item in it. To change that item, give its URL without a type")
	}
	p, err := rs.bc.Project(ctx, t.id)
	if err != nil {
		return statusItem{}, err
	}
	name := cmp.Or(projectName(p), fmt.Sprintf("project:%d", p.ID)) // an empty name would confirm itself
	return statusItem{head: head{p.ID, projectKind.kind}, Title: name, Status: p.Status, URL: p.AppURL, Project: projectRef{p.ID, name}, is: wholeProject(p)}, nil
}

// wholeProject returns a project as an item that all clients on it see.
func wholeProject(p basecamp.Project) basecamp.Recording {
	return basecamp.Recording{Bucket: basecamp.Bucket{ID: p.ID}, VisibleToClients: new(true)}
}

// recordingOf reads an item. A URL that scrolls to a comment, a reply or a subtask means that
// part: the caller does not expect a URL of a part to trash the whole item.
func (rs *resolver) recordingOf(ctx context.Context, argument string, t thing) (basecamp.Recording, kind, error) {
	k := t.withArguments(argument, "project")
	switch {
	case t.link.Comment != 0 && k.kind == forwardKind.kind:
		r, err := rs.bc.ForwardReply(ctx, t.id, t.link.Comment)
		return r.Recording, replyKind.withArguments(argument, "project"), err
	case t.link.Comment != 0:
		r, err := rs.bc.Item(ctx, commentKind.kind, t.link.Comment)
		k = commentKind.withArguments(argument, "project")
		if fault.Is(err, fault.NotFound) {
			r, err = rs.bc.Item(ctx, subtaskKind.kind, t.link.Comment)
			k = subtaskKind.withArguments(argument, "project")
		}
		return r.Recording, k, err
	case k.kind == lineKind.kind:
		t, err := rs.inItsChat(ctx, t)
		if err != nil {
			return basecamp.Recording{}, k, err
		}
		line, err := rs.bc.ChatLine(ctx, t.link.Within, t.id)
		return line.Recording, k, err
	}
	if t.in.read != nil {
		return t.in.read.Common(), k, nil
	}
	r, err := rs.bc.Item(ctx, k.kind, t.id)
	return r.Recording, k, err
}

// replyKind is a reply to a forwarded e-mail. No tool lists or reads it by itself.
var replyKind = kind{noun: noun{"reply to an e-mail", "replies to e-mails", "reply"}, reader: "get_by_url"}

// allowed refuses changes that Basecamp would accept but that the caller cannot have meant.
func allowed(argument string, item statusItem, status string) error {
	switch {
	case status == archived && (item.Type == commentKind.kind || item.Type == lineKind.kind || item.Type == replyKind.kind):
		return fault.Invalid(argument, "a %s cannot be archived; trash it, or archive the item that contains it", strings.ReplaceAll(item.Type, "_", " "))
	case item.Status == drafted && status == active:
		return fault.Invalid(argument, "this is a draft; publish it with update_%s", item.Type)
	case item.Status == drafted && status == archived:
		return fault.Invalid(argument, "a draft cannot be archived; trash it, or publish it first with update_%s", item.Type)
	}
	return nil
}

func (rs *resolver) setStatus(ctx context.Context, t statusItem, status string) (statusItem, error) {
	if t.Status == status {
		return t, nil
	}
	var err error
	if t.Type == projectKind.kind {
		err = rs.bc.SetProjectStatus(ctx, t.ID, status)
		rs.forgetProjects(ctx)
	} else {
		err = rs.bc.SetStatus(ctx, t.ID, status)
	}
	if err != nil {
		return statusItem{}, err
	}
	t.Status, t.Changed = status, true
	return t, nil
}
