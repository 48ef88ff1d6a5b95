package sandbox

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAssignments_ShowPrioritiesAndWhatIsCompleted(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	o := c.get("/my/assignments.json").want(200).object()
	if got := apply(o.list("priorities"), func(a object) string { return a.text("content") }); len(got) != 2 {
		t.Error(got)
	}
	done := c.get("/my/assignments/completed.json").want(200).list()
	if len(done) < 5 || done[0].text("completed") != "true" {
		t.Error(len(done))
	}
}

func TestAssignments_ASubtaskIsListedUnderItsCard(t *testing.T) {
	s := newSandbox(t)
	o := as(t, s, "Mateusz Wójcik").get("/my/assignments.json").object()
	i := slices.IndexFunc(o.list("non_priorities"), func(a object) bool { return a.text("content") == "Kickstand plate, 8 mm back" })
	if i < 0 {
		t.Fatal("the card is missing")
	}
	children := o.list("non_priorities")[i].list("children")
	if len(children) != 1 || children[0].text("content") != "Cut two plates to try" || children[0].text("type") != "step" {
		t.Error(children)
	}
}

func TestPriorities_AreAddedMovedAndRemoved(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	first := func() []string {
		return apply(c.get("/my/assignments.json").object().list("priorities"), func(a object) string { return a.text("content") })
	}
	third := s.Find("Todo", "Proofread the German product page")
	c.post("/my/priorities.json", object{"id": third}).want(204)
	c.post("/my/priority_moves.json", object{"source_id": third, "position": 1}).want(204)
	want := []string{"Proofread the German product page", "Call the insurer about demo rides", "Get the declaration of conformity signed"}
	if diff := cmp.Diff(want, first()); diff != "" {
		t.Error(diff)
	}
	c.post("/my/priority_moves.json", object{"source_id": third, "position": 9}).want(422)
	c.delete(fmt.Sprintf("/my/priorities/%d.json", third)).want(204)
	if diff := cmp.Diff(want[1:], first()); diff != "" {
		t.Error(diff)
	}
}

func TestReports_AssignedOverdueAndEverythingAgree(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	late := 0
	for group, todos := range c.get("/reports/todos/overdue.json").want(200).object() {
		n := len(todos.([]any))
		if n == 0 {
			t.Errorf("no tasks %s", group)
		}
		late += n
	}
	flat := c.get("/todos/overdue.json").want(200).list()
	if len(flat) != late || !slices.IsSortedFunc(flat, func(a, b object) int { return compareText(a, b, "due_on") }) {
		t.Errorf("%d and %d", len(flat), late)
	}
	jonas := s.Person("Jonas Brandt")
	report := c.get("/reports/todos/assigned/%d.json?group_by=date", jonas.ID).want(200).object()
	n := 0
	for _, bucket := range c.all("/todos/open.json?assignee_ids[]=%d", jonas.ID) {
		n += len(bucket.list("todos"))
	}
	if got := len(report.list("todos")); got != n || got < 20 || report.text("grouped_by") != "date" {
		t.Errorf("%d and %d", got, n)
	}
}

func compareText(a, b object, key string) int {
	switch x, y := a.text(key), b.text(key); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func TestEverything_CountsProjectsAndOmitsDisabledTools(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	r := c.get("/todos/open.json").want(200)
	if got := r.Header.Get("X-Total-Count"); got != "17" || len(r.list()) != 15 {
		t.Errorf("%s to-dos in all, %d on the first page", got, len(r.list()))
	}
	c.delete(fmt.Sprintf("/buckets/%d/recordings/%d/position.json", s.ProjectID("Winter Kit"), s.ToolID("Winter Kit", "todoset"))).want(204)
	for _, b := range c.all("/todos/open.json") {
		if b.text("bucket", "name") == "Winter Kit" && len(b.list("todos")) != 0 {
			t.Error("to-dos of disabled tools are listed")
		}
	}
}

func TestTimeline_ListsEventsNewestFirst(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	events := c.all("/projects/%d/timeline.json", s.ProjectID(launch))
	kinds := map[string]bool{}
	for i, e := range events {
		kinds[e.text("kind")] = true
		if i > 0 && e.text("created_at") > events[i-1].text("created_at") {
			t.Fatal("order")
		}
		if e.text("bucket", "name") != launch {
			t.Error(e.text("bucket", "name"))
		}
	}
	for _, want := range []string{"message_created", "comment_created", "todo_created", "todo_completed", "document_created", "upload_created",
		"kanban_card_completed", "question_answer_created", "schedule_entry_created", "chat_transcript_rollup", "inbox_forward_created"} {
		if !kinds[want] {
			t.Errorf("no %s", want)
		}
	}
	if all := c.all("/reports/progress.json"); len(all) <= len(events) {
		t.Errorf("%d events in all, %d of one project", len(all), len(events))
	}
	sam := c.get("/reports/users/progress/%d.json", s.Person("Sam Okafor").ID).want(200)
	for _, e := range sam.object().list("events") {
		if e.text("creator", "name") != "Sam Okafor" {
			t.Error(e.text("creator", "name"))
		}
	}
}

func TestReadings_UnreadItemsAreCompleteAndReadItemsArePaged(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	r := c.get("/my/readings.json").want(200)
	o := r.object()
	unread, read := o.list("unreads"), o.list("reads")
	if len(unread) == 0 || len(read) != 50 || nextLink(r.Header) == "" {
		t.Fatalf("%d unread, %d read", len(unread), len(read))
	}
	c.put("/my/unreads.json", object{"readables": []string{unread[0].text("readable_sgid")}}).want(200)
	if got := c.get("/my/readings.json").object().list("unreads"); len(got) != len(unread)-1 {
		t.Errorf("%d unread after reading one of %d", len(got), len(unread))
	}
	sections := map[string]bool{}
	for _, n := range append(unread, read...) {
		sections[n.text("section")] = true
	}
	if !sections["inbox"] || !sections["mentions"] {
		t.Error(sections)
	}
}

func TestReadings_CommentsAndMentionsAppear(t *testing.T) {
	s := newSandbox(t)
	hanna := ines(t, s).get("/people/%d.json", s.Person("Hanna Koivisto").ID).object().text("attachable_sgid")
	id := s.Find("Todo", "Thank the neighbours for the noise")
	as(t, s, "Sam Okafor").post(fmt.Sprintf("/recordings/%d/comments.json", id), object{
		"content": fmt.Sprintf(`<div>With cake, <bc-attachment sgid="%s"></bc-attachment>?</div>`, hanna),
	}).want(201)
	got := as(t, s, "Hanna Koivisto").get("/my/readings.json").object().list("unreads")[0]
	if got.text("section") != "mentions" || got.text("title") != "Thank the neighbours for the noise" || got.text("creator", "name") != "Sam Okafor" {
		t.Error(got)
	}
}

func TestSubscription_ChangesOnesOwnAndOthers(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/recordings/%d/subscription.json", s.Find("Todo", "Night ride, lights only"))
	c.delete(path).want(204)
	if got := c.get("%s", path).object().text("subscribed"); got != "false" {
		t.Error(got)
	}
	if got := c.post(path, nil).want(200).object().text("subscribed"); got != "true" {
		t.Error(got)
	}
	o := c.put(path, object{"subscriptions": []int64{s.Person("Hanna Koivisto").ID}, "unsubscriptions": []int64{s.Person("Ines Albrecht").ID}}).want(200).object()
	if o.text("subscribed") != "false" || !slices.Contains(names(o.list("subscribers")), "Hanna Koivisto") {
		t.Error(o)
	}
	c.put(path, object{}).want(400)
}

func TestRecordings_ListsOneTypeAcrossProjects(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	c.get("/projects/recordings.json").want(400)
	c.get("/projects/recordings.json?type=Person").want(400)
	todos := c.all("/projects/recordings.json?type=Todo")
	if len(todos) < 330 {
		t.Errorf("%d active to-dos", len(todos))
	}
	two := c.all("/projects/recordings.json?type=Document&bucket=%d,%d&sort=updated_at&direction=asc", s.ProjectID(launch), s.ProjectID("Company HQ"))
	for i, d := range two {
		if d.text("type") != "Document" || i > 0 && d.text("updated_at") < two[i-1].text("updated_at") {
			t.Error(d)
		}
	}
	if got := titles(c.all("/projects/recordings.json?type=Message&status=trashed")); !slices.Contains(got, "Old announcement with the wrong date") {
		t.Error(got)
	}
}

func TestBookmarks_BelongToOnePerson(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	id := s.Find("Message", "We have a date")
	path := fmt.Sprintf("/recordings/%d/bookmark.json", id)
	first := c.post(path, nil).want(201).object().text("id")
	if again := c.post(path, nil).want(201).object().text("id"); again != first {
		t.Errorf("%s and %s", first, again)
	}
	if got := c.all("/my/bookmarks.json")[0].text("recording", "title"); got != "We have a date" {
		t.Error(got)
	}
	if got := as(t, s, "Hanna Koivisto").get("%s", path).object().text("bookmarked"); got != "false" {
		t.Error(got)
	}
	c.delete(path).want(204)
}

func TestReadings_BubbleUpNowOrLater(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	message, todo := s.Find("Message", "We have a date"), s.Find("Todo", "Thank the neighbours for the noise")
	for _, id := range []int64{message, todo} {
		c.post(fmt.Sprintf("/recordings/%d/bubble_up.json", id), object{"at": "now"}).want(204)
	}
	later := s.Find("Todo", "Order welding gas for the whole batch")
	for _, at := range []string{"2031-05-15", "tomorrow"} { // it replaces the one before
		c.post(fmt.Sprintf("/recordings/%d/bubble_up.json", later), object{"at": at}).want(204)
	}
	c.post(fmt.Sprintf("/recordings/%d/bubble_up.json", later), object{"at": "2031-05-15T09:00"}).want(500)
	menu := c.get("/my/readings.json").want(200).object()
	if menu.text("bubble_ups_count") != "2" || len(menu.list("bubble_ups")) != 2 || menu.list("scheduled_bubble_ups")[0]["bubble_up_at"] == nil {
		t.Error(menu["bubble_ups"], menu["scheduled_bubble_ups"])
	}
	if got := c.all("/my/readings/bubble_ups.json"); len(got) != 3 || got[0]["bubble_up_at"] != nil || got[2]["bubble_up_at"] == nil {
		t.Error(got)
	}
	if short := c.get("/my/readings.json?limit_bubble_ups=true").object(); short["scheduled_bubble_ups"] != nil || short.text("scheduled_bubble_ups_count") != "1" {
		t.Error(short["scheduled_bubble_ups"])
	}
	if got := as(t, s, "Sam Okafor").all("/my/readings/bubble_ups.json"); len(got) != 0 {
		t.Error(got)
	}
	for range 2 {
		c.delete(fmt.Sprintf("/recordings/%d/bubble_up.json", later)).want(204)
	}
	if got := c.all("/my/readings/bubble_ups.json"); len(got) != 2 {
		t.Error(got)
	}
}
