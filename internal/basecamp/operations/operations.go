// Package operations is the table of Basecamp's API: one row for each write, with what a plan says
// of it, what undoes it, and where its path lies. A row with a name is an operation, as people call
// it, and package basecamptools runs it with its arguments; it may also read. The others are sent
// by tools of their own. The client of package basecamp asks [Write] and [Locate] for the row of a
// request. In this row,
//
//	{
//		Name: "pause_checkin", Does: "Pauses a check-in: Basecamp stops asking", Page: "questions",
//		Method: "POST", Path: "questions/{question}/pause", Args: []Arg{question, itsProject},
//		Says: "pause a check-in", Sets: on("paused"), Undo: reverse(""),
//	},
//
// the argument question, one of Args, fills the part of the path with its name. A preview says that
// the call would pause a check-in and that paused becomes true. The request with the other method
// undoes it, if paused is still true. The project is that of the question, because the row with the
// path questions/{question} has the Place OfItem, which holds for all that is below. Page is the
// public source: a page of https://github.com/basecamp/bc-api/tree/master/sections.
package operations

import (
	"net/http"
	"strings"
)

// Row is one operation, or what a tool sends.
type Row struct {
	Name   string // as people say it; empty: a tool of its own sends it
	Does   string // what it does, in one line
	Covers string // the names of Basecamp's SDK for what it sends, separated by blanks
	Page   string // its source, without .md; "sdk" for openapi.json of basecamp-sdk
	Method string // empty: GET
	Path   string // without .json; {name} stands for an ID. Rows that only have a Place may have several
	Args   []Arg

	Items       string // of a list: "." if the answer is the list, or else the field that holds it
	Before      string // the path that reads what it changes, for previous; of an OfItem: the item, "-" for none
	Together    string // arguments that must be given together, separated by blanks
	Tells       string // whom it notifies, for readers; empty: no one
	Then        string // what to do next
	Words       string // other words for it, for the search
	Sums        bool   // the hours of the list are added up
	Events      bool   // the list has events, which are described in words
	ReplacesAll bool   // the request replaces all fields: what the caller does not name is sent as it was
	Idempotent  bool   // a POST that changes nothing when it is repeated
	Admin       bool   // only for administrators, in a toolset of its own

	Place       Place  // in which project what the path names is; zero: see [Locate]
	Says        string // what a plan says that it does: "pause a check-in"; empty: words of the path
	Makes       string // the type of the item that it makes, as Basecamp calls it; "other" for anything else
	Sets        *Set   // what it changes besides the fields of its body; nil: nothing
	Undo        *Undo  // how the tool undo takes it back, or why not; nil: it is not known
	Named       Names  // the arguments of the tools that send it
	TakenBackBy string // what takes it back if undo does not: an operation, a tool, or Final; empty: undo, if anything
}

// Set is a field with its new value.
type Set struct {
	Field string
	To    any
}

// Names are the arguments of tools by the fields of a body that have other names.
type Names map[string]string

// In adds the field, if there is one, to others.
func (s *Set) In(fields map[string]any) {
	if s != nil {
		fields[s.Field] = s.To
	}
}

func on(field string) *Set   { return &Set{field, true} }
func off(field string) *Set  { return &Set{field, false} }
func status(now string) *Set { return &Set{"status", now} }

// Final is the TakenBackBy of what nothing takes back.
const Final = "cannot be taken back"

// TakenBack says what takes the operation back, or returns "".
func (r *Row) TakenBack() string {
	switch {
	case r.TakenBackBy == "" && r.Undo != nil:
		return "undo"
	case r.TakenBackBy == "", r.TakenBackBy == Final:
		return r.TakenBackBy
	}
	if by := Find(r.TakenBackBy); by != nil && by.Admin && !r.Admin {
		return "only in Basecamp itself"
	}
	return "not undo, only " + r.TakenBackBy
}

// Arg is an argument of a row.
type Arg struct {
	Name string
	Kind Kind
	Need bool // it is required
	// To says where it goes: {name} of the path, ?name of the query, or a field of the body, with
	// dots for a field of an object. It may name several, separated by blanks. "" is the field Name
	// of the body, and "-" is nowhere.
	To      string
	Of      string // a text's choices, with |; an Item's kinds; a Tool's kind; the row that lists a Named
	Min     int
	Max     int    // of a Number: the largest; of a text: its length
	Default string // what stands for a missing argument
	Was     string // the field of the answer that holds the old value; "" for the last part of To
	About   string // what to know about it
}

// Kind says what an argument holds, and how it is read.
type Kind uint8

// The kinds of arguments.
const (
	Text          Kind = iota // plain, or one of Of
	Texts                     // several of them
	Markdown                  // rich text, with mentions
	Append                    // rich text that is added to the old one
	Date                      // a day, as people write it; a weekday is the next one
	PastDate                  // likewise, and a weekday is the last one
	Clock                     // a time of day
	Hours                     // 1.5 or 1:30
	Weekdays                  // monday, ...
	Number                    // an integer from Min to Max
	Flag                      // true or false
	Project                   // a project
	Projects                  // several
	Person                    // a person, on the project if there is one
	People                    // several
	Notice                    // whom to notify: everyone, default, or people
	Invitations               // new people: name and email_address, perhaps title and company_name
	Item                      // an item of one of the kinds in Of
	Lists                     // to-do lists of the project
	Tool                      // a tool of the project, of the kind in Of; by default the only one
	Column                    // a column of a card table of the project
	Named                     // one of what the row in Of lists, by its name or ID
	ID                        // an ID that another operation returned
	Notifications             // unread notifications, or all of them
)

// Refers reports whether arguments of a kind name items, places or people that exist.
func (k Kind) Refers() bool { return k >= Project && k != Invitations }

// Changes reports whether the operation changes anything.
func (r *Row) Changes() bool { return r.Method != "" }

// Creates reports whether the operation makes something.
func (r *Row) Creates() bool { return r.Method == http.MethodPost }

// Replaces reports whether the operation writes to what exists.
func (r *Row) Replaces() bool { return r.Method == http.MethodPut }

// Deletes reports whether the operation removes something.
func (r *Row) Deletes() bool { return r.Method == http.MethodDelete }

// Arg returns an argument by name, or nil.
func (r *Row) Arg(name string) *Arg {
	for i := range r.Args {
		if r.Args[i].Name == name {
			return &r.Args[i]
		}
	}
	return nil
}

// The tools that run operations.
const (
	Reader        = "read_basecamp"
	Changer       = "change_basecamp"
	Administrator = "administer_basecamp"
)

// Runner returns the name of the tool that runs the operation.
func (r *Row) Runner() string {
	switch {
	case r.Admin:
		return Administrator
	case r.Changes():
		return Changer
	}
	return Reader
}

// areas are the rows of all areas.
var areas = [][]Row{projectRows, boardRows, progressRows, checkinRows, mineRows, fileRows, templateRows, clientRows, reportRows, adminRows}

// All yields every operation.
func All(yield func(*Row) bool) {
	for _, rows := range areas {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}

// Those returns the rows to keep.
func Those(keep func(*Row) bool) (rows []*Row) {
	for row := range All {
		if keep(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// Find returns the row with a name, whose case and separators do not matter, or nil.
func Find(name string) *Row {
	name = plain(name)
	for row := range All {
		if row.Name == name {
			return row
		}
	}
	return nil
}

func plain(name string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// InBody reports whether the argument goes into the body of the request.
func (a *Arg) InBody() bool {
	return a.To == "" || a.To != "-" && !strings.HasPrefix(a.To, "{") && !strings.HasPrefix(a.To, "?")
}

// Field returns the field of an answer that holds the argument's old value.
func (a *Arg) Field() string {
	if a.Was != "" {
		return a.Was
	}
	to := a.To
	if to == "" {
		to = a.Name
	}
	return to[strings.LastIndexByte(to, '.')+1:]
}

// Arguments that many rows have.
var (
	inProject  = Arg{Name: "project", Kind: Project, To: "{project}", Need: true}
	itsProject = Arg{Name: "project", Kind: Project, To: "-"} // finds what is named
	anyItem    = Arg{Name: "item", Kind: Item, To: "{item}", Need: true}
	anyone     = Arg{Name: "person", Kind: Person, To: "{person}", Default: "me"}
	name       = Arg{Name: "name", Need: true, Max: 250}
	newName    = Arg{Name: "name", Max: 250}
	from       = Arg{Name: "from", Kind: PastDate, To: "?from"}
	to         = Arg{Name: "to", Kind: PastDate, To: "?to"}
	clients    = Arg{Name: "visible_to_clients", Kind: Flag}
	newest     = Arg{Name: "sort", To: "?sort", Of: "created_at|updated_at"}
)
