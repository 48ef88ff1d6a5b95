package toolargs

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
)

type gardening struct {
	Operation string                     `json:"operation" jsonschema:"Name"`
	Arguments map[string]json.RawMessage `json:"arguments,omitzero" jsonschema:"What it takes"`
	Limit     int                        `json:"limit,omitzero" jsonschema:"Number" limits:"max=9"`
}

func TestFor_ChecksTheArgumentsOfAnOperation(t *testing.T) {
	base, err := InputSchema(reflect.TypeFor[gardening](), false)
	if err != nil {
		t.Fatal(err)
	}
	s := base.For("plant_tree", []Field{
		{Name: "tree", Kind: ReferenceField, Required: true}, {Name: "depth", Kind: IntegerField, Max: 90}, {Name: "kind", Kind: TextField, Choices: []string{"oak", "elm"}},
		{Name: "hours", Kind: AmountField}, {Name: "wet", Kind: BooleanField}, {Name: "beside", Kind: ReferencesField}, {Name: "names", Kind: TextsField}, {Name: "people", Kind: ObjectsField},
	})
	for _, c := range []struct{ given, want, problem string }{
		{`{"operation":"plant_tree","arguments":{"tree":"7","hours":1.5}}`, `{"arguments":{"hours":"1.5","tree":"7"},"operation":"plant_tree"}`, ""},
		{`{"op":"Plant-Tree","tree_id":7,"depth":"3","limit":2}`, `{"arguments":{"depth":3,"tree":7},"limit":2,"operation":"plant_tree"}`, ""},
		{`{"operation":"plant_tree","arguments":"{\"tree\":7}","kind":"oak"}`, "", "kind"},
		{`{"operation":"plant_tree","arguments":{"people":[{"name":"Ada"}]},"tree":1}`, `{"arguments":{"people":[{"name":"Ada"}],"tree":1},"operation":"plant_tree"}`, ""},
		{`{"operation":"plant_tree"}`, "", "arguments.tree: is required"},
		{`{"operation":"plant_tree","arguments":{"tree":7,"leaf":1}}`, "", "arguments.leaf: is not an argument"},
		{`{"operation":"plant_tree","arguments":{"tree":7,"depth":91,"kind":"ash"}}`, "", "arguments.depth"},
	} {
		a, err := Rules{}.Accept(s, json.RawMessage(c.given))
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: %v", c.given, err)
			}
			continue
		}
		var got, want any
		_ = json.Unmarshal(a.data, &got)
		_ = json.Unmarshal([]byte(c.want), &want)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.given, err, diff)
		}
	}
	kept := s.Auditable(json.RawMessage(`{"operation":"plant_tree","arguments":{"tree":7,"hours":"2"}}`))
	want := []audit.Argument{{Name: "operation", Value: "plant_tree"}, {Name: "tree", Value: "7"}, {Name: "hours"}}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}
