package pages

import (
	"strconv"
	"strings"
)

// Fence is the part of a form in which a user limits a client. It shows what is stored, or what the
// user has just typed.
type Fence struct {
	Writes   bool              // the client can write at all
	Further  string            // the provider with repositories and boards; empty if there is none
	Listed   bool              // the projects are a list; if not, the user names them in lines
	Projects []Project         // of the list
	Within   string            // the account of the projects, if the client uses several
	Fields   map[string]string // by name
	Wrong    map[string]string // what is wrong with a field, by its name
	Bounds   []string          // what the operator forbids to every client, in words
}

// Project is a project in the list of a Fence.
type Project struct {
	ID   int64
	Name string // empty if the user does not see it any longer
}

// Limits is the page that limits a connected client.
type Limits struct {
	Form   Form
	Was    string // the limits that the form shows, for the server to compare
	Client string // the name that the client gave itself
	// Accounts are those of the user, if there are several.
	Accounts []Account
	Fence    Fence
}

// Is reports whether a field has a value.
func (f Fence) Is(field, value string) bool { return f.Fields[field] == value }

// Why returns what is wrong with a field, or "".
func (f Fence) Why(field string) string { return f.Wrong[field] }

// Level returns the value of the field of a project in the list.
func (f Fence) Level(id int64) string { return f.Fields["p"+strconv.FormatInt(id, 10)] }

// FenceField is a field with its label, and what is wrong with it.
type FenceField struct{ Name, Label, Help, Value, Wrong string }

// Field returns a field, with its lines in a form that is safe to show. Help may be empty.
func (f Fence) Field(name, label, help string) FenceField {
	var lines []string
	for line := range strings.Lines(f.Fields[name]) {
		lines = append(lines, claim(500, line))
	}
	return FenceField{name, label, help, strings.Join(lines, "\n"), f.Wrong[name]}
}
