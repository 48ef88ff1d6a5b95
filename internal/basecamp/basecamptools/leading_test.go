package basecamptools

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/fault"
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

func TestTools_TellABlankTextTogetherWithAWrongType(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.InvalidInput, "create_comment", args{"item": "todo:12", "body": " ", "mentions": 5.5}, "body: must not be blank", "mentions")
	})
}

func TestTools_TakeAMarkdownLinkForAReference(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := d.sandbox.Find("Todo", "Print the serial number plates")
		link := "[Print the plates](" + d.url("todos", todo) + ")"
		for tool, in := range map[string]args{
			"get_todo": {"todo_id": link}, "list_comments": {"item": link}, "get_item": {"url": link},
			"set_completed": {"items": []string{link}, "completed": true}, "update_work": {"items": thoseItems(link), "due_on": "2031-05-20"},
		} {
			text, isError := d.raw(tool, in)
			if isError || !strings.Contains(text, "understood") {
				d.Errorf("%s: %.600s", tool, text)
			}
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

func TestCheckins_AreFoundByTitleWithoutAProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, title := range []string{weekly, strings.ToUpper(weekly)} {
			if got := call[texts.Questions](d, "list_checkins", args{"question": title}); len(got.Items[0].LastAnswers) == 0 {
				d.Errorf("%s: no answers", title)
			}
		}
		if got := call[texts.AnsweredCheckin](d, "answer_checkin", args{"question": weekly, "body": "Rain.", "date": "1999-12-27"}); got.Question.Name != weekly {
			d.Errorf("got %+v", got)
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
