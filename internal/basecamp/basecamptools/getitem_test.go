package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// opened is an answer of get_item, of any kind.
type opened struct {
	Type    string
	Item    record
	Comment *parts.Comment
	Note    string
	ReplyTo *parts.ReplyRef `json:"reply_to"`
}

func (d *toolEnv) open(url string) opened {
	d.Helper()
	return call[opened](d, "get_item", args{"url": url, "include_comments": false})
}

// address is a Basecamp item that has a page of its own.
type address struct {
	ID     int64
	Type   string
	AppURL string `json:"app_url"`
	URL    string
	Parent struct {
		ID   int64
		Type string
	}
	Name  string
	Lists []address
	Dock  []address
}

// ourTypes maps Basecamp's types with a page to our types. Comments and subtasks are shown on the
// page of another item.
var ourTypes = map[string]string{
	"Comment": "comment", "Document": "document", "Kanban::Card": "card", "Kanban::Step": "subtask", "Message": "message", "Question::Answer": "answer",
	"Schedule::Entry": "schedule_entry", "Todo": "todo", "Todolist": "todolist", "Upload": "upload", "Vault": "folder", "Question": "question",
	"Inbox::Forward": "forward", "Inbox::Reply": "reply", "Kanban::Board": "board", "Chat::Transcript": "chat", "Chat::Lines::Text": "chat_line",
	"Chat::Lines::RichText": "chat_line", "Chat::Lines::Upload": "chat_line", "Kanban::Triage": "column", "Kanban::Column": "column",
	"Kanban::NotNowColumn": "column", "Kanban::DoneColumn": "column",
}

// pages reads all pages of a Basecamp list.
func pages(d *toolEnv, path string) []address {
	d.Helper()
	var all []address
	for page := range 100 {
		more := upstream[[]address](d, fmt.Sprintf("%s%spage=%d", path, map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")], page+1))
		if len(more) == 0 {
			return all
		}
		all = append(all, more...)
	}
	d.Fatalf("%s: no end after 100 pages", path)
	return nil
}

// everyPage returns all items with a page in Ines's active projects.
func everyPage(d *toolEnv) []address {
	var all []address
	for upstreamType := range ourTypes {
		if slices.Contains([]string{"Question", "Inbox::Forward", "Inbox::Reply", "Kanban::Board", "Chat::Transcript"}, upstreamType) ||
			strings.HasPrefix(upstreamType, "Chat::") || strings.HasPrefix(upstreamType, "Kanban::") && upstreamType != "Kanban::Card" && upstreamType != "Kanban::Step" {
			continue
		}
		all = append(all, pages(d, "/projects/recordings.json?type="+upstreamType)...)
	}
	for _, project := range pages(d, "/projects.json") {
		for _, tool := range project.Dock {
			switch tool.Name {
			case "kanban_board":
				board := upstream[address](d, fmt.Sprintf("/card_tables/%d.json", tool.ID))
				all = append(append(all, board), board.Lists...)
			case "chat":
				all = append(append(all, upstream[address](d, fmt.Sprintf("/chats/%d.json", tool.ID))), pages(d, fmt.Sprintf("/chats/%d/lines.json", tool.ID))...)
			case "questionnaire":
				all = append(all, pages(d, fmt.Sprintf("/questionnaires/%d/questions.json", tool.ID))...)
			case "inbox":
				for _, mail := range pages(d, fmt.Sprintf("/inboxes/%d/inbox_forwards.json", tool.ID)) {
					all = append(append(all, mail), pages(d, fmt.Sprintf("/inbox_forwards/%d/replies.json", mail.ID))...)
				}
			case "vault":
				all = append(all, upstream[address](d, fmt.Sprintf("/vaults/%d.json", tool.ID)))
			}
		}
	}
	return all
}

// onePage returns an item with a page of each of our types.
func onePage(d *toolEnv) map[string]address {
	one := map[string]address{}
	for _, a := range everyPage(d) {
		one[ourTypes[a.Type]] = a
	}
	return one
}

func TestGetItem_OpensEveryKindOfPage(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		seen := map[string]int{}
		for _, a := range everyPage(d) {
			want := ourTypes[a.Type]
			seen[want]++
			got := d.open(a.AppURL)
			switch want {
			case "comment", "reply":
				if got.Comment == nil || got.Comment.ID != a.ID || got.Comment.Type != want || got.Type != ourTypes[a.Parent.Type] || got.Item["id"] != float64(a.Parent.ID) {
					d.Errorf("%s: %+v", a.AppURL, got)
				}
			case "chat":
				if got.Type != "chat" || got.Item["items"] == nil {
					d.Errorf("%s: %+v", a.AppURL, got)
				}
			case "column":
				column := got.Item["columns"].([]any)[0].(record)
				if got.Type != "column" || column["id"] != float64(a.ID) || column["cards_count"] != 0.0 && len(anyList(column["cards"])) == 0 {
					d.Errorf("%s: %+v", a.AppURL, got)
				}
			default:
				if got.Type != want || got.Item["id"] != float64(a.ID) || got.Comment != nil || got.Note != "" {
					d.Errorf("%s: %+v", a.AppURL, got)
				}
			}
		}
		for _, want := range ourTypes {
			if seen[want] == 0 {
				d.Errorf("found no page of type %s", want)
			}
		}
	})
}

// whereReplies maps a type to the item that accepts a reply: the item itself, its parent, or none.
var whereReplies = map[string]string{
	"message": "itself", "todo": "itself", "todolist": "itself", "card": "itself", "document": "itself", "upload": "itself", "schedule_entry": "itself",
	"answer": "itself", "comment": "parent", "subtask": "parent",
}

func TestGetItem_NamesTheItemToReplyOn(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		for word, a := range onePage(d) {
			got := d.open(a.AppURL)
			want := map[string]int64{"itself": a.ID, "parent": a.Parent.ID, "": 0}[whereReplies[word]]
			switch {
			case word == lookup.LineKind.Kind:
				if got.ReplyTo == nil || got.ReplyTo.Type != "chat" || got.ReplyTo.Tool != "post_chat_line" {
					d.Errorf("%s %s: %+v", word, a.AppURL, got.ReplyTo)
				}
			case want == 0 && got.ReplyTo != nil, want != 0 && (got.ReplyTo == nil || got.ReplyTo.ID != want):
				d.Errorf("%s %s: %+v", word, a.AppURL, got.ReplyTo)
			case want != 0:
				if again := d.open(got.ReplyTo.URL); again.Type != got.ReplyTo.Type || again.Item["id"] != float64(want) {
					d.Errorf("%s: %+v opens %s %v", word, got.ReplyTo, again.Type, again.Item["id"])
				}
			}
		}
	})
}

func TestGetItem_OpensProjectsAndPeople(t *testing.T) {
	at(t, func(d *toolEnv) {
		project := d.open(fmt.Sprintf("https://3.basecamp.com/%d/projects/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch)))
		if project.Type != "project" || project.Item["project_name"] != launch || project.ReplyTo != nil {
			d.Errorf("got %+v", project)
		}
		someone := d.sandbox.Person("Sam Okafor")
		person := d.open(fmt.Sprintf("https://3.basecamp.com/%d/people/%d", d.sandbox.Account(), someone.ID))
		if person.Type != "person" || person.Item["name"] != "Sam Okafor" || person.ReplyTo != nil {
			d.Errorf("got %+v", person)
		}
	})
}

func TestGetItem_ShowsTheContentsOfAFolder(t *testing.T) {
	at(t, func(d *toolEnv) {
		frame := d.sandbox.FindIn(launch, "Vault", "Frame")
		got := call[struct{ Item files.FolderView }](d, "get_item", args{"url": d.url("vaults", frame)}).Item
		if got.Name != "Frame" || len(got.Files) != got.FilesCount || len(got.Documents) != got.DocumentsCount || len(got.Folders) != got.FoldersCount ||
			got.FilesCount+got.DocumentsCount+got.FoldersCount == 0 || got.More || got.Files[0].Creator == "" {
			d.Errorf("got %+v", got)
		}
		for i := range 16 {
			d.meanwhile("POST", fmt.Sprintf("/vaults/%d/vaults.json", frame), fmt.Sprintf(`{"title":"Frame %d"}`, i))
		}
		if got := call[struct{ Item files.FolderView }](d, "get_item", args{"url": d.url("vaults", frame)}).Item; !got.More {
			d.Errorf("shows %[2]d of %[1]d folders without more", got.FoldersCount, len(got.Folders))
		}
	})
}

func TestGetItem_ShowsTheRepliesToAnEMail(t *testing.T) {
	at(t, func(d *toolEnv) {
		url := d.url("inbox_forwards", d.sandbox.Find("Inbox::Forward", "Offer: rims with a wider bed"))
		got := call[struct{ Item texts.Forward }](d, "get_item", args{"url": url}).Item
		if len(got.Replies) != 2 || got.Replies[0].Type != "reply" || got.Replies[0].Content == "" || got.MoreReplies || got.Content == "" || got.From == "" || strings.Contains(got.Content, "javascript") {
			d.Errorf("got %+v", got)
		}
		if without := d.open(url); len(without.Item["replies"].([]any)) != 0 || without.Item["more_replies"] != true {
			d.Errorf("got %v", without.Item)
		}
	})
}

func TestGetItem_ShowsOneOccurrenceOfARecurringEntry(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Schedule::Entry", "Launch stand-up")
		first := d.open(d.url("schedule_entries", id))
		starts, err := time.Parse(time.RFC3339, first.Item["starts_at"].(string))
		if err != nil {
			d.Fatal(err)
		}
		week := starts.AddDate(0, 0, 7)
		next := d.open(d.url("schedule_entries", id) + "/occurrences/" + week.Format("20060102"))
		if next.Item["starts_at"] == first.Item["starts_at"] || !strings.HasPrefix(next.Item["starts_at"].(string), week.Format(time.DateOnly)) {
			d.Errorf("a week after %v it is %v", first.Item["starts_at"], next.Item["starts_at"])
		}
	})
}

func TestGetItem_MatchesTheGetTool(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, x := range []struct{ kind, title, path, tool, argument string }{
			{"Message", "Checkout: what the load test showed", "messages", "get_message", "message_id"},
			{"Document", "Assembly handbook", "documents", "get_document", "document_id"},
			{"Todo", "Sign off the final frame drawing, revision F", "todos", "get_todo", "todo_id"},
		} {
			id := d.sandbox.FindIn(launch, x.kind, x.title)
			got := call[opened](d, "get_item", args{"url": d.url(x.path, id)})
			want := call[record](d, x.tool, args{x.argument: id})
			if diff := cmp.Diff(want, got.Item); diff != "" {
				d.Errorf("%s: %s", x.tool, diff)
			}
			if without := d.open(d.url(x.path, id)); len(anyList(without.Item["comments"])) != 0 {
				d.Errorf("%s: %v", x.tool, without.Item["comments"])
			}
		}
	})
}

func TestGetItem_ReturnsAnImageAsImageContent(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.upload("pixel", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")).ID
		if images := d.pictures("get_item", args{"url": d.url("uploads", id)}); len(images["image/gif"]) == 0 {
			d.Errorf("got %v", slices.Collect(maps.Keys(images)))
		}
	})
}

func TestGetItem_ShowsTheItemIfTheAnchoredCommentIsGone(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Checkout: what the load test showed")
		got := d.open(d.url("messages", id) + "#__recording_17")
		if got.Type != "message" || got.Comment != nil || got.Note == "" {
			d.Errorf("got %+v", got)
		}
		card := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		if got := d.open(d.url("card_tables/cards", card) + "#__recording_17"); got.Type != "card" || got.Note == "" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestGetItem_FindsAChatLineByItsID(t *testing.T) {
	at(t, func(d *toolEnv) {
		line := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch, "limit": 1}).Items[0]
		reference := args{"url": fmt.Sprintf("chat_line:%d", line.ID)}
		got := call[struct {
			Type    string
			Item    texts.ChatLine
			ReplyTo *parts.ReplyRef `json:"reply_to"`
		}](d, "get_item", reference)
		if got.Type != "chat_line" || got.Item.Content != line.Content || got.ReplyTo.Tool != "post_chat_line" {
			d.Errorf("got %+v", got)
		}
		d.fails(fault.InvalidInput, "get_item", args{"url": "chat_line:17"}, "no chat line 17", "give the url")
	})
}

func TestGetItem_ExplainsWhatItCannotRead(t *testing.T) {
	at(t, func(d *toolEnv) {
		account := d.sandbox.Account()
		for tool, reader := range map[string]string{
			"message_boards": "list_messages", "todosets": "list_todolists", "schedules": "list_schedule_entries", "questionnaires": "list_checkins", "inboxes": "list_forwards",
		} {
			d.fails(fault.InvalidInput, "get_item", args{"url": d.url(tool, 17)}, reader, fmt.Sprint(d.sandbox.ProjectID(launch)))
			d.fails(fault.InvalidInput, "get_item", args{"url": fmt.Sprintf("https://3.basecampapi.com/%d/%s/17.json", account, tool)}, reader)
		}
		requests := d.asked(func() {
			d.fails(fault.InvalidInput, "get_item", args{"url": d.url("doors", 17)}, "doors", "cannot read")
			d.fails(fault.InvalidInput, "get_item", args{"url": d.url("lines", 17)}, "which chat")
			d.fails(fault.InvalidInput, "get_item", args{"url": "https://3.basecamp.com/1/projects/2"}, "another Basecamp account")
			for _, url := range []string{"https://evil.example/1/projects/2", "https://3.basecamp.com/", "-1", "todo:", "task:17", "buckets/2271403118/todos/17"} {
				d.fails(fault.InvalidInput, "get_item", args{"item": url}, "item")
			}
			d.fails(fault.InvalidInput, "get_item", args{}, "item")
		})
		if len(requests) > 0 {
			d.Errorf("asked %v", requests)
		}
		d.fails(fault.NotFound, "get_item", args{"url": d.url("todos", 17)})
		d.fails(fault.NotFound, "get_item", args{"url": "todo:17"})
		todo := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		elsewhere := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/%d", account, d.sandbox.ProjectID("Company HQ"), todo)
		d.fails(fault.NotFound, "get_item", args{"url": elsewhere}, "there is no todo")
	})
}

func TestGetItem_AnswersWithoutACommentThatCannotBeRead(t *testing.T) {
	at(t, func(d *toolEnv) {
		url := d.url("messages", d.sandbox.FindIn(launch, "Message", "Checkout: what the load test showed")) + "#__recording_17"
		d.sandbox.Inject(sandbox.Fault{Status: 403, PathPrefix: "/comments/"})
		got := call[struct {
			Item    texts.Message
			Comment *parts.Comment
			listing.Gaps
		}](d, "get_item", args{"url": url})
		if got.Item.Subject == "" || got.Comment != nil || len(got.LeftOut) != 1 || !strings.HasPrefix(got.LeftOut[0], "comment: ") {
			d.Errorf("got %+v", got)
		}
		d.sandbox.ClearFaults()
		d.sandbox.Inject(sandbox.Fault{Status: 401, PathPrefix: "/comments/"})
		d.fails(fault.TokenExpired, "get_item", args{"url": url})
	})
}

func TestGetItem_ReadsACommentInOneMoreRequest(t *testing.T) {
	at(t, func(d *toolEnv) {
		comment := upstream[[]address](d, fmt.Sprintf("/projects/recordings.json?type=Comment&bucket=%d", d.sandbox.ProjectID(launch)))[0]
		time.Sleep(time.Minute) // in the time of synctest
		item, _, _ := strings.Cut(comment.AppURL, "#")
		without := d.asked(func() { d.open(item) })
		if with := d.asked(func() { d.open(comment.AppURL) }); len(with) != len(without)+1 {
			d.Errorf("asked %v, and without the comment %v", with, without)
		}
	})
}
