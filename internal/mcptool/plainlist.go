package mcptool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/toolanswer"
)

// lists are the answers to tools/list from the result on, equal to those of mcp-go. mcp-go would
// take longer to make them than everything else that a process does to start. The eras differ only
// in what precedes the tools, so they share the tools.
type lists struct {
	modern, legacy []byte        // up to the tools
	tools          func() []byte // the tools and the end of the message
}

func (s *Server) newLists(chosen Selection) lists {
	head, err := json.Marshal(modernHead{
		Meta:       map[string]any{mcp.MetaKeyServerInfo: s.brief()},
		ResultType: mcp.ResultTypeComplete, TTL: listTTL, CacheScope: mcp.CacheScopePublic,
	})
	if err != nil {
		panic(err) // strings always encode
	}
	return lists{
		modern: slices.Concat([]byte(resultKey), head[:len(head)-1], []byte(`,"tools":`)),
		legacy: []byte(resultKey + `{"tools":`),
		tools:  sync.OnceValue(func() []byte { return slices.Clip(append(s.listJSON(chosen), "}}\n"...)) }),
	}
}

// ListDigest returns the SHA-256 of the list of tools that clients receive by default. It is the
// same on every instance of a build.
func (s *Server) ListDigest() string { return s.digest() }

// listTTL is how long clients may cache a list, in milliseconds.
const listTTL = 300_000

type modernHead struct {
	Meta       map[string]any `json:"_meta"`
	ResultType mcp.ResultType `json:"resultType"`
	TTL        int            `json:"ttlMs"`
	CacheScope mcp.CacheScope `json:"cacheScope"`
}

// listJSON returns the definitions of a selection's tools, sorted by name.
func (s *Server) listJSON(chosen Selection) json.RawMessage {
	type entry struct {
		toolset Toolset
		tool    Tool
	}
	var entries []entry
	for toolset, tool := range s.selectedTools(chosen) {
		entries = append(entries, entry{toolset, tool})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.tool.Name, b.tool.Name) })
	b := []byte{'['}
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.tool.appendDefinition(appendView(append(b, '{'), s.viewOf(e.tool.Name).URI), e.toolset)
	}
	return append(b, ']')
}

// appendDefinition adds the members of the definition after those that b has.
func (t Tool) appendDefinition(b []byte, toolset Toolset) []byte {
	hints := t.Effect.annotations(toolset.ClosedWorld)
	b = toolanswer.AppendString(append(b, `"annotations":{"title":`...), t.Title)
	b = strconv.AppendBool(append(b, `,"readOnlyHint":`...), hints.readOnly)
	b = strconv.AppendBool(append(b, `,"destructiveHint":`...), hints.destructive)
	b = strconv.AppendBool(append(b, `,"idempotentHint":`...), hints.idempotent)
	b = strconv.AppendBool(append(b, `,"openWorldHint":`...), hints.openWorld)
	b = toolanswer.AppendString(append(b, `},"description":`...), t.Description)
	b = append(append(b, `,"inputSchema":`...), t.InputSchema()...)
	b = toolanswer.AppendString(append(b, `,"name":`...), t.Name)
	b = append(append(b, `,"outputSchema":`...), t.OutputSchema()...)
	b = toolanswer.AppendString(append(b, `,"title":`...), t.Title)
	return append(b, '}')
}
