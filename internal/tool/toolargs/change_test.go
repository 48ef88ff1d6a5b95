package toolargs

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

type changes struct {
	Title  Change[string] `json:"title" jsonschema:"Title" limits:"minlen=1 maxlen=5"`
	DueOn  Change[string] `json:"due_on,omitzero" jsonschema:"Day" limits:"none"`
	State  Change[string] `json:"state,omitzero" jsonschema:"State" limits:"enum=open|done none"`
	Place  Change[int]    `json:"place,omitzero" jsonschema:"Place" limits:"min=1 max=9 none"`
	Done   Change[bool]   `json:"done,omitzero" jsonschema:"Done"`
	People Change[Refs]   `json:"people,omitzero" jsonschema:"People" limits:"maxitems=2 none"`
	One    Change[Ref]    `json:"one,omitzero" jsonschema:"One" limits:"none"`
	Note   string         `json:"note,omitzero" jsonschema:"Note"`
}

func TestChange_DistinguishesAbsentNoneAndAValue(t *testing.T) { // what is left out or null is kept, none clears
	for arguments, want := range map[string]changes{
		`{}`:             {},
		`{"title":null}`: {},
		`{"title":"a","due_on":"2026-11-30","place":3.0,"done":true}`: {
			Title: Change[string]{true, "a"}, DueOn: Change[string]{true, "2026-11-30"}, Place: Change[int]{true, 3}, Done: Change[bool]{true, true},
		},
		`{"due_on":null,"state":null,"place":null,"done":null,"people":null,"one":null,"note":null}`: {},
		`{"due_on":"none","state":"None","place":"none","people":"none","one":" none ","note":"none","title":"none"}`: {
			Title: Change[string]{true, "none"}, Note: "none", People: Change[Refs]{true, Refs{}}, DueOn: Change[string]{Given: true}, State: Change[string]{Given: true}, Place: Change[int]{Given: true}, One: Change[Ref]{Given: true},
		},
		`{"due_on":"","state":"","place":"","done":"","people":[],"one":""}`:        {People: Change[Refs]{true, Refs{}}},
		`{"title":"","due_on":"Null","people":"null","done":"null","one":" null "}`: {},
		`{"people":[7,"Ines"]}`:       {People: Change[Refs]{true, Refs{{ID: 7}, {Name: "Ines"}}}},
		`{"people":"7","one":"Ines"}`: {People: Change[Refs]{true, Refs{{ID: 7}}}, One: Change[Ref]{true, Ref{Name: "Ines"}}},
	} {
		got, err := decoded[changes](basecampURLs, arguments)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", arguments, err, diff)
		}
	}
}

func TestChange_ChecksTheLimitsOfItsValue(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"title":"123456"}`:  `title: must be at most 5 characters, got 6`,
		`{"title":true}`:      `title: must be a string, got true`,
		`{"state":"lost"}`:    `state: must be one of open, done, got "lost"`,
		`{"place":0}`:         `place: must be between 1 and 9, got 0`,
		`{"done":"yes"}`:      `done: must be true or false, got "yes"`,
		`{"people":[1,2,3]}`:  `people: must hold at most 2 items, got 3`,
		`{"people":[0]}`:      `people[0]: must be a positive integer, a name or a Basecamp URL, got 0`,
		`{"people":{"id":1}}`: `people: must be a list, got an object`,
		`{"people":[null]}`:   `people[0]: must be a positive integer, a name or a Basecamp URL, got null`,
		`{"one":[1,2]}`:       `one: must be a positive integer, a name or a Basecamp URL, got a list`,
		`{"titel":""}`:        `titel: is not an argument; the nearest is title; there are title, due_on, state, place, done, people, one, note`,
	} {
		_, err := decoded[changes](basecampURLs, arguments)
		wantProblems(t, arguments, err, want)
	}
}

func TestChange_HasTheSchemaOfItsValueAndIsNeverRequired(t *testing.T) {
	const want = `{"type":"object","properties":{` +
		`"title":{"type":"string","minLength":1,"maxLength":5,"description":"Title"},` +
		`"due_on":{"type":"string","description":"Day"},` +
		`"state":{"type":"string","enum":["open","done"],"description":"State"},` +
		`"place":{"type":"integer","maximum":9,"description":"Place"},` +
		`"done":{"type":"boolean","description":"Done"},` +
		`"people":{"type":"array","items":{"type":"string"},"description":"People"},` +
		`"one":{"type":"string","description":"One"},` +
		`"note":{"type":"string","description":"Note"}},"additionalProperties":false}`
	wantSchema(t, reflect.TypeFor[changes](), want)
}

func TestChange_OrReturnsTheNewValueOrTheOld(t *testing.T) {
	for _, test := range []struct {
		change Change[string]
		want   string
		zero   bool
	}{{Change[string]{}, "old", true}, {Change[string]{Given: true}, "", false}, {Change[string]{true, "new"}, "new", false}} {
		if got := test.change.ValueOr("old"); got != test.want || test.change.IsZero() != test.zero {
			t.Errorf("%+v: %q, zero %v", test.change, got, test.change.IsZero())
		}
	}
}

type several struct {
	People Refs `json:"people,omitzero" jsonschema:"People"`
}

func TestRefs_ReadASingleReferenceAsAListOfOne(t *testing.T) {
	for arguments, want := range map[string]Refs{
		`{}`:                          nil,
		`{"people":null}`:             nil,
		`{"people":[]}`:               {},
		`{"people":9007199254740993}`: {{ID: 9007199254740993}},
		`{"people":" Ines "}`:         {{Name: "Ines"}},
		`{"people":"https://3.basecamp.com/1/people/2"}`: {{URL: "https://3.basecamp.com/1/people/2"}},
		`{"people":["7",8,"me"]}`:                        {{ID: 7}, {ID: 8}, {Name: "me"}},
		`{"people":["6400000130.0","#6400000130"]}`:      {{ID: 6400000130}, {ID: 6400000130}},
		`{"people":["2.0","#12","6400000130.5"]}`:        {{Name: "2.0"}, {Name: "#12"}, {Name: "6400000130.5"}},
	} {
		in, err := decoded[several](URLs{}, arguments)
		if diff := cmp.Diff(want, in.People); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", arguments, err, diff)
		}
	}
}

func TestNull_IsAValueWhereTheLimitsSaySo(t *testing.T) {
	type input struct {
		Value any    `json:"value" jsonschema:"Value" limits:"null types=string|number|null"`
		Note  string `json:"note,omitzero" jsonschema:"Note"`
	}
	for arguments, want := range map[string]input{`{"value":null}`: {}, `{"value":2}`: {Value: 2.0}, `{"value":"a","note":null}`: {Value: "a"}} {
		if got, err := decoded[input](basecampURLs, arguments); err != nil || got != want {
			t.Errorf("%s: %v %+v", arguments, err, got)
		}
	}
	if _, err := decoded[input](basecampURLs, `{}`); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("an absent value: %v", err)
	}
}

func TestAbsent_IsToldUnlessItIsNullOrAText(t *testing.T) {
	type entry struct {
		Name string         `json:"name" jsonschema:"Name"`
		Day  string         `json:"day,omitzero" jsonschema:"Day"`
		Text Change[string] `json:"text,omitzero" jsonschema:"Text" limits:"maxlen=5000"`
	}
	type input struct {
		List    []entry        `json:"list,omitzero" jsonschema:"List"`
		Words   string         `json:"words,omitzero" jsonschema:"Words" limits:"word"`
		Replace Change[string] `json:"replace,omitzero" jsonschema:"Text" limits:"word"`
		Labels  []string       `json:"labels,omitzero" jsonschema:"Labels" limits:"word"`
		Limit   int            `json:"limit,omitzero" jsonschema:"Number" limits:"default=25"`
		One     Ref            `json:"one,omitzero" jsonschema:"One"`
	}
	s := schemaOf[input]()
	for _, c := range []struct {
		given, meant, told string
	}{
		{`{"list":[{"name":"a","day":""},{"name":"b","day":"NULL","text":""}],"limit":""}`, `{"limit":25,"list":[{"name":"a"},{"name":"b","text":""}]}`,
			`list[].day: "" -> absent; list[].day: "NULL" -> absent; limit: "" -> absent`},
		{`{"list":null,"one":null,"limit":null}`, `{"limit":25}`, ""},
		{`{"words":"null","replace":"null","labels":"null"}`, `{"labels":["null"],"limit":25,"replace":"null","words":"null"}`, `labels: a string -> a list`},
		{`{"words":"","replace":"","labels":""}`, `{"limit":25,"replace":""}`, `words: "" -> absent; labels: "" -> absent`},
		{`{"LIST":"[{\"name\":\"a\",\"text\":\"null\"}]","one":" "}`, `{"limit":25,"list":[{"name":"a"}]}`,
			`one: " " -> absent; LIST -> list; list: a string -> a list; list[].text: "null" -> absent`},
		{`{"one":6.4e9}`, `{"limit":25,"one":6400000000}`, ""},
	} {
		a, err := Rules{}.Accept(s, json.RawMessage(c.given))
		if got := strings.Join(a.Understood, "; "); err != nil || string(a.data) != c.meant || got != c.told {
			t.Errorf("%s: %s, told %s, %v", c.given, a.data, got, err)
		}
	}
	_, err := Rules{}.Accept(s, json.RawMessage(`{"list":[{"name":"null"}]}`))
	wantProblems(t, "a required text", err, `list[0].name: is required`)
}
