package toolargs

import (
	"reflect"
	"strings"
	"testing"
)

func TestInputSchema_RefusesAStructThatCannotBeServed(t *testing.T) {
	for want, in := range map[string]reflect.Type{
		"argument x has no description": reflect.TypeFor[struct {
			X int `json:"x"`
		}](),
		"unknown key": reflect.TypeFor[struct {
			X int `json:"x" jsonschema:"X" limits:"maximum=1"`
		}](),
		"has no JSON Schema here": reflect.TypeFor[struct {
			X func() `json:"x" jsonschema:"X"`
		}](),
		"is not a struct": reflect.TypeFor[int](),
		"cannot have a default": reflect.TypeFor[struct {
			X Change[int] `json:"x,omitzero" jsonschema:"X" limits:"default=3"`
		}](),
		"idempotency_key is reserved": reflect.TypeFor[struct {
			Key string `json:"idempotency_key" jsonschema:"Key"`
		}](),
	} {
		if _, err := InputSchema(in, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", in, err, want)
		}
	}
}
