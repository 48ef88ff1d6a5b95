package mcptool

import (
	"encoding/json"
	"reflect"
)

// Change is what an update may do to a field: leave it as it is, for an argument that was left out, or set it. null is left
// out, for some clients send it for all they do not fill in; where the limits tag says "null" it sets the field to T's zero
// value. The schema is T's, and it is never required.
type Change[T any] struct {
	Given bool
	To    T
}

// Or is what the field comes to, old being what it is now.
func (c Change[T]) Or(old T) T {
	if c.Given {
		return c.To
	}
	return old
}

// IsZero reports whether the field was left out.
func (c Change[T]) IsZero() bool { return !c.Given }

// UnmarshalJSON reads an argument that was given, null included.
func (c *Change[T]) UnmarshalJSON(data []byte) error {
	*c = Change[T]{Given: true}
	if string(data) == "null" { // a Ref would take it for a name
		return nil
	}
	return json.Unmarshal(data, &c.To)
}

func (Change[T]) of() reflect.Type { return reflect.TypeFor[T]() }

// change is any Change.
type change interface{ of() reflect.Type }
