package basecamptools

import (
	"context"
	"fmt"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
)

// Wing is Basecamp as the server's own tools see it. It is a side of the hub.
type Wing struct{ rs *resolver }

var _ hub.Side = (*Wing)(nil)

// New returns the wing of a client. If now is nil, its clock is time.Now. The tools ask links what
// is linked; it may be nil.
func New(bc *basecamp.Client, now func() time.Time, links *hub.Hub) *Wing {
	if now == nil {
		now = time.Now
	}
	rs := newResolver(bc, now)
	rs.links = links
	return &Wing{rs}
}

// Beside makes get_changes show, if a call asks for it, what changed on GitHub.
func (w *Wing) Beside(read hub.ReadChanges) { w.rs.github = read }

// Date reads a day as people write it, and returns it as YYYY-MM-DD, or "" if the text says that
// there is none. The time zone is that of the caller's profile; a date needs no request.
func (w *Wing) Date(ctx context.Context, argument, text string) (string, error) {
	return w.rs.DateOrNone(ctx, argument, text)
}

// Side is the name of Basecamp in references.
const Side = "basecamp"

// Name returns the name of the side.
func (w *Wing) Name() string { return Side }

// linkableKinds returns the kinds of items that can be linked.
func linkableKinds() []lookup.Kind {
	return []lookup.Kind{
		lookup.TodoKind, lookup.CardKind, lookup.SubtaskKind, lookup.ListKind, lookup.MessageKind, lookup.DocumentKind,
		lookup.UploadKind, lookup.QuestionKind, lookup.EntryKind,
	}
}

// Names reports whether a text is a number, type:id or a URL of Basecamp.
func (w *Wing) Names(text string) bool {
	ref := lookup.URLs.ParseRef(text)
	if ref.URL != "" {
		_, err := basecamp.ParseLink(ref.URL)
		return err == nil
	}
	bare, _, _ := cutAccount(ref.Name)
	word, rest := lookup.CutType(bare)
	return ref.ID > 0 || word != "" && lookup.URLs.ParseRef(rest).ID > 0
}

// Find reads the item that a text names.
func (w *Wing) Find(ctx context.Context, argument, text string) (hub.Thing, error) {
	text, err := inHome(ctx, argument, text)
	if err != nil {
		return hub.Thing{}, err
	}
	t, err := w.rs.Thing(ctx, argument, lookup.ItemInput{Item: text}, linkableKinds()...)
	if err != nil {
		return hub.Thing{}, err
	}
	item, done, err := w.rs.Whole(ctx, t)
	if err != nil {
		return hub.Thing{}, err
	}
	return w.rs.wholeThing(t.Kind.Kind, item, done), nil
}

func refOf(kind string, id int64) hub.Ref {
	return hub.Ref{Side: Side, ID: fmt.Sprintf("%s:%d", kind, id)}
}

func linkedThing(kind string, item basecamp.Recording, done bool) hub.Thing {
	v := hub.Thing{Ref: refOf(kind, item.ID), Title: plaintext.Clean(item.Title), URL: item.AppURL, State: hub.Open}
	switch {
	case item.Status == lookup.Trashed || item.Status == lookup.Archived:
		v.State = hub.Trashed
	case done:
		v.State = hub.Done
	}
	return v
}

// wholeThing returns an item with its text, and whom it is assigned to.
func (rs *resolver) wholeThing(kind string, item interface{ Common() basecamp.Recording }, done bool) hub.Thing {
	v := linkedThing(kind, item.Common(), done)
	v.Author = hub.PersonRef(item.Common().Creator.ID)
	held, assignees := textOf(item)
	v.Text = attached.ReplaceAllString(rs.Markdown(held), "") // files often stand at the end
	if len(assignees) == 1 {
		v.Assignee = hub.PersonRef(assignees[0].ID)
	}
	return v
}

// attached matches what stands for a file in a text.
var attached = lazyregexp.New(`(?m)^\[Attachment: .*\]$`)

// textOf returns the text of an item, and whom it is assigned to.
func textOf(item any) (basecamp.HTML, []basecamp.Person) {
	switch i := item.(type) {
	case basecamp.Todo:
		return i.Description, i.Assignees
	case basecamp.Card:
		return i.Content, i.Assignees
	case basecamp.Subtask:
		return "", i.Assignees
	case basecamp.Message:
		return i.Content, nil
	case basecamp.Document:
		return i.Content, nil
	case basecamp.Todolist:
		return i.Description, nil
	case basecamp.ScheduleEntry:
		return i.Description, nil
	}
	return "", nil
}

// Complete completes an item.
func (w *Wing) Complete(ctx context.Context, id string) (hub.Completed, error) {
	t, err := w.rs.Thing(ctx, "everywhere", lookup.ItemInput{Item: id}, completableKinds...)
	if err != nil {
		return hub.Completed{}, err
	}
	planned, err := w.rs.planCompletion(ctx, t, true, nil)
	if err != nil {
		return hub.Completed{}, err
	}
	beside := w.rs.Audience(ctx)
	planned.announce(beside)
	one, err := planned.make(ctx)
	r := planned.reached(beside)
	return hub.Completed{Thing: planned.thing(w.rs), Changed: one.Changed, Notified: r.Notified, ClientsSee: r.ViewClients().ClientsSee}, err
}

// CallToComplete returns the call that completes an item.
func (w *Wing) CallToComplete(id string) hub.Call {
	return hub.Call{Tool: "set_completed", Arguments: map[string]any{"item": id, "completed": true}}
}

// finish completes what is linked to items that the call has completed. It drops what the hub has
// read of all of them.
func (rs *resolver) finish(ctx context.Context, everywhere bool, done ...hub.Thing) (v everywhereAnswer, err error) {
	if rs.links == nil {
		return v, nil
	}
	rs.links.Forget(ctx)
	if caller, _ := identity.From(ctx); everywhere && caller.IsHome() {
		v.Everywhere, err = rs.links.Finish(ctx, done...)
	}
	return v, err
}
