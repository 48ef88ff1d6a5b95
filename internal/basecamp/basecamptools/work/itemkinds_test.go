package work

import (
	"encoding/json"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
)

// An update of some kinds clears what it does not send; of the others, it sends only what changes.
func TestBody_HasWhatChangesAndWhatWouldBeCleared(t *testing.T) {
	todo := holdTodo(basecamp.Todo{
		Content: "Bell", Description: "Loud", DueOn: "2031-05-20", StartsOn: "2031-05-18", Assignees: []basecamp.Person{{ID: 501}}, Subscribers: []basecamp.Person{{ID: 503}},
	})
	card := holdCard(basecamp.Card{Recording: basecamp.Recording{Title: "Bell"}, Content: "Loud", DueOn: "2031-05-20", Assignees: []basecamp.Person{{ID: 501}}})
	message := holdMessage(basecamp.Message{Subject: "Bell", Content: "Loud"})
	for _, x := range []struct {
		kind   lookup.Kind
		item   HeldItem
		change func(*ItemFields)
		want   string
	}{
		{lookup.TodoKind, todo, func(f *ItemFields) { f.Title = "Horn" },
			`{"assignee_ids":[501],"completion_subscriber_ids":[503],"content":"Horn","description":"Loud","due_on":"2031-05-20","starts_on":"2031-05-18"}`},
		{lookup.TodoKind, todo, func(f *ItemFields) { f.Text, f.dueOn, f.startsOn, f.assignees = "", "", "", []int64{} },
			`{"assignee_ids":[],"completion_subscriber_ids":[503],"content":"Bell","description":"","due_on":"","starts_on":""}`},
		{lookup.TodoKind, holdTodo(basecamp.Todo{Content: "Bell"}), func(*ItemFields) {},
			`{"assignee_ids":[],"completion_subscriber_ids":[],"content":"Bell","description":"","due_on":"","starts_on":""}`},
		{lookup.CardKind, card, func(f *ItemFields) { f.Title = "Horn" }, `{"title":"Horn"}`},
		{lookup.CardKind, card, func(f *ItemFields) { f.Text, f.dueOn, f.assignees = "", "", []int64{} }, `{"assignee_ids":[],"content":"","due_on":""}`},
		{lookup.SubtaskKind, holdSubtask(basecamp.Subtask{DueOn: "2031-05-20"}), func(f *ItemFields) { f.dueOn = "" }, `{"due_on":""}`},
		{lookup.ListKind, holdList(basecamp.Todolist{Name: "Bells", Description: "Loud"}), func(f *ItemFields) { f.Title = "Horns" }, `{"description":"Loud","name":"Horns"}`},
		{lookup.DocumentKind, holdDocument(basecamp.Document{Recording: basecamp.Recording{Title: "Bell"}, Content: "Loud"}), func(f *ItemFields) { f.Status = "active" }, `{"content":"Loud","status":"active","title":"Bell"}`},
		{lookup.UploadKind, holdUpload(basecamp.Upload{Description: "Loud"}), func(f *ItemFields) { f.Text = "" }, `{"description":""}`},
		{lookup.MessageKind, message, func(f *ItemFields) { f.Title = "Horn" }, `{"subject":"Horn"}`},
		{lookup.MessageKind, message, func(f *ItemFields) { f.Category = new(int64(9)) }, `{"category_id":9}`},
		{lookup.MessageKind, message, func(f *ItemFields) { f.Category = new(int64) }, `{"category_id":null}`},
		{lookup.EntryKind, holdEntry(basecamp.ScheduleEntry{Span: basecamp.Span{AllDay: true, StartsAt: "2031-05-20", EndsAt: "2031-05-21"}, Summary: "Bell"}), func(f *ItemFields) { f.Text = "Loud" },
			`{"all_day":true,"description":"Loud","ends_at":"2031-05-21","starts_at":"2031-05-20","summary":"Bell"}`},
		{lookup.AnswerKind, holdAnswer(basecamp.CheckinAnswer{GroupOn: "2031-05-20"}), func(f *ItemFields) { f.Text = "Loud" }, `{"question_answer":{"content":"Loud","group_on":"2031-05-20"}}`},
		{lookup.ProjectKind, holdProject(editedProject{basecamp.Project{Name: "Bells", StartDate: "2031-05-20", EndDate: "2031-05-21"}}), func(f *ItemFields) { f.Title, f.Text = "Horns", "Loud" },
			`{"description":"Loud","name":"Horns","schedule_attributes":{"start_date":"2031-05-20","end_date":"2031-05-21"}}`},
	} {
		now := x.item.Fields
		x.change(&now)
		if got, err := json.Marshal(RowOf(x.kind).sends.body(x.item, now)); err != nil || string(got) != x.want {
			t.Errorf("%s: sends %s, %v; want %s", x.kind.Kind, got, err, x.want)
		}
	}
}
