package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// todosAnswer returns an answer to list_todos with the to-dos of a page.
func todosAnswer(t *testing.T, page int64, items int) []byte {
	t.Helper()
	type item struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	var all []item
	for place := range items {
		tag := string(appendTag(nil, page, place))
		all = append(all, item{"Call the fork supplier " + tag, fmt.Sprintf("The **front forks %[1]s** of "+
			"[order %[1]s](https://fernhill.example/orders/%[1]s): *written*\n\n> We keep the price, whatever the freight of %[1]s costs.", tag)})
	}
	text, err := json.Marshal(map[string]any{"items": all})
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(quoted) + `}],"structuredContent":` + string(text) + `}}`)
}

func TestCheck_RefusesWrongAnswers(t *testing.T) {
	right := todosAnswer(t, 7, todosPerPage)
	if err := listTodos.checked(right, nil, 6); err != nil {
		t.Fatalf("the right answer: %v", err)
	}
	for name, wrong := range map[string][]byte{
		"an old page":            todosAnswer(t, 6, todosPerPage),
		"a to-do less":           todosAnswer(t, 7, todosPerPage-1),
		"no Markdown":            []byte(strings.ReplaceAll(string(right), "**", "")),
		"two different contents": []byte(strings.Replace(string(right), `\"title\":\"Call`, `\"title\":\"Phone`, 1)),
		"an error":               []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`),
		"a failed call":          []byte(`{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`),
	} {
		if err := listTodos.checked(wrong, nil, 6); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestUpstream_NeverSendsATextTwice(t *testing.T) {
	p, err := newPage()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for n := range int64(3) {
		var todos []struct{ Title, Description string }
		if err := json.Unmarshal(p.numbered(n), &todos); err != nil || len(todos) != todosPerPage {
			t.Fatalf("%d to-dos, %v", len(todos), err)
		}
		for _, todo := range todos {
			if seen[todo.Title] || seen[todo.Description] || strings.Contains(todo.Description, gap) {
				t.Errorf("%q or its description was sent before", todo.Title)
			}
			seen[todo.Title], seen[todo.Description] = true, true
		}
	}
}
