package basecamp

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Every method of the client sends one request. Of writes, the fields that are not given are not
// sent, unless Basecamp would clear a field that is missing.
func TestEveryMethod_SendsOneRequest(t *testing.T) {
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
	text, title, none, noPeople := "<div>Bells</div>", "Ring the bell", "", []int64{}
	noCategory, some := CategoryID(0), CategoryID(9)
	bare := Todo{Content: "True the wheels"}
	whole := Todo{
		Content: "True the wheels", Description: "<div>Both</div>", DueOn: "2031-05-20", StartsOn: "2031-05-18",
		Assignees: []Person{{ID: 501}, {ID: 502}}, Subscribers: []Person{{ID: 503}},
	}
	for i, x := range []struct {
		want string
		err  error
	}{
		{"GET /projects.json", errOf(c.Projects(ctx, "active", 1))},
		{"GET /projects.json?status=archived", errOf(c.Projects(ctx, "archived", 1))},
		{"GET /projects/7.json", errOf(c.Project(ctx, 7))},
		{"GET /projects/7/people.json", errOf(c.ProjectPeople(ctx, 7, 1))},
		{"GET /people.json?page=2", errOf(c.People(ctx, 2))},
		{"GET /my/profile.json", errOf(c.Profile(ctx))},
		{"GET /messages/7.json", errOf(c.Message(ctx, 7))},
		{"GET /recordings/7/comments.json", errOf(c.Comments(ctx, 7, 1))},
		{"GET /todosets/7/todolists.json", errOf(c.Todolists(ctx, 7, "", 1))},
		{"GET /todolists/7.json", errOf(c.Todolist(ctx, 7))},
		{"GET /todolists/7/groups.json", errOf(c.TodolistGroups(ctx, 7, 1))},
		{"GET /todolists/7/todos.json", errOf(c.Todos(ctx, 7, false, 1))},
		{"GET /todos/9007199254741623.json", errOf(c.Todo(ctx, 9007199254741623))},
		{"GET /vaults/7.json", errOf(c.Vault(ctx, 7))},
		{"GET /vaults/7/vaults.json", errOf(c.Vaults(ctx, 7, 1))},
		{"GET /vaults/7/documents.json", errOf(c.Documents(ctx, 7, 1))},
		{"GET /documents/7.json", errOf(c.Document(ctx, 7))},
		{"GET /vaults/7/uploads.json", errOf(c.Uploads(ctx, 7, 1))},
		{"GET /chats/7.json", errOf(c.Chat(ctx, 7))},
		{"GET /chats/7/lines.json?direction=desc&sort=created_at", errOf(c.ChatLines(ctx, 7, 1))},
		{"GET /todolists/7/todos.json?completed=true&page=3", errOf(c.Todos(ctx, 7, true, 3))},
		{"GET /todosets/7/todolists.json?page=2&status=trashed", errOf(c.Todolists(ctx, 7, "trashed", 2))},
		{"GET /message_boards/7/messages.json?direction=desc&sort=created_at", errOf(c.Messages(ctx, 7, Newest, 1))},
		{"GET /message_boards/7/messages.json?direction=asc&sort=created_at", errOf(c.Messages(ctx, 7, Oldest, 1))},
		{"GET /message_boards/7/messages.json?direction=desc&sort=updated_at", errOf(c.Messages(ctx, 7, Updated, 1))},
		{"GET /buckets/5/todosets/7/todos.json", errOf(c.LooseTodos(ctx, 5, 7, false, 1))},
		{"GET /buckets/5/todosets/7/todos.json?completed=true", errOf(c.LooseTodos(ctx, 5, 7, true, 1))},
		{"GET /my/assignments.json", errOf(c.Assignments(ctx))},
		{"GET /my/assignments/completed.json", errOf(c.CompletedAssignments(ctx))},
		{"GET /todos/open.json", errOf(c.Everywhere(ctx, Todos, Open, 0, 1))},
		{"GET /cards/no_due_date.json?page=3", errOf(c.Everywhere(ctx, Cards, Undated, 0, 3))},
		{"GET /todos/completed.json?assignee_ids%5B%5D=7", errOf(c.Everywhere(ctx, Todos, Completed, 7, 1))},
		{"GET /cards/overdue.json?assignee_ids%5B%5D=7", errOf(c.Overdue(ctx, Cards, 7))},
		{"GET /my/readings.json", errOf(c.Readings(ctx, 1))},
		{"GET /my/readings/bubble_ups.json", errOf(c.BubbleUps(ctx, 1))},
		{"GET /my/readings.json?page=2", errOf(c.Readings(ctx, 2))},
		{"GET /recordings/7/events.json", errOf(c.Events(ctx, 0, 7, 1))},
		{"GET /buckets/5/recordings/7/events.json?page=2", errOf(c.Events(ctx, 5, 7, 2))},
		{"GET /events.json?since=now", errOf(c.Feed(ctx, url.Values{"since": {"now"}}))},
		{"GET /todos/7.json", errOf(c.Changed(ctx, "todo", 7))},
		{"GET /projects/recordings.json?bucket=5&direction=desc&sort=updated_at&status=trashed&type=Todo", errOf(c.LastChanged(ctx, "Todo", 5, "trashed", 1))},
		{"GET /reports/progress.json?page=2", errOf(c.Timeline(ctx, 2))},
		{"GET /projects/7/timeline.json", errOf(c.ProjectTimeline(ctx, 7, 1))},
		{"GET /reports/users/progress/7.json?page=2", errOf(c.PersonTimeline(ctx, 7, 2))},
		{"GET /search.json?q=b%C3%BCro", errOf(c.Search(ctx, Search{Text: "büro"}, 1))},
		{"GET /search.json?page=2&q=a&since=last_7_days", errOf(c.Search(ctx, Search{Text: "a", Since: "last_7_days"}, 2))},
		{"GET /search.json?bucket_ids%5B%5D=5&creator_ids%5B%5D=7&q=a&sort=recency&type_names%5B%5D=Todo&type_names%5B%5D=Question", errOf(c.Search(ctx, Search{Text: "a", Types: []string{"Todo", "Question"}, Project: 5, Creator: 7, Recent: true}, 1))},
		{"PUT /recordings/7/status/trashed.json", c.SetStatus(ctx, 7, "trashed")},
		{"PUT /recordings/7/status/active.json", c.SetStatus(ctx, 7, "active")},
		{"PUT /projects/7/status/archived.json", c.SetProjectStatus(ctx, 7, "archived")},
		{"PUT /projects/7/status/active.json", c.SetProjectStatus(ctx, 7, "active")},
		{"DELETE /projects/7.json", c.SetProjectStatus(ctx, 7, "trashed")},
		{`POST /projects.json {"name":"Rain test"}`, errOf(c.Write(ctx, Operation{Method: "POST", Path: "projects", Body: map[string]any{"name": "Rain test"}}))},
		{"GET /people/7.json", errOf(c.Person(ctx, 7))},
		{"GET /uploads/7.json", errOf(c.Upload(ctx, 7))},
		{"GET /inboxes/7/inbox_forwards.json", errOf(c.List(ctx, Operation{Path: "inboxes/7/inbox_forwards"}, "", 1))},
		{"GET /inbox_forwards/7.json", errOf(c.Forward(ctx, 7))},
		{"GET /inbox_forwards/7/replies.json", errOf(c.ForwardReplies(ctx, 7, 1))},
		{"GET /inbox_forwards/7/replies/8.json", errOf(c.ForwardReply(ctx, 7, 8))},
		{"GET /chats/7/lines/8.json", errOf(c.ChatLine(ctx, 7, 8))},
		{"GET /question_answers/7.json", errOf(c.Item(ctx, "answer", 7))},
		{"GET /schedule_entries/7.json", errOf(c.ScheduleEntry(ctx, 7))},
		{"GET /schedule_entries/7/occurrences/20260131.json", errOf(c.Occurrence(ctx, 7, "20260131"))},
		{`POST /schedules/7/entries.json {"all_day":false,"starts_at":"","ends_at":"","summary":"","description":""}`, errOf(c.CreateScheduleEntry(ctx, 7, EntryFields{}))},
		{`PUT /schedule_entries/7.json {"all_day":false,"starts_at":"","ends_at":"","summary":"","description":"","participant_ids":[]}`, errOf(c.UpdateScheduleEntry(ctx, 7, EntryFields{ParticipantIDs: []int64{}}))},
		{"GET /reports/schedules/upcoming.json?window_ends_on=2026-02-01&window_starts_on=2026-01-31", errOf(c.Upcoming(ctx, "2026-01-31", "2026-02-01"))},
		{"GET /questionnaires/7/questions.json?page=2", errOf(c.Questions(ctx, 7, 2))},
		{"GET /questions/7.json", errOf(c.Question(ctx, 7))},
		{"GET /questions/7/answers.json", errOf(c.CheckinAnswers(ctx, 7, "", 0, 1))},
		{"GET /questions/7/answers.json?creator_id=9&date=2026-01-31", errOf(c.CheckinAnswers(ctx, 7, "2026-01-31", 9, 1))},
		{"GET /question_answers/7.json", errOf(c.CheckinAnswer(ctx, 7))},
		{`POST /questions/7/answers.json {"question_answer":{"content":"","group_on":""}}`, errOf(c.CreateCheckinAnswer(ctx, 7, NewCheckinAnswer{}))},
		{"GET /my/question_reminders.json", errOf(c.Reminders(ctx, 1))},
		{`POST /chats/7/lines.json {"content":"","content_type":"text/html"}`, errOf(c.CreateChatLine(ctx, 7, NewChatLine{Type: HTMLLine}))},
		{`POST /message_boards/7/messages.json {"subject":"Bells","content":"","status":"active"}`, errOf(c.CreateMessage(ctx, 7, NewMessage{Subject: "Bells", Status: "active"}))},
		{`POST /message_boards/7/messages.json {"subject":"Bells","content":"x","category_id":9,"status":"drafted","subscriptions":[]}`, errOf(c.CreateMessage(ctx, 7, NewMessage{Subject: "Bells", Content: "x", CategoryID: 9, Status: "drafted", Subscriptions: []int64{}}))},
		{`PUT /messages/7.json {"subject":"Bells"}`, errOf(c.UpdateMessage(ctx, 7, MessageChange{Subject: "Bells"}))},
		{`PUT /messages/7.json {"content":"\u003cdiv\u003eBells\u003c/div\u003e","category_id":null,"status":"active"}`, errOf(c.UpdateMessage(ctx, 7, MessageChange{Content: &text, Category: &noCategory, Status: "active"}))},
		{`PUT /messages/7.json {"category_id":9}`, errOf(c.UpdateMessage(ctx, 7, MessageChange{Category: &some}))},
		{`POST /recordings/7/pin.json`, c.PinMessage(ctx, 7, true)},
		{`DELETE /recordings/7/pin.json`, c.PinMessage(ctx, 7, false)},
		{`GET /buckets/7/categories.json`, errOf(c.Categories(ctx, 7))},
		{`GET /comments/7.json`, errOf(c.Comment(ctx, 7))},
		{`GET /question_answers/7.json`, errOf(c.Item(ctx, "answer", 7))},
		{`GET /card_tables/cards/7.json`, errOf(c.Item(ctx, "card", 7))},
		{`PUT /comments/7.json {"content":"x"}`, errOf(c.UpdateComment(ctx, 7, "x"))},
		{`POST /recordings/7/comments.json {"content":"x"}`, errOf(c.CreateComment(ctx, 0, 7, "x"))},
		{`POST /buckets/5/recordings/7/comments.json {"content":"x"}`, errOf(c.CreateComment(ctx, 5, 7, "x"))},
		{`POST /vaults/7/documents.json {"title":"Bells","content":"x","status":"active"}`, errOf(c.CreateDocument(ctx, 7, DocumentFields{Title: "Bells", Content: "x", Status: "active"}))},
		{`PUT /documents/7.json {"title":"","content":""}`, errOf(c.UpdateDocument(ctx, 7, DocumentFields{}))},
		{"GET /card_tables/7.json", errOf(c.CardTable(ctx, 7))},
		{"GET /card_tables/columns/7.json", errOf(c.Column(ctx, 7))},
		{"GET /card_tables/lists/7/cards.json?page=2", errOf(c.Cards(ctx, 7, 2))},
		{"GET /card_tables/cards/7.json", errOf(c.Card(ctx, 7))},
		{"GET /subtasks/7.json", errOf(c.Subtask(ctx, 7))},
		{"POST /todos/7/completion.json", c.SetTodoCompleted(ctx, 7, true)},
		{"DELETE /todos/7/completion.json", c.SetTodoCompleted(ctx, 7, false)},
		{"POST /subtasks/7/completion.json", c.SetSubtaskCompleted(ctx, 7, true)},
		{"DELETE /subtasks/7/completion.json", c.SetSubtaskCompleted(ctx, 7, false)},
		{`PUT /card_tables/cards/7.json {"title":"Ring the bell"}`, errOf(c.UpdateCard(ctx, 7, CardChange{Title: &title}))},
		{`PUT /card_tables/cards/7.json {"content":"","due_on":"","assignee_ids":[]}`, errOf(c.UpdateCard(ctx, 7, CardChange{Content: &none, DueOn: &none, AssigneeIDs: &noPeople}))},
		{`POST /card_tables/lists/7/cards.json {"title":"Ring the bell"}`, errOf(c.CreateCard(ctx, 7, NewCard{Title: title}))},
		{`POST /card_tables/cards/7/moves.json {"column_id":8,"position":2}`, c.MoveCard(ctx, 7, 8, 2)},
		{`POST /recordings/7/subtasks.json {"title":"Ring the bell","due_on":"2031-05-30","assignee_ids":[501]}`, errOf(c.CreateSubtask(ctx, 7, NewSubtask{Title: title, DueOn: "2031-05-30", AssigneeIDs: []int64{501}}))},
		{`POST /todolists/7/todos.json {"content":"True the wheels"}`, errOf(c.CreateTodo(ctx, 7, NewTodo{Content: "True the wheels"}))},
		{`POST /todolists/7/todos.json {"content":"True the wheels","description":"\u003cdiv\u003eBoth\u003c/div\u003e","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[501],"notify":true}`, errOf(c.CreateTodo(ctx, 7, NewTodo{Content: "True the wheels", Description: "<div>Both</div>", DueOn: "2031-05-20", StartsOn: "2031-05-18", AssigneeIDs: []int64{501}, Notify: true}))},
		{`PUT /todos/7.json {"content":"True the wheels","description":"\u003cdiv\u003eBoth\u003c/div\u003e","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[501,502],"completion_subscriber_ids":[503]}`, errOf(c.UpdateTodo(ctx, 7, whole.Fields()))},
		{`PUT /todos/7.json {"content":"True the wheels","description":"","due_on":"","starts_on":"","assignee_ids":[],"completion_subscriber_ids":[]}`, errOf(c.UpdateTodo(ctx, 7, bare.Fields()))},
		{`PUT /todos/7/position.json {"position":2,"parent_id":8}`, c.MoveTodo(ctx, 7, 8, 2)},
		{`PUT /todos/7/position.json {"position":1}`, c.MoveTodo(ctx, 7, 0, 1)},
		{`PUT /todolists/7.json {"name":"Later","description":""}`, errOf(c.UpdateTodolist(ctx, 7, TodolistFields{Name: "Later"}))},
		{`PUT /todosets/todolists/7/position.json {"position":2}`, c.MoveTodolist(ctx, 7, 2)},
		{`PUT /todolists/groups/7/position.json {"position":2}`, c.MoveTodolistGroup(ctx, 7, 2)},
		{`PUT /subtasks/7/position.json {"position":2}`, c.MoveSubtask(ctx, 7, 2)},
		{`PUT /subtasks/7.json {"due_on":"","assignee_ids":[]}`, errOf(c.UpdateSubtask(ctx, 7, SubtaskChange{DueOn: new(string), AssigneeIDs: &[]int64{}}))},
		{`PUT /vaults/7.json {"title":"Frames"}`, errOf(c.RenameVault(ctx, 7, "Frames"))},
		{`POST /vaults/7/uploads.json {"attachable_sgid":"a","description":"x"}`, errOf(c.CreateUpload(ctx, 7, NewUpload{AttachableSGID: "a", Description: "x"}))},
		{`PUT /uploads/7.json {"description":""}`, errOf(c.UpdateUpload(ctx, 7, UploadChange{Description: new(string)}))},
		{`POST /recordings/7/filing.json {"parent_id":8}`, c.File(ctx, 7, 8, 0)},
		{`POST /recordings/7/filing.json {"parent_id":8,"position":2}`, c.File(ctx, 7, 8, 2)},
		{`PUT /recordings/7/client_visibility.json {"visible_to_clients":false}`, c.SetVisibleToClients(ctx, 7, false)},
		{`POST /buckets/5/todosets/7/todos.json {"content":"Find the key","due_on":"2031-05-20"}`, errOf(c.CreateLooseTodo(ctx, 5, 7, NewTodo{Content: "Find the key", DueOn: "2031-05-20"}))},
		{`POST /todosets/7/todolists.json {"name":"Later"}`, errOf(c.CreateTodolist(ctx, 7, NewTodolist{Name: "Later"}))},
		{`POST /todosets/7/todolists.json {"name":"Later","description":"\u003cdiv\u003eNot now\u003c/div\u003e"}`, errOf(c.CreateTodolist(ctx, 7, NewTodolist{Name: "Later", Description: "<div>Not now</div>"}))},
	} {
		if x.err == nil || i >= len(sent) || sent[i] != x.want {
			t.Errorf("%v: sent %s, want %s", x.err, sent[min(i, len(sent)-1)], x.want)
		}
	}
	if _, err := c.Item(ctx, "chat_line", 7); err == nil {
		t.Error("a chat line was read without a chat")
	}
}
