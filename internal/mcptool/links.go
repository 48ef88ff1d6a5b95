package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
)

// located returns the error about a link that the client must not write with the argument that has
// it. The provider's client, which refuses the link, knows only the field of a request.
func (c *toolCall) located(ctx context.Context, err error) error {
	f := fault.From(err)
	if len(f.Validation) != 1 || f.Validation[0].Code != fence.LinkCode {
		return err
	}
	var given any
	if json.Unmarshal(c.accepted.Arguments, &given) != nil {
		return err
	}
	if path := pathTo(f.Resource.ID, "", given); path != "" {
		return fence.NoLink(path, f.Resource.ID, identity.Origin(ctx))
	}
	return err
}

// pathTo returns the path of the first text in a value that contains a word, in any case; "" for
// none.
func pathTo(word, path string, value any) string {
	switch v := value.(type) {
	case string:
		if strings.Contains(strings.ToLower(v), word) {
			return path
		}
	case []any:
		for i, entry := range v {
			if found := pathTo(word, fmt.Sprintf("%s[%d]", path, i), entry); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found := pathTo(word, strings.TrimPrefix(path+"."+name, "."), v[name]); found != "" {
				return found
			}
		}
	}
	return ""
}
