package basecamp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestReportsWithoutTheirListsAreUpstreamErrors(t *testing.T) {
	for _, call := range []func(*Client) error{
		func(c *Client) error { return errOf(c.Assignments(t.Context())) },
		func(c *Client) error { return errOf(c.Readings(t.Context(), 1)) },
		func(c *Client) error { return errOf(c.PersonTimeline(t.Context(), 7, 1)) },
	} {
		for _, body := range []string{`{}`, `{"priorities":[],"unreads":[]}`, `[]`, `null`, `{"events":`} {
			wantFault(t, call(answering(t, says(200, body))), fault.UpstreamError)
		}
	}
}

func TestEvents_AreReadDespiteUnknownDetails(t *testing.T) {
	const body = `[
		{"id": 9, "action": "adopted", "details": {"new_parent_id": 72, "parent_id_was": 71, "notified_recipient_ids": []}},
		{"id": 8, "action": "assignment_changed", "details": {"added_person_ids": [502], "removed_person_ids": []}},
		{"id": 7, "action": "moved", "details": {"new_parent_id": "seventy"}},
		{"id": 6, "action": "copied", "details": []},
		{"id": 5, "action": "created", "details": null}]`
	events, err := answering(t, says(200, body)).Events(t.Context(), 0, 7, 1)
	if err != nil || len(events.Items) != 5 {
		t.Fatal(events, err)
	}
	if d := events.Items[0].Details; d.From != 71 || d.To != 72 {
		t.Errorf("got %+v", d)
	}
	if d := events.Items[1].Details; !slices.Equal(d.Added, []int64{502}) || len(d.Removed) != 0 {
		t.Errorf("got %+v", d)
	}
}

func TestReadsAcrossProjects_TransferNoBodyTheSecondTime(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		first := readAcross(t, s, c)
		for what, count := range first {
			if count == 0 {
				t.Errorf("found none: %s", what)
			}
		}
		s.ResetRequests()
		if again := readAcross(t, s, c); fmt.Sprint(again) != fmt.Sprint(first) {
			t.Errorf("the second read differs: %v, %v", first, again)
		}
		for _, r := range s.Requests() {
			if r.Status != http.StatusNotModified && r.Path != "/search.json" {
				t.Errorf("%s %s?%s answered %d", r.Method, r.Path, r.Query, r.Status)
			}
		}
	})
}

// readAcross calls every method that reads across projects and counts the items.
func readAcross(t *testing.T, s *sandbox.Sandbox, c *Client) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for _, kind := range []Tasks{Todos, Cards} {
		for _, state := range []TaskState{Open, Completed, Unassigned, Undated} {
			for _, p := range allPages(t, func(page int) (Page[ProjectTasks], error) { return c.Everywhere(t.Context(), kind, state, 0, page) }) {
				seen[fmt.Sprint(kind, " ", state)] += len(p.Todos) + len(p.Cards)
			}
		}
		late, err := c.Overdue(t.Context(), kind, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen["overdue "+string(kind)] = len(late)
	}
	mine, err := c.Assignments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.CompletedAssignments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen["priorities"], seen["others"], seen["done"] = len(mine.Priorities), len(mine.Others), len(done)
	seen["timeline"] = len(allPages(t, func(page int) (Page[Happening], error) { return c.Timeline(t.Context(), page) }))
	seen["project"] = len(allPages(t, func(page int) (Page[Happening], error) {
		return c.ProjectTimeline(t.Context(), s.ProjectID("Cargo Bike Launch"), page)
	}))
	seen["person"] = len(allPages(t, func(page int) (Page[Happening], error) { return c.PersonTimeline(t.Context(), s.People()[0].ID, page) }))
	seen["found"] = len(allPages(t, func(page int) (Page[SearchResult], error) { return c.Search(t.Context(), Search{Text: "frame"}, page) }))
	read := allPages(t, func(page int) (Page[Reading], error) {
		readings, err := c.Readings(t.Context(), page)
		seen["unread"] = len(readings.Unread)
		return readings.Read, err
	})
	seen["read"] = len(read)
	card := s.Find("Kanban::Card", "Kickstand plate, 8 mm back")
	seen["events"] = len(allPages(t, func(page int) (Page[Event], error) {
		return c.Events(t.Context(), s.ProjectID("Cargo Bike Launch"), card, page)
	}))
	return seen
}

func TestSearch_ReturnsExcerptsWithHighlights(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	found, err := sandboxClient(t, s, s.People()[0].Name).Search(t.Context(), Search{Text: "torque", Types: []string{"Document"}}, 1)
	if err != nil || len(found.Items) == 0 {
		t.Fatal(found, err)
	}
	for _, r := range found.Items {
		if r.Type != "Document" || r.Title == "" || !strings.Contains(string(r.Content), "<mark ") && !strings.Contains(strings.ToLower(r.Title), "torque") {
			t.Errorf("found %+v", r)
		}
	}
}

func TestSearch_ReturnsFilesWithoutAnID(t *testing.T) {
	found, err := answering(t, says(200, `[{"parent": {"id": 71, "title": "Hub day", "type": "Message", "url": "u", "app_url": "https://3.basecamp.com/1/buckets/2/messages/71"},
		"bucket": {"id": 2, "name": "Workshop", "type": "Project"}, "creator": {"id": 5, "name": "Sam Okafor"}, "created_at": "2031-05-14T07:00:00.000Z",
		"filename": "hub.png", "content_type": "image/png", "byte_size": 912, "previewable": true, "width": 64.0, "height": 48,
		"download_url": "https://3.basecampapi.com/1/buckets/2/blobs/x/download/hub.png", "app_download_url": "https://3.basecamp.com/1/buckets/2/blobs/x/download/hub.png",
		"content": null, "description": null},
		{"id": 72, "title": "Hub", "type": "Todo", "content": null, "description": null, "plain_text_description": "the <mark class=\"circled-text\"><span></span>hub</mark>"}]`)).
		Search(t.Context(), Search{Text: "hub"}, 1)
	if err != nil || len(found.Items) != 2 {
		t.Fatal(found, err)
	}
	file, todo := found.Items[0], found.Items[1]
	if !file.IsFile() || file.Filename != "hub.png" || file.ByteSize != 912 || file.Parent.Type != "Message" || !strings.HasPrefix(file.AppDownloadURL, "https://3.basecamp.com/") {
		t.Errorf("got %+v", file)
	}
	if todo.IsFile() || todo.Content != "" || !strings.Contains(string(todo.Description), "hub") {
		t.Errorf("got %+v", todo)
	}
}

func TestReadings_ContainBubbleUps(t *testing.T) {
	menu, err := answering(t, says(200, `{"unreads": [], "reads": [], "memories": [], "bubble_ups_count": 1, "scheduled_bubble_ups_count": 1,
		"bubble_ups": [{"id": 71, "section": "bubbles", "title": "Hub day"}],
		"scheduled_bubble_ups": [{"id": 72, "section": "bubbles", "title": "Spokes", "bubble_up_at": "2031-05-20T09:00:00.000Z"}]}`)).Readings(t.Context(), 1)
	if err != nil || len(menu.BubbleUps) != 2 || !menu.BubbleUps[0].BubbleUpAt.IsZero() || menu.BubbleUps[1].BubbleUpAt.IsZero() {
		t.Errorf("got %+v, %v", menu, err)
	}
	older, err := answering(t, says(200, `{"unreads": [], "reads": [], "memories": []}`)).Readings(t.Context(), 1)
	if err != nil || len(older.BubbleUps) != 0 {
		t.Errorf("got %+v, %v", older, err)
	}
}
