package basecamp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestItem_ReturnsItemsOfItsKindOnly(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		ids := map[string]int64{}
		for kind, upstream := range map[string]string{
			"message": "Message", "comment": "Comment", "todolist": "Todolist", "todo": "Todo", "subtask": "Kanban::Step", "document": "Document", "folder": "Vault",
			"upload": "Upload", "answer": "Question::Answer", "schedule_entry": "Schedule::Entry", "card": "Kanban::Card",
		} {
			found, err := RecordingsIn[Listed](upstream, s.ProjectID("Cargo Bike Launch"), "active", Sorted("updated_at", "desc")).Page(t.Context(), c, 1)
			if err != nil || len(found.Items) == 0 {
				t.Fatalf("%s: %+v, %v", upstream, found, err)
			}
			ids[kind] = found.Items[0].ID
		}
		for kind, id := range ids {
			got, err := ItemAt[Listed](kind).Get(t.Context(), c, id)
			if err != nil || got.ID != id || got.Title == "" || got.AppURL == "" || got.Bucket.ID == 0 {
				t.Errorf("%s: %+v, %v", kind, got, err)
			}
			for other := range ids {
				if other != kind {
					wantFault(t, errOf(ItemAt[Listed](other).Get(t.Context(), c, id)), fault.NotFound)
				}
			}
		}
	})
}

func TestForward_HasItsAuthorAndTheNumberOfReplies(t *testing.T) {
	c := answering(t, says(200, `{"id":5,"type":"Inbox::Forward","subject":"A squeak","from":"Rider <rider@example.org>","content":"<div>It squeaks</div>","replies_count":2}`))
	got, err := ForwardAt.Get(t.Context(), c, 5)
	want := Forward{
		Recording: Recording{ID: 5, Type: "Inbox::Forward"}, Subject: "A squeak", From: "Rider <rider@example.org>", Content: "<div>It squeaks</div>", RepliesCount: 2,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestParseLink_ParsesEveryFormOfURL(t *testing.T) {
	for raw, want := range map[string]Link{
		"https://3.basecamp.com/77001/projects/42":                                         {Account: 77001, Project: 42, Type: "projects", ID: 42},
		"https://app.basecamp.com/77001/buckets/42/todos/7":                                {Account: 77001, Project: 42, Type: "todos", ID: 7},
		" https://3.basecamp.com/77001/buckets/42/messages/7/ ":                            {Account: 77001, Project: 42, Type: "messages", ID: 7},
		"https://3.basecamp.com/77001/buckets/42/messages/7#__recording_9":                 {Account: 77001, Project: 42, Type: "messages", ID: 7, Comment: 9},
		"https://3.basecamp.com/77001/buckets/42/messages/7/edit":                          {Account: 77001, Project: 42, Type: "messages", ID: 7},
		"https://3.basecamp.com/77001/buckets/42/card_tables/cards/7":                      {Account: 77001, Project: 42, Type: "cards", ID: 7},
		"https://3.basecamp.com/77001/buckets/42/card_tables/columns/7":                    {Account: 77001, Project: 42, Type: "columns", ID: 7},
		"https://3.basecamp.com/77001/buckets/42/chats/7@8":                                {Account: 77001, Project: 42, Type: "lines", ID: 8, Within: 7},
		"https://3.basecamp.com/77001/buckets/42/chats/7#__recording_8":                    {Account: 77001, Project: 42, Type: "lines", ID: 8, Within: 7},
		"https://3.basecamp.com/77001/buckets/42/chats/7/lines/8":                          {Account: 77001, Project: 42, Type: "lines", ID: 8, Within: 7},
		"https://3.basecampapi.com/77001/buckets/42/todolists/7.json":                      {Account: 77001, Project: 42, Type: "todolists", ID: 7},
		"https://3.basecampapi.com/77001/todos/7.json":                                     {Account: 77001, Type: "todos", ID: 7},
		"http://3.BASECAMP.com/77001/buckets/42/documents/9007199254741623":                {Account: 77001, Project: 42, Type: "documents", ID: 9007199254741623},
		"https://3.basecamp.com/77001/buckets/42/todolists/7/groups/8?x=1#anything-at-all": {Account: 77001, Project: 42, Type: "groups", ID: 8, Within: 7},
		"https://3.basecamp.com/77001/buckets/42/schedule_entries/7/occurrences/20261231":  {Account: 77001, Project: 42, Type: "schedule_entries", ID: 7, Day: "20261231"},
	} {
		if got, err := ParseLink(raw); err != nil || got != want {
			t.Errorf("ParseLink(%q) = %+v, %v; want %+v", raw, got, err, want)
		}
	}
}

func TestParseLink_RejectsOtherAddresses(t *testing.T) {
	for _, raw := range []string{
		"", "todo", "https://3.basecamp.com/", "https://3.basecamp.com/77001", "https://3.basecamp.com/77001/projects",
		"https://3.basecamp.com/77001/projects/zero", "https://3.basecamp.com/77001/projects/-4", "https://evil.example/77001/projects/42",
		"https://3.basecamp.com.evil.example/77001/projects/42", "javascript://3.basecamp.com/77001/projects/42",
		"https://3.basecamp.com/77001/buckets/42/todos/99999999999999999999", "https://3.basecamp.com/x/projects/42",
		"https://3.basecamp.com/77001/buckets/42",
	} {
		if got, err := ParseLink(raw); err == nil {
			t.Errorf("ParseLink(%q) = %+v, want an error", raw, got)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	f.Add("https://3.basecamp.com/77001/buckets/42/messages/7#__recording_9")
	f.Add("https://3.basecamp.com/1/buckets/2/chats/3@4")
	f.Fuzz(func(t *testing.T, raw string) {
		link, err := ParseLink(raw)
		if err == nil && (link.Account <= 0 || link.ID <= 0 || link.Project < 0 || link.Comment < 0 || link.Type == "") {
			t.Errorf("ParseLink(%q) = %+v", raw, link)
		}
	})
}
