package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
)

const (
	keyArgument = "idempotency_key"
	maxKey      = 64 // characters
)

// repeats reports whether calling twice does it twice, so that a key is worth giving.
func (e Effect) repeats() bool { return e == Creates || e == Appends }

// withKey adds the argument by which a call is made safe to repeat. It is the server's, not the tool's: the tool's own input
// has no such field, and never sees it.
func withKey(in *schema) *schema {
	if in.property(keyArgument) != nil {
		panic("argument " + keyArgument + " is the server's own")
	}
	most := int64(maxKey)
	keyed := *in
	keyed.properties = append(slices.Clip(in.properties), property{name: keyArgument, schema: &schema{
		kind: text, maxLength: &most, description: "Same key within 24 h: same result, done once",
	}})
	return &keyed
}

// once runs the tool, or gives what the first call with the same key came to. The key stands for the
// caller's account too: one person may have connections to several.
func (s *Server) runOnce(ctx context.Context, caller identity.Caller, c toolCall) (*Outcome, error) {
	key := c.key()
	if key == "" || s.options.Idempotency == nil {
		return c.run(ctx)
	}
	asked := fmt.Sprintf("%d %s", caller.Account, digest(c.arguments))
	call := idempotency.Call{Subject: caller.Subject, Tool: c.tool.Name, Key: key, Asked: asked}
	outcome := &Outcome{} // of a repeat, whose JSON is all there is to give
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

// key is the call's idempotency key, "" when none was given. One that is no good is none either: the tool's validation refuses
// it with all else that is wrong.
func (c toolCall) key() string {
	if !c.tool.Effect.repeats() {
		return ""
	}
	var given map[string]json.RawMessage
	var key string
	if json.Unmarshal(c.arguments, &given) != nil || json.Unmarshal(given[keyArgument], &key) != nil || len([]rune(key)) > maxKey {
		return ""
	}
	return key
}
