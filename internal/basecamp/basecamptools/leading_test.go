package basecamptools

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

func TestRefusals_SayWhatToDoNext(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := d.sandbox.Find("Todo", "Print the serial number plates")
		for _, c := range []struct {
			tool string
			in   args
			code fault.Code
			says string
		}{
			{"create_message", args{"project": launch, "subject": "a", "body": "b", "notify": true}, fault.InvalidInput, "notify: must be a list, got true; give everyone, none (default), or people"},
			{"list_todos", args{"project_id": launch, "todolist_id": todo}, fault.NotFound, "todolist_id: "},
			{"create_todos", args{"project": launch, "list": todo, "todos": []args{{"content": "a"}}}, fault.NotFound, "list: "},
			{"list_documents", args{"project": launch, "folder": todo}, fault.NotFound, "the list tools return ids"},
			{"post_chat_line", args{"to": "Payroll & Contracts", "text": "Hi."}, fault.ToolNotEnabled, "name another project, or ask the user to switch it on in Basecamp (https://3.basecamp.com/"},
			{"set_completed", args{"completed": true}, fault.InvalidInput, "or items for several"},
		} {
			d.fails(c.code, c.tool, c.in, c.says)
		}
	})
}

func TestTools_TakeTheTitleOfACardATodoOrAFileForAnItem(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct {
			tool string
			in   args
		}{
			{"get_item", args{"card": "Deck rails: second weld pass underneath"}},
			{"list_comments", args{"todo": "Print the serial number plates"}},
			{"create_comment", args{"card": "Deck rails: second weld pass underneath", "body": "Seen."}},
			{"set_completed", args{"todo": "Print the serial number plates", "completed": true}},
			{"get_file", args{"file": "launch-budget.csv", "project": launch}},
			{"change_basecamp", args{"operation": "follow", "file": "launch-budget.csv", "project": launch}},
			{"add_subtasks", args{"card": "Deck rails: second weld pass underneath", "steps": []args{{"title": "Grind"}}}},
		} {
			if text, isError := d.raw(c.tool, c.in); isError || !strings.Contains(strings.ReplaceAll(text, "arguments.", ""), "-> item") {
				d.Errorf("%s %v: %.300s", c.tool, c.in, text)
			}
		}
	})
}

func TestGetMyWork_TakesOneScopeWithoutANote(t *testing.T) {
	at(t, func(d *toolEnv) {
		if text, isError := d.raw("get_my_work", args{"scope": "today"}); isError || strings.Contains(text, "understood") {
			d.Error(text)
		}
		if text, _ := d.raw("get_my_work", args{"scope": "this week"}); !strings.Contains(text, "understood") {
			d.Error(text)
		}
	})
}
