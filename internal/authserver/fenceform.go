package authserver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fence"
)

// The values of the fields places and p<ID>, which say what a client may do in a project.
const (
	everywhere = "all"   // it reads and writes everything
	readsAll   = "read"  // it reads everything, and writes where the user allows it
	onlyNamed  = "named" // it uses only what the user allows
	levelRead  = "read"
	levelWrite = "write"
)

// kindsOfPlaces has, for each kind of place, the fields with lines: the field's name is the kind, a
// hyphen and a level.
func kindsOfPlaces() []string { return []string{"projects", "repos", "boards"} }

// places are the named places of a level, by kind, in the order of the form.
type places map[string][]string

func (p places) add(kind, name string) {
	if !slices.ContainsFunc(p[kind], func(known string) bool { return strings.EqualFold(known, name) }) {
		p[kind] = append(p[kind], name)
	}
}

func (p places) isEmpty() bool { return len(p) == 0 }

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

// fieldsOf returns the fields of a form that say what a fence says. Projects are fields of a list,
// or lines of text.
func fieldsOf(f fence.Fence, listed bool) map[string]string {
	fields := map[string]string{"places": everywhere}
	read, write := placesOf(f.Read), placesOf(f.Write)
	switch {
	case f.Read != nil:
		fields["places"] = onlyNamed
		if f.Write == nil {
			write = read
		}
	case f.Write != nil:
		fields["places"] = readsAll
	}
	for _, kind := range kindsOfPlaces() {
		reads := slices.DeleteFunc(slices.Clone(read[kind]), func(name string) bool { return slices.Contains(write[kind], name) })
		fields[kind+"-"+levelRead] = strings.Join(reads, "\n")
		fields[kind+"-"+levelWrite] = strings.Join(write[kind], "\n")
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

// fenceReader reads a fence from the fields of a form.
type fenceReader struct {
	fields map[string]string
	wrong  map[string]string // what is wrong with a field, for the user
	levels map[string]places // by level
}

// readFence returns the fence that the fields of a form describe, and what is wrong with them, by
// field. mayWrite reports whether the client can write at all.
func readFence(fields map[string]string, mayWrite bool) (f fence.Fence, wrong map[string]string) {
	r := fenceReader{fields, map[string]string{}, map[string]places{levelRead: {}, levelWrite: {}}}
	r.readPlaces()
	r.choosePlaces(&f, mayWrite)
	f.NoPings, f.Lockdown = fields["no_pings"] != "", fields["lockdown"] != ""
	if len(f.Text()) > fence.MaxSize && len(r.wrong) == 0 {
		r.wrong["places"] = "These limits are too long to be stored. Name fewer places."
	}
	return f, r.wrong
}

// readPlaces reads the places that the user named, from lines and from the choices of a list.
func (r fenceReader) readPlaces() {
	project := func(text string) (string, bool) {
		id, ok := fence.Project(text)
		return strconv.FormatInt(id, 10), ok
	}
	for level, named := range r.levels {
		for _, text := range r.lines("projects-"+level, project, "the ID or the URL of a project") {
			named.add("projects", text)
		}
		for _, text := range r.lines("repos-"+level, fence.Repo, "owner/name of a repository") {
			named.add("repos", text)
		}
		for _, text := range r.lines("boards-"+level, fence.Board, "owner/number of a board") {
			named.add("boards", text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		if id, ok := projectOf(name); ok && r.levels[r.fields[name]] != nil {
			r.levels[r.fields[name]].add("projects", strconv.FormatInt(id, 10))
		}
	}
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

// choosePlaces sets what a client may read and write.
func (r fenceReader) choosePlaces(f *fence.Fence, mayWrite bool) {
	read, write := r.levels[levelRead], r.levels[levelWrite]
	switch cmp.Or(r.fields["places"], everywhere) {
	case everywhere:
		if !read.isEmpty() || !write.isEmpty() {
			r.wrong["places"] = "You allowed some places below, but chose all. Choose another line here, or clear the places."
		}
	case readsAll:
		f.Write = write.all()
	case onlyNamed:
		all := places{}
		for _, kind := range kindsOfPlaces() {
			for _, name := range slices.Concat(write[kind], read[kind]) {
				all.add(kind, name)
			}
		}
		f.Read = all.all()
		if !read.isEmpty() && mayWrite { // else it writes to all that it reads, or to nothing
			f.Write = write.all()
		}
	default:
		r.wrong["places"] = "Choose one of these lines."
	}
}

// lines returns the values in the lines of a field. It notes the first line that is not one.
func (r fenceReader) lines(field string, parse func(string) (string, bool), what string) (all []string) {
	for line := range strings.Lines(r.fields[field]) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		value, ok := parse(line)
		if !ok {
			r.wrong[field] = cmp.Or(r.wrong[field], fmt.Sprintf("‘%s’ is not %s.", line, what))
			continue
		}
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}
