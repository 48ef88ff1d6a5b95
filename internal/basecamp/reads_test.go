package basecamp

import (
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

func TestReportsWithoutTheirListsAreUpstreamErrors(t *testing.T) {
	for _, call := range []func(*Client) error{
		func(c *Client) error { return errOf(MyAssignments.Get(t.Context(), c)) },
		func(c *Client) error { return errOf(c.Readings(t.Context(), 1)) },
		func(c *Client) error { return errOf(TimelineBy.Page(t.Context(), c, 1, 7)) },
		func(c *Client) error { return errOf(UpcomingDays.Get(t.Context(), c)) },
	} {
		for _, body := range []string{`{}`, `{"priorities":[],"unreads":[],"schedule_entries":[]}`, `[]`, `null`, `{"events":`} {
			if f := wantFault(t, call(answering(t, says(200, body))), fault.UpstreamError); !f.Retryable {
				t.Errorf("%s: %+v", body, f)
			}
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
	events, err := EventsOf.Page(t.Context(), answering(t, says(200, body)), 1, 7)
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
