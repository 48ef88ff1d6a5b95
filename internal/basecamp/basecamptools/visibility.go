package basecamptools

import (
	"strings"

	"basecamp-mcp/internal/basecamp"
)

// seen is part of the views of items. ClientsSee is true if the people of a client can see the item
// and, in the answer of a write, their names.
type seen struct {
	ClientsSee any `json:"clients_see,omitempty" limits:"types=true|list"`
}

func viewSeen(r basecamp.Recording) seen {
	itself := visibilityOf(r) == byItself && isFlagged(r) && r.Status != drafted
	if !r.ClientsSee && !itself {
		return seen{}
	}
	return seen{true}
}

// seenBy returns the part for the answer of a write that the clients see.
func seenBy(clients []basecamp.Person) seen {
	if len(clients) == 0 {
		return seen{}
	}
	return seen{peopleNames(clients)}
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

const (
	boardType   = "Kanban::Board"
	todosetType = "Todoset"
	richLine    = "Chat::Lines::RichText"
	onHold      = "Kanban::OnHold" // a column's section for cards on hold
)

// visibilityOf returns what decides whether clients see an item.
func visibilityOf(r basecamp.Recording) visibility {
	switch {
	case r.Parent == nil:
		return byItself
	case strings.HasPrefix(r.Type, "Chat::Lines::"), isColumn(r.Type):
		return byParent
	case r.Type == listKind.upstream && r.Parent.Type != listKind.upstream:
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
