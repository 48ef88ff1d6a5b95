package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
)

const (
	keyArgument = "idempotency_key"
	maxKey      = 64 // characters
)

// repeats reports whether a second call does the work a second time, so that an idempotency key is
// useful.
func (e Effect) repeats() bool { return e == Creates || e == Appends }

// withKey adds the idempotency key to the schema of a tool's arguments. The server handles the key;
// the tool's own input has no such field.
func withKey(in *schema) *schema {
	if in.property(keyArgument) != nil {
		panic("argument " + keyArgument + " is reserved for the server")
	}
	most := int64(maxKey)
	keyed := *in
	keyed.properties = append(slices.Clip(in.properties), property{name: keyArgument, schema: &schema{
		kind: text, maxLength: &most, description: "Same key: done once",
	}})
	return &keyed
}

// runOnce runs the tool, or returns the stored result of the first call with the same key. The key
// also includes the caller's account: one user may have connections to several accounts.
func (s *Server) runOnce(ctx context.Context, caller identity.Caller, c *toolCall) (*Outcome, error) {
	key := c.key()
	if key == "" || s.options.Idempotency == nil {
		return c.run(ctx)
	}
	asked := fmt.Sprintf("%d %s", caller.Account, digest(c.meant()))
	call := idempotency.Call{
		Subject: caller.Subject, Tool: c.tool.Name, Key: key, Asked: asked, Stored: c.tool.ownStore,
		Ended: func(e idempotency.End) { c.end = &e },
	}
	outcome := &Outcome{} // of a repeated call, for which only the JSON is stored
	result, err := s.options.Idempotency.Do(ctx, call, func(ctx context.Context) ([]byte, error) {
		ran, err := c.run(ctx)
		if err != nil {
			return nil, err
		}
		outcome = ran
		return ran.JSON, nil
	})
	if err != nil {
		return nil, err
	}
	outcome.JSON = result
	return outcome, nil
}

// meant returns the arguments in the one form that all spellings of the same call have: without
// nulls, and with IDs as numbers.
func (c *toolCall) meant() json.RawMessage {
	tree, err := parse(c.said())
	if err != nil {
		return c.said()
	}
	return mustEncode(c.tool.schemas().in.meant(tree))
}

func (s *schema) meant(value any) any {
	switch given := value.(type) {
	case map[string]any:
		for _, p := range s.properties {
			if given[p.name] == nil {
				delete(given, p.name)
				continue
			}
			given[p.name] = p.meant(given[p.name])
		}
	case []any:
		for i := range given {
			if s.items != nil {
				given[i] = s.items.meant(given[i])
			}
		}
	case string:
		if id := strings.TrimSpace(given); s.kind == reference && digits.MatchString(id) {
			return json.Number(id)
		}
	}
	return value
}

// key returns the call's idempotency key, or "" if it has none.
func (c toolCall) key() string {
	if !c.tool.Effect.repeats() {
		return ""
	}
	var given map[string]json.RawMessage
	var key string
	if json.Unmarshal(c.said(), &given) != nil || json.Unmarshal(given[keyArgument], &key) != nil {
		return ""
	}
	return key
}
