package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
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

func TestGetItem(t *testing.T) {
	const load, frameAt, rimsAt = "{Message:Checkout: what the load test showed}", launchURL + "/vaults/" + frameID, launchURL + "/inbox_forwards/{Inbox::Forward:Offer: rims with a wider bed}"
	const standUp, line, elsewhere = launchURL + "/schedule_entries/{Schedule::Entry:Launch stand-up@Cargo Bike Launch}", "GET /chats/{tool:chat@Cargo Bike Launch}/lines.json", "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/todos/"
	refused := func(fact string, code fault.Code, item any, words ...string) row {
		return row{fact: fact, in: args{"item": item}, fails: code, says: words}
	}
	unasked := func(fact, item string, words ...string) row {
		r := refused(fact, fault.InvalidInput, item, words...)
		r.faults = faults{{Status: 418}} // no request is sent
		return r
	}
	var folders []string
	for i := range 16 {
		folders = append(folders, fmt.Sprintf(`POST /vaults/%s/vaults.json {"title":"Frame %d"}`, frameID, i))
	}
	rows := []row{
		{fact: "a project", in: args{"item": "https://3.basecamp.com/{account}/projects/{project:Cargo Bike Launch}"}, holds: holds{"type": "project", "item.project_name": launch, "reply_to": nil}},
		{fact: "a person", in: args{"item": "https://3.basecamp.com/{account}/people/{person:Sam Okafor}"}, holds: holds{"type": "person", "item.name": "Sam Okafor", "reply_to": nil}},
		{fact: "a folder has what is in it", in: args{"item": frameAt}, holds: holds{"item.name": "Frame", "item.files.#": 5, "item.files_count": 5, "item.documents.#": 3, "item.documents_count": 3, "item.folders.#": 1, "item.folders_count": 1, "item.more": nil, "item.files.0.creator": some}},
		{fact: "a large one has more", before: folders, in: args{"item": frameAt}, holds: holds{"item.more": true, "item.folders_count": 17}},
		{fact: "a mail has its replies", in: args{"item": rimsAt}, misses: says{"javascript"}, holds: holds{"item.replies.#": 2, "item.replies.0.type": "reply", "item.replies.0.content": some, "item.more_replies": false, "item.content": some, "item.from": some}, then: []row{
			{fact: "one of them by its URL in the API", in: args{"item": rimsAt + "/replies/{.item.replies.0.id}.json"}, holds: holds{"type": "forward", "comment.id": "{0.item.replies.0.id}"}}}},
		{fact: "a mail without its replies says so", in: args{"item": rimsAt, "include_comments": false}, holds: holds{"item.replies": nil, "item.more_replies": true}},
		{fact: "a recurring entry has its first occurrence", in: args{"item": standUp}, holds: holds{"item.starts_at": has("1999-11-13")}, then: []row{
			{fact: "and each other one", in: args{"item": standUp + "/occurrences/19991120"}, holds: holds{"item.starts_at": has("1999-11-20")}}}},
		{fact: "a comment that is gone leaves its message", in: args{"item": launchURL + "/messages/" + load + "#__recording_17"}, holds: holds{"type": "message", "comment": nil, "note": some}},
		{fact: "or its card", in: args{"item": launchURL + "/card_tables/cards/{Kanban::Card:Matt clear coat}#__recording_17"}, holds: holds{"type": "card", "note": some}},
		{fact: "a comment that cannot be read is left out", in: args{"item": launchURL + "/messages/" + load + "#__recording_17"}, faults: faults{{Status: 403, PathPrefix: "/comments/"}}, holds: holds{"item.subject": some, "comment": nil, "left_out.#": 1, "left_out.0": has("comment: ")}},
		{fact: "unless the connection expired", in: args{"item": launchURL + "/messages/" + load + "#__recording_17"}, faults: faults{{Status: 401, PathPrefix: "/comments/"}}, fails: fault.TokenExpired},
		{fact: "a line of a chat", tool: line, then: []row{{in: args{"item": "chat_line:{0.0.id}"}, holds: holds{"type": "chat_line", "item.id": "{0.0.id}", "item.content": some, "reply_to.tool": "post_chat_line"}}}},
		{fact: "a comment takes one more request", setup: (*toolEnv).knowsLaunch, tool: "GET /recordings/" + voteID + "/comments.json", then: []row{
			{in: args{"item": launchURL + "/messages/" + voteID, "include_comments": false}, requests: 1}, {in: args{"item": "{0.0.app_url}", "include_comments": false}, requests: 2}}},
		refused("a line must be a recent one", fault.InvalidInput, "chat_line:17", "no chat line 17", "give the url"),
		refused("there must be such a to-do", fault.NotFound, launchURL+"/todos/17"),
		refused("by any reference", fault.NotFound, "todo:17"),
		refused("in the project of its address", fault.NotFound, elsewhere+"{Todo:Call the insurer about demo rides}", "there is no todo"),
		unasked("an unknown kind", launchURL+"/doors/17", "doors", "cannot read"),
		unasked("a line without its chat", launchURL+"/lines/17", "which chat"),
		unasked("another account", "https://3.basecamp.com/1/projects/2", "another Basecamp account"),
	}
	for _, item := range []any{"https://evil.example/1/projects/2", "https://3.basecamp.com/", "-1", "todo:", "task:17", "buckets/2271403118/todos/17", nil} {
		rows = append(rows, refused(fmt.Sprint(item), fault.InvalidInput, item, "item"))
	}
	for tool, reader := range map[string]string{"message_boards": "list_messages", "todosets": "list_todolists", "schedules": "list_schedule_entries", "questionnaires": "list_checkins", "inboxes": "list_forwards"} {
		rows = append(rows, refused("a tool is read by another one", fault.InvalidInput, launchURL+"/"+tool+"/17", reader, "{project:Cargo Bike Launch}"),
			refused("without its project too", fault.InvalidInput, "https://3.basecampapi.com/{account}/"+tool+"/17.json", reader))
	}
	cases(t, "get_item", nil, rows...)
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
