package basecamp

// CardTable is a board: cards in columns. It omits wormholes, which move a card to another board.
type CardTable struct {
	Recording
	Columns []Column `json:"lists"` // in the order of the page: Triage, Not now, the team's own, Done
}

// Column is a column of a card table. Title is its name, and Parent is the table.
type Column struct {
	Recording
	Color      string   `json:"color"` // yellow, blue, ...; empty for none
	CardsCount int      `json:"cards_count"`
	OnHold     *Section `json:"on_hold"` // nil if the column has no such section
}

// Section is the part of a column with the cards that are on hold. Methods that list the cards of a
// column also accept its ID.
type Section struct {
	ID         int64 `json:"id"`
	CardsCount int   `json:"cards_count"`
}

// The types of columns. A table has one column of each type, except that it has any number of own
// columns.
const (
	TriageColumn = "Kanban::Triage"
	OwnColumn    = "Kanban::Column"
	NotNowColumn = "Kanban::NotNowColumn"
	DoneColumn   = "Kanban::DoneColumn"
)

// Card is a card of a table. Moving it to Done completes it. Parent is its column.
type Card struct {
	Recording
	Completable
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"description_attachments"`
	DueOn       string       `json:"due_on"` // YYYY-MM-DD; empty without a date
	Assignees   []Person     `json:"assignees"`
	Subscribers []Person     `json:"completion_subscribers"` // people that Basecamp notifies of its completion
	Steps       []Subtask    `json:"steps"`
}

// NewCard has the fields for a new card. Assignees must be set afterwards.
type NewCard struct {
	Title   string `json:"title"`
	Content string `json:"content,omitempty"` // HTML
	DueOn   string `json:"due_on,omitempty"`
}
