package toolargs

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

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
		Item  Ref    `json:"item"`
		Title string `json:"title,omitzero"`
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
