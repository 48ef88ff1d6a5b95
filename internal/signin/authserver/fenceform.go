package authserver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/signin/fence"
)

// The values of the fields places and p<ID>, which say what a client may do in a project.
const (
	everywhere = "all"   // it reads and writes everything
	readsAll   = "read"  // it reads everything, and writes where the user allows it
	onlyNamed  = "named" // it uses only what the user allows
	levelRead  = "read"
	levelWrite = "write"
)

// kindOfPlaces is a kind of place. A form has a field with lines for each level: its name is that
// of the kind, a hyphen and the level.
type kindOfPlaces struct {
	name  string
	parse func(line string) (string, bool)
	what  string // a line is, for the user
}

func kindsOfPlaces() []kindOfPlaces {
	project := func(line string) (string, bool) {
		id, ok := fence.Project(line)
		return strconv.FormatInt(id, 10), ok
	}
	return []kindOfPlaces{
		{"projects", project, "the ID or the URL of a project"},
		{"repos", fence.Repo, "owner/name of a repository"},
		{"boards", fence.Board, "owner/number of a board"},
	}
}

// places are the named places of a level, by kind, in the order of the form.
type places map[string][]string

func (p places) add(kind, name string) {
	if !slices.ContainsFunc(p[kind], func(known string) bool { return strings.EqualFold(known, name) }) {
		p[kind] = append(p[kind], name)
	}
}

// with returns the places of both.
func (p places) with(others places) places {
	both := places{}
	for _, some := range []places{p, others} {
		for kind, names := range some {
			for _, name := range names {
				both.add(kind, name)
			}
		}
	}
	return both
}

// all returns the places as a fence has them.
func (p places) all() *fence.Places {
	found := fence.Places{Repos: p["repos"], Boards: p["boards"]}
	for _, text := range p["projects"] {
		id, _ := fence.Project(text)
		found.Projects = append(found.Projects, id)
	}
	return &found
}

func placesOf(f *fence.Places) places {
	if f == nil {
		return nil
	}
	p := places{}
	for _, id := range f.Projects {
		p.add("projects", strconv.FormatInt(id, 10))
	}
	for kind, names := range map[string][]string{"repos": f.Repos, "boards": f.Boards} {
		for _, name := range names {
			p.add(kind, name)
		}
	}
	return p
}

// fieldsOf returns the fields of a form that say what a fence says. mayWrite reports whether the
// client can write at all. Projects are fields of a list, or lines of text.
func fieldsOf(f fence.Fence, mayWrite, listed bool) map[string]string {
	fields := map[string]string{"places": everywhere}
	read, write := placesOf(f.Read), placesOf(f.Write)
	switch {
	case f.Read != nil:
		fields["places"] = onlyNamed
		if f.Write == nil && mayWrite {
			write = read
		}
	case f.Write != nil:
		fields["places"] = readsAll
	}
	for _, kind := range kindsOfPlaces() {
		writes := write[kind.name]
		reads := slices.DeleteFunc(slices.Clone(read[kind.name]), func(name string) bool { return slices.Contains(writes, name) })
		fields[kind.name+"-"+levelRead] = strings.Join(reads, "\n")
		fields[kind.name+"-"+levelWrite] = strings.Join(writes, "\n")
	}
	for name, on := range map[string]bool{"no_pings": f.NoPings, "lockdown": f.Lockdown} {
		if on {
			fields[name] = "on"
		}
	}
	if listed {
		toList(fields)
	}
	return fields
}

// toList turns the lines with projects into the fields of a list.
func toList(fields map[string]string) {
	fields["listed"] = "yes"
	for _, level := range []string{levelRead, levelWrite} {
		for id := range strings.Lines(fields["projects-"+level]) {
			fields["p"+strings.TrimSpace(id)] = level
		}
		delete(fields, "projects-"+level)
	}
}

// readFence returns the fence that the fields of a form describe, and what is wrong with them, by
// field. It ignores fields that do not count for the choice of places: the form does not show
// them. mayWrite reports whether the client can write at all.
func readFence(fields map[string]string, mayWrite bool) (f fence.Fence, wrong map[string]string) {
	wrong = map[string]string{}
	switch cmp.Or(fields["places"], everywhere) {
	case everywhere:
	case readsAll:
		f.Write = readPlaces(fields, levelWrite, wrong).all()
	case onlyNamed:
		write, read := readPlaces(fields, levelWrite, wrong), readPlaces(fields, levelRead, wrong)
		if len(read) > 0 && mayWrite { // else it writes to all that it reads, or to nothing
			f.Write = write.all()
		}
		f.Read = write.with(read).all()
	default:
		wrong["places"] = "Choose one of these lines."
	}
	f.NoPings, f.Lockdown = fields["no_pings"] != "", fields["lockdown"] != ""
	if len(f.Text()) > fence.MaxSize && len(wrong) == 0 {
		wrong["places"] = "These limits are too long to be stored. Name fewer places."
	}
	return f, wrong
}

// readPlaces returns the places of a level, from lines and from the choices of a list. It notes in
// wrong the first line of a field that is not a place.
func readPlaces(fields map[string]string, level string, wrong map[string]string) places {
	named := places{}
	for _, kind := range kindsOfPlaces() {
		field := kind.name + "-" + level
		for line := range strings.Lines(fields[field]) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if value, ok := kind.parse(line); ok {
				named.add(kind.name, value)
			} else {
				wrong[field] = cmp.Or(wrong[field], fmt.Sprintf("‘%s’ is not %s.", line, kind.what))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if id, ok := projectOf(name); ok && fields[name] == level {
			named.add("projects", strconv.FormatInt(id, 10))
		}
	}
	return named
}

// projectOf returns the ID of the project whose level a field has.
func projectOf(field string) (id int64, ok bool) {
	digits, ok := strings.CutPrefix(field, "p")
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, err == nil && id > 0
}
