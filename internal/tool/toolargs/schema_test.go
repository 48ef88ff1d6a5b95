package toolargs

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolanswer"
)

type shared struct {
	ID   int64     `json:"id"`
	When time.Time `json:"when"`
}

type everyShape struct {
	shared
	Project Ref            `json:"project_id" jsonschema:"Project \"or\" so"`
	Status  string         `json:"status,omitzero" jsonschema:"Status" limits:"enum=a|b default=a"`
	Limit   int            `json:"limit,omitzero" jsonschema:"Limit" limits:"min=1 max=100 default=25"`
	Next    *int           `json:"next" jsonschema:"Next"`
	Parent  *shared        `json:"parent,omitempty"`
	Tags    []string       `json:"tags" limits:"maxitems=2"`
	Kinds   []string       `json:"kinds,omitzero" limits:"enum=a|b"`
	Items   []shared       `json:"items"`
	Ratio   float64        `json:"ratio"`
	Done    bool           `json:"done"`
	Page    int            `json:"page,omitzero" limits:"min=1"`
	Offset  int            `json:"offset,omitzero" limits:"min=2 max=9"`
	Name    string         `json:"name,omitzero" limits:"minlen=1 maxlen=1000"`
	Body    string         `json:"body,omitzero" limits:"minlen=1 maxlen=1001"`
	Key     string         `json:"key,omitzero" limits:"maxlen=64"`
	From    int            `json:"from,omitzero" limits:"min=0"`
	Any     map[string]any `json:"any"`
	private int
}

const everyShapeSchema = `{"type":"object","properties":{` +
	`"id":{"type":"integer"},"when":{"type":"string"},` +
	`"project_id":{"anyOf":[{"type":"integer"},{"type":"string"}],"description":"Project \"or\" so"},` +
	`"status":{"type":"string","enum":["a","b"],"default":"a","description":"Status"},` +
	`"limit":{"type":"integer","default":25,"description":"Limit"},` +
	`"next":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"Next"},` +
	`"parent":{"anyOf":[{"type":"object","properties":{"id":{"type":"integer"},"when":{"type":"string"}},"required":["id","when"],"additionalProperties":false},{"type":"null"}]},` +
	`"tags":{"type":"array","items":{"type":"string"},"maxItems":2},` +
	`"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]}},` +
	`"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"when":{"type":"string"}},"required":["id","when"],"additionalProperties":false}},` +
	`"ratio":{"type":"number"},"done":{"type":"boolean"},` +
	`"page":{"type":"integer"},"offset":{"type":"integer","minimum":2,"maximum":9},` +
	`"name":{"type":"string","minLength":1,"maxLength":1000},"body":{"type":"string"},"key":{"type":"string"},"from":{"type":"integer"},"any":{"type":"object"}},` +
	`"required":["id","when","project_id","next","tags","items","ratio","done","any"],"additionalProperties":false}`

func TestSchema_FollowsTheStruct(t *testing.T) {
	wantSchema(t, reflect.TypeFor[everyShape](), everyShapeSchema)
	wantSchema(t, reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`)
	_ = everyShape{private: 0}
}

func wantSchema(t *testing.T, of reflect.Type, want string) {
	t.Helper()
	s, err := schemaFor(of)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.appendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Another implementation of JSON Schema accepts what encoding/json writes for the struct.
func TestSchema_AcceptsTheEncodedStruct(t *testing.T) {
	var parsed jsonschema.Schema
	if err := json.Unmarshal([]byte(everyShapeSchema), &parsed); err != nil {
		t.Fatal(err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	next := 3
	for _, v := range []everyShape{{}, {Next: &next, Parent: &shared{ID: 1}, Tags: []string{"x"}, Items: []shared{{}, {}}}} {
		filled, _ := toolanswer.FillLists(struct {
			everyShape
			Project int64          `json:"project_id"` // a Ref is only ever read
			Any     map[string]any `json:"any"`
		}{everyShape: v, Any: map[string]any{}})
		encoded, err := toolanswer.Encode(filled)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(encoded, &tree); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(tree); err != nil {
			t.Errorf("%s: %v", encoded, err)
		}
	}
}

func TestSchema_RefusesFieldsThatHideEachOther(t *testing.T) {
	_, err := schemaFor(reflect.TypeFor[struct {
		shared
		Other int `json:"id"`
	}]())
	if err == nil || !strings.Contains(err.Error(), "two fields are called id") {
		t.Errorf("got %v", err)
	}
}

type oneOrMany struct {
	*shared
	*many
}

type many struct {
	Items []string `json:"items"`
}

func TestSchema_FieldsOfAnEmbeddedPointerAreOptional(t *testing.T) {
	const want = `{"type":"object","properties":{"id":{"type":"integer"},"when":{"type":"string"},"items":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`
	wantSchema(t, reflect.TypeFor[oneOrMany](), want)
	filled, _ := toolanswer.FillLists(oneOrMany{many: &many{}})
	if data, err := json.Marshal(filled); err != nil || string(data) != `{"items":[]}` {
		t.Errorf("%s, %v", data, err)
	}
}

func TestSchema_LeavesOutAFieldWithADash(t *testing.T) {
	s, err := schemaFor(reflect.TypeFor[fault.Candidate]())
	if err != nil || s.property("ref") != nil || s.property("name") == nil {
		t.Errorf("%v %s", err, s.JSON())
	}
}

func TestSchema_OfAnInterfaceNamesItsTypes(t *testing.T) {
	type input struct {
		Item  any `json:"item" limits:"types=object"`
		Value any `json:"value" jsonschema:"New value" limits:"null types=string|number|list|null"`
	}
	const want = `{"type":"object","properties":{"item":{"type":"object"},` +
		`"value":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"array","items":{"type":"string"}},{"type":"null"}],"description":"New value"}},` +
		`"required":["item","value"],"additionalProperties":false}`
	wantSchema(t, reflect.TypeFor[input](), want)
	for _, wrong := range []reflect.Type{
		reflect.TypeFor[struct {
			Value any `json:"value"`
		}](),
		reflect.TypeFor[struct {
			Value any `json:"value" limits:"types=text"`
		}](),
		reflect.TypeFor[struct {
			Value string `json:"value" limits:"types=string"`
		}](),
	} {
		if _, err := schemaFor(wrong); err == nil {
			t.Errorf("%v has a schema", wrong)
		}
	}
}

func TestSchema_ShowsNoUnlistedArgumentsAndSaysWhatIsOpen(t *testing.T) {
	type change struct {
		DueOn string `json:"due_on,omitzero"`
	}
	type part struct {
		Find string `json:"find" jsonschema:"Words"`
	}
	type entry struct {
		Item   Ref    `json:"item" jsonschema:"Item"`
		Parts  []part `json:"parts,omitzero" jsonschema:"Parts"`
		change `limits:"unlisted"`
	}
	type input struct {
		Items []entry        `json:"items" jsonschema:"Items"`
		Of    map[string]any `json:"of,omitzero" jsonschema:"Any"`
	}
	s, err := InputSchema(reflect.TypeFor[input](), false)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"item":{"type":"string","description":"Item"},` +
		`"parts":{"type":"array","items":{"type":"object","properties":{"find":{"type":"string","description":"Words"}},"required":["find"],"additionalProperties":false},` +
		`"description":"Parts"}},"required":["item"]},"description":"Items"},` +
		`"of":{"type":"object","additionalProperties":true,"description":"Any"}},"required":["items"],"additionalProperties":false}`
	if got := string(s.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for arguments, wrong := range map[string]string{
		`{"items":[{"item":7,"due_on":"friday"}]}`:                  "",
		`{"items":["todo:7",8],"of":{"find":"x"}}`:                  "",
		`{"items":[{"item":7,"parts":[{"find":"a","other":"b"}]}]}`: "items[0].parts[0].other",
		`{"items":[{"item":7,"owner":"b"}]}`:                        "items[0].owner",
	} {
		_, err := Rules{}.Accept(s, json.RawMessage(arguments))
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

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

type tellingInput struct {
	Item   Ref         `json:"item,omitzero" jsonschema:"x"`
	Items  []Ref       `json:"items,omitzero" jsonschema:"x"`
	Text   string      `json:"text,omitzero" jsonschema:"x"`
	TaskID string      `json:"task_id,omitzero" jsonschema:"x"`
	Texts  []string    `json:"texts,omitzero" jsonschema:"x"`
	Count  int         `json:"count,omitzero" jsonschema:"x"`
	Notify *bool       `json:"notify,omitempty" jsonschema:"x"`
	Change Change[int] `json:"change,omitzero" jsonschema:"x" limits:"none"`
	Steps  []step      `json:"steps,omitzero" jsonschema:"x"`

	Entries []struct {
		Item  Ref    `json:"item" jsonschema:"x"`
		Title string `json:"title,omitzero" jsonschema:"x"`
	} `json:"entries,omitzero" jsonschema:"x"`
}

func TestAuditable_KeepsIdsAndNoWordOfWhatWasSaid(t *testing.T) { // secrets redacted
	const uuid = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
	for arguments, want := range map[string]string{
		`{"item":1069479351}`:                           "item=1069479351",
		`{"item":"1069479351"}`:                         "item=1069479351",
		`{"item":"todo:1069479351"}`:                    "item=todo:1069479351",
		`{"item":"` + uuid + `"}`:                       "item=" + uuid,
		`{"item":"Winter sale"}`:                        "item=",
		`{"item":"https://3.basecamp.com/1/secret"}`:    "item=",
		`{"item":true}`:                                 "item=",
		`{"item":{"id":1}}`:                             "item=",
		`{"item":` + strings.Repeat("9", 20) + `}`:      "item=",
		`{"items":[1,"2","card:3"]}`:                    "items=1,2,card:3",
		`{"items":[1,"Ines"]}`:                          "items=",
		`{"items":[]}`:                                  "items=",
		`{"items":[` + strings.Repeat("1,", 20) + `1]}`: "items=",
		`{"items":7}`:                                   "items=7",
		`{"items":"Ines"}`:                              "items=",
		`{"texts":7}`:                                   "texts=",
		`{"entries":[{"item":1,"title":"secret"},{"item":"card:3"}]}`: "entries=1,card:3",
		`{"entries":[{"item":"Ines"}]}`:                               "entries=",
		`{"entries":[{"title":"4711"}]}`:                              "entries=",
		`{"change":7}`:                                                "change=7",
		`{"change":null}`:                                             "",
		`{"text":"secret"}`:                                           "text=",
		`{"text":"4711"}`:                                             "text=", // a code that a user posts
		`{"text":4711}`:                                               "text=",
		`{"text":"pin:4711"}`:                                         "text=",
		`{"text":true}`:                                               "text=",
		`{"text":"` + uuid + `"}`:                                     "text=", // as many keys look
		`{"task_id":"` + uuid + `"}`:                                  "task_id=" + uuid,
		`{"task_id":"secret"}`:                                        "task_id=",
		`{"item":"secret:4711"}`:                                      "item=",
		`{"text":"` + uuid + ` secret"}`:                              "text=",
		`{"texts":["a","1"]}`:                                         "texts=",
		`{"count":3,"notify":false}`:                                  "count=3 notify=false",
		`{"count":"3","notify":"false"}`:                              "count= notify=",
		`{"count":3.5,"notify":null}`:                                 "count=",
		`{"steps":[{"name":"secret"}]}`:                               "steps=",
		`{"my secret":1,"count":-1}`:                                  "count=-1",
		`["secret"]`:                                                  "",
		`null`:                                                        "",
		``:                                                            "",
	} {
		var got []string
		for _, a := range schemaOf[tellingInput]().Auditable(json.RawMessage(arguments)) {
			got = append(got, a.Name+"="+a.Value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: kept %q, want %q", arguments, got, want)
		}
	}
}

func TestAuditable_KeepsTheArgumentsAsTheyWereUnderstood(t *testing.T) {
	a, err := Rules{}.Accept(lenientSchemas["get"], []byte(`{"card":12,"project":"secret"}`))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, a := range lenientSchemas["get"].Auditable(a.Arguments) {
		kept = append(kept, a.Name+"="+a.Value)
	}
	if want := []string{"card_id=12", "project_id="}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}
