package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// call is a message that all peers answer.
type call struct {
	name   string
	method string
	params string
	quick  func([]byte) bool               // reports whether an answer looks right
	check  func(result, []tool, int) error // checks an answer in full; the number is the latest page so far
}

// tool is a definition. Only names are compared.
type tool struct{ Name string }

// result is the result of any call.
type result struct {
	Tools             []tool
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

var (
	listTools = call{name: "tools/list", method: "tools/list", params: "{}",
		quick: func(b []byte) bool { return len(b) > 50_000 }, check: checkTools}
	listTasks = call{name: "list_tasks", method: "tools/call", params: `{"name":"list_tasks","arguments":{}}`,
		quick: contains(`"tasks":[]`), check: checkTasks}
	getMe = call{name: "get_me", method: "tools/call", params: `{"name":"get_me","arguments":{}}`,
		quick: contains(`"Person Number1"`), check: checkMe}
	listTodos = call{name: "list_todos", method: "tools/call",
		params: fmt.Sprintf(`{"name":"list_todos","arguments":{"project_id":%d,"todolist_id":%d,"limit":%d}}`, projectID, listID, todosPerPage),
		quick:  func(b []byte) bool { return bytes.Count(b, []byte("**front forks p")) == 2*todosPerPage }, check: checkTodos}
	calls = []call{listTools, listTasks, getMe, listTodos}
)

func contains(part string) func([]byte) bool {
	return func(b []byte) bool { return bytes.Contains(b, []byte(part)) }
}

// can reports whether a peer offers a call.
func (p peer) can(c call) bool { return p.offers == nil || slices.Contains(p.offers, c.name) }

// checked decodes an answer and compares it with what the upstream has sent.
func (c call) checked(answer []byte, tools []tool, pagesBefore int) error {
	var m struct {
		Result result
		Error  json.RawMessage
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		return fmt.Errorf("the answer to %s is not JSON: %w", c.name, err)
	}
	if m.Error != nil || m.Result.IsError {
		return fmt.Errorf("%s failed: %.300s", c.name, answer)
	}
	if err := c.check(m.Result, tools, pagesBefore); err != nil {
		return fmt.Errorf("wrong answer to %s: %w", c.name, err)
	}
	return nil
}

func checkTools(r result, tools []tool, _ int) error {
	listed := slices.SortedFunc(slices.Values(r.Tools), func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
	if !slices.Equal(listed, tools) {
		return fmt.Errorf("%d tools, want the %d of this server", len(listed), len(tools))
	}
	return nil
}

// texts decodes both forms of an answer, which must be equal, into v.
func (r result) texts(v any) error {
	if len(r.Content) != 1 {
		return fmt.Errorf("%d texts, want 1", len(r.Content))
	}
	text, structured := new(bytes.Buffer), new(bytes.Buffer)
	if err := errors.Join(sortedJSON(text, []byte(r.Content[0].Text)), sortedJSON(structured, r.StructuredContent)); err != nil {
		return err
	}
	if !bytes.Equal(text.Bytes(), structured.Bytes()) {
		return errors.New("the text differs from the structured content")
	}
	return json.Unmarshal(r.StructuredContent, v)
}

// sortedJSON writes JSON with sorted members.
func sortedJSON(out *bytes.Buffer, text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(v)
}

func checkTasks(r result, _ []tool, _ int) error {
	var answer struct {
		Tasks []struct{}
		Total *int
	}
	if err := r.texts(&answer); err != nil {
		return err
	}
	if answer.Tasks == nil || answer.Total == nil || *answer.Total != 0 {
		return errors.New("it does not say that there are no tasks")
	}
	return nil
}

func checkMe(r result, _ []tool, _ int) error {
	var answer struct {
		Name    string
		Account struct{ Name string }
	}
	if err := r.texts(&answer); err != nil {
		return err
	}
	if answer.Name != "Person Number1" || answer.Account.Name != "Fernhill Bikes" {
		return fmt.Errorf("the user is %q of %q", answer.Name, answer.Account.Name)
	}
	return nil
}

func checkTodos(r result, _ []tool, pagesBefore int) error {
	var answer struct {
		Items []struct{ Title, Description string }
	}
	if err := r.texts(&answer); err != nil {
		return err
	}
	if len(answer.Items) != todosPerPage {
		return fmt.Errorf("%d to-dos, want %d", len(answer.Items), todosPerPage)
	}
	for i, item := range answer.Items {
		tag, ok := strings.CutPrefix(item.Title, "Call the fork supplier ")
		var page, place int
		if _, err := fmt.Sscanf(tag, "p%dt%d", &page, &place); !ok || err != nil || place != i || page <= pagesBefore {
			return fmt.Errorf("to-do %d is %q, which is not from a new page", i+1, item.Title)
		}
		for _, want := range []string{
			"**front forks " + tag + "**", "[order " + tag + "](https://fernhill.example/orders/" + tag + ")",
			"*written*", "> We keep the price, whatever the freight of " + tag,
		} {
			if !strings.Contains(item.Description, want) {
				return fmt.Errorf("the description of to-do %d has no %q: %s", i+1, want, item.Description)
			}
		}
	}
	return nil
}
