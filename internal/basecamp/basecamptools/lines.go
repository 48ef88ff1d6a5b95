package basecamptools

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/plaintext"
)

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
