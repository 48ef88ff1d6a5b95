package toolargs

import (
	"encoding/json"
	"reflect"
)

// Change is what an update may do to a field: leave it, if the argument is absent, or set it. null
// counts as absent, because some clients send null for every argument that they do not use. If the
// limits tag says "none", the text none sets the field to T's zero value, or to an empty list. The
// schema is T's, and never required.
type Change[T any] struct {
	Given bool
	To    T
}

// ValueOr returns the new value of the field; old is the current one.
func (c Change[T]) ValueOr(old T) T {
	if c.Given {
		return c.To
	}
	return old
}

// IsZero reports whether the argument is absent.
func (c Change[T]) IsZero() bool { return !c.Given }

// UnmarshalJSON reads an argument that is present. After validation, null means that it is cleared.
func (c *Change[T]) UnmarshalJSON(data []byte) error {
	*c = Change[T]{Given: true}
	if string(data) == "null" { // a Ref would read it as a name
		return nil
	}
	return json.Unmarshal(data, &c.To)
}

func (Change[T]) valueType() reflect.Type { return reflect.TypeFor[T]() }

// change is any Change, whatever its type.
type change interface{ valueType() reflect.Type }
