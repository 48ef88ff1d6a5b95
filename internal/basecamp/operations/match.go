package operations

import (
	"cmp"
	"strings"
	"sync"
)

// Place says in which project something is.
type Place uint8

// The places of what paths name. A path that no row places is of NoProject.
const (
	NoProject      Place = iota // it belongs to a person or to the account: drafts, notes, templates
	OfProject                   // the path names the project
	OfItem                      // the project is that of an item, which the path of the row reads
	OfFile                      // a file in a text, by its key
	OfPings                     // pings
	OfAccount                   // people and the account itself, which every client may read
	AcrossProjects              // a list or report of all projects
	OfBody                      // the body names what it is about
	Anywhere                    // it is not yet in any project
)

// Location is where what a path names is.
type Location struct {
	Place Place
	ID    string // of the project or the item, or the key of the file
	Reads string // the path that reads the item, without its ID; empty if there is none
	Self  bool   // the path is that of the item itself
}

// routes has the rows by the form of their paths, with # for an ID: those of writes with their
// methods, and those that have a place.
type routes struct{ writes, places map[string]*Row }

var allRoutes = sync.OnceValue(func() routes {
	all := routes{map[string]*Row{}, map[string]*Row{}}
	for _, rows := range append(areas, toolRows) {
		for i := range rows {
			for path := range strings.FieldsSeq(rows[i].Path) {
				form, _ := formOf(path)
				if rows[i].Says != "" {
					all.writes[rows[i].Method+" "+inside(form)] = &rows[i]
				}
				if rows[i].Place != NoProject {
					all.places[form] = &rows[i]
				}
			}
		}
	}
	return all
})

// formOf returns a path with # for each ID, and the IDs.
func formOf(path string) (form string, ids []string) {
	parts := strings.Split(strings.TrimSuffix(path, ".json"), "/")
	for i, part := range parts {
		if isID(part) || strings.HasPrefix(part, "{") {
			parts[i], ids = "#", append(ids, part)
		}
	}
	return strings.Join(parts, "/"), ids
}

// isID reports whether a part of a path is an ID. What a plan makes has a negative one.
func isID(part string) bool {
	digits := strings.TrimPrefix(part, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// inside returns a form without the project, which most paths may name or not.
func inside(form string) string { return strings.TrimPrefix(form, "buckets/#/") }

// Write returns the row of a write, and the last ID in its path, "" without one. What a row lacks
// is made up: words of the path, and an Undo that says that nothing is known.
func Write(method, path string) (row Row, target string) {
	form, ids := formOf(path)
	if len(ids) > 0 {
		target = ids[len(ids)-1]
	}
	form = inside(form)
	if known := allRoutes().writes[method+" "+form]; known != nil {
		return *known, target
	}
	words := strings.Split(strings.ReplaceAll(form, "/#", ""), "/")
	noun := strings.ReplaceAll(strings.TrimSuffix(words[len(words)-1], "s"), "_", " ")
	switch row.Undo = unknown; {
	case method == "POST" && !strings.HasSuffix(form, "#"):
		row.Says, row.Makes = "add: "+noun, "other"
	case method == "DELETE":
		row.Says = "remove: " + noun
	default:
		row.Says = "change: " + noun
	}
	return row, target
}

// Locate returns where what a path names is. A row places its path. If that ends with the ID of a
// project, an item or a ping, it also places what is below.
func Locate(path string) Location {
	if key, isFile := strings.CutPrefix(path, "blobs/"); isFile {
		key, _, _ = strings.Cut(key, "/")
		return Location{Place: OfFile, ID: "blobs/" + key}
	}
	form, ids := formOf(path)
	before, below, named := strings.Cut(form, "/#")
	row := allRoutes().places[form]
	if named && below != "" {
		row = allRoutes().places[before+"/#"]
	}
	l := Location{}
	if named {
		l.ID = ids[0]
	}
	if row == nil || below != "" && (row.Place == OfAccount || row.Place == AcrossProjects) {
		return l
	}
	if l.Place = row.Place; row.Place == OfItem && row.Before != "-" {
		l.Reads, _, _ = strings.Cut(cmp.Or(row.Before, before), "/{")
		l.Self = below == "" && l.Reads == before
	}
	return l
}

// Key returns what an item is remembered by. Boosts have IDs of their own.
func (l Location) Key() string {
	if l.Reads == "boosts" {
		return "boosts/" + l.ID
	}
	return l.ID
}
