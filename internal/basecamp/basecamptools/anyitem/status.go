package anyitem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type setItemStatusInput struct {
	Items   []string     `json:"items" jsonschema:"URL, type:id (todo:123) or title" limits:"maxitems=20"`
	Status  string       `json:"status" jsonschema:"active restores" limits:"enum=active|archived|trashed"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	Confirm []string     `json:"confirm_title,omitzero" jsonschema:"Names of projects" limits:"maxitems=20"`
}

type statusItem struct {
	lookup.Head
	Title   string            `json:"title"`
	Status  string            `json:"status"`
	Changed bool              `json:"changed"`
	URL     string            `json:"url"`
	Project lookup.ProjectRef `json:"project"`

	is basecamp.Recording
}

// StatusResults says what became of each item.
type StatusResults struct {
	Results []listing.Outcome[statusItem] `json:"results"`
	Changed int                           `json:"changed"`
	Failed  int                           `json:"failed"`
	lookup.Seen
	listing.Gaps
}

// SetItemStatus returns the tool set_item_status.
func SetItemStatus(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "set_item_status",
		Title:       "Trash, archive or restore",
		Description: "Trashes, archives or restores Basecamp items or whole projects. Deletes nothing permanently.",
		Words:       "trash a project, delete a to-do, delete a message, delete a card, remove, archive this list, archive a project",
		Effect:      mcptool.Deletes,
	}, func(ctx context.Context, in setItemStatusInput) (StatusResults, error) {
		if len(in.Items) == 0 {
			return StatusResults{}, fault.Invalid("items", "must contain at least one item")
		}
		targets, err := rs.targets(ctx, in)
		if err != nil {
			return StatusResults{}, err
		}
		var r StatusResults
		changing := lookup.Matching(targets, func(t statusItem) bool { return t.Status != in.Status })
		items := lookup.Mapped(changing, func(t statusItem) basecamp.Recording { return t.is })
		beside := rs.Audience(ctx)
		beside.Start(items...)
		r.Results, r.Failed, err = listing.Each(ctx, "items", targets, listing.AnyOrder, func(ctx context.Context, t statusItem) (statusItem, error) {
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

// targets reads every named item before the first one is changed, so that the type of an id is
// never guessed.
func (rs *Resolver) targets(ctx context.Context, in setItemStatusInput) ([]statusItem, error) {
	targets, err := parts.PlanItems(ctx, rs.Base, in.Items, in.Project, func(ctx context.Context, path string, item lookup.ItemInput) (statusItem, error) {
		target, err := rs.target(ctx, path, item, in.Status)
		if err == nil {
			err = cmp.Or(allowed(path, target, in.Status), rs.BC.PermitWrite(ctx, target.is.Bucket.ID))
		}
		return target, err
	})
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

func (rs *Resolver) target(ctx context.Context, argument string, in lookup.ItemInput, status string) (statusItem, error) {
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
func (rs *Resolver) projectTarget(ctx context.Context, argument string, in lookup.ItemInput, t lookup.Thing) (statusItem, error) {
	if strings.Contains(in.Item, "/buckets/") || t.Link.Comment != 0 {
		return statusItem{}, fault.Invalid(argument, "must be the project's own URL; got the URL of an item in it. To change that item, give its URL without a type")
	}
	p, err := basecamp.ProjectAt.Get(ctx, rs.BC, t.ID)
	if err != nil {
		return statusItem{}, err
	}
	name := cmp.Or(lookup.ProjectName(p), fmt.Sprintf("project:%d", p.ID)) // an empty name would confirm itself
	// All clients on the project see it.
	all := basecamp.Recording{Bucket: basecamp.Bucket{ID: p.ID}, VisibleToClients: new(true)}
	return statusItem{Head: lookup.Head{ID: p.ID, Type: lookup.ProjectKind.Kind}, Title: name, Status: p.Status, URL: p.AppURL, Project: lookup.ProjectRef{ID: p.ID, Name: name}, is: all}, nil
}

// recordingOf reads an item. A URL that scrolls to a comment, a reply or a subtask means that
// part: the caller does not expect a URL of a part to trash the whole item.
func (rs *Resolver) recordingOf(ctx context.Context, argument string, t lookup.Thing) (basecamp.Recording, lookup.Kind, error) {
	k := t.WithArguments(argument, "project")
	switch {
	case t.Link.Comment != 0 && k.Kind == lookup.ForwardKind.Kind:
		r, err := basecamp.ReplyAt.Get(ctx, rs.BC, t.ID, t.Link.Comment)
		return r.Recording, parts.ReplyKind.WithArguments(argument, "project"), err
	case t.Link.Comment != 0:
		r, err := basecamp.ItemAt[basecamp.Listed](lookup.CommentKind.Kind).Get(ctx, rs.BC, t.Link.Comment)
		k = lookup.CommentKind.WithArguments(argument, "project")
		if fault.Is(err, fault.NotFound) {
			r, err = basecamp.ItemAt[basecamp.Listed](lookup.SubtaskKind.Kind).Get(ctx, rs.BC, t.Link.Comment)
			k = lookup.SubtaskKind.WithArguments(argument, "project")
		}
		return r.Recording, k, err
	}
	r, err := rs.Verified(ctx, t)
	return r, k, err
}

// allowed refuses changes that Basecamp would accept but that the caller cannot have meant.
func allowed(argument string, item statusItem, status string) error {
	switch {
	case status == lookup.Archived && (item.Type == lookup.CommentKind.Kind || item.Type == lookup.LineKind.Kind || item.Type == parts.ReplyKind.Kind):
		return fault.Invalid(argument, "a %s cannot be archived; trash it, or archive the item that contains it", strings.ReplaceAll(item.Type, "_", " "))
	case item.Status == lookup.Drafted && status == lookup.Active:
		return fault.Invalid(argument, "this is a draft; publish it with edit_text")
	case item.Status == lookup.Drafted && status == lookup.Archived:
		return fault.Invalid(argument, "a draft cannot be archived; trash it, or publish it first with edit_text")
	}
	return nil
}

func (rs *Resolver) setStatus(ctx context.Context, t statusItem, status string) (statusItem, error) {
	if t.Status == status {
		return t, nil
	}
	var err error
	if t.Type == lookup.ProjectKind.Kind {
		err = rs.BC.SetProjectStatus(ctx, t.ID, status)
		rs.ForgetProjects(ctx)
	} else {
		err = basecamp.StatusOf(status).Set(ctx, rs.BC, nil, t.ID)
	}
	if err != nil {
		return statusItem{}, err
	}
	t.Status, t.Changed = status, true
	return t, nil
}

// thingOrProject resolves an item as thing does. A title without a type and a project may also be
// the whole name of a project.
func (rs *Resolver) thingOrProject(ctx context.Context, argument string, in lookup.ItemInput, kinds []lookup.Kind) (lookup.Thing, error) {
	given := lookup.URLs.ParseRef(strings.TrimSpace(in.Item))
	if word, _ := lookup.CutType(given.Name); given.Name == "" || word != "" || !in.Project.IsZero() {
		return rs.Thing(ctx, argument, in, kinds...)
	}
	i := slices.IndexFunc(kinds, func(k lookup.Kind) bool { return k.Kind == lookup.ProjectKind.Kind })
	projects, err := rs.projectsNamed(ctx, kinds[i], given.Name)
	if err != nil || len(projects) == 0 {
		t, wrong := rs.Thing(ctx, argument, in, kinds...)
		if err != nil {
			wrong = err
		}
		return t, wrong
	}
	found := lookup.ProjectsFrom(ctx, argument, projects)
	t, err := rs.Thing(ctx, argument, in, kinds...)
	if err != nil && !fault.OfArguments(err) {
		return lookup.Thing{}, err
	}
	if items := namesakes(given.Name, t, err); len(items) > 0 {
		e := found.Ambiguous(projects, "%s is the name of a project and the title of an item; give project:id, or type:id", plaintext.Quote(given.Name))
		e.Candidates = append(e.Candidates, items...)
		return lookup.Thing{}, e
	}
	project, err := found.ByRef(toolargs.Ref{Name: given.Name})
	return lookup.Thing{Kind: kinds[i].WithArguments(argument, "project"), ID: project.ID, In: lookup.Place{ID: project.ID}}, err
}

// namesakes returns the items that have a whole title: the one that was found or, if err is
// AMBIGUOUS, some of those that it names.
func namesakes(title string, found lookup.Thing, err error) []fault.Candidate {
	if err == nil {
		return []fault.Candidate{{ID: found.ID, Type: found.Kind.Kind, Name: lookup.ShortName(title)}}
	}
	return lookup.Matching(fault.From(err).Candidates, func(c fault.Candidate) bool { return naming.Fold(c.Name) == naming.Fold(title) })
}

// projectsNamed returns the projects with a whole name and one of the statuses in which the kind is
// searched, from lists that are read now.
func (rs *Resolver) projectsNamed(ctx context.Context, k lookup.Kind, name string) ([]basecamp.Project, error) {
	projects, err := rs.ProjectsSought(ctx, k)
	return naming.Exactly(projects, name, lookup.ProjectName), err
}

// confirmedAway returns an error if a call puts projects away without the name of each as
// confirmation. The error tells what else would disappear.
func (rs *Resolver) confirmedAway(ctx context.Context, targets []statusItem, in setItemStatusInput) error {
	if len(in.Confirm) > 0 && !slices.ContainsFunc(targets, func(t statusItem) bool { return t.Type == lookup.ProjectKind.Kind }) {
		return fault.Invalid("confirm_title", "is for whole projects, and none of items is one; leave it out")
	}
	names := slices.Clone(in.Confirm)
	unconfirmed := lookup.Matching(targets, func(t statusItem) bool {
		if t.Type != lookup.ProjectKind.Kind || in.Status == lookup.Active || t.Status == in.Status {
			return false
		}
		i := slices.Index(names, t.Title)
		if i >= 0 {
			names = slices.Delete(names, i, i+1) // projects can have the same name
		}
		return i < 0
	})
	if len(unconfirmed) == 0 {
		return nil
	}
	var wholly, confirm []string
	for i, t := range unconfirmed {
		took := ""
		if i < mostCounted {
			var err error
			if took, err = rs.takenAlong(ctx, t.ID); err != nil {
				return err
			}
		}
		wholly, confirm = append(wholly, plaintext.Quote(t.Title)+took), append(confirm, plaintext.Quote(t.Title))
	}
	verb := map[string]string{lookup.Archived: "archive", lookup.Trashed: "trash"}[in.Status]
	if len(unconfirmed) == 1 {
		return fault.Invalid("confirm_title", "to %s the whole project %s, send its name as confirm_title: %s", verb, wholly[0], confirm[0])
	}
	return fault.Invalid("confirm_title", "to %s the whole projects %s, send the name of each in confirm_title: [%s]", verb, strings.Join(wholly, "; "), strings.Join(confirm, ", "))
}

// mostCounted is the number of projects whose items are counted.
const mostCounted = 3

// counted are the kinds of items that are counted before a project is put away.
var counted = []lookup.Kind{lookup.TodoKind, lookup.MessageKind, lookup.CardKind, lookup.DocumentKind, lookup.UploadKind, lookup.EntryKind}

// takenAlong returns how many active items a project has, in words. What cannot be read is left
// out.
func (rs *Resolver) takenAlong(ctx context.Context, project int64) (string, error) {
	totals := make([]string, len(counted))
	parts := make([]listing.Extra, len(counted))
	for i, k := range counted {
		parts[i] = listing.Extra{Name: k.Many, Read: func(ctx context.Context) error {
			page, err := basecamp.RecordingsIn[basecamp.Listed](k.Upstream, project, lookup.Active, basecamp.Sorted("updated_at", "desc")).Page(ctx, rs.BC, 1)
			switch {
			case page.Total == 1:
				totals[i] = "1 " + k.One
			case page.Total > 1:
				totals[i] = fmt.Sprintf("%d %s", page.Total, k.Many)
			}
			return err
		}}
	}
	_, err := listing.Extras(ctx, parts...)
	totals = slices.DeleteFunc(totals, func(t string) bool { return t == "" })
	if len(totals) == 0 {
		return "", err
	}
	return " with " + strings.Join(totals, ", "), err
}
