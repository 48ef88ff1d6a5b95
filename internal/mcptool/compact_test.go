package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
)

type bikesInput struct {
	Of string `json:"of" jsonschema:"Which bikes"`
	DetailInput
}

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

func listBikes(of map[string][]trike) Tool {
	return Define(Spec{Name: "list_bikes", Title: "List bikes", Description: "Lists bikes."}, func(_ context.Context, in bikesInput) (bikes, error) {
		return bikes{Items: of[in.Of]}, nil
	})
}

func someBike(id int64) trike {
	return trike{
		ID: id, Type: "bike", Name: "<Tail>", Gears: 0, Assignees: []rider{ada, ben}, Owner: ada, Secret: "x",
		trail: trail{"https://rider.example/1", ada, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	}
}

func TestCompactLists_LeaveOutWhatIsEmptyOrSaidOnce(t *testing.T) {
	second := someBike(8)
	second.Name, second.Sold, second.Assignees = "Cart", true, nil
	tool := listBikes(map[string][]trike{"none": nil, "one": {someBike(7)}, "two": {someBike(7), second}})
	handler := NewServer([]Toolset{{Name: "bikes", Tools: []Tool{tool}}}, Options{Name: "t", Version: "1", Log: slog.New(slog.DiscardHandler)}).Handler(nil, false)
	client := mcptest.Client{TB: t, Handler: handler, Caller: identity.Caller{Subject: "37s:1", Scopes: identity.AllScopes()}, Schemas: map[string]*jsonschema.Resolved{tool.Name: mcptest.Schema(tool.OutputSchema())}}
	const kept = `"owner":{"name":"Ada","email":"ada@rider.example"},`
	const when = `"updated_at":"2026-01-02T03:04:05Z"`
	for _, c := range []struct{ arguments, want string }{
		{`{"of":"none"}`, `{"items":[],"has_more":false,"next_page":null}`},
		{
			`{"of":"one"}`,
			`{"items":[{"id":7,"type":"bike","name":"<Tail>","kept":false,"gears":0,"assignees":["Ada","Ben"],` + kept +
				`"author":"Ada",` + when + `}],"has_more":false,"next_page":null}`,
		},
		{
			`{"of":"two","detail":"compact"}`,
			`{"all_items":{"type":"bike","author":"Ada"},"items":[` +
				`{"id":7,"name":"<Tail>","kept":false,"gears":0,"assignees":["Ada","Ben"],` + kept + when + `},` +
				`{"id":8,"name":"Cart","sold":true,"kept":false,"gears":0,` + kept + when + `}],"has_more":false,"next_page":null}`,
		},
		{
			`{"of":"one","detail":"full"}`,
			`{"items":[{"id":7,"type":"bike","name":"<Tail>","sold":false,"kept":false,"due_on":null,"rides_count":0,"gears":0,` +
				`"assignees":[{"id":1,"name":"Ada","email":"ada@rider.example"},{"id":2,"name":"Ben"}],` +
				`"owner":{"id":1,"name":"Ada","email":"ada@rider.example"},"secret":"x","url":"https://rider.example/1",` +
				`"author":{"id":1,"name":"Ada","email":"ada@rider.example"},` + when + `}],"has_more":false,"next_page":null,"next_cursor":null}`,
		},
	} {
		if got, _ := client.Raw("list_bikes", json.RawMessage(c.arguments)); got != c.want {
			t.Errorf("%s:\n%s", c.arguments, cmp.Diff(c.want, got))
		}
	}
	client.Fails("INVALID_INPUT", "list_bikes", json.RawMessage(`{"of":"one","detail":"most"}`), "compact", "full")
}

func TestCompactLists_RequireOnlyWhatBothFormsHave(t *testing.T) {
	got := string(listBikes(nil).OutputSchema())
	for _, want := range []string{
		`"all_items":{"type":"object"}`, `"required":["items","has_more","next_page"]`, `"required":["kept","owner","updated_at"]`,
		`{"type":"string"}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
