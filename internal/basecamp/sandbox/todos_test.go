package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTodos_TheChecklistHas37OpenAnd12Done(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list := s.TodolistID(launch, "Launch checklist")
	open := c.all("/todolists/%d/todos.json", list)
	done := c.all("/todolists/%d/todos.json?completed=true", list)
	if len(open) != 37 || len(done) != 12 {
		t.Errorf("%d open, %d done", len(open), len(done))
	}
	if got := c.get("/todolists/%d.json", list).object().text("completed_ratio"); got != "12/49" {
		t.Error(got)
	}
	if got := len(c.all("/todolists/%d/groups.json", list)); got != 0 {
		t.Errorf("%d groups", got)
	}
	for _, o := range done {
		if o.text("completed") != "true" || o.text("completion", "created_at") < o.text("created_at") || o["completed_at"] != nil {
			t.Errorf("%v", o)
		}
	}
}

func TestTodos_OfAListExcludeTheTodosOfItsGroups(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list := s.TodolistID(launch, "Supplier follow-ups")
	own := titles(c.all("/todolists/%d/todos.json", list))
	if diff := cmp.Diff([]string{"Ask all suppliers for their holiday closures", "Update the contact sheet in Docs & Files"}, own); diff != "" {
		t.Error(diff)
	}
	groups := c.all("/todolists/%d/groups.json", list)
	if diff := cmp.Diff([]string{"Tubes and dropouts", "Brakes and wheels", "Electrics", "Paint and print"}, titles(groups)); diff != "" {
		t.Error(diff)
	}
	if groups[0]["groups_url"] != nil || groups[0]["group_position_url"] == nil || groups[0].text("parent", "type") != "Todolist" {
		t.Error(groups[0])
	}
	if got := c.all("/todolists/%s/todos.json", groups[0].text("id")); len(got) != 4 {
		t.Errorf("%d to-dos in the first group", len(got))
	}
	if slices.Contains(titles(c.all("/todosets/%d/todolists.json", s.ToolID(launch, "todoset"))), "Electrics") {
		t.Error("a group is listed among the lists")
	}
}

func TestTodolists_AreActiveUnlessAnotherStatusIsRequested(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	set := s.ToolID(launch, "todoset")
	active := titles(c.all("/todosets/%d/todolists.json", set))
	if !slices.Contains(active, "Parking lot") || slices.Contains(active, "Ideas for later") {
		t.Error(active)
	}
	if diff := cmp.Diff([]string{"Ideas for later"}, titles(c.all("/todosets/%d/todolists.json?status=archived", set))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Duplicate of the checklist"}, titles(c.all("/todosets/%d/todolists.json?status=trashed", set))); diff != "" {
		t.Error(diff)
	}
	archived := s.TodolistID(launch, "Ideas for later")
	if got := len(c.all("/todolists/%d/todos.json", archived)); got != 0 {
		t.Errorf("%d active to-dos in an archived list", got)
	}
	if got := len(c.all("/todolists/%d/todos.json?status=archived", archived)); got != 3 {
		t.Errorf("%d archived to-dos, want pending and completed ones", got)
	}
	if got := len(c.all("/todolists/%d/todos.json?status=archived&completed=true", archived)); got != 1 {
		t.Errorf("%d archived and completed to-dos", got)
	}
}

func TestTodo_UpdateClearsMissingFields(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/todos/%d.json", s.Find("Todo", "Prepare twelve demo bikes for the test ride"))
	before := c.get("%s", path).object()
	if len(before.list("assignees")) != 2 || before.text("due_on") == "<nil>" || before.text("starts_on") == "<nil>" {
		t.Fatal(before)
	}
	after := c.put(path, object{"content": "Prepare eleven demo bikes"}).want(200).object()
	if len(after.list("assignees")) != 0 || after["due_on"] != nil || after["starts_on"] != nil || after.text("description") != "" {
		t.Error(after)
	}
	r := c.put(path, object{"due_on": "2031-06-01"}).want(422)
	if string(r.body) != `{"content":["can't be blank"]}` {
		t.Errorf("%s", r.body)
	}
}

func TestTodo_IsCreatedWithTheGivenFields(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/todolists/%d/todos.json", s.TodolistID(launch, "Parking lot"))
	sam, stranger := s.Person("Sam Okafor"), s.Person("Sam Lindqvist")
	made := c.post(path, object{
		"content": "Grease the gate", "description": "<div>Both <em>hinges</em></div>", "due_on": "2031-05-20", "starts_on": "2031-05-18",
		"assignee_ids": []any{sam.ID, fmt.Sprint(s.Person("Dele Adeyemi").ID), stranger.ID}, "notify": true,
	}).want(201)
	o := made.object()
	if diff := cmp.Diff([]string{"Sam Okafor", "Dele Adeyemi"}, names(o.list("assignees"))); diff != "" {
		t.Error(diff)
	}
	got := []string{o.text("content"), o.text("title"), o.text("due_on"), o.text("starts_on"), o.text("completed"), o.text("creator", "name"), o.text("bucket", "name")}
	want := []string{"Grease the gate", "Grease the gate", "2031-05-20", "2031-05-18", "false", "Ines Albrecht", launch}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	unread := as(t, s, "Sam Okafor").get("/my/readings.json").object().list("unreads")
	if unread[0].text("title") != "Grease the gate" {
		t.Error(unread[0])
	}
	c.post(path, object{"content": "x", "due_on": "tomorrow"}).want(422)
	c.post(path, object{"content": "x", "due_on": "2031-05-01", "starts_on": "2031-05-02"}).want(422)
}

func TestTodo_CompletionAndReopeningAreRecorded(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Jonas Brandt")
	id := s.Find("Todo", "Set up the waiting list for batch two")
	path := fmt.Sprintf("/todos/%d", id)
	c.post(path+"/completion.json", nil).want(204)
	c.post(path+"/completion.json", nil).want(204)
	o := c.get("%s.json", path).object()
	if o.text("completed") != "true" || o.text("completion", "creator", "name") != "Jonas Brandt" || o["position"] != nil {
		t.Error(o)
	}
	c.delete(path + "/completion.json").want(204)
	if got := c.get("%s.json", path).object(); got.text("completed") != "false" || got["completion"] != nil {
		t.Error(got)
	}
	actions := apply(c.all("/recordings/%d/events.json", id), func(e object) string { return e.text("action") })
	if len(actions) != 3 || !slices.Contains(actions, "completed") || !slices.Contains(actions, "uncompleted") || !slices.Contains(actions, "created") {
		t.Error(actions)
	}
}

func TestTodo_MovesWithinAndBetweenLists(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list, other := s.TodolistID(launch, "Launch checklist"), s.TodolistID(launch, "Parking lot")
	third := c.all("/todolists/%d/todos.json", list)[2]
	c.put("/todos/"+third.text("id")+"/position.json", object{"position": 1}).want(204)
	if got := c.all("/todolists/%d/todos.json", list)[0]; got.text("id") != third.text("id") || got.text("position") != "1" {
		t.Error(got)
	}
	c.put("/todos/"+third.text("id")+"/position.json", object{"position": 1, "parent_id": other}).want(204)
	if got := titles(c.all("/todolists/%d/todos.json", other)); len(got) != 1 || got[0] != third.text("title") {
		t.Error(got)
	}
	c.put("/todos/"+third.text("id")+"/position.json", object{"position": 0}).want(400)
	c.put("/todos/"+third.text("id")+"/position.json", object{"position": 1, "parent_id": 77}).want(404)
}

func TestTodolist_UpdateReplacesNameAndDescription(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/todolists/%d.json", s.TodolistID(launch, "Test rides"))
	if c.get("%s", path).object().text("description") == "" {
		t.Fatal("the list has a description")
	}
	after := c.put(path, object{"name": "Rides"}).want(200).object()
	if after.text("name") != "Rides" || after.text("description") != "" {
		t.Error(after)
	}
	c.put(path, object{"description": "only"}).want(422)
}

func TestTodolist_AndGroupsAreCreated(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list := c.post(fmt.Sprintf("/todosets/%d/todolists.json", s.ToolID(launch, "todoset")), object{"name": "After the launch"}).want(201).object()
	group := c.post("/todolists/"+list.text("id")+"/groups.json", object{"name": "Cleaning", "color": "pink"}).want(201).object()
	if group.text("color") != "pink" || group.text("parent", "id") != list.text("id") {
		t.Error(group)
	}
	c.post("/todolists/"+group.text("id")+"/todos.json", object{"content": "Sweep"}).want(201)
	if got := c.get("/todolists/%s.json", list.text("id")).object().text("completed_ratio"); got != "0/1" {
		t.Error(got)
	}
	c.post("/todolists/"+group.text("id")+"/groups.json", object{"name": "Deeper"}).want(404)
	c.post("/todolists/"+list.text("id")+"/groups.json", object{"name": "x", "color": "beige"}).want(422)
	loose := fmt.Sprintf("/todosets/%d/todos.json", s.ToolID(launch, "todoset"))
	c.post(loose, object{"content": "loose"}).want(404)
	scoped := fmt.Sprintf("/buckets/%d%s", s.ProjectID(launch), loose)
	todo := c.post(scoped, object{"content": "loose"}).want(201).object()
	if todo.text("parent", "type") != "Todoset" {
		t.Error(todo)
	}
	c.get("%s", loose).want(404)
	if got := titles(c.all("%s", scoped)); !slices.Equal(got, []string{"loose"}) {
		t.Error(got)
	}
	place := "/todos/" + todo.text("id") + "/position.json"
	c.put(place, object{"position": 1, "parent_id": s.ToolID(launch, "todoset")}).want(404) // not a list
	c.put(place, object{"position": 1, "parent_id": list["id"]}).want(204)
}

func TestSteps_AreAddedChangedAndCompleted(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	todo := s.Find("Todo", "Load test the checkout with 200 orders an hour")
	before := c.get("/todos/%d.json", todo).object().list("steps")
	jonas := s.Person("Jonas Brandt").ID
	made := c.post(fmt.Sprintf("/recordings/%d/subtasks.json", todo), object{"title": "Read the log", "due_on": "2031-05-16", "assignee_ids": []int64{jonas}}).want(201).object()
	if made.text("type") != "Kanban::Step" || made.text("parent", "id") != fmt.Sprint(todo) {
		t.Error(made)
	}
	id := made.text("id")
	kept := c.put("/subtasks/"+id+".json", object{"title": "Read the whole log"}).want(200).object()
	if kept.text("due_on") != "2031-05-16" || len(kept.list("assignees")) != 1 {
		t.Errorf("a partial update cleared something: %v", kept)
	}
	cleared := c.put("/subtasks/"+id+".json", object{"due_on": nil, "assignee_ids": []int64{}}).want(200).object()
	if cleared["due_on"] != nil || len(cleared.list("assignees")) != 0 || cleared.text("title") != "Read the whole log" {
		t.Error(cleared)
	}
	c.post("/subtasks/"+id+"/completion.json", nil).want(204)
	if got := c.get("/todos/%d.json", todo).object().list("steps"); len(got) != len(before)+1 || got[len(before)].text("completed") != "true" {
		t.Error(got)
	}
	c.delete("/subtasks/" + id + ".json").want(204)
	if got := c.get("/recordings/%d/subtasks.json", todo).want(200).list(); len(got) != len(before) {
		t.Errorf("%d subtasks", len(got))
	}
}

func TestStatus_OfAListAppliesToItsTodosUntilItIsRestored(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list := s.TodolistID(launch, "Test rides")
	todo := s.Find("Todo", "Night ride, lights only")
	c.put(fmt.Sprintf("/recordings/%d/status/trashed.json", list), nil).want(http.StatusNoContent)
	if got := c.get("/todos/%d.json", todo).want(200).object().text("status"); got != "trashed" {
		t.Error(got)
	}
	c.put(fmt.Sprintf("/recordings/%d/status/active.json", list), nil).want(204)
	if got := c.get("/todos/%d.json", todo).object().text("status"); got != "active" {
		t.Error(got)
	}
	c.put(fmt.Sprintf("/recordings/%d/status/shredded.json", list), nil).want(404)
}

func TestTodos_OfAListAreFilteredByStatus(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/todolists/%d/todos.json", s.TodolistID(launch, "Test rides"))
	for query, want := range map[string][]string{
		"?status=archived":                {"Ride with the old fork", "Ride with the old saddle"},
		"?status=archived&completed=true": {"Ride with the old saddle"},
		"?status=trashed":                 {"Ride with the round wheels"},
	} {
		if diff := cmp.Diff(want, titles(c.all("%s%s", path, query))); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	if got := titles(c.all("%s", path)); slices.Contains(got, "Ride with the old fork") {
		t.Error("archived to-dos are listed")
	}
}

func TestPosition_OfListsAndGroupsHasARouteEach(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	set := fmt.Sprintf("/todosets/%d/todolists.json", s.ToolID(launch, "todoset"))
	lists := c.all("%s", set)
	last := lists[len(lists)-1]
	c.put("/todosets/todolists/"+last.text("id")+"/position.json", object{"position": 2}).want(204)
	if got := titles(c.all("%s", set)); got[1] != last.text("title") {
		t.Error(got)
	}
	group := c.all("/todolists/%d/groups.json", s.TodolistID(launch, "Supplier follow-ups"))[1]
	c.put("/todolists/groups/"+group.text("id")+"/position.json", object{"position": 1}).want(204)
	c.put("/todosets/todolists/"+group.text("id")+"/position.json", object{"position": 1}).want(404)
	c.put("/todolists/groups/"+last.text("id")+"/position.json", object{"position": 1}).want(404)
	c.put("/todosets/todolists/"+last.text("id")+"/position.json", object{"position": 0}).want(400)
}
