package writeplan

import (
	"encoding/json"

	"basecamp-mcp/internal/plaintext"
)

// Kept has the fields that a write changed, and what it left. A field may be only in Left.
type Kept struct {
	Was  map[string]any `json:"was,omitempty"`
	Left map[string]any `json:"left,omitempty"`
}

// Keep adds a field if a write changed it.
func (k *Kept) Keep(name string, was, left any) {
	if !Equal(was, left) {
		k.Was[name], k.Left[name] = was, left
	}
}

// Refusal returns what another person or call changed since the write, given what the fields are
// now, and whether there is anything. A field that is as before the write is not refused. show
// returns a value as a person reads it.
func (k *Kept) Refusal(now map[string]any, show func(any) any) (Restored, bool) {
	r := Restored{Result: Refused, Reason: "it was changed since", Left: map[string]any{}, Now: map[string]any{}}
	for name, left := range k.Left {
		was, changed := k.Was[name]
		if Equal(now[name], left) || changed && Equal(now[name], was) {
			continue
		}
		r.Left[name], r.Now[name] = excerpt(show(left)), excerpt(show(now[name]))
	}
	return r, len(r.Now) > 0
}

// Pending reports whether anything is still as the write left it.
func (k *Kept) Pending(now map[string]any) bool {
	for name, was := range k.Was {
		if !Equal(now[name], was) {
			return true
		}
	}
	return false
}

const mostShown = 300

func excerpt(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	short, _ := plaintext.Excerpt(text, mostShown)
	return short
}

// Equal reports whether two values are the same. Null, an empty text and an empty list are nothing.
func Equal(a, b any) bool { return plainly(a) == plainly(b) }

func plainly(value any) string {
	encoded, _ := json.Marshal(value) // what was decoded from JSON can be encoded
	switch text := string(encoded); text {
	case `""`, `[]`:
		return "null"
	default:
		return text
	}
}
