package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// node is the part of a JSON Schema that strict clients look at.
type node struct {
	Type       string
	AnyOf      []node
	Items      *node
	Properties map[string]node
	Required   []string
}

// problems returns what a strict client warns about.
func (n node) problems(path string) (all []string) {
	if n.Type == "" && n.AnyOf == nil {
		all = append(all, path+" has no type")
	}
	if n.Type == "array" && n.Items == nil {
		all = append(all, path+" does not say what it lists")
	}
	for _, name := range n.Required {
		if _, listed := n.Properties[name]; !listed {
			all = append(all, path+" requires "+name+", which it does not list")
		}
	}
	for i, name := range n.Required {
		if slices.Contains(n.Required[:i], name) {
			all = append(all, path+" requires "+name+" twice")
		}
	}
	for name, property := range n.Properties {
		all = append(all, property.problems(path+"."+name)...)
	}
	for _, choice := range n.AnyOf {
		all = append(all, choice.problems(path+"|")...)
	}
	if n.Items != nil {
		all = append(all, n.Items.problems(path+"[]")...)
	}
	return all
}

func parseSchema(t *testing.T, raw json.RawMessage) (n node) {
	t.Helper()
	if err := json.Unmarshal(raw, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCatalog_EverySchemaSaysTheTypeOfEveryProperty(t *testing.T) {
	for _, tool := range catalog() {
		for _, problem := range slices.Concat(
			parseSchema(t, tool.InputSchema()).problems(tool.Name+" input"), parseSchema(t, tool.OutputSchema()).problems(tool.Name+" output"),
		) {
			t.Error(problem)
		}
	}
}

// A call may use another name for many arguments, such as project_id for project. A schema that
// listed both names would make a strict client send both.
func TestCatalog_ListsEachArgumentUnderOneName(t *testing.T) {
	for _, tool := range catalog() {
		names := map[string]string{}
		for name := range parseSchema(t, tool.InputSchema()).Properties {
			plain := strings.TrimSuffix(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)), "id")
			if other, twice := names[plain]; twice {
				t.Errorf("%s lists %s and %s", tool.Name, name, other)
			}
			names[plain] = name
		}
	}
}
