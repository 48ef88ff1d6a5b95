package basecamp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

// screen returns the part of an answer that the client may see, and learns the places of what is in
// it. An item in another place is not found.
func (g *fenced) screen(ctx context.Context, a upstream.Answer) (upstream.Answer, error) {
	value, invalid := writeplan.Decode(a.Body)
	if invalid != nil {
		return a, nil //nolint:nilerr // the decoder of the answer says what is wrong
	}
	within := g.at.ID // of the project
	if g.at.Place != operations.OfProject {
		within = g.call.PlaceOf(g.at.Key())
	}
	if g.writes {
		g.learn(value, within)
		return a, nil
	}
	s := screening{fenced: g, aside: fence.IsAside(ctx)}
	if g.at.Place == operations.AcrossProjects {
		value = s.lists(value)
		a.Header = a.Header.Clone()
		a.Header.Del("X-Total-Count") // it counts what is left out
	} else if place := placeOfObject(value); place != "" || g.at.Self {
		if !g.allows(place) {
			return upstream.Answer{}, g.refuse(place)
		}
		if within = place; g.at.Self {
			g.call.Learn(g.at.Key(), place)
		}
	}
	value = s.within(value)
	g.learn(value, within)
	if !s.cut {
		return a, nil
	}
	var err error
	a.Body, err = json.Marshal(value)
	return a, err
}

// screening takes out of one answer what the client may not see.
type screening struct {
	*fenced
	aside bool
	cut   bool
}

// lists keeps the entries of the lists of an answer that are in a place that the client may read:
// of the answer itself, or of its fields.
func (s *screening) lists(value any) any {
	hidden := func(entry any) bool { return !s.allows(placeOfObject(entry)) }
	if list, ok := value.([]any); ok {
		return s.without(list, hidden)
	}
	f, _ := value.(fields)
	for name, member := range f {
		if list, ok := member.([]any); ok {
			f[name] = s.without(list, hidden)
		}
	}
	return value
}

// without takes the entries out of a list that are hidden.
func (s *screening) without(list []any, hidden func(any) bool) []any {
	return slices.DeleteFunc(list, func(entry any) bool {
		is := hidden(entry)
		if is {
			s.leaveOut(entry)
		}
		return is
	})
}

// within takes out of a value the objects in other places, at any depth.
func (s *screening) within(value any) any {
	switch v := value.(type) {
	case []any:
		v = s.without(v, s.elsewhere)
		for i := range v {
			v[i] = s.within(v[i])
		}
		return v
	case fields:
		for name, member := range v {
			if s.elsewhere(member) {
				s.leaveOut(member)
				member = nil
			}
			v[name] = s.within(member)
		}
	}
	return value
}

// elsewhere reports whether a value is an object that says that it is in a place that the client
// may not use. The portal of a column leads to another project, so it is not shown.
func (s *screening) elsewhere(value any) bool {
	f, _ := value.(fields)
	if f["type"] == "Kanban::Wormhole" {
		return s.held()
	}
	bucket, _ := f["bucket"].(fields)
	return bucket != nil && !s.allows(placeOfBucket(bucket))
}

// leaveOut counts what is left out. A group counts what it holds.
func (s *screening) leaveOut(entry any) {
	s.cut = true
	if s.aside {
		return
	}
	f, _ := entry.(fields)
	if id := writeplan.Text(f["id"]); id != "" {
		s.call.LeaveOut(fmt.Sprint(f["type"], " ", id))
		return
	}
	counted := false
	for _, member := range f {
		list, _ := member.([]any)
		for _, held := range list {
			counted = true
			s.leaveOut(held)
		}
	}
	if !counted {
		s.call.LeaveOut(fmt.Sprint(entry))
	}
}

// inAddress matches the place in the address of a thing.
var inAddress = lazyregexp.New(`/(buckets|projects|circles)/([0-9]+)`)

// placeOfObject returns the place of an object as it says itself, or as the first of its members
// says that names one, such as the question of a reminder. It returns "" if nothing says it.
func placeOfObject(value any) string {
	f, ok := value.(fields)
	if !ok {
		return ""
	}
	if bucket, ok := f["bucket"].(fields); ok {
		return placeOfBucket(bucket)
	}
	if f["dock"] != nil {
		return writeplan.Text(f["id"])
	}
	if f["section"] == "pings" {
		return ping
	}
	for _, name := range []string{"app_url", "url"} {
		if found := inAddress.FindStringSubmatch(writeplan.Text(f[name])); len(found) == 3 {
			if found[1] == "circles" {
				return ping
			}
			return found[2]
		}
	}
	for _, name := range []string{"recording", "question", "parent", "needle"} {
		if place := placeOfObject(f[name]); place != "" {
			return place
		}
	}
	return ""
}

func placeOfBucket(bucket fields) string {
	if bucket["type"] == "Circle" {
		return ping
	}
	return writeplan.Text(bucket["id"])
}

var fileKey = lazyregexp.New(`/(blobs/[^/"'?]+)/`)

// learn notes the places of the items in an answer, of the tools of a project, and of the files,
// links and notifications in it. A place is that of what contains the value.
func (g *fenced) learn(value any, place string) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			g.learn(entry, place)
		}
	case fields:
		if own := placeOfObject(v); own != "" {
			place = own
		}
		g.learnObject(v, place)
		for _, member := range v {
			g.learn(member, place)
		}
	}
}

func (g *fenced) learnObject(f fields, place string) {
	id := writeplan.Text(f["id"])
	if isItem(f, id) {
		g.call.Learn(id, place)
		if parent, ok := f["parent"].(fields); ok {
			g.call.Learn(writeplan.Text(parent["id"]), place)
		}
	}
	if sgid := writeplan.Text(f["readable_sgid"]); sgid != "" {
		g.call.Learn(sgid, place)
	}
	dock, _ := f["dock"].([]any)
	for _, tool := range dock {
		t, _ := tool.(fields)
		g.call.Learn(writeplan.Text(t["id"]), place)
	}
	for _, member := range f {
		text, _ := member.(string)
		if strings.Contains(text, "/blobs/") {
			for _, match := range fileKey.FindAllStringSubmatch(text, -1) {
				g.call.Learn(match[1], place)
			}
		}
	}
}

// isItem reports whether an object is the item with an ID. Entries of a timeline, projects and
// people have IDs too, which may be the same as that of an item.
func isItem(f fields, id string) bool {
	bucket, _ := f["bucket"].(fields)
	address := writeplan.Text(f["url"]) + " " + writeplan.Text(f["app_url"])
	return bucket != nil && f["type"] != nil && id != "" && strings.Contains(address, id)
}
