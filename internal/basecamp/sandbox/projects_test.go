package sandbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(items []object) []string {
	return apply(items, func(o object) string { return o.text("name") })
}

func TestProjects_AreActiveAndNewestFirstUnlessAnotherStatusIsRequested(t *testing.T) {
	c := ines(t, newSandbox(t))
	active := c.all("/projects.json")
	if len(active) != 17 || active[0].text("name") != "Newsletter Refresh" || active[16].text("name") != "Company HQ" {
		t.Errorf("%d: %v", len(active), names(active))
	}
	if diff := cmp.Diff([]string{"Summer Open Day", "Prototype Two", "Old Web Shop"}, names(c.all("/projects.json?status=archived"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Newsletter Trial", "Tandem Experiment"}, names(c.all("/projects.json?status=trashed"))); diff != "" {
		t.Error(diff)
	}
	if got := len(c.all("/projects.json?status=unknown")); got != 17 {
		t.Errorf("an unknown status lists %d projects", got)
	}
}

func TestProjects_AreOnlyTheCallersOwn(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Sam Lindqvist")
	c.get("/projects/%d.json", s.ProjectID(launch)).want(http.StatusNotFound)
	c.get("/todolists/%d.json", s.TodolistID(launch, "Launch checklist")).want(http.StatusNotFound)
	for _, p := range c.all("/projects.json") {
		if p.text("name") == launch {
			t.Error("listed")
		}
	}
}

func TestProject_HasADockAndNoCreator(t *testing.T) {
	s := newSandbox(t)
	p := ines(t, s).get("/projects/%d.json", s.ProjectID(launch)).want(200).object()
	if _, has := p["creator"]; has {
		t.Error("a project has a creator")
	}
	var dock []string
	for _, tool := range p.list("dock") {
		dock = append(dock, tool.text("name")+" "+tool.text("title"))
	}
	want := []string{
		"message_board Message Board", "todoset To-dos", "vault Docs & Files", "schedule Schedule", "chat Chat",
		"kanban_board Frame design", "questionnaire Automatic Check-ins", "inbox Email Forwards", "kanban_board Web shop",
	}
	if diff := cmp.Diff(want, dock); diff != "" {
		t.Error(diff)
	}
	first := p.list("dock")[0]
	id := s.ToolID(launch, "message_board")
	if got, want := first.text("app_url"), fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/message_boards/%d", s.Account(), s.ProjectID(launch), id); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestProject_DocksDifferFromProjectToProject(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	bare := c.get("/projects/%d.json", s.ProjectID("Quiet Ideas")).want(200)
	if got := len(bare.object().list("dock")); got != 0 {
		t.Errorf("a bare project has %d tools", got)
	}
	for _, tool := range c.get("/projects/%d.json", s.ProjectID("Frame Testing Lab")).object().list("dock") {
		enabled := tool.text("name") == "todoset" || tool.text("name") == "vault"
		if tool.text("enabled") != fmt.Sprint(enabled) || (tool.text("position") == "<nil>") == enabled {
			t.Errorf("%s: enabled %s at %s", tool.text("name"), tool.text("enabled"), tool.text("position"))
		}
	}
	if got := len(s.ToolIDs("Workshop & Tools", "chat")); got != 2 {
		t.Errorf("%d chats", got)
	}
	fair := c.get("/projects/%d.json", s.ProjectID("Spring Trade Fair")).object()
	if fair["description"] != nil {
		t.Errorf("description %v", fair["description"])
	}
}

func TestProject_ChangesItsStatus(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	p := c.post("/projects.json", object{"name": "Bell that is heard", "description": "Louder."}).want(http.StatusCreated).object()
	path := "/projects/" + p.text("id")
	if got := c.get("%s.json", path).want(200).object().text("description"); got != "Louder." {
		t.Error(got)
	}
	if got := c.put(path+".json", object{"name": "Bells", "status": "archived"}).want(200).object(); got.text("status") != "active" || got.text("name") != "Bells" || got.text("description") != "Louder." {
		t.Error(got)
	}
	for _, step := range []struct{ method, path, want string }{
		{"PUT", "/status/archived.json", "archived"}, {"PUT", "/status/active.json", "active"}, {"DELETE", ".json", "trashed"},
	} {
		c.do(step.method, path+step.path, nil).want(http.StatusNoContent)
		if got := c.get("%s.json", path).object().text("status"); got != step.want {
			t.Errorf("%s %s: %s", step.method, step.path, got)
		}
	}
	if got := c.post("/projects.json", object{"name": " "}).want(422).object().text("error"); got != "Name can't be blank" {
		t.Error(got)
	}
}

func TestProject_ContentOfAnArchivedOneIsArchived(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	todo := s.Find("Todo", "Straighten the steerer")
	if got := c.get("/todos/%d.json", todo).want(200).object().text("status"); got != "archived" {
		t.Error(got)
	}
	c.put(fmt.Sprintf("/projects/%d/status/active.json", s.ProjectID("Prototype Two")), nil).want(204)
	if got := c.get("/todos/%d.json", todo).object().text("status"); got != "active" {
		t.Error(got)
	}
}

func TestTool_CanBeAddedRenamedAndRemovedFromTheDock(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	p := s.ProjectID("Winter Kit")
	tool := c.post(fmt.Sprintf("/buckets/%d/dock/tools.json", p), object{"tool_type": "Kanban::Board", "title": "Samples"}).want(201).object()
	if got := len(c.get("/card_tables/%s.json", tool.text("id")).want(200).object().list("lists")); got != 3 {
		t.Errorf("%d columns", got)
	}
	if got := c.put("/dock/tools/"+tool.text("id")+".json", object{"title": "Sample box"}).want(200).object().text("title"); got != "Sample box" {
		t.Error(got)
	}
	c.delete(fmt.Sprintf("/buckets/%d/recordings/%s/position.json", p, tool.text("id"))).want(204)
	dock := c.get("/projects/%d.json", p).object().list("dock")
	if last := dock[len(dock)-1]; last.text("enabled") != "false" {
		t.Error(last)
	}
	c.post("/dock/tools.json", object{"tool_type": "Inbox"}).want(http.StatusNotFound)
}
