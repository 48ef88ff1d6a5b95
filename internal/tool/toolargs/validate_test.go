package toolargs

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
)

type step struct {
	Title string `json:"title" jsonschema:"What to do" limits:"maxlen=10"`
	Size  int64  `json:"size,omitzero" jsonschema:"How big"`
}

type everyKind struct {
	Project Ref      `json:"project_id" jsonschema:"Project"`
	Person  Ref      `json:"person,omitzero" jsonschema:"Person"`
	Status  string   `json:"status,omitzero" jsonschema:"Status" limits:"enum=active|archived default=active"`
	Limit   int      `json:"limit,omitzero" jsonschema:"Limit" limits:"min=1 max=100 default=25"`
	Page    int      `json:"page,omitzero" jsonschema:"Page" limits:"min=1"`
	Done    bool     `json:"done,omitzero" jsonschema:"Done"`
	Steps   []step   `json:"steps,omitzero" jsonschema:"Steps" limits:"maxitems=2"`
	Kinds   []string `json:"kinds,omitzero" jsonschema:"Kinds" limits:"enum=todo|card"`
}

// basecampURLs are what references accept in tests.
var basecampURLs = URLs{Name: "a Basecamp URL", Hosts: []string{"3.basecamp.com", "app.basecamp.com"}}

// decoded validates arguments and decodes them.
func decoded[In any](urls URLs, arguments string) (in In, err error) {
	a, err := Rules{URLs: urls}.Accept(schemaOf[In](), json.RawMessage(arguments))
	if err == nil {
		err = a.Fill(&in)
	}
	return in, err
}

// wantProblems checks that arguments were refused for what is wrong with them.
func wantProblems(t *testing.T, arguments string, err error, want string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.InvalidInput || problems(f) != want || f.Validation[0].Code == "" {
		t.Errorf("%s:\n got %+v\nwant %s", arguments, err, want)
	}
}

func TestDecode_FillsDefaultsAndKeepsBigNumbersExact(t *testing.T) {
	for arguments, want := range map[string]everyKind{
		`{"project_id":9007199254740993}`:                       {Project: Ref{ID: 9007199254740993}, Status: "active", Limit: 25},
		`{"project_id":"9007199254740993","done":true}`:         {Project: Ref{ID: 9007199254740993}, Status: "active", Limit: 25, Done: true},
		`{"project_id":" Cargo Bike Launch ","page":2}`:         {Project: Ref{Name: "Cargo Bike Launch"}, Status: "active", Limit: 25, Page: 2},
		`{"project_id":"https://3.basecamp.com/1","limit":3.0}`: {Project: Ref{URL: "https://3.basecamp.com/1"}, Status: "active", Limit: 3},
		`{"project_id":"2024-2025"}`:                            {Project: Ref{Name: "2024-2025"}, Status: "active", Limit: 25},
		`{"project_id":"3.basecamp.com/1/projects/2"}`:          {Project: Ref{URL: "https://3.basecamp.com/1/projects/2"}, Status: "active", Limit: 25},
		`{"project_id":1,"page":null,"status":null}`:            {Project: Ref{ID: 1}, Status: "active", Limit: 25},
		`{"project_id":1,"limit":1e1,"person":"me"}`:            {Project: Ref{ID: 1}, Person: Ref{Name: "me"}, Status: "active", Limit: 10},
		`{"project_id":1,"kinds":"card"}`:                       {Project: Ref{ID: 1}, Status: "active", Limit: 25, Kinds: []string{"card"}},
		`{"project_id":1,"kinds":["card","todo"]}`:              {Project: Ref{ID: 1}, Status: "active", Limit: 25, Kinds: []string{"card", "todo"}},
		`{"project_id":1,"steps":[{"title":"äöü","size":9223372036854775807}]}`: {
			Project: Ref{ID: 1}, Status: "active", Limit: 25, Steps: []step{{"äöü", 9223372036854775807}},
		},
	} {
		got, err := decoded[everyKind](basecampURLs, arguments)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", arguments, err, diff)
		}
	}
}

// Everything that is wrong is INVALID_INPUT, and names the argument in words that a model can act
// on.
func TestDecode_SaysWhatIsWrongWithEachArgument(t *testing.T) {
	for arguments, want := range map[string]string{
		``:                                `project_id: is required`,
		`null`:                            `project_id: is required`,
		`{"project_id":1,"kinds":"list"}`: `kinds[0]: must be one of todo, card, got "list"`,
		`{"project_id":1,"kinds":["todo","list"]}`: `kinds[1]: must be one of todo, card, got "list"`,
		`[]`:                                   `arguments: must be an object, got a list`,
		`{`:                                    `arguments: must be a JSON object`,
		`{"project_id":0}`:                     `project_id: must be a positive integer, a name or a Basecamp URL, got 0`,
		`{"project_id":-1}`:                    `project_id: must be a positive integer, a name or a Basecamp URL, got -1`,
		`{"project_id":"-1"}`:                  `project_id: must be a positive integer, a name or a Basecamp URL, got "-1"`,
		`{"project_id":1.5}`:                   `project_id: must be a positive integer, a name or a Basecamp URL, got 1.5`,
		`{"project_id":""}`:                    `project_id: must be a positive integer, a name or a Basecamp URL, got an empty string`,
		`{"project_id":true}`:                  `project_id: must be a positive integer, a name or a Basecamp URL, got true`,
		`{"project_id":[1,2]}`:                 `project_id: must be a positive integer, a name or a Basecamp URL, got a list`,
		`{"project_id":9223372036854775808}`:   `project_id: must be a positive integer, a name or a Basecamp URL, got 9223372036854775808`,
		`{"project_id":1,"projct":2}`:          `projct: is not an argument; the nearest is project_id; there are project_id, person, status, limit, page, done, steps, kinds`,
		`{"project_id":1,"b":2,"a":1}`:         `a: is not an argument; there are project_id, person, status, limit, page, done, steps, kinds; b: is not an argument`,
		`{"project_id":1,"status":"foo"}`:      `status: must be one of active, archived, got "foo"`,
		`{"project_id":1,"status":7}`:          `status: must be a string, got 7`,
		`{"project_id":1,"limit":0}`:           `limit: must be between 1 and 100, got 0`,
		`{"project_id":1,"limit":"many"}`:      `limit: must be an integer, got "many"`,
		`{"project_id":1,"limit":2.5}`:         `limit: must be an integer, got 2.5`,
		`{"project_id":1,"limit":1e400}`:       `limit: must be an integer, got 1e400`,
		`{"project_id":1,"limit":1e999999999}`: `limit: must be an integer, got 1e999999999`,
		`{"project_id":1,"page":0}`:            `page: must be at least 1, got 0`,
		`{"project_id":1,"done":"yes"}`:        `done: must be true or false, got "yes"`,
		`{"project_id":1,"steps":7}`:           `steps: must be a list, got 7; each entry holds title, size`,
		`{"project_id":1,"steps":[{},{},{}]}`:  `steps: must hold at most 2 items, got 3`,
		`{"project_id":1,"steps":[{"title":"a"},{"title":"12345678901"}]}`: `steps[1].title: must be at most 10 characters, got 11`,
		`{"project_id":1,"steps":[null]}`:                                  `steps[0]: must be an object, got null; it holds title, size`,
		`{"project_id":0,"page":"x","done":1}`:                             `project_id: must be a positive integer, a name or a Basecamp URL, got 0; page: must be an integer, got "x"; done: must be true or false, got 1`,
	} {
		_, err := decoded[everyKind](basecampURLs, arguments)
		wantProblems(t, arguments, err, want)
	}
}

func TestDecode_HugeInputGetsAShortAnswer(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, arguments := range []string{
		`{"project_id":"` + long + `"}`,
		`{"project_id":1,"status":"` + long + `"}`,
		`{"` + long + `":1}`,
		`{"project_id":` + strings.Repeat("9", 1<<20) + `}`,
		`{` + strings.Repeat(`"a":1,"b":2,`, 50_000) + `"project_id":1}`,
		`{"project_id":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
	} {
		_, err := decoded[everyKind](basecampURLs, arguments)
		if !fault.Is(err, fault.InvalidInput) || len(err.Error()) > 2000 {
			t.Errorf("%.40s...: %.300v", arguments, err)
		}
	}
}

func FuzzDecode_NeverPanicsAndReportsOnlyInvalidInput(f *testing.F) {
	f.Add(`{"project_id":"12","steps":[{"title":"a","size":1e3}]}`)
	f.Add(`{"project_id":-0,"limit":1E+2}`)
	f.Add(`{"title":"a","place":null,"people":[7,"Ines"],"one":"null"}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		in, err := decoded[everyKind](basecampURLs, arguments)
		if err != nil && !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q: %v", arguments, err)
		}
		if err == nil && (in.Project.IsZero() || in.Project.ID < 0 || in.Limit < 1 || in.Limit > 100) {
			t.Errorf("%q: let through %+v", arguments, in)
		}
		change, err := decoded[changes](basecampURLs, arguments)
		if err != nil && !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q: %v", arguments, err)
		}
		if err == nil && (change.Title.Given && change.Title.To == "" || change.Place.To < 0 || change.Place.To > 9 || len(change.People.To) > 2) {
			t.Errorf("%q: let through %+v", arguments, change)
		}
	})
}

func TestDecode_AcceptsAReferenceUnderEitherName(t *testing.T) {
	type input struct {
		Project Ref    `json:"project_id" jsonschema:"Project"`
		Card    Ref    `json:"card,omitzero" jsonschema:"Card"`
		Name    string `json:"name,omitzero" jsonschema:"Name"`
	}
	for arguments, want := range map[string]input{
		`{"project":"Launch","card_id":7}`: {Project: Ref{Name: "Launch"}, Card: Ref{ID: 7}},
		`{"project_id":1,"card":2}`:        {Project: Ref{ID: 1}, Card: Ref{ID: 2}},
	} {
		if got, err := decoded[input](URLs{}, arguments); err != nil || got != want {
			t.Errorf("%s: %+v, %v", arguments, got, err)
		}
	}
	for _, arguments := range []string{`{"project_id":1,"project":2}`, `{"project_id":1,"name_id":"x"}`} {
		if _, err := decoded[input](URLs{}, arguments); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// problems returns the violations of a fault as one text.
func problems(f *fault.Error) string {
	texts := make([]string, len(f.Validation))
	for i, v := range f.Validation {
		texts[i] = v.Path + ": " + v.Message
	}
	return strings.Join(texts, "; ")
}

func TestDecode_CountsTheProblemsThatItDoesNotList(t *testing.T) {
	unknown := func(n int) string {
		text := `{"project_id":1`
		for i := range n {
			text += fmt.Sprintf(`,"wrong%d":1`, i)
		}
		return text + "}"
	}
	for arguments, want := range map[string]string{
		unknown(10): "(and 9 more problems: see data.validation)",
		unknown(11): "(and 10 more problems: data.validation has the first 10)",
		unknown(60): "(and 59 more problems: data.validation has the first 10)",
		`{"project_id":1,"kinds":["` + strings.Repeat(`x","`, 25) + `x"]}`: "(and 25 more problems: data.validation has the first 10)",
	} {
		_, err := decoded[everyKind](basecampURLs, arguments)
		if f := fault.From(err); !strings.HasSuffix(f.Message, want) || len(f.Validation) != 10 {
			t.Errorf("%.60s: %d listed, %s", arguments, len(f.Validation), f.Message)
		}
	}
}

func TestDecode_KnowsOnlyTheURLsOfItsToolset(t *testing.T) {
	type input struct {
		Tree Ref `json:"tree" jsonschema:"Tree"`
	}
	orchard := URLs{Name: "an Orchard URL", Hosts: []string{"trees.orchard.example"}}
	for text, want := range map[string]Ref{
		" trees.orchard.example/7 ":       {URL: "https://trees.orchard.example/7"},
		"https://trees.orchard.example/7": {URL: "https://trees.orchard.example/7"},
		"trees.orchard.example":           {Name: "trees.orchard.example"},
		"3.basecamp.com/1/projects/2":     {Name: "3.basecamp.com/1/projects/2"},
	} {
		arguments, _ := json.Marshal(map[string]string{"tree": text})
		if got, err := decoded[input](orchard, string(arguments)); err != nil || got.Tree != want {
			t.Errorf("%s: %+v, %v", text, got.Tree, err)
		}
	}
	for want, urls := range map[string]URLs{
		"tree: must be a positive integer, a name or an Orchard URL, got 0": orchard,
		"tree: must be a positive integer, a name or a URL, got 0":          {},
	} {
		if _, err := decoded[input](urls, `{"tree":0}`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAccept_AListHasAtMostTwoHundredTextsOfTwoThousandCharacters(t *testing.T) {
	type input struct {
		Names []string `json:"names" jsonschema:"Names"`
	}
	s := schemaOf[input]()
	for _, x := range []struct {
		entries, characters int
		want                string
	}{
		{200, 2000, ""},
		{201, 1, "names: must hold at most 200 items"},
		{1, 2001, "names[0]: must be at most 2000 characters"},
	} {
		names := make([]string, x.entries)
		for i := range names {
			names[i] = strings.Repeat("ä", x.characters)
		}
		arguments, err := json.Marshal(input{names})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Rules{}.Accept(s, arguments)
		if x.want == "" && err != nil || x.want != "" && !strings.Contains(fmt.Sprint(err), x.want) {
			t.Errorf("%d entries of %d characters: %v", x.entries, x.characters, err)
		}
	}
}

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
	want := []calls.Argument{{Name: "operation", Value: "plant_tree"}, {Name: "tree", Value: "7"}, {Name: "hours"}}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}
