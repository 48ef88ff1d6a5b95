package sandbox

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox/documented"
)

func TestRoutes_AreAllDocumented(t *testing.T) {
	known := map[string]bool{}
	for _, all := range documented.Read() {
		for _, r := range all {
			known[r.Name] = true
		}
	}
	for name := range routes() {
		if !known[name] {
			t.Errorf("%s is not in documented/routes.txt", name)
		}
	}
}

func TestUndocumentedNames_AreIgnoredAndReported(t *testing.T) {
	var problems []string
	s := New(Options{Now: func() time.Time { return noon }, RateLimit: -1, Undocumented: func(problem string) { problems = append(problems, problem) }})
	c := ines(t, s)
	board, inbox := s.ToolID(launch, "message_board"), s.ToolID(launch, "inbox")
	c.get("/inboxes/%d/forwards.json", inbox).want(http.StatusNotFound)
	c.get("/inboxes/%d/inbox_forwards.json", inbox).want(http.StatusOK)
	c.get("/categories.json").want(http.StatusNotFound)
	c.get("/buckets/%d/categories.json", s.ProjectID(launch)).want(http.StatusOK)
	if all, some := c.all("/people.json"), c.all("/people.json?status=trashed"); len(all) != len(some) {
		t.Errorf("%d people, %d with an undocumented parameter", len(all), len(some))
	}
	path := fmt.Sprintf("/message_boards/%d/messages.json", board)
	c.post(path, object{"message": object{"subject": "Within"}}).want(http.StatusUnprocessableEntity)
	posted := c.post(path, object{"subject": "As documented", "pinned": true}).want(http.StatusCreated).object()
	if posted.text("subject") != "As documented" {
		t.Error(posted)
	}
	want := []string{
		fmt.Sprintf("GET /inboxes/%d/forwards is not a documented route", inbox),
		"GET /categories is not a documented route",
		`GET /people has no documented "status"`,
		fmt.Sprintf(`POST /message_boards/%d/messages has no documented "message"`, board),
		fmt.Sprintf(`POST /message_boards/%d/messages has no documented "pinned"`, board),
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
}
