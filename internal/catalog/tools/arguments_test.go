package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// caller is a tool, or one of the operations of a tool, and what it takes.
type caller struct {
	name string
	tool mcptool.Tool
	in   node
}

// callers returns every tool of the catalogue and every operation.
func callers(t *testing.T) (all []caller) {
	byName := map[string]mcptool.Tool{}
	for _, tool := range catalog() {
		if byName[tool.Name] = tool; tool.Operation == nil {
			all = append(all, caller{tool.Name, tool, parseSchema(t, tool.InputSchema())})
		}
	}
	for row := range operations.All {
		tool := byName[row.Runner()]
		in := parseSchema(t, tool.InputSchema())
		in.Properties["operation"] = node{Type: "string", Enum: []string{row.Name}}
		_, fields, err := tool.Operation(toolanswer.MustEncode(input{"operation": row.Name}))
		if err != nil {
			t.Fatal(err)
		}
		arguments := node{Type: "object", Properties: map[string]node{}}
		for _, f := range fields {
			arguments.Properties[f.Name] = ofField(f)
			if f.Required {
				arguments.Required = append(arguments.Required, f.Name)
			}
		}
		in.Properties["arguments"] = arguments
		in.Required = append(in.Required, "arguments")
		all = append(all, caller{row.Name, tool, in})
	}
	return all
}

// ofField returns the schema of an argument of an operation.
func ofField(f toolargs.Field) node {
	list := func(items node) node { return node{Type: "array", Items: &items} }
	switch f.Kind {
	case toolargs.IntegerField:
		return node{Type: "integer"}
	case toolargs.BooleanField:
		return node{Type: "boolean"}
	case toolargs.TextsField:
		return list(node{Type: "string", Enum: f.Choices})
	case toolargs.ReferencesField:
		return list(node{Type: "string"})
	case toolargs.ObjectsField:
		return list(node{Type: "object"})
	}
	return node{Type: "string", Enum: f.Choices}
}

// sample returns a value of a schema with only what is required.
func (n node) sample() any {
	switch {
	case n.Enum != nil:
		return n.Enum[0]
	case n.Type == "array":
		return []any{n.Items.sample()}
	case n.Type == "integer":
		return 1
	case n.Type == "boolean":
		return true
	case n.Type == "object":
		all := input{}
		for _, name := range n.Required {
			all[name] = n.Properties[name].sample()
		}
		return all
	}
	return "friday" // a day can also be a name
}

// slot is where an argument stands.
type slot struct {
	path     []string
	required bool
}

func (s slot) name() string { return s.path[len(s.path)-1] }

// slots returns the arguments at any depth. An entry of a list that is open also takes what stands
// beside the list.
func (n node) slots(root node) (all []slot) {
	for name, property := range n.Properties {
		all = append(all, slot{[]string{name}, slices.Contains(n.Required, name)})
		inner := property
		if property.Items != nil {
			inner = *property.Items
		}
		if inner.Closed == nil && property.Items != nil && inner.Properties != nil {
			inner = inner.with(root)
		}
		for _, s := range inner.slots(root) {
			all = append(all, slot{append([]string{name}, s.path...), s.required})
		}
	}
	return all
}

// with returns a schema that also has the texts and numbers of another one, as optional.
func (n node) with(root node) node {
	all := map[string]node{}
	for name, property := range root.Properties {
		if property.Type != "object" && (property.Items == nil || property.Items.Properties == nil) && name != "project" && name != "everywhere" && name != "confirm_count" {
			all[name] = property
		}
	}
	maps.Copy(all, n.Properties)
	n.Properties = all
	return n
}

// filled returns a sample in which the argument at a path is set, with what is required on the way.
func (n node) filled(path []string, set func(at input, name string)) any {
	all, _ := n.sample().(input)
	if len(path) == 1 {
		set(all, path[0])
		return all
	}
	switch next := n.Properties[path[0]]; {
	case next.Items != nil:
		all[path[0]] = []any{next.Items.filled(path[1:], set)}
	default:
		all[path[0]] = next.filled(path[1:], set)
	}
	return all
}

// read returns how a call is read: its arguments as the tool gets them, and what was understood.
func (c caller) read(path []string, set func(at input, name string)) (read, understood string, err error) {
	accepted, err := c.tool.Accept(toolanswer.MustEncode(c.in.filled(path, set)))
	if err != nil {
		return "", "", err
	}
	var data json.RawMessage
	err = accepted.Fill(&data)
	return string(data), strings.Join(accepted.Understood, "; "), err
}

func setTo(value any) func(input, string) {
	return func(at input, name string) { at[name] = value }
}

func leftOut(at input, name string) { delete(at, name) }

// Models fill what they leave open with null, "" or the word null. The words to look for or to put
// in place and the texts that can be empty are named here.
func TestArguments_OfEveryToolAreAbsentInTheSameWays(t *testing.T) {
	words := strings.Fields("query words find replace labels add_labels remove_labels value")
	texts := strings.Fields("bio body description notes readme replace short_description text title")
	written := strings.Fields("append body content description name notes subject summary text title")
	for _, c := range callers(t) {
		for _, s := range c.in.slots(c.in) {
			names := len(s.path) == 1 && c.tool.Operation != nil && (s.name() == "operation" || s.name() == "arguments")
			if names || c.name == "github_set_field_value" && s.path[0] == "value" { // null is a value of it
				continue
			}
			without, _, err := c.read(s.path, leftOut)
			for _, value := range []any{nil, "", " ", "null", " NULL "} {
				got, told, problem := c.read(s.path, setTo(value))
				where := fmt.Sprintf("%s %s: %#v", c.name, strings.Join(s.path, "."), value)
				text, _ := value.(string)
				isWord := strings.TrimSpace(text) != "" && slices.Contains(words, s.name())
				mayBeEmpty := value == "" && (s.required || slices.Contains(texts, s.name())) || value == " " && (s.required || slices.Contains(slices.Concat(texts, words, written), s.name()))
				switch {
				case isWord && (problem != nil || !strings.Contains(got, fmt.Sprintf("%q", value))):
					t.Errorf("%s: a word is a word: %s, %v", where, got, problem)
				case isWord || mayBeEmpty:
				case s.required && (!fault.Is(problem, fault.InvalidInput) || !strings.Contains(problem.Error(), s.name()+": is required")):
					t.Errorf("%s: not asked for: %s, %v", where, got, problem)
				case s.required:
				case err != nil || problem != nil || got != without:
					t.Errorf("%s: read as %s, want %s; %v, %v", where, got, without, problem, err)
				case (value != nil) != strings.Contains(told, s.name()+": "+fmt.Sprintf("%q -> absent", text)) && value != " NULL ":
					t.Errorf("%s: understood %q", where, told)
				}
			}
		}
	}
}

// A float64 would round an ID above 2^53.
func TestArguments_OfEveryToolTakeANumberWithoutAFractionAsItsDigits(t *testing.T) {
	amounts := strings.Fields("hours value") // which have fractions
	read := 0
	for _, c := range callers(t) {
		for _, s := range c.in.slots(c.in) {
			for digits, spelling := range map[string]string{"6400000130": "6400000130.0", "6400000000": "6.4e9", "9007199254740993": "9007199254740993.0", "7": "70E-1"} {
				want, _, err := c.read(s.path, setTo(json.Number(digits)))
				got, _, problem := c.read(s.path, setTo(json.RawMessage(spelling)))
				if read++; got != want || (err == nil) != (problem == nil) || err == nil && !strings.Contains(got, digits) && s.name() != "limit" && !strings.HasPrefix(s.name(), "per_") {
					t.Errorf("%s %s: %s is read as %s, %s as %s; %v", c.name, strings.Join(s.path, "."), digits, want, spelling, got, problem)
				}
			}
			if got, _, err := c.read(s.path, setTo(2.5)); !fault.Is(err, fault.InvalidInput) && !slices.Contains(amounts, s.name()) {
				t.Errorf("%s %s: 2.5 is read as %s, %v", c.name, strings.Join(s.path, "."), got, err)
			}
		}
	}
	if read < 2000 {
		t.Errorf("read %d", read)
	}
}
