package lookup

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
)

// Reach is part of the answer of every write that can notify people. It holds names.
//
// Mentioned are the people whom the write mentions and the text did not mention before. Notified
// are the people whom the write notifies according to Basecamp's API documentation, without the
// caller:
//
//   - every published text: the people it newly mentions (rich_text.md, "Inserting a mention");
//   - a comment: also the subscribers of its item (comments.md, "Create a comment");
//   - a message: also the people in its subscriptions, or everyone on the project (messages.md,
//     "Create a message"); a draft notifies them, and the people it mentions, when it is published;
//   - a to-do: also its assignees, if notify is set (todos.md, "Create a to-do");
//   - a schedule entry: also its participants, if notify is set (schedule_entries.md, "Create a
//     schedule entry");
//   - an answer to a check-in: also the subscribers of its question (questions.md, "Update
//     notification settings");
//   - a line in a ping: everyone in it (my_notifications.md, "Get notifications");
//   - a boost: the author of the item;
//   - a document, card, to-do list, file or chat line: only the people it mentions. Users follow
//     chats and watch columns too, but the documentation does not say when Basecamp notifies them.
//
// Clients do not see an item that is not visible to them (client_visibility.md), and an
// integration reads nothing, so neither counts as notified.
type Reach struct {
	Mentioned []string `json:"mentioned"`
	Notified  []string `json:"notified" jsonschema:"Without the caller"`
	Literal
	listing.Gaps

	clients []basecamp.Person // those who see what was written
}

// Literal is what stayed text in a text, though it may have been meant otherwise.
type Literal struct {
	NotMentioned []string `json:"not_mentioned,omitempty" jsonschema:"Stayed text"`
	NotLinked    []string `json:"not_linked,omitempty" jsonschema:"Stayed text; give URLs"`
}

func (l Literal) and(other Literal) Literal {
	return Literal{union(l.NotMentioned, other.NotMentioned), union(l.NotLinked, other.NotLinked)}
}

// Reached returns whom a write reached: the people that its text mentions, and others whom Basecamp
// notifies. By is the caller's id.
func (a *Audience) Reached(by int64, r basecamp.Recording, text Composed, others ...basecamp.Person) Reach {
	v := Reach{Mentioned: PeopleNames(text.Mentioned), Notified: []string{}, Literal: text.Literal}
	v.clients, v.Gaps = a.SeenBy(r)
	if r.Status == Drafted {
		return v
	}
	var notified []basecamp.Person
	for _, p := range slices.Concat(text.Mentioned, others) {
		hidden := p.Client && !IsAmong(v.clients, p.ID)
		if p.ID != by && !hidden && p.Type != "Integration" && !IsAmong(notified, p.ID) {
			notified = append(notified, p)
		}
	}
	v.Notified = PeopleNames(notified)
	return v
}

// InPing returns whom a line in a ping reached. People are all in it, and by is the caller's id.
func InPing(by int64, people []basecamp.Person, text Composed) Reach {
	others := Matching(people, func(p basecamp.Person) bool { return p.ID != by })
	return Reach{
		Mentioned: PeopleNames(text.Mentioned), Notified: PeopleNames(others), Literal: text.Literal,
		clients: Matching(others, IsClient),
	}
}

// ViewClients returns the part of an item's view that names the clients who see what was written.
func (v Reach) ViewClients() Seen { return SeenBy(v.clients) }

// Without returns the reach with what else could not be read.
func (v Reach) Without(left listing.Gaps) Reach {
	v.LeftOut = append(left.LeftOut, v.LeftOut...)
	return v
}

// Created returns whom a new item reached.
func (a *Audience) Created(r basecamp.Recording, text Composed, others ...basecamp.Person) Reach {
	return a.Reached(r.Creator.ID, r, text, others...)
}

// Add adds the people whom another entry of a batch reached.
func (v *Reach) Add(other Reach) {
	v.Mentioned = union(v.Mentioned, other.Mentioned)
	v.Notified = union(v.Notified, other.Notified)
	v.Literal = v.and(other.Literal)
	v.LeftOut = union(v.LeftOut, other.LeftOut)
	v.clients = unite(v.clients, other.clients)
}

func unite(a, b []basecamp.Person) []basecamp.Person {
	for _, p := range b {
		if !IsAmong(a, p.ID) {
			a = append(a, p)
		}
	}
	return a
}

func union(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}

// PeopleNames returns the names of people.
func PeopleNames(people []basecamp.Person) []string {
	return Mapped(people, func(p basecamp.Person) string { return plaintext.Clean(p.Name) })
}

// CallerOf returns the caller's id if a text mentions people, otherwise 0.
func (rs *Resolver) CallerOf(ctx context.Context, text Composed) (int64, error) {
	if len(text.Mentioned) == 0 {
		return 0, nil
	}
	me, err := rs.Me(ctx)
	return me.ID, err
}

// SubscribersInto reads the people whom Basecamp notifies of a comment on an item, or of an answer
// to a question.
func (rs *Resolver) SubscribersInto(people *[]basecamp.Person, project, item int64) listing.Extra {
	return listing.Extra{Name: "notified", Read: func(ctx context.Context) error {
		subscription, err := basecamp.SubscriptionTo.In(project).Get(ctx, rs.BC, item)
		*people = subscription.Subscribers
		return err
	}}
}
