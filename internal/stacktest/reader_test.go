package stacktest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse_ReadsTheSyntaxOfTheTemplate(t *testing.T) {
	got, err := Parse(`# a comment
Name: Fernhill # and another
Quoted: 'with: a colon'
"Quoted Key": { a: 1, "b": [x, "y, z"] }
Table: !GetAtt Table.Arn
Sub: !Sub "${Api}/mcp"
Empty: ""
Folded: !Sub >-
  one
  two
Arguments: !Sub
- >-
  one
  two
- Three: !Ref Table
Nothing:
List:
  - one
  - { two: 2 }
  - three: 3
    four:
      - 4
`)
	if err != nil {
		t.Fatal(err)
	}
	type anything = map[string]any
	want := anything{
		"Name": "Fernhill", "Quoted": "with: a colon", "Quoted Key": anything{"a": "1", "b": []any{"x", "y, z"}},
		"Table": "!GetAtt Table.Arn", "Sub": `!Sub "${Api}/mcp"`, "Empty": "", "Folded": "!Sub one two", "Nothing": "",
		"Arguments": anything{"!Sub": []any{"one two", anything{"Three": "!Ref Table"}}},
		"List":      []any{"one", anything{"two": "2"}, anything{"three": "3", "four": []any{"4"}}},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestParse_RefusesTextThatIsNotYAML(t *testing.T) {
	for _, text := range []string{"", "a: [1", "- a\nb"} {
		if value, err := Parse(text); err == nil {
			t.Errorf("%q is %v", text, value)
		}
	}
}

func TestResource_ReadsTheModulesTemplate(t *testing.T) {
	t.Chdir("../dynamo/dynamotest")
	if table, err := Resource("Table"); err != nil || table["KeySchema"] == nil {
		t.Errorf("%v, %v", table, err)
	}
	if _, err := Resource("Desk"); err == nil {
		t.Error("found a resource Desk")
	}
	t.Chdir(t.TempDir())
	if _, err := Resource("Table"); err == nil {
		t.Error("found a template outside the module")
	}
}
