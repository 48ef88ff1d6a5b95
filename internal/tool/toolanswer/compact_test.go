package toolanswer_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

type rider struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
}

type trail struct {
	URL       string    `json:"url"`
	Author    rider     `json:"author"`
	UpdatedAt time.Time `json:"updated_at"`
}

type trike struct {
	ID        int64   `json:"id"`
	Type      string  `json:"type"`
	Name      string  `json:"name"`
	Sold      bool    `json:"sold"`
	Kept      bool    `json:"kept" compact:"keep"`
	DueOn     *string `json:"due_on"`
	Rides     int     `json:"rides_count"`
	Gears     int     `json:"gears"`
	Assignees []rider `json:"assignees"`
	Owner     rider   `json:"owner" compact:"keep:name+email"`
	Secret    string  `json:"secret" compact:"-"`
	trail     `compact:"updated_at"`
}

type bikes struct {
	Items   []trike `json:"items"`
	HasMore bool    `json:"has_more"`
	Next    *int    `json:"next_page" compact:"keep"`
	Cursor  *int    `json:"next_cursor"`
}

var (
	ada = rider{1, "Ada", "ada@rider.example"}
	ben = rider{2, "Ben", ""}
)

func someBike(id int64) trike {
	return trike{
		ID: id, Type: "bike", Name: "<Tail>", Gears: 0, Assignees: []rider{ada, ben}, Owner: ada, Secret: "x",
		trail: trail{"https://rider.example/1", ada, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	}
}

func TestCompactLists_LeaveOutWhatIsEmptyOrSaidOnce(t *testing.T) {
	second := someBike(8)
	second.Name, second.Sold, second.Assignees = "Cart", true, nil
	schema := mcptest.Schema(bikesSchema(t))
	plans := new(toolanswer.Plans)
	const kept = `"owner":{"name":"Ada","email":"ada@rider.example"},`
	const when = `"updated_at":"2026-01-02T03:04:05Z"`
	for _, c := range []struct {
		items []trike
		plans *toolanswer.Plans
		want  string
	}{
		{nil, plans, `{"items":[],"has_more":false,"next_page":null}`},
		{
			[]trike{someBike(7)}, plans,
			`{"items":[{"id":7,"type":"bike","name":"<Tail>","kept":false,"gears":0,"assignees":["Ada","Ben"],` + kept +
				`"author":"Ada",` + when + `}],"has_more":false,"next_page":null}`,
		},
		{
			[]trike{someBike(7), second}, plans,
			`{"all_items":{"type":"bike","author":"Ada"},"items":[` +
				`{"id":7,"name":"<Tail>","kept":false,"gears":0,"assignees":["Ada","Ben"],` + kept + when + `},` +
				`{"id":8,"name":"Cart","sold":true,"kept":false,"gears":0,` + kept + when + `}],"has_more":false,"next_page":null}`,
		},
		{
			[]trike{someBike(7)}, nil,
			`{"items":[{"id":7,"type":"bike","name":"<Tail>","sold":false,"kept":false,"due_on":null,"rides_count":0,"gears":0,` +
				`"assignees":[{"id":1,"name":"Ada","email":"ada@rider.example"},{"id":2,"name":"Ben"}],` +
				`"owner":{"id":1,"name":"Ada","email":"ada@rider.example"},"secret":"x","url":"https://rider.example/1",` +
				`"author":{"id":1,"name":"Ada","email":"ada@rider.example"},` + when + `}],"has_more":false,"next_page":null,"next_cursor":null}`,
		},
	} {
		got, err := toolanswer.New(bikes{Items: c.items}, c.plans)
		if diff := cmp.Diff(c.want, string(got.JSON)); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		var tree any
		if err := json.Unmarshal(got.JSON, &tree); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(tree); err != nil {
			t.Errorf("%s: %v", got.JSON, err)
		}
	}
}

// bikesSchema returns the schema of a list that may be compact.
func bikesSchema(t *testing.T) json.RawMessage {
	t.Helper()
	s, err := toolargs.OutputSchema(reflect.TypeFor[bikes](), true, false, false)
	if err != nil {
		t.Fatal(err)
	}
	return s.JSON()
}

func TestCompactLists_RequireOnlyWhatBothFormsHave(t *testing.T) {
	got := string(bikesSchema(t))
	for _, want := range []string{
		`"all_items":{"type":"object"}`, `"required":["items","has_more","next_page"]`, `"required":["kept","owner","updated_at"]`,
		`{"type":"string"}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
