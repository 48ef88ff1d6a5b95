package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	requests "basecamp-mcp/internal/upstream"
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
	planned, one, r, err := w.rs.completeOne(ctx, "everywhere", lookup.ItemInput{Item: id}, true)
	if err != nil {
		return hub.Completed{}, err
	}
	return hub.Completed{Thing: planned.thing(w.rs), Changed: one.Changed, Notified: r.Notified, ClientsSee: r.ViewClients().ClientsSee}, nil
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

// Place is where something is made in Basecamp, and how.
type Place struct {
	Project, List, Column toolargs.Ref
	Assignees             toolargs.Refs
	DueOn                 string
	Notify                bool
}

// Maker returns what makes a to-do, or a card if the place is a column. It resolves everything.
func (w *Wing) Maker(ctx context.Context, p Place, title string) (hub.Maker, error) {
	if p.Column.IsZero() {
		return w.todoMaker(ctx, p, title)
	}
	if p.Notify || !p.List.IsZero() {
		return hub.Maker{}, fault.Invalid("column", "is for cards; list and notify are for to-dos; give one of them")
	}
	in := createCardInput{Project: p.Project, Column: p.Column, Title: title, Assignees: p.Assignees, DueOn: p.DueOn}
	plan, err := w.rs.planCard(ctx, in)
	return hub.Maker{
		Into: fmt.Sprint("column/", plan.column),
		Make: func(ctx context.Context) (hub.Made, error) {
			beside := w.rs.AudienceBeside(ctx, plan.table.Recording)
			beside.KnowTable(plan.table)
			made, err := w.rs.BC.CreateCard(ctx, plan.column, plan.card)
			if err != nil {
				return hub.Made{}, err
			}
			whole, err := w.rs.finishCard(ctx, made, plan)
			if err != nil {
				return hub.Made{Thing: linkedThing(lookup.CardKind.Kind, made.Recording, false)}, err
			}
			return madeOf(lookup.CardKind, whole.Recording, beside.Created(made.Recording, plan.body)), nil
		},
		Since: w.madeSince(lookup.CardKind, plan.table.Bucket.ID, title),
	}, err
}

func (w *Wing) todoMaker(ctx context.Context, p Place, title string) (hub.Maker, error) {
	t := newTodo{Content: title, Assignees: p.Assignees, DueOn: p.DueOn, Notify: p.Notify}
	to, wrong := w.rs.whereToCreate(ctx, createTodosInput{Project: p.Project, List: p.List, Todos: []newTodo{t}})
	if wrong != nil {
		return hub.Maker{}, wrong
	}
	plan, err := w.rs.planTodo(ctx, to, t)
	return hub.Maker{
		Into: fmt.Sprint("list/", to.list.ID, "/", to.set),
		Make: func(ctx context.Context) (hub.Made, error) {
			beside := w.rs.AudienceBeside(ctx, to.holder())
			made, err := w.rs.writeTodo(ctx, to, plan.fields)
			if err != nil {
				return hub.Made{}, err
			}
			w.rs.LearnList(ctx, made.Recording)
			var told []basecamp.Person
			if p.Notify {
				told = made.Assignees
			}
			return madeOf(lookup.TodoKind, made.Recording, beside.Created(made.Recording, plan.notes, told...)), nil
		},
		Since: w.madeSince(lookup.TodoKind, to.project, title),
	}, err
}

func madeOf(k lookup.Kind, r basecamp.Recording, reached lookup.Reach) hub.Made {
	return hub.Made{Thing: linkedThing(k.Kind, r, false), Notified: reached.Notified, ClientsSee: reached.ViewClients().ClientsSee}
}

// mostPagesMade is how many pages are read to find what an earlier call made. Items that were
// changed last come first.
const mostPagesMade = 10

// madeSince returns a function that finds what the caller made in a project with a title.
func (w *Wing) madeSince(k lookup.Kind, project int64, title string) func(context.Context, time.Time) ([]hub.Thing, error) {
	return func(ctx context.Context, since time.Time) (found []hub.Thing, err error) {
		ctx = requests.Afresh(ctx)
		me, err := w.rs.Me(ctx)
		if err != nil {
			return nil, err
		}
		for page := 1; page <= mostPagesMade; page++ {
			all, err := w.rs.BC.Recordings(ctx, k.Upstream, project, lookup.Active, page)
			if err != nil {
				return nil, err
			}
			for _, r := range all.Items {
				if r.UpdatedAt.Before(since) {
					return found, nil
				}
				if r.Creator.ID == me.ID && !r.CreatedAt.Before(since) && plaintext.Clean(r.Title) == plaintext.Clean(title) {
					found = append(found, linkedThing(k.Kind, r.Recording, r.Completed))
				}
			}
			if len(all.Items) == 0 {
				break
			}
		}
		return found, nil
	}
}

var _ hub.Bearer = (*Wing)(nil)

// Naming returns the line that names an item.
func (w *Wing) Naming(t hub.Thing) string { return "Basecamp: " + t.URL }

// Parse returns the item that a URL names.
func (w *Wing) Parse(address string) (hub.Ref, bool) {
	link, err := basecamp.ParseLink(address)
	if err != nil || link.Comment != 0 {
		return hub.Ref{}, false
	}
	return refOfLink(link)
}

// refOfLink returns the item that can be linked at an address.
func refOfLink(link basecamp.Link) (hub.Ref, bool) {
	for _, k := range linkableKinds() {
		if slices.Contains(k.Links, link.Type) {
			return refOf(k.Kind, link.ID), true
		}
	}
	return hub.Ref{}, false
}

// movesOnly are the actions that change no text. Of an update of several fields, Basecamp may name
// only one.
var movesOnly = []string{"completed", "uncompleted", "adopted", "archived", "unarchived", "trashed", "untrashed"}

// Writers returns who made an item, and who changed it since. The history of an item does not say
// who wrote which part of its text.
func (w *Wing) Writers(ctx context.Context, t hub.Thing) ([]string, error) {
	found, err := w.rs.Thing(ctx, "", lookup.ItemInput{Item: t.Ref.ID}, linkableKinds()...)
	if err != nil {
		return nil, err
	}
	events, err := w.rs.BC.Events(ctx, 0, found.ID, 1)
	if err != nil || events.Next != 0 {
		return nil, err // who wrote it is not known
	}
	writers := []string{t.Author}
	for _, e := range events.Items {
		if who := hub.PersonRef(e.Creator.ID); !slices.Contains(movesOnly, e.Action) && !slices.Contains(writers, who) {
			writers = append(writers, who)
		}
	}
	return writers, nil
}

// Open reads the text of an item, to write a line into it.
func (w *Wing) Open(ctx context.Context, t hub.Thing) (hub.Text, error) {
	rs := w.rs
	found, err := rs.Thing(ctx, "", lookup.ItemInput{Item: t.Ref.ID}, linkableKinds()...)
	if err != nil {
		return hub.Text{}, err
	}
	if !slices.ContainsFunc(textItems, func(k lookup.Kind) bool { return k.Kind == found.Kind.Kind }) {
		return hub.Text{}, fault.Invalid("visible", "%s has no text for a line; leave it out", t.Ref.ID)
	}
	old, err := rs.openText(ctx, found)
	if err == nil {
		err = lookup.NotPutAway(t.Ref.ID, old.Recording)
	}
	if err != nil {
		return hub.Text{}, err
	}
	beside := rs.AudienceBeside(ctx, old.Recording)
	clients, left := beside.SeenBy(old.Recording)
	people, err := rs.People(ctx, old.Bucket.ID, time.Minute)
	if err != nil {
		return hub.Text{}, err
	}
	readers := lookup.Matching(people, func(p basecamp.Person) bool { return !p.Client || lookup.IsAmong(clients, p.ID) })
	write := func(html string) hub.LineWriter {
		return func(ctx context.Context) (hub.Told, error) {
			text := lookup.Composed{HTML: html}
			fields := old.fields
			fields.text = html
			now, err := old.write(ctx, fields)
			if err != nil {
				return hub.Told{}, err
			}
			r := beside.Reached(0, now.Recording, text)
			return hub.Told{Notified: r.Notified, ClientsSee: r.ViewClients().ClientsSee}, nil
		}
	}
	return hub.Text{
		Readers: lookup.SeenByWords(readers), Closed: len(clients) == 0 && len(left.LeftOut) == 0,
		Add: func(line string) (hub.LineWriter, error) {
			return write(richtext.Append(old.fields.text, richtext.FromPlain(line))), nil
		},
		Drop: func(line string) (hub.LineWriter, error) { return write(withoutLine(old.fields.text, line)), nil },
	}, nil
}

// withoutLine returns a text without a paragraph that was appended to it, also if others wrote
// below it since. Basecamp may store the paragraph in another form; then its words go.
func withoutLine(text, line string) string {
	added := richtext.FromPlain(line)
	for _, part := range []string{"<div><br></div>" + added, added} {
		if i := strings.LastIndex(text, part); i >= 0 {
			return text[:i] + text[i+len(part):]
		}
	}
	editing := richtext.Edit(text)
	editing.Replace(line, richtext.Replacement{}, false)
	return editing.HTML()
}

// Human returns a person of the account, without a login on GitHub.
func (w *Wing) Human(ctx context.Context, argument, text string) (hub.Human, error) {
	p, err := w.rs.Person(ctx, argument, lookup.URLs.ParseRef(text), 0)
	return hub.Human{Person: p.ID, Name: plaintext.Clean(p.Name)}, err
}

// NameOf returns the name of a person, or "" if that cannot be read.
func (w *Wing) NameOf(ctx context.Context, id int64) string {
	who, _ := w.Human(ctx, "", hub.PersonRef(id))
	return who.Name
}
