package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestMessages_AreNewestFirstAndSortable(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/message_boards/%d/messages.json", s.ToolID(launch, "message_board"))
	all := c.all("%s", path)
	if len(all) < 35 {
		t.Errorf("%d messages", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b object) int { return strings.Compare(b.text("created_at"), a.text("created_at")) }) {
		t.Error("messages are not newest first")
	}
	oldest := c.all("%s?sort=created_at&direction=asc", path)
	if oldest[0].text("subject") != "Welcome to the launch project" {
		t.Error(oldest[0].text("subject"))
	}
	byUpdate := c.all("%s?sort=updated_at", path)
	if !slices.IsSortedFunc(byUpdate, func(a, b object) int { return strings.Compare(b.text("updated_at"), a.text("updated_at")) }) {
		t.Error("messages are not sorted by update")
	}
}

func TestMessage_IsADraftByDefaultAndVisibleToItsAuthorOnly(t *testing.T) {
	s := newSandbox(t)
	c, sam := ines(t, s), as(t, s, "Sam Okafor")
	path := fmt.Sprintf("/message_boards/%d/messages.json", s.ToolID(launch, "message_board"))
	draft := c.post(path, object{"subject": "Bells", "content": "<div>Louder</div>"}).want(201).object()
	if draft.text("status") != "drafted" {
		t.Error(draft.text("status"))
	}
	id := draft.text("id")
	c.get("/messages/%s.json", id).want(200)
	sam.get("/messages/%s.json", id).want(http.StatusNotFound)
	if slices.Contains(titles(c.all("%s", path)), "Bells") {
		t.Error("a draft is listed")
	}
	if !slices.Contains(titles(c.all("/my/drafts.json")), "Bells") {
		t.Error("a draft is missing among the drafts")
	}
	published := c.put("/messages/"+id+".json", object{"status": "active"}).want(200).object()
	if published.text("status") != "active" || published.text("content") != "<div>Louder</div>" || published.text("subject") != "Bells" {
		t.Error(published)
	}
	sam.get("/messages/%s.json", id).want(200)
	if got := titles(c.all("%s", path))[0]; got != "Bells" {
		t.Errorf("the first message is %s", got)
	}
}

func TestMessage_UpdateMerges(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/messages/%d.json", s.Find("Message", "We have a date"))
	before := c.get("%s", path).object()
	after := c.put(path, object{"subject": "We still have a date"}).want(200).object()
	if after.text("content") != before.text("content") || after.text("category", "name") != "Announcement" || after.text("subject") != "We still have a date" {
		t.Error(after)
	}
	if got := c.put(path, object{"subject": ""}).want(422).object(); got.text("errors", "subject") != "[can't be blank]" {
		t.Error(got)
	}
}

func TestMessage_SubscribesAllMembersUnlessPeopleAreNamed(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/message_boards/%d/messages.json", s.ToolID(launch, "message_board"))
	count := func(extra object) string {
		body := object{"subject": "Who hears this?", "status": "active"}
		maps.Copy(body, extra)
		id := c.post(path, body).want(201).object().text("id")
		return c.get("/recordings/%s/subscription.json", id).object().text("count")
	}
	team := fmt.Sprint(len(c.all("/projects/%d/people.json", s.ProjectID(launch))))
	if got := count(nil); got != team {
		t.Errorf("subscribers are %s, want %s", got, team)
	}
	if got := count(object{"subscriptions": []int64{}}); got != "1" {
		t.Errorf("subscribers are %s, want the author", got)
	}
	if got := count(object{"subscriptions": []int64{s.Person("Hanna Koivisto").ID, s.Person("Sam Lindqvist").ID}}); got != "2" {
		t.Errorf("subscribers are %s, want the author and Hanna; Sam Lindqvist is not on the project", got)
	}
}

func TestMessage_CategoriesBelongToTheProject(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list := c.get("/buckets/%d/categories.json", s.ProjectID(launch)).want(200).list()
	c.get("/categories.json").want(404)
	m := c.post(fmt.Sprintf("/message_boards/%d/messages.json", s.ToolID(launch, "message_board")),
		object{"subject": "Pitch", "status": "active", "category_id": list[3]["id"]}).want(201).object()
	if m.text("category", "name") != list[3].text("name") {
		t.Error(m)
	}
}

func TestRichText_CompletesMentionsAndFiles(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	noemie := c.get("/people/%d.json", s.Person("Noémie Laurent").ID).object().text("attachable_sgid")
	file := c.with("Content-Type", "text/plain").do("POST", "/attachments.json?name=notes.txt", []byte("three lines")).want(201).object()
	body := fmt.Sprintf(`<div onclick="x()">Hello <bc-attachment sgid="%s"></bc-attachment> <script>steal()</script><blink>see</blink></div>`+
		`<bc-attachment sgid="%s" caption="Notes"></bc-attachment><bc-attachment sgid="unknown"></bc-attachment>`,
		noemie, file.text("attachable_sgid"))
	path := fmt.Sprintf("/recordings/%d/comments.json", s.Find("Message", "We have a date"))
	comment := c.post(path, object{"content": body}).want(201).object()
	content := comment.text("content")
	for _, want := range []string{`content-type="application/vnd.basecamp.mention"`, `<figcaption>Noémie</figcaption>`, `filename="notes.txt"`, `caption="Notes"`, "see"} {
		if !strings.Contains(content, want) {
			t.Errorf("no %s in %s", want, content)
		}
	}
	for _, not := range []string{"script", "blink", "unknown"} {
		if strings.Contains(content, not) {
			t.Errorf("%s in %s", not, content)
		}
	}
	files := comment.list("content_attachments")
	if len(files) != 1 || files[0].text("filename") != "notes.txt" || files[0].text("byte_size") != "11" || files[0].text("sgid") != file.text("sgid") {
		t.Errorf("%v", files)
	}
	for _, undocumented := range []string{"caption", "key", "status_url", "attachable_sgid"} {
		if _, ok := files[0][undocumented]; ok {
			t.Errorf("content_attachments has %s", undocumented)
		}
	}
	again := c.put("/comments/"+comment.text("id")+".json", object{"content": content}).want(200).object()
	if again.text("content") != content {
		t.Errorf("content changes when it is written back:\n%s\n%s", content, again.text("content"))
	}
}

func TestComments_AreOldestFirstAndCounted(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Tomás Herrera")
	for _, about := range []struct{ path, kind, title string }{
		{"messages", "Message", "Rejected: the cup holder"}, {"todos", "Todo", "Night ride, lights only"},
		{"documents", "Document", "Welding sequence"}, {"todolists", "Todolist", "Test rides"},
		{"card_tables/cards", "Kanban::Card", "Suspension fork"}, {"schedule_entries", "Schedule::Entry", "Photographer"},
		{"uploads", "Upload", "frame-front.png"},
	} {
		id := s.FindIn(launch, about.kind, about.title)
		before := c.get("/%s/%d.json", about.path, id).want(200).object()
		made := c.post(fmt.Sprintf("/recordings/%d/comments.json", id), object{"content": "<div>Yes.</div>"}).want(201)
		if made.Header.Get("Location") != made.object().text("app_url") || !strings.Contains(made.object().text("app_url"), "#__recording_") {
			t.Errorf("%s: Location %s", about.kind, made.Header.Get("Location"))
		}
		after := c.get("/%s/%d.json", about.path, id).object()
		if after.text("comments_count") == before.text("comments_count") {
			t.Errorf("%s: still %s comments", about.kind, after.text("comments_count"))
		}
		list := c.all("/recordings/%d/comments.json", id)
		if last := list[len(list)-1]; last.text("content") != "<div>Yes.</div>" || last.text("parent", "id") != fmt.Sprint(id) {
			t.Errorf("%s: last comment %v", about.kind, last)
		}
	}
	c.post(fmt.Sprintf("/recordings/%d/comments.json", s.ToolID(launch, "vault")), object{"content": "x"}).want(404)
	r := c.post(fmt.Sprintf("/recordings/%d/comments.json", s.Find("Message", "We have a date")), object{"content": " "}).want(422)
	if string(r.body) != `{"content":["can't be blank"]}` {
		t.Errorf("%s", r.body)
	}
}

func TestComments_OnlyTheirAuthorsChangeThem(t *testing.T) {
	s := newSandbox(t)
	list := ines(t, s).all("/recordings/%d/comments.json", s.Find("Message", "Rejected: the cup holder"))
	path := "/comments/" + list[0].text("id") + ".json"
	as(t, s, "Hanna Koivisto").put(path, object{"content": "no"}).want(http.StatusForbidden)
	as(t, s, "Sam Okafor").put(path, object{"content": "A very sad day."}).want(200)
}

func TestMessage_PinsAndUnpins(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	id := s.Find("Message", "Rejected: the cup holder")
	c.post(fmt.Sprintf("/recordings/%d/pin.json", id), nil).want(204)
	if !s.main.recordings[id].pinned {
		t.Error("the message is not pinned")
	}
	c.delete(fmt.Sprintf("/recordings/%d/pin.json", id)).want(204)
}
