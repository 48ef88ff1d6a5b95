package basecamp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProject_HasEveryToolOfItsDock(t *testing.T) {
	project, err := ProjectAt.Get(t.Context(), answering(t, says(200, fixture(t, "project.json"))), 7001)
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://3.basecamp.com/77001/"
	want := Project{
		ID: 7001, Name: "Spring catalogue", Status: "active", Purpose: "topic", AppURL: url + "projects/7001",
		CreatedAt: time.Date(2026, 2, 3, 8, 15, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 6, 11, 16, 40, 12, 250e6, time.UTC),
		Dock: []DockItem{
			{ID: 7101, Title: "Message Board", Name: "message_board", Enabled: true, AppURL: url + "buckets/7001/message_boards/7101"},
			{ID: 7102, Title: "Workshop", Name: "chat", Enabled: true, AppURL: url + "buckets/7001/chats/7102"},
			{ID: 7103, Title: "Showroom", Name: "chat", Enabled: true, AppURL: url + "buckets/7001/chats/7103"},
			{ID: 7104, Title: "Email Forwards", Name: "inbox", AppURL: url + "buckets/7001/inboxes/7104"},
		},
	}
	if diff := cmp.Diff(want, project); diff != "" {
		t.Error(diff)
	}
}

func TestTodo_HasAllFields(t *testing.T) {
	todo, err := TodoAt.Get(t.Context(), answering(t, says(200, fixture(t, "todo.json"))), 9007199254741623)
	if err != nil {
		t.Fatal(err)
	}
	nora := Person{
		ID: 501, Name: "Nora Feld", Email: "nora@fernhill.example", Title: "Workshop lead", Type: "User", TimeZone: "Europe/Oslo",
		Company: Company{Name: "Fernhill Bikes"}, AttachableSGID: "sgid-501",
	}
	const url = "https://3.basecamp.com/77001/buckets/7001/"
	want := Todo{
		Recording: Recording{
			ID: 9007199254741623, Type: "Todo", Title: "True the wheels of the demo tandem", Status: "active",
			AppURL:        url + "todos/9007199254741623",
			CreatedAt:     time.Date(2026, 5, 12, 4, 29, 0, 0, time.UTC),
			UpdatedAt:     time.Date(2026, 7, 21, 1, 6, 2, 483e6, time.UTC),
			CommentsCount: 2, Creator: nora,
			Bucket: Bucket{ID: 7001, Name: "Spring catalogue", Type: "Project"},
			Parent: &Parent{ID: 7301, Title: "Before the fair", Type: "Todolist", AppURL: url + "todolists/7301"}, VisibleToClients: new(bool),
		},
		Completable: Completable{Completed: true, Completion: &Completion{
			CreatedAt: time.Date(2026, 7, 21, 1, 6, 20, 28e6, time.UTC), Creator: Person{ID: 502, Name: "Idris Quayle"},
		}},
		Content:     "True the wheels of the demo tandem",
		Description: "<div>Both of them, <strong>front first</strong></div>",
		Attachments: []Attachment{{Filename: "wheel.jpg", ContentType: "image/jpeg", ByteSize: 48211, DownloadURL: "https://storage.example.invalid/wheel.jpg"}},
		DueOn:       "2026-07-24",
		Assignees:   []Person{{ID: 502, Name: "Idris Quayle", Email: "i•••@•••••.•••"}},
		Subscribers: []Person{{ID: 501, Name: "Nora Feld"}},
		Steps: []Subtask{{
			Recording:   Recording{ID: 7501, Type: "Kanban::Step", Title: "Find the spoke key"},
			Completable: Completable{Completed: true, CompletedOn: time.Date(2026, 7, 19, 10, 0, 0, 0, time.UTC)},
			Assignees:   []Person{},
		}},
	}
	if diff := cmp.Diff(want, todo); diff != "" {
		t.Error(diff)
	}
}

func TestCompletedAt_PrefersTheTimeOfTheCompletion(t *testing.T) {
	then, later := time.Date(2026, 7, 19, 10, 0, 0, 0, time.UTC), time.Date(2026, 7, 20, 10, 0, 0, 0, time.UTC)
	for name, x := range map[string]struct {
		of   Completable
		want time.Time
	}{
		"open":      {Completable{}, time.Time{}},
		"completed": {Completable{Completion: &Completion{CreatedAt: then}, CompletedOn: later}, then},
		"a card":    {Completable{CompletedOn: later}, later},
	} {
		if got := x.of.CompletedAt(); !got.Equal(x.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestMessage_FromBasecampItselfHasAnAuthorWithoutAnID(t *testing.T) {
	message, err := MessageAt.Get(t.Context(), answering(t, says(200, fixture(t, "message.json"))), 7601)
	if err != nil {
		t.Fatal(err)
	}
	if message.Creator.ID != 0 || message.Creator.Name != "Basecamp" || message.ID != 7601 || message.Parent.ID != 7101 {
		t.Errorf("message %+v", message)
	}
	if message.Subject != "The fair is on" || message.Content != "<div>We got the corner stand &amp; a <em>ramp</em>.</div>" || message.CommentsCount != 3 {
		t.Errorf("message %+v", message)
	}
}

func TestProfile_ReturnsTheUser(t *testing.T) {
	me, err := Me.Get(t.Context(), answering(t, says(200, `{"id": 501, "name": "Nora Feld", "time_zone": "Europe/Oslo", "company": null}`)))
	if diff := cmp.Diff(Person{ID: 501, Name: "Nora Feld", TimeZone: "Europe/Oslo"}, me); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestIDs_AreExactAsNumbersAndAsStrings(t *testing.T) {
	for body, want := range map[string]int64{
		`{"id": 9007199254741623}`:                                                  9007199254741623,
		`{"id" : "9007199254741623", "parent": {"id":"12"}}`:                        9007199254741623,
		`{"id": "9223372036854775807", "content": "say \"id\": \"5\" or \"id\""}`:   9223372036854775807,
		`{"creator": {"id": "basecamp"}, "id": 5, "content": "\"id\":\"x\", 'id'"}`: 5,
		`{"content": "it was \\", "id": "0012"}`:                                    12,
	} {
		todo, err := TodoAt.Get(t.Context(), answering(t, says(200, body)), 1)
		if err != nil || todo.ID != want {
			t.Errorf("%s: id %d, %v", body, todo.ID, err)
		}
	}
}

func TestIDs_AsStringsDoNotChangeTexts(t *testing.T) {
	todo, err := TodoAt.Get(t.Context(), answering(t, says(200, `{"id": "7", "content": "say \"id\": \"5\"", "title": "\"id\":\"6\""}`)), 1)
	if err != nil || todo.Content != `say "id": "5"` || todo.Title != `"id":"6"` {
		t.Errorf("todo %+v, %v", todo, err)
	}
}

func TestTodo_NullFieldsHaveTheirZeroValues(t *testing.T) {
	todo, err := TodoAt.Get(t.Context(), answering(t, says(200, `{"id": 7, "description": null, "due_on": null, "starts_on": null, "assignees": null, "steps": null,
		"completion": null, "completed_at": null, "creator": null, "parent": null, "comments_count": null, "updated_at": null}`)), 1)
	if diff := cmp.Diff(Todo{Recording: Recording{ID: 7}}, todo); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestProgress_ParsesTheRatio(t *testing.T) {
	for ratio, want := range map[string][2]int{
		"2/5": {2, 5}, "16/64": {16, 64}, "0/0": {}, "": {}, "5": {}, "a/5": {}, "2/b": {}, " 2 / 5 ": {2, 5},
	} {
		done, total := Todolist{CompletedRatio: ratio}.Progress()
		if [2]int{done, total} != want {
			t.Errorf("%q is %d of %d", ratio, done, total)
		}
	}
}

func TestChatLine_IsPlainTextRichTextOrAFile(t *testing.T) {
	page, err := LinesIn.Page(t.Context(), answering(t, says(200, `[
		{"id": 3, "type": "Chat::Lines::Upload", "attachments": [{"title": "rack.png", "filename": "rack.png", "content_type": "image/png", "byte_size": 9}]},
		{"id": 2, "type": "Chat::Lines::RichText", "content": "<strong>No</strong>"},
		{"id": 1, "type": "Chat::Lines::Text", "content": "a < b"}]`)), 1, 7102)
	if err != nil {
		t.Fatal(err)
	}
	file, rich, text := page.Items[0], page.Items[1], page.Items[2]
	if file.IsHTML() || file.Attachments[0].Filename != "rack.png" || !rich.IsHTML() || text.IsHTML() || text.Content != "a < b" {
		t.Errorf("lines %+v", page.Items)
	}
}

func TestUploadAndVault_HaveAllFields(t *testing.T) {
	uploads, err := UploadsIn.Page(t.Context(), answering(t, says(200, `[{"id": 8, "type": "Upload", "filename": "price list.pdf", "content_type": "application/pdf",
		"byte_size": 5000000000, "download_url": "https://storage.example.invalid/8", "description": "<div>2026</div>"}]`)), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := Upload{
		Recording: Recording{ID: 8, Type: "Upload"}, Description: "<div>2026</div>", Filename: "price list.pdf",
		ContentType: "application/pdf", ByteSize: 5000000000, DownloadURL: "https://storage.example.invalid/8",
	}
	if diff := cmp.Diff([]Upload{want}, uploads.Items); diff != "" {
		t.Error(diff)
	}
	vault, err := FolderAt.Get(t.Context(), answering(t, says(200, `{"id": 9, "title": "Docs & Files", "documents_count": 1, "uploads_count": 2, "vaults_count": 3}`)), 9)
	if err != nil || vault != (Vault{Recording: Recording{ID: 9, Title: "Docs & Files"}, DocumentsCount: 1, UploadsCount: 2, VaultsCount: 3}) {
		t.Errorf("vault %+v, %v", vault, err)
	}
}
