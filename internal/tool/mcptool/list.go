package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// lists are the answers to tools/list from the result on, equal to those of mcp-go. mcp-go would
// take longer to make them than everything else that a process does to start, and would make them
// for each tools/list. The eras differ only in what precedes the tools, so they share the tools.
type lists struct {
	modern, legacy []byte        // up to the tools
	tools          func() []byte // the tools and the end of the message
}

func (s *Server) newLists(chosen Selection) lists {
	head := encode(listHead{
		Meta:       map[string]any{mcp.MetaKeyServerInfo: s.brief()},
		ResultType: mcp.ResultTypeComplete, TTL: listTTL, CacheScope: mcp.CacheScopePublic,
	})
	return lists{
		modern: slices.Concat([]byte(resultKey), head[:len(head)-1], []byte(`,"tools":`)),
		legacy: []byte(resultKey + `{"tools":`),
		tools:  sync.OnceValue(func() []byte { return slices.Clip(append(s.listJSON(chosen), "}}\n"...)) }),
	}
}

// listTTL is how long clients may cache a list, in milliseconds.
const listTTL = 300_000

type listHead struct {
	Meta       map[string]any `json:"_meta"`
	ResultType mcp.ResultType `json:"resultType"`
	TTL        int            `json:"ttlMs"`
	CacheScope mcp.CacheScope `json:"cacheScope"`
}

// listedTool is a tool in tools/list, with its members in the order of mcp-go.
type listedTool struct {
	Meta         map[string]any     `json:"_meta,omitempty"`
	Annotations  mcp.ToolAnnotation `json:"annotations"`
	Description  string             `json:"description"`
	InputSchema  json.RawMessage    `json:"inputSchema"`
	Name         string             `json:"name"`
	OutputSchema json.RawMessage    `json:"outputSchema"`
	Title        string             `json:"title"`
}

// listJSON returns the definitions of a selection's tools, sorted by name.
func (s *Server) listJSON(chosen Selection) json.RawMessage {
	listed := []listedTool{}
	for _, tool := range s.selectedTools(chosen) {
		listed = append(listed, listedTool{
			toolMeta(s.viewOf(tool.Name).URI), tool.annotations(), tool.Description, tool.InputSchema(), tool.Name, tool.OutputSchema(), tool.Title,
		})
	}
	slices.SortFunc(listed, func(a, b listedTool) int { return cmp.Compare(a.Name, b.Name) })
	return encode(listed)
}

// encode returns JSON with the escapes for HTML that mcp-go makes.
func encode(v any) json.RawMessage {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err) // what the server declares always encodes
	}
	return encoded
}

// ListDigest returns the SHA-256 of the list of tools that clients receive by default. It is the
// same on every instance of a build.
func (s *Server) ListDigest() string { return s.digest() }

// WarmUp makes the lists of the default endpoint, which most clients ask for first. That also runs
// the code of an answer once.
func (s *Server) WarmUp(context.Context) {
	if e, ok := s.Handler(Selection{}).(*endpoint); ok {
		e.lists.tools()
	}
}
