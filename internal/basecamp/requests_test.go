package basecamp

import (
	"basecamp-mcp/internal/report/fault"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Every call of the client sends one request. Of writes, the fields that are not given are not
// sent, unless Basecamp would clear a field that is missing.
func TestEveryCall_SendsOneRequest(t *testing.T) {
	var sent []string
	c := client(t, Config{Unlimited: true, Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
		var body []byte
		if r.Body != nil {
			body, _ = io.ReadAll(r.Body)
		}
		sent = append(sent, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, strings.TrimPrefix(r.URL.RequestURI(), account), body)))
		if (r.Header.Get("Content-Type") != "") != (len(body) > 0) { // search refuses one
			t.Errorf("%s: Content-Type %q", sent[len(sent)-1], r.Header.Get("Content-Type"))
		}
		w.WriteHeader(http.StatusTeapot)
	})})
	ctx := t.Context()
	title := "Ring the bell"
	for i, x := range []struct {
		want string
		err  error
	}{
		{"GET /chats/7/lines/8.json", errOf(LineAt.Get(ctx, c, 7, 8))},
		{"GET /schedule_entries/7/occurrences/20260131.json", errOf(OccurrenceOn("20260131").Get(ctx, c, 7))},
		{"GET /todos/9007199254741623.json", errOf(TodoAt.Get(ctx, c, 9007199254741623))},
		{"GET /projects.json?status=archived", errOf(Projects.Where(WithStatus("archived")).Page(ctx, c, 1))},
		{"GET /chats/7/lines.json?direction=desc&sort=created_at", errOf(LinesIn.Page(ctx, c, 1, 7))},
		{"GET /todolists/7/todos.json?completed=true&page=3", errOf(TodosIn.Where(CompletedTodos(true)).Page(ctx, c, 3, 7))},
		{"GET /todosets/7/todolists.json?page=2&status=trashed", errOf(TodolistsIn.Where(WithStatus("trashed")).Page(ctx, c, 2, 7))},
		{"GET /buckets/5/todosets/7/todos.json?completed=true", errOf(LooseTodosIn.In(5).Where(CompletedTodos(true)).Page(ctx, c, 1, 7))},
		{"GET /todos/open.json", errOf(Everywhere(Todos, Open, 0).Page(ctx, c, 1))},
		{"GET /cards/no_due_date.json?page=3", errOf(Everywhere(Cards, "no_due_date", 0).Page(ctx, c, 3))},
		{"GET /todos/completed.json?assignee_ids%5B%5D=7", errOf(Everywhere(Todos, Completed, 7).Page(ctx, c, 1))},
		{"GET /cards/overdue.json?assignee_ids%5B%5D=7", errOf(Overdue(Cards, 7).All(ctx, c))},
		{"GET /my/readings.json?page=2", errOf(c.Readings(ctx, 2))},
		{"GET /buckets/5/recordings/7/events.json?page=2", errOf(EventsOf.In(5).Page(ctx, c, 2, 7))},
		{"GET /events.json?since=now", errOf(c.Feed(ctx, url.Values{"since": {"now"}}))},
		{"GET /projects/recordings.json?bucket=5&direction=desc&sort=updated_at&status=trashed&type=Todo", errOf(RecordingsIn[Changed]("Todo", 5, "trashed", Sorted("updated_at", "desc")).Page(ctx, c, 1))},
		{"GET /search.json?q=b%C3%BCro", errOf(c.Search(ctx, Search{Text: "büro"}, 1))},
		{"GET /search.json?page=2&q=a&since=last_7_days", errOf(c.Search(ctx, Search{Text: "a", Since: "last_7_days"}, 2))},
		{"GET /search.json?bucket_ids%5B%5D=5&creator_ids%5B%5D=7&q=a&sort=recency&type_names%5B%5D=Todo&type_names%5B%5D=Question", errOf(c.Search(ctx, Search{Text: "a", Types: []string{"Todo", "Question"}, Project: 5, Creator: 7, Recent: true}, 1))},
		{"PUT /recordings/7/status/trashed.json", StatusOf("trashed").Set(ctx, c, nil, 7)},
		{"PUT /projects/7/status/archived.json", c.SetProjectStatus(ctx, 7, "archived")},
		{"PUT /projects/7/status/active.json", c.SetProjectStatus(ctx, 7, "active")},
		{"DELETE /projects/7.json", c.SetProjectStatus(ctx, 7, "trashed")},
		{`POST /projects.json {"name":"Rain test"}`, errOf(Raw("projects", nil, fault.Resource{}).Send(ctx, c, http.MethodPost, false, map[string]any{"name": "Rain test"}))},
		{`POST /schedules/7/entries.json {"all_day":false,"starts_at":"","ends_at":"","summary":"","description":""}`, errOf(EntriesIn.Post(ctx, c, EntryFields{}, 7))},
		{`PUT /schedule_entries/7.json {"all_day":false,"starts_at":"","ends_at":"","summary":"","description":"","participant_ids":[]}`, errOf(EntryAt.Put(ctx, c, EntryFields{ParticipantIDs: []int64{}}, 7))},
		{"GET /questions/7/answers.json?creator_id=9&date=2026-01-31", errOf(AnswersTo.Where(AnswersOn("2026-01-31", 9)).Page(ctx, c, 1, 7))},
		{`POST /chats/7/lines.json {"content":"","content_type":"text/html"}`, errOf(LinesIn.Post(ctx, c, NewChatLine{Type: HTMLLine}, 7))},
		{`POST /buckets/5/recordings/7/comments.json {"content":"x"}`, errOf(CommentsOn.In(5).Post(ctx, c, map[string]any{"content": "x"}, 7))},
		{"POST /todos/7/completion.json", TodoDone.Turn(ctx, c, true, 7)},
		{"DELETE /todos/7/completion.json", TodoDone.Turn(ctx, c, false, 7)},
		{`POST /card_tables/lists/7/cards.json {"title":"Ring the bell"}`, errOf(CardsIn.Post(ctx, c, NewCard{Title: title}, 7))},
		{`POST /recordings/7/subtasks.json {"title":"Ring the bell","due_on":"2031-05-30","assignee_ids":[501]}`, errOf(SubtasksOf.Post(ctx, c, NewSubtask{Title: title, DueOn: "2031-05-30", AssigneeIDs: []int64{501}}, 7))},
		{`POST /todolists/7/todos.json {"content":"True the wheels"}`, errOf(TodosIn.Post(ctx, c, NewTodo{Content: "True the wheels"}, 7))},
		{`POST /todolists/7/todos.json {"content":"True the wheels","description":"\u003cdiv\u003eBoth\u003c/div\u003e","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[501],"notify":true}`, errOf(TodosIn.Post(ctx, c, NewTodo{Content: "True the wheels", Description: "<div>Both</div>", DueOn: "2031-05-20", StartsOn: "2031-05-18", AssigneeIDs: []int64{501}, Notify: true}, 7))},
	} {
		if x.err == nil || i >= len(sent) || sent[i] != x.want {
			t.Errorf("%v: sent %s, want %s", x.err, sent[min(i, len(sent)-1)], x.want)
		}
	}
	if _, err := ItemAt[Listed]("chat_line").Get(ctx, c, 7); err == nil {
		t.Error("a chat line was read without a chat")
	}
}
