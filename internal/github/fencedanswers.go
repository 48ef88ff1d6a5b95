package github

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

// screen returns the part of an answer that the client may see, and learns the places of what is in
// it.
func (g *fenced) screen(ctx context.Context, a upstream.Answer) (upstream.Answer, error) {
	value, invalid := writeplan.Decode(a.Body)
	if invalid != nil {
		return a, nil //nolint:nilerr // the decoder of the answer says what is wrong
	}
	g.learn(value)
	if g.fence.Read == nil || g.sent.writes {
		return a, nil
	}
	s := screening{fenced: g, aside: fence.IsAside(ctx)}
	if s.elsewhere(value) {
		return upstream.Answer{}, fence.Hidden(g.origin)
	}
	if g.sent.of == graphql && g.sent.reads == itself && !s.toldPlaces(value) {
		return upstream.Answer{}, fence.Hidden(g.origin)
	}
	value = s.within(value)
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

// toldPlaces reports whether the things that a query asks for say places that the client may read.
// Of several things, it takes out the others. An answer without a thing has none, and its decoder
// says so.
func (s *screening) toldPlaces(value any) bool {
	answer, _ := value.(fields)
	data, _ := answer["data"].(fields)
	for name, member := range data {
		thing, _ := member.(fields)
		if board, ok := thing["projectV2"].(fields); ok && name == "viewer" {
			thing = board
		}
		switch {
		case thing["id"] == nil, s.allows(s.placeOfObject(thing)) && !s.elsewhere(thing):
		case strings.HasPrefix(name, "m"): // a part
			s.leaveOut(thing)
			data[name] = nil
		default:
			return false
		}
	}
	return true
}

// within takes out of a value what is in other places, at any depth.
func (s *screening) within(value any) any {
	switch v := value.(type) {
	case []any:
		kept := []any{}
		for _, entry := range v {
			if s.elsewhere(entry) {
				s.leaveOut(entry)
			} else {
				kept = append(kept, s.within(entry))
			}
		}
		return kept
	case fields:
		before := len(s.listIn(v))
		for name, member := range v {
			if s.elsewhere(member) {
				s.leaveOut(member)
				v[name] = nil
			} else {
				v[name] = s.within(member)
			}
		}
		if left := before - len(s.listIn(v)); left > 0 {
			s.count(v, left)
		}
		parentIn, _, _ := strings.Cut(writeplan.Text(v["parent_issue_url"]), "/issues/")
		if repo := parseRepo(parentIn); repo != (Repo{}) && !s.allows(repo.String()) {
			s.cut, v["parent_issue_url"] = true, nil
		}
	}
	return value
}

// listIn returns the list of a connection, or of a search.
func (s *screening) listIn(f fields) []any {
	for _, name := range []string{"nodes", "edges", "items"} {
		if list, ok := f[name].([]any); ok {
			return list
		}
	}
	return nil
}

// count corrects how many entries a list says that it has.
func (s *screening) count(f fields, left int) {
	for _, name := range []string{"totalCount", "total_count"} {
		if n, ok := f[name].(json.Number); ok {
			if total, err := n.Int64(); err == nil {
				f[name] = max(total-int64(left), 0)
			}
		}
	}
}

// elsewhere reports whether a value is an object that says that it is in a place that the client
// may not read: itself, or the issue that an item of a board shows.
func (s *screening) elsewhere(value any) bool {
	f, _ := value.(fields)
	if f == nil {
		return false
	}
	if node, ok := f["node"].(fields); ok && f["cursor"] != nil {
		f = node
	}
	if place := s.placeOfObject(f); place != "" && !s.allows(place) {
		return true
	}
	content, _ := f["content"].(fields)
	place := s.placeOfObject(content)
	return place != "" && !s.allows(place)
}

func (s *screening) leaveOut(entry any) {
	s.cut = true
	if s.aside {
		return
	}
	f, _ := entry.(fields)
	if node, ok := f["node"].(fields); ok {
		f = node
	}
	if id := writeplan.Text(f["id"]); id != "" {
		s.call.LeaveOut(id)
		return
	}
	s.call.LeaveOut(fmt.Sprint(entry))
}

// unknown is the place of an item of a board that the call has not read.
const unknown = "?"

// placeOfObject returns the place of an object as it says itself, or "".
func (g *fenced) placeOfObject(f fields) string {
	if name := writeplan.Text(f["nameWithOwner"]); name != "" {
		return name
	}
	for _, name := range []string{"repository_url", "repository"} {
		if repo := parseRepo(writeplan.Text(f[name])); repo != (Repo{}) {
			return repo.String()
		}
	}
	if repository, ok := f["repository"].(fields); ok {
		return writeplan.Text(repository["nameWithOwner"])
	}
	if owner, ok := f["owner"].(fields); ok && f["number"] != nil {
		return boardPlace(writeplan.Text(owner["login"]), f["number"])
	}
	if board, ok := f["project"].(fields); ok {
		if place := g.placeOfObject(board); place != "" {
			return place
		}
		if place := g.call.PlaceOf(writeplan.Text(board["id"])); place != "" {
			return place
		}
		return unknown
	}
	return ""
}

// learn notes the places of the objects in an answer that say them.
func (g *fenced) learn(value any) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			g.learn(entry)
		}
	case fields:
		if place := g.placeOfObject(v); place != "" && place != unknown {
			for _, name := range []string{"id", "node_id"} {
				if id, ok := v[name].(string); ok {
					g.call.Learn(id, place)
				}
			}
			if id, ok := v["id"].(json.Number); ok && v["repository_url"] != nil {
				g.call.Learn("issue "+id.String(), place)
			}
		}
		for _, member := range v {
			g.learn(member)
		}
	}
}
