package mcptool

import (
	"context"
	"encoding/json"
)

type resumptionKey struct{}

// resumption is what the earlier calls with the same key have left.
type resumption struct {
	answer json.RawMessage // of the latest one; nil for the first call
	parts  int             // how many there were
}

// Earlier decodes the answer of the call before this one with the same key into answer, if that has
// left something over. Keyed reports whether the call has a key, so that another one can go on.
func Earlier(ctx context.Context, answer any) (resumed, keyed bool, err error) {
	before, keyed := ctx.Value(resumptionKey{}).(resumption)
	if before.answer == nil {
		return false, keyed, nil
	}
	return true, keyed, json.Unmarshal(before.answer, answer)
}

// unfinished reports whether the answer of a call has left something over.
func unfinished(answer json.RawMessage) bool {
	var left struct {
		NotAttempted []json.RawMessage `json:"not_attempted"`
	}
	return json.Unmarshal(answer, &left) == nil && len(left.NotAttempted) > 0
}
