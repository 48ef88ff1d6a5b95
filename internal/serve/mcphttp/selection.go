package mcphttp

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/text/plaintext"
)

// Selection is the part of the catalogue that a request asks for. The guard passes on only toolsets
// that the Catalog serves, so that the number of different selections stays small.
type Selection struct {
	Toolsets []string // sorted, each once; nil for the deployment's default toolsets
	All      bool     // of a path: every toolset that the deployment serves
	ReadOnly bool     // only tools that read
}

// ParsePath returns the selection that a path of the MCP endpoint makes, and false for any other
// path. The form is /mcp[/all|/x/{a,b}][/readonly], already unescaped; one slash at the end is
// ignored.
// The guard and the metadata of the authorization server both use it: they must agree on which
// paths exist.
func ParsePath(path string) (s Selection, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(path, "/"), "/mcp")
	if !ok {
		return Selection{}, false
	}
	rest, s.ReadOnly = strings.CutSuffix(rest, "/readonly")
	if s.All = rest == "/all"; s.All || rest == "" {
		return s, true
	}
	list, ok := strings.CutPrefix(rest, "/x/")
	if !ok || strings.Contains(list, "/") {
		return Selection{}, false
	}
	s.Toolsets = names(list)
	return s, s.Toolsets != nil
}

// Unknown returns the first toolset of the selection that is not among those served, or "".
func (s Selection) Unknown(served []string) string {
	for _, name := range s.Toolsets {
		if !slices.Contains(served, name) {
			return name
		}
	}
	return ""
}

const (
	toolsetsHeader = "X-Mcp-Toolsets"
	readOnlyHeader = "X-Mcp-Readonly"
	projectsHeader = "X-Mcp-Projects"
)

// selected returns the selection that the path makes.
func (g *Guard) selected(r *http.Request) (Selection, *answer) {
	s, ok := ParsePath(r.URL.Path)
	if !ok {
		return Selection{}, failed(http.StatusNotFound, "not_found",
			"the endpoints are /mcp, /mcp/all and /mcp/x/{toolsets}, each also with /readonly")
	}
	if s.All {
		s.Toolsets, s.All = slices.Sorted(slices.Values(g.Catalog.Toolsets())), false
	}
	if name := s.Unknown(g.Catalog.Toolsets()); name != "" {
		return Selection{}, failed(http.StatusNotFound, "unknown_toolset", g.serves(name))
	}
	return s, nil
}

// narrow applies the headers and the deployment's ReadOnly, which can remove tools from the
// selection but never add any.
func (g *Guard) narrow(s *Selection, h http.Header) *answer {
	s.ReadOnly = s.ReadOnly || g.ReadOnly
	if v := h.Get(readOnlyHeader); v != "" {
		readOnly, err := strconv.ParseBool(v)
		if err != nil {
			return failed(http.StatusBadRequest, "invalid_request", "X-MCP-Readonly must be true or false")
		}
		s.ReadOnly = s.ReadOnly || readOnly
	}
	asked := names(strings.Join(h.Values(toolsetsHeader), ","))
	if asked == nil {
		return nil
	}
	if name := (Selection{Toolsets: asked}).Unknown(g.Catalog.Toolsets()); name != "" {
		return failed(http.StatusBadRequest, "unknown_toolset", g.serves(name))
	}
	if s.Toolsets == nil {
		s.Toolsets = asked
		return nil
	}
	both := slices.DeleteFunc(asked, func(name string) bool { return !slices.Contains(s.Toolsets, name) })
	if len(both) == 0 {
		return failed(http.StatusBadRequest, "invalid_request",
			"X-MCP-Toolsets names none of this URL's toolsets: "+strings.Join(s.Toolsets, ", "))
	}
	s.Toolsets = both
	return nil
}

// hold returns the fence within the projects that the header names.
func hold(f fence.Fence, h http.Header) (fence.Fence, *answer) {
	if h.Get(projectsHeader) == "" {
		return f, nil
	}
	listed := names(strings.Join(h.Values(projectsHeader), ","))
	if listed == nil {
		return f, nil
	}
	var projects []int64
	for _, text := range listed {
		id, ok := fence.Project(text)
		if !ok {
			return f, failed(http.StatusBadRequest, "invalid_request", "X-MCP-Projects must have IDs of projects, separated by commas")
		}
		projects = append(projects, id)
	}
	return f.Reading(projects), nil
}

// bound leaves of a selection what the connection may use; nil allows everything.
func (g *Guard) bound(s Selection, allowed []string) (Selection, *answer) {
	if allowed == nil {
		return s, nil
	}
	from := s.Toolsets
	if from == nil {
		from = g.Catalog.Toolsets()
	}
	s.Toolsets = slices.DeleteFunc(slices.Sorted(slices.Values(from)), func(name string) bool { return !slices.Contains(allowed, name) })
	if len(s.Toolsets) == 0 {
		return s, failed(http.StatusForbidden, "forbidden_toolset", "this token may use only the toolsets "+strings.Join(allowed, ", "))
	}
	return s, nil
}

// names splits "a, b" into sorted names, each once. It returns nil if there are none.
func names(list string) []string {
	var found []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// serves returns the message that names an unknown toolset and those that the deployment serves.
func (g *Guard) serves(unknown string) string {
	return fmt.Sprintf("unknown toolset %s; this server has %s", plaintext.Quote(unknown), strings.Join(g.Catalog.Toolsets(), ", "))
}
