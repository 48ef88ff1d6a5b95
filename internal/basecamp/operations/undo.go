package operations

// Undo says how a write is taken back. In its paths, {id} stands for what the write changes or
// makes.
type Undo struct {
	By     Way      `json:"by,omitempty"`
	Cannot string   `json:"-"`                // why it cannot be undone
	Fields []string `json:"fields,omitempty"` // of the body of the request, which puts their old values back
	Reads  string   `json:"-"`                // path of what the fields are in; empty: the item itself
	With   string   `json:"-"`                // method and path of the request that removes what the write made
	Adds   string   `json:"adds,omitempty"`   // the field of a body that adds people
	Drops  string   `json:"drops,omitempty"`  // the field of a body that removes people
	In     string   `json:"in,omitempty"`     // the field of what is read that has the people; empty: it is a list of them
}

// Way says what kind of request undoes a write.
type Way int

// The ways to undo a write.
const (
	Restores Way = iota // the same request with the old fields
	Reverses            // the other one of POST and DELETE
	Statuses            // the one that gives the item or the project its old status
	Removes             // the one that removes what was made
	Members             // the same request with the people the other way round
	UpNext              // those that put one of the user's priorities back in its place
	Reminder            // the one that sets or removes the user's reminder of an item
	Boosts              // the one that boosts again
	Unseen              // none: what the write does is not seen
)

var (
	trash      = remove("PUT recordings/{id}/status/trashed", "")
	oldStatus  = &Undo{By: Statuses}
	upNext     = &Undo{By: UpNext, Reads: "my/assignments"}
	reminder   = &Undo{By: Reminder, Reads: "my/readings/bubble_ups"}
	boostAgain = &Undo{By: Boosts, Reads: "boosts/{id}"}
	unseen     = &Undo{By: Unseen}
	unknown    = cannot("it is not known what undoes it")
	chatsLast  = cannot("Basecamp deletes a chat line permanently; delete it yourself")
)

func cannot(why string) *Undo         { return &Undo{Cannot: why} }
func restores(fields ...string) *Undo { return &Undo{Fields: fields} }
func reverse(reads string) *Undo      { return &Undo{By: Reverses, Reads: reads} }
func remove(with, reads string) *Undo { return &Undo{By: Removes, With: with, Reads: reads} }
func members(adds, drops, in, reads string) *Undo {
	return &Undo{By: Members, Adds: adds, Drops: drops, In: in, Reads: reads}
}
