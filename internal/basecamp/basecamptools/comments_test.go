package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/report/fault"
)

const (
	colourVote  = "Colour vote: moss or brick?"
	inTheLaunch = "@Cargo Bike Launch}"
	voteID      = "{Message:" + colourVote + inTheLaunch
)

// commentsOn returns the first page of an item's comments from Basecamp.
func commentsOn(d *toolEnv, item int64) []record {
	return upstream[[]record](d, fmt.Sprintf("/recordings/%d/comments.json", item))
}

// writesIn returns the requests that write.
func writesIn(requests []string) []string {
	return slices.DeleteFunc(slices.Clone(requests), func(line string) bool { return strings.HasPrefix(line, "GET ") })
}

// asks compares the requests of some work with the expected ones. The last one must be sent last.
func (d *toolEnv) asks(work func(), want ...string) {
	d.Helper()
	asked := d.asked(work)
	if diff := cmp.Diff(want, asked, cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); diff != "" {
		d.Errorf("requests: %s", diff)
	} else if len(want) > 0 && asked[len(asked)-1] != want[len(want)-1] {
		d.Errorf("the last request is %s", asked[len(asked)-1])
	}
}

// commentable are items that can be commented on.
var commentable = map[string]string{
	"message": voteID, "todo": "{Todo:Night ride, lights only" + inTheLaunch, "todolist": "{Todolist:Test rides" + inTheLaunch,
	"card": "{Kanban::Card:Suspension fork" + inTheLaunch, "document": "{Document:Welding sequence" + inTheLaunch,
	"upload": "{Upload:frame-front.png" + inTheLaunch, "schedule_entry": "{Schedule::Entry:Photographer" + inTheLaunch,
}

func TestCreateComment(t *testing.T) {
	const (
		known    = "{project:Cargo Bike Launch}"
		comments = "GET /recordings/" + voteID + "/comments.json"
		onVote   = "POST /buckets/" + known + "/recordings/" + voteID + "/comments.json"
	)
	var rows []row
	for kind, id := range commentable {
		item := kind + ":" + id
		rows = append(rows, row{
			fact: "a " + kind + " is read, with its followers", setup: (*toolEnv).knowsLaunch, in: args{"item": item}, requests: 3, writes: says{"POST /recordings/" + id + "/comments.json"}, holds: holds{"item.id": id, "item.type": kind},
			then: []row{
				{fact: "with the people if some are mentioned", in: args{"item": item, "mentions": "Priya Raman"}, requests: 4},
				{fact: "and with who else has a first name", in: args{"item": item, "body": "Seen, @[Priya](person:{person:Priya Raman})."}, atMost: 5, holds: holds{"content": "Seen, [@Priya]."}},
			},
		})
	}
	cases(t, "create_comment", args{"item": "message:" + voteID, "body": "Seen."}, append(rows,
		row{fact: "an address of a comment means its item", tool: comments, then: []row{
			{in: args{"item": "{0.3.app_url}", "body": "Moss, **please**."}, requests: 3, writes: says{onVote}, holds: holds{
				"item.id": voteID, "item.type": "message", "item.title": colourVote, "project.name": launch, "author.name": "Ines Albrecht", "content": has("Moss"), "type": "comment",
			}, then: []row{{tool: "list_comments", in: args{"item": "{.url}"}, holds: holds{"total": 23}}}},
		}},
		row{fact: "the item of a comment by ID is found by one read", tool: comments, setup: (*toolEnv).knowsLaunch, then: []row{
			{in: args{"item": "comment:{0.0.id}"}, requests: 3, writes: says{onVote}},
			{in: args{"item": "https://3.basecamp.com/{account}/buckets/" + known + "/comments/{0.0.id}"}, requests: 3, writes: says{onVote}},
			{in: args{"item": "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/comments/{0.0.id}"}, requests: 1, fails: fault.NotFound, says: says{"in project"}},
		}},
		row{fact: "an answer to a check-in takes comments", tool: "GET /questions/{Question:" + daily + inTheLaunch + "/answers.json", then: []row{
			{in: args{"item": "answer:{0.0.id}", "mentions": "me"}, holds: holds{"item.type": "answer"}}}},
		row{fact: "a text is required", each: []args{{"body": ""}, {"body": " \n\t"}}, fails: fault.InvalidInput, says: says{"body"}},
		row{fact: "a subtask has no comments", in: args{"item": "subtask:5"}, fails: fault.InvalidInput, says: says{"card"}},
		row{fact: "a line of a chat is answered in the chat", in: args{"item": "https://3.basecamp.com/{account}/buckets/" + known + "/chats/5@6"}, fails: fault.InvalidInput, says: says{"reply with post_chat_line"}},
		row{fact: "part of a title is not enough", in: args{"item": "card:clear coat"}, fails: fault.Ambiguous, says: says{"only part of a title"}},
		row{fact: "the nearest titles are told", in: args{"item": "card:Mat cleer coat", "project": launch}, fails: fault.NotFound, says: says{"Matt clear coat"}},
		row{fact: "the comment must exist", in: args{"item": "comment:5"}, fails: fault.NotFound, says: says{"no comment 5"}},
		row{fact: "whom it mentions must be on the project", in: args{"mentions": "Sam Lindqvist"}, fails: fault.InvalidInput, says: says{`"Sam Lindqvist" is not on the project`}},
		row{fact: "whom it mentions must exist", in: args{"mentions": "Zelda Unknown"}, fails: fault.NotFound, says: says{"mentions[0]"}},
		row{fact: "the item must be in the project", each: []args{{"project": "Company HQ"}, {"item": "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/messages/" + voteID}}, fails: fault.NotFound, says: says{"in project"}},
	)...)
}

func TestCreateComment_OnSeveralItems(t *testing.T) {
	const number, other = "todo:{Todo:Print the serial number plates}", "card:{Kanban::Card:" + kickstand + "}"
	cases(t, "create_comment", args{"body": "Postponed to **Monday**, @Hanna."},
		row{fact: "each gets the same, and a reply is on its item", tool: "GET /recordings/" + voteID + "/comments.json", then: []row{
			{in: args{"items": []string{other, "{0.0.app_url}", number}}, holds: holds{
				"done": 3, "failed": nil, "results.*.ok": true, "results.*.item.mentioned": has("Hanna Koivisto"), "results.*.item.url": some, "results.1.item.item.id": voteID}},
			{tool: "GET /recordings/" + voteID + "/comments.json?page=2", holds: holds{"7.content": has("<strong>Monday</strong>")}},
		}},
		row{fact: "there is an item", in: args{"items": []string{}}, fails: fault.InvalidInput, says: says{"at least one item"}},
		row{fact: "there is no other", in: args{"items": []string{number}, "item": other}, fails: fault.InvalidInput, says: says{"not both"}},
		row{fact: "one or several are named", fails: fault.InvalidInput, says: says{"item: is required, or items"}},
		row{fact: "each exists", in: args{"items": []string{number, "card:1"}}, fails: fault.NotFound, says: says{"items[1]"}},
		row{fact: "each is named once", in: args{"items": []string{number, other, number}}, fails: fault.InvalidInput, says: says{"items[2]: is the same item as items[0]"}},
		row{fact: "each takes comments", in: args{"items": []string{number, "chat_line:5"}}, fails: fault.InvalidInput, says: says{"items[1]: chat lines have no comments"}},
		row{fact: "whom it mentions is on the project of each", in: args{"items": []string{number, other}, "mentions": "Sam Lindqvist"}, fails: fault.InvalidInput, says: says{"mentions"}},
	)
}

func TestCreateComment_OnSeveralItemsTellsWhoReadsEach(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		seen, hidden := d.room(true), d.room(false)
		items := []string{fmt.Sprintf("todo:%d", seen.todo), fmt.Sprintf("todo:%d", hidden.todo)}
		got := call[parts.NewComments](d, "create_comment", args{"items": items, "body": "Seen."})
		for i, want := range []any{[]any{lieke}, nil} {
			if item := got.Results[i].Item; !cmp.Equal(item.ClientsSee, want) || len(item.LeftOut) > 0 {
				d.Errorf("%s: clients_see %v, left out %v", items[i], item.ClientsSee, item.LeftOut)
			}
		}
	})
}

func TestEditText_OfAComment(t *testing.T) {
	cases(t, "edit_text", args{"body": "x"}, row{fact: "a comment", tool: "GET /recordings/" + voteID + "/comments.json", holds: holds{"0.content": has("Moss. Hides the dirt.")}, then: []row{
		{fact: "it is not emptied", in: args{"comment": "{0.0.id}", "body": nil, "find": "Moss. Hides the dirt.", "replace": ""}, fails: fault.InvalidInput, says: says{"set_item_status"}},
		{fact: "whom it mentions is on the project", in: args{"comment": "{0.0.id}", "mentions": "Sam Lindqvist"}, fails: fault.InvalidInput, says: says{"not on the project"}},
		{fact: "it has no title", in: args{"item": "comment:Moss"}, fails: fault.InvalidInput, says: says{"a comment cannot be found by title"}},
		{fact: "it is in the project", in: args{"comment": "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/comments/{0.0.id}"}, fails: fault.NotFound, says: says{"in project"}},
		{fact: "a message is not a comment", in: args{"comment": voteID}, fails: fault.NotFound, says: says{"item: "}},
		{fact: "it is the caller's own", as: "Priya Raman", in: args{"comment": "{0.0.id}"}, writes: says{"PUT /comments/{0.0.id}.json"}, fails: fault.PermissionDenied},
		{fact: "and is as it was", tool: "GET /comments/{0.0.id}.json", holds: holds{"content": "{0.0.content}"}},
	}})
}

func TestListComments(t *testing.T) {
	const sams = "{Message:Two Sams, one inbox}"
	long := `{"content":"<div>` + strings.Repeat("A long comment. ", 500) + `</div>"}`
	cases(t, "list_comments", args{"item": "message:" + voteID},
		row{fact: "the oldest come first", in: args{"limit": 5}, holds: holds{"items.#": 5, "has_more": true, "total": 22, "item.id": voteID, "item.title": colourVote, "items.0.content": "Moss. Hides the dirt."}, then: []row{
			{fact: "a cursor is of one item", in: args{"item": "message:" + sams, "limit": 5, "cursor": "{.next_cursor}"}, fails: fault.InvalidInput, says: says{"cursor"}},
		}},
		row{fact: "an address of a comment lists those of its item", setup: (*toolEnv).knowsLaunch, tool: "GET /recordings/" + voteID + "/comments.json", then: []row{{in: args{"item": "{0.3.app_url}"}, requests: 2, holds: holds{"total": 22}}}},
		row{fact: "a long one is shown in full", in: args{"item": "message:" + sams}, before: says{"POST /recordings/" + sams + "/comments.json " + long}, holds: holds{"items.1.content": least(7000), "items.1.truncated": nil}, then: []row{
			{fact: "but cut with its message", tool: "get_message", in: args{"message_id": sams}, holds: holds{"comments.1.truncated": true, "comments.1.content": most(parts.MaxComment)}},
			{fact: "and once it is written", tool: "create_comment", in: args{"item": "message:" + sams, "body": strings.Repeat("Longer still. ", 100)}, holds: holds{"truncated": true, "content": most(parts.MaxWritten)}},
		}},
		row{fact: "an item may have none", in: args{"item": "document:{Document:Glossary}"}, holds: holds{"items.#": 0, "has_more": false}},
		row{fact: "the item must be in the project", in: args{"project": "Company HQ"}, fails: fault.NotFound, says: says{"in project"}},
		row{fact: "the item must exist", each: []args{{"item": "message:5"}, {"item": "17"}}, fails: fault.NotFound},
		row{fact: "an ID without a type is looked for among all", in: args{"item": "17"}, fails: fault.NotFound, says: says{"no item 17 of type message, todo"}},
		row{fact: "a failure of Basecamp may pass", faults: faults{{Status: 500}}, fails: fault.UpstreamError, holds: holds{"retryable": true}},
	)
}

func TestGetTools_SayWhereListCommentsGoesOn(t *testing.T) {
	for kind, tool := range map[string][2]string{"message": {"get_message", "message_id"}, "todo": {"get_todo", "todo_id"}, "card": {"get_item", "item"}, "upload": {"get_file", "item"}} {
		item := kind + ":" + commentable[kind]
		more := slices.Repeat([]string{"POST /recordings/" + commentable[kind] + `/comments.json {"content":"<div>More.</div>"}`}, 16)
		goesOn := []row{{tool: "list_comments", in: args{"item": item, "cursor": "{1.comments_cursor}{1.item.comments_cursor}"}, holds: holds{"items.0.id": "{0.items.15.id}"}}}
		for name, in := range map[string]args{tool[0]: {tool[1]: item}, "get_item": {"url": item}} {
			inside := ""
			if name == "get_item" {
				inside = "item."
			}
			goesOn[0].in["cursor"] = "{1." + inside + "comments_cursor}"
			cases(t, "list_comments", nil, row{fact: kind, before: more, in: args{"item": item, "limit": 100}, then: []row{
				{tool: name, in: in, holds: holds{inside + "more_comments": true, inside + "comments.#": 15, inside + "comments.0.id": "{0.items.0.id}"}, then: goesOn}}})
		}
	}
}
