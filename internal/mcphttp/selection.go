package mcphttp

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Selection is the part of the catalogue a request asks for: toolsets, sorted and each once, or nil for what the deployment
// serves by default, and whether only tools that read. Only toolsets the Catalog serves ever stand in it, so that there are
// few different ones.
type Selection struct {
	Toolsets []string
	ReadOnly bool
}

const (
	toolsetsHeader = "X-Mcp-Toolsets"
	readOnlyHeader = "X-Mcp-Readonly"
)

// selected reads the selection from the path, narrowed by the headers and bounded by the deployment.
func (g *Guard) selected(r *http.Request) (Selection, *answer) {
	s, ok := parsePath(r.URL.Path)
	if !ok {
		return Selection{}, failed(http.StatusNotFound, "not_found",
			"the endpoints are /mcp, /mcp/readonly, /mcp/x/{toolsets} and /mcp/x/{toolsets}/readonly")
	}
	if name := g.unknown(s.Toolsets); name != "" {
		return Selection{}, failed(http.StatusNotFound, "unknown_toolset", g.serves(name))
	}
	if refused := g.narrow(&s, r.Header); refused != nil {
		return Selection{}, refused
	}
	s.ReadOnly = s.ReadOnly || g.ReadOnly
	return s, nil
}

// parsePath reads /mcp[/x/{a,b}][/readonly]; one slash too many at the end is forgiven.
func parsePath(path string) (s Selection, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(path, "/"), "/mcp")
	if !ok {
		return Selection{}, false
	}
	rest, s.ReadOnly = strings.CutSuffix(rest, "/readonly")
	if rest == "" {
		return s, true
	}
	list, ok := strings.CutPrefix(rest, "/x/")
	if !ok || strings.Contains(list, "/") {
		return Selection{}, false
	}
	s.Toolsets = names(list)
	return s, s.Toolsets != nil
}

// narrow applies the headers; they can take away, never add.
func (g *Guard) narrow(s *Selection, h http.Header) *answer {
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
	if name := g.unknown(asked); name != "" {
		return failed(http.StatusBadRequest, "unknown_toolset", g.serves(name))
	}
	if s.Toolsets == nil {
		s.Toolsets = asked
		return nil
	}
	both := slices.DeleteFunc(asked, func(name string) bool { return !slices.Contains(s.Toolsets, name) })
	if len(both) == 0 {
		return failed(http.StatusBadRequest, "invalid_request",
			"X-MCP-Toolsets leaves nothing of this URL's toolsets: "+strings.Join(s.Toolsets, ", "))
	}
	s.Toolsets = both
	return nil
}

// names splits "a, b" into sorted names, each once; nil when there are none.
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

// unknown is the first toolset that this deployment does not serve, or "".
func (g *Guard) unknown(toolsets []string) string {
	served := g.Catalog.Toolsets()
	i := slices.IndexFunc(toolsets, func(name string) bool { return !slices.Contains(served, name) })
	if i < 0 {
		return ""
	}
	return toolsets[i]
}

func (g *Guard) serves(unknown string) string {
	return fmt.Sprintf("unknown toolset %q; this server has %s", unknown, strings.Join(g.Catalog.Toolsets(), ", "))
}
