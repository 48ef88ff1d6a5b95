package lookup

import (
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
)

// SeenByWords counts people, without integrations, and says whether some are of a client.
func SeenByWords(people []basecamp.Person) string {
	readers := Matching(people, func(p basecamp.Person) bool { return p.Type != "Integration" })
	words := fmt.Sprintf("%d people", len(readers))
	switch {
	case len(readers) == 0:
		return ""
	case len(readers) == 1:
		words = "1 person"
	}
	if slices.ContainsFunc(readers, IsClient) {
		words += ", client: yes"
	}
	return words
}

// Seen is part of the views of items. ClientsSee is true if the people of a client can see the item
// and, in the answer of a write, their names.
type Seen struct {
	ClientsSee any `json:"clients_see,omitempty" limits:"types=true|list"`
}

// ViewSeen returns whether clients see an item, as far as the item itself says so.
func ViewSeen(r basecamp.Recording) Seen {
	itself := visibilityOf(r) == byItself && isFlagged(r) && r.Status != Drafted
	if !r.ClientsSee && !itself {
		return Seen{}
	}
	return Seen{true}
}

// SeenBy returns the part for the answer of a write that the clients see.
func SeenBy(clients []basecamp.Person) Seen {
	if len(clients) == 0 {
		return Seen{}
	}
	return Seen{PeopleNames(clients)}
}

// visibility says what decides whether clients see an item. Basecamp's own flag,
// visible_to_clients, counts only for the first two: what inherits has a flag too, but nothing says
// what it means (client_visibility.md).
type visibility int

const (
	byItself visibility = iota
	byFolder            // by itself directly in a tool, else by the folder or list that it is in
	byParent
)

// visibilities holds the types of items that are not visible by themselves.
var visibilities = map[string]visibility{
	"Todolist": byFolder, // a group is in a list

	"Vault": byFolder, "Document": byFolder, "Upload": byFolder, "CloudFile": byFolder, "GoogleDocument": byFolder,

	"Todo": byParent, "Kanban::Step": byParent, "Kanban::Card": byParent, "Comment": byParent, "Question::Answer": byParent,
	"Inbox::Forward::Reply": byParent, "Inbox::Reply": byParent,
}

// Types of Basecamp that have no kind of their own.
const (
	boardType   = "Kanban::Board"
	TodosetType = "Todoset"
	RichLine    = "Chat::Lines::RichText"
	onHold      = "Kanban::OnHold" // a column's section for cards on hold
)

// visibilityOf returns what decides whether clients see an item.
func visibilityOf(r basecamp.Recording) visibility {
	switch {
	case r.Parent == nil:
		return byItself
	case strings.HasPrefix(r.Type, "Chat::Lines::"), isColumn(r.Type):
		return byParent
	case r.Type == ListKind.Upstream && r.Parent.Type != ListKind.Upstream:
		return byItself
	}
	return visibilities[r.Type]
}

// isColumn reports whether a type is one of the parts of a card table.
func isColumn(upstream string) bool {
	switch upstream {
	case basecamp.TriageColumn, basecamp.OwnColumn, basecamp.NotNowColumn, basecamp.DoneColumn, onHold:
		return true
	}
	return false
}

// isFlagged reports whether an item's own flag shows it to clients.
func isFlagged(r basecamp.Recording) bool { return r.VisibleToClients != nil && *r.VisibleToClients }
