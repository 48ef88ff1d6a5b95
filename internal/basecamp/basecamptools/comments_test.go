package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

const colourVote = "Colour vote: moss or brick?"

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

// followers returns the request that reads the subscribers of an item.
func followers(project, item int64) string {
	if project == 0 {
		return fmt.Sprintf("GET /recordings/%d/subscription.json", item)
	}
	return fmt.Sprintf("GET /buckets/%d/recordings/%d/subscription.json", project, item)
}

func TestCreateComment_AcceptsACommentsURLForItsItem(t *testing.T) {
	at(t, func(d *toolEnv) {
		project, vote := d.sandbox.ProjectID(launch), d.sandbox.FindIn(launch, "Message", colourVote)
		anchored := commentsOn(d, vote)[3]["app_url"].(string)
		var posted parts.Comment
		d.asks(func() {
			posted = call[parts.Comment](d, "create_comment", args{"item": anchored, "body": "Moss, **please**."})
		}, fmt.Sprintf("GET /messages/%d.json", vote), followers(project, vote), fmt.Sprintf("POST /buckets/%d/recordings/%d/comments.json", project, vote))
		if posted.Item.ID != vote || posted.Item.Type != "message" || posted.Item.Title != colourVote || posted.Project.Name != launch ||
			posted.Author.Name != "Ines Albrecht" || !strings.Contains(posted.Content, "Moss") || posted.ID == 0 || posted.Type != "comment" {
			d.Errorf("got %+v", posted)
		}
		if all := call[parts.CommentList](d, "list_comments", args{"item": posted.URL}); *all.Total != 23 {
			d.Errorf("%d comments", *all.Total)
		}
	})
}

// Basecamp accepts a comment on any recording with the id.
func TestCreateComment_VerifiesTheItem(t *testing.T) {
	at(t, func(d *toolEnv) {
		people := fmt.Sprintf("GET /projects/%d/people.json", d.sandbox.ProjectID(launch))
		for i, c := range []struct{ word, kind, title, path string }{
			{"message", "Message", colourVote, "/messages/%d.json"},
			{"todo", "Todo", "Night ride, lights only", "/todos/%d.json"},
			{"todolist", "Todolist", "Test rides", "/todolists/%d.json"},
			{"card", "Kanban::Card", "Suspension fork", "/card_tables/cards/%d.json"},
			{"document", "Document", "Welding sequence", "/documents/%d.json"},
			{"upload", "Upload", "frame-front.png", "/uploads/%d.json"},
			{"schedule_entry", "Schedule::Entry", "Photographer", "/schedule_entries/%d.json"},
		} {
			id := d.sandbox.FindIn(launch, c.kind, c.title)
			in := args{"item": fmt.Sprintf("%s:%d", c.word, id), "body": "Seen."}
			post := fmt.Sprintf("POST /recordings/%d/comments.json", id)
			var posted parts.Comment
			item, subscribers := fmt.Sprintf("GET "+c.path, id), followers(0, id)
			d.asks(func() { posted = call[parts.Comment](d, "create_comment", in) }, item, subscribers, post)
			if posted.Item.ID != id || posted.Item.Type != c.word {
				d.Errorf("%s: on %+v", c.word, posted.Item)
			}
			in["mentions"] = "Priya Raman"
			want := []string{item, subscribers, people, post}
			d.asks(func() { call[parts.Comment](d, "create_comment", in) }, want...)
			if i == 0 { // who else is called so is remembered
				call[parts.Comment](d, "create_comment", args{"item": in["item"], "body": "Seen.", "mentions": "Priya"})
			}
			body := []string{"Seen, @[Priya](person:3140027802).", "Seen, [@Priya].", "Seen, [@PRIYA  raman]."}[i%3]
			d.asks(func() { posted = call[parts.Comment](d, "create_comment", args{"item": in["item"], "body": body}) }, want...)
			if posted.Content != "Seen, [@Priya]." {
				d.Errorf("%s: %s reads %s", c.word, body, posted.Content)
			}
		}
	})
}

func TestCreateComment_FindsTheItemOfACommentByID(t *testing.T) {
	at(t, func(d *toolEnv) {
		project, vote := d.sandbox.ProjectID(launch), d.sandbox.FindIn(launch, "Message", colourVote)
		id := int64(commentsOn(d, vote)[0]["id"].(float64))
		get, post := fmt.Sprintf("GET /comments/%d.json", id), fmt.Sprintf("POST /buckets/%d/recordings/%d/comments.json", project, vote)
		d.raw("list_todolists", args{"project_id": project}) // the project says that it has no clients
		for _, item := range []string{
			fmt.Sprintf("comment:%d", id),
			fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/comments/%d", d.sandbox.Account(), project, id),
		} {
			d.asks(func() { call[parts.Comment](d, "create_comment", args{"item": item, "body": "So be it."}) }, get, followers(project, vote), post)
		}
		elsewhere := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/comments/%d", d.sandbox.Account(), d.sandbox.ProjectID("Company HQ"), id)
		d.asks(func() { d.fails(fault.NotFound, "create_comment", args{"item": elsewhere, "body": "x"}, "in project") }, get)
	})
}

func TestCreateComment_AcceptsACheckinAnswer(t *testing.T) {
	at(t, func(d *toolEnv) {
		questions := upstream[[]record](d, fmt.Sprintf("/questionnaires/%d/questions.json", d.sandbox.ToolID(launch, "questionnaire")))
		answers := upstream[[]record](d, fmt.Sprintf("/questions/%.0f/answers.json", questions[0]["id"]))
		item := fmt.Sprintf("answer:%.0f", answers[0]["id"])
		if got := call[parts.Comment](d, "create_comment", args{"item": item, "body": "Well done.", "mentions": "me"}); got.Item.Type != "answer" {
			d.Errorf("on %+v", got.Item)
		}
	})
}

func TestCreateComment_WritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		vote := fmt.Sprintf("message:%d", d.sandbox.FindIn(launch, "Message", colourVote))
		site := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/", d.sandbox.Account(), d.sandbox.ProjectID(launch))
		d.refusesAll("create_comment", nil, []refusedCall{
			{args{"item": vote, "body": ""}, fault.InvalidInput, "body"},
			{args{"item": vote, "body": " \n\t"}, fault.InvalidInput, "body: must not be blank"},
			{args{"item": "subtask:5", "body": "x"}, fault.InvalidInput, "card"},
			{args{"item": site + "chats/5@6", "body": "x"}, fault.InvalidInput, "reply with post_chat_line"},
			{args{"item": "card:clear coat", "body": "x"}, fault.Ambiguous, "only part of a title"},
			{args{"item": "card:Mat cleer coat", "project": launch, "body": "x"}, fault.NotFound, "Matt clear coat"},
			{args{"item": "comment:5", "body": "x"}, fault.NotFound, "no comment 5"},
			{args{"item": vote, "body": "x", "mentions": []any{"Sam Lindqvist"}}, fault.InvalidInput, `"Sam Lindqvist" is not on the project`},
			{args{"item": vote, "body": "x", "mentions": []any{"Zelda Unknown"}}, fault.NotFound, "mentions[0]"},
		})
		elsewhere := strings.Replace(site, fmt.Sprint(d.sandbox.ProjectID(launch)), fmt.Sprint(d.sandbox.ProjectID("Company HQ")), 1)
		id := d.sandbox.FindIn(launch, "Message", colourVote)
		for _, in := range []args{
			{"item": fmt.Sprintf("%smessages/%d", elsewhere, id), "body": "x"},
			{"item": vote, "project": "Company HQ", "body": "x"},
		} {
			d.fails(fault.NotFound, "create_comment", in, "in project")
		}
		if n := call[texts.Message](d, "get_message", args{"message_id": id}).CommentsCount; n != 22 {
			d.Errorf("%d comments", n)
		}
	})
}

func commentText(d *toolEnv, id any) string {
	rs, ctx := d.resolver()
	c, _, err := rs.ShowComment(ctx, int64(id.(float64)), parts.CommentsInput{}, nil)
	if err != nil {
		d.Fatal(err)
	}
	return c.Content
}

func TestEditText_OfACommentWritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		vote := d.sandbox.Find("Message", colourVote)
		first := commentsOn(d, vote)[0]
		id, url := first["id"], first["app_url"].(string)
		elsewhere := strings.Replace(url, fmt.Sprint(d.sandbox.ProjectID(launch)), fmt.Sprint(d.sandbox.ProjectID("Company HQ")), 1)
		d.refusesAll("edit_text", nil, []refusedCall{
			{args{"comment": id}, fault.InvalidInput, "body, append"},
			{args{"comment": id, "mentions": "Priya"}, fault.InvalidInput, "body, append"},
			{args{"comment": id, "body": " "}, fault.InvalidInput, "body: must not be blank"},
			{args{"comment": id, "append": "\n"}, fault.InvalidInput, "append: must not be blank"},
			{args{"comment": id, "body": "a", "append": "b"}, fault.InvalidInput, "give body alone"},
			{args{"comment": id, "find": "Moss"}, fault.InvalidInput, "find: is not an argument"},
			{args{"comment": id, "find": "Brick", "replace": "x"}, fault.InvalidInput, "not in the text"},
			{args{"comment": id, "find": "Moss. Hides the dirt.", "replace": ""}, fault.InvalidInput, "set_item_status"},
			{args{"comment": id, "body": "x", "mentions": "Sam Lindqvist"}, fault.InvalidInput, "not on the project"},
			{args{"item": "comment:Moss", "body": "x"}, fault.InvalidInput, "a comment cannot be found by title"},
			{args{"comment": elsewhere, "body": "x"}, fault.NotFound, "in project"},
			{args{"comment": vote, "body": "x"}, fault.NotFound, "item: "},
		})
		d.as("Priya Raman").fails(fault.PermissionDenied, "edit_text", args{"comment": id, "body": "x"})
		if text := commentText(d, id); text != "Moss. Hides the dirt." {
			d.Errorf("it now says %s", text)
		}
	})
}

func TestListComments_PagesFromTheOldestWithoutGaps(t *testing.T) {
	at(t, func(d *toolEnv) {
		vote := d.sandbox.Find("Message", colourVote)
		in := args{"item": fmt.Sprintf("message:%d", vote), "limit": 5}
		first := call[parts.CommentList](d, "list_comments", in)
		if len(first.Items) != 5 || !first.HasMore || *first.Total != 22 || first.Item.ID != vote || first.Item.Title != colourVote {
			d.Errorf("got %+v", first)
		}
		comments := all[parts.CommentItem](d, "list_comments", in)
		inOrder := slices.IsSortedFunc(comments, func(a, b parts.CommentItem) int { return a.CreatedAt.Compare(b.CreatedAt) })
		if len(comments) != 22 || !inOrder || distinct(ids(comments, func(c parts.CommentItem) int64 { return c.ID })) != 22 || comments[0].Content != "Moss. Hides the dirt." {
			d.Errorf("%d comments, in order: %v, %+v", len(comments), inOrder, comments[0])
		}
		d.asks(func() { call[parts.CommentList](d, "list_comments", args{"item": comments[3].URL}) },
			fmt.Sprintf("GET /recordings/%d/comments.json", vote), fmt.Sprintf("GET /recordings/%d/comments.json?page=2", vote))
		in["cursor"] = *first.NextCursor
		in["item"] = fmt.Sprintf("message:%d", d.sandbox.Find("Message", "Two Sams, one inbox"))
		d.fails(fault.InvalidInput, "list_comments", in, "cursor")
	})
}

func TestGetTools_SayWhereListCommentsGoesOn(t *testing.T) {
	at(t, func(d *toolEnv) {
		places := map[string]string{"message": "message_id", "todo": "todo_id", "card": "item", "upload": "item"}
		kinds := d.oneOfEach()
		kinds["message"] = d.sandbox.Find("Message", colourVote)
		for kind, argument := range places {
			path := fmt.Sprintf("/recordings/%d/comments.json", kinds[kind])
			for range 16 {
				d.meanwhile("POST", path, `{"content":"<div>More.</div>"}`)
			}
			every := len(all[parts.CommentItem](d, "list_comments", args{"item": fmt.Sprintf("%s:%d", kind, kinds[kind])}))
			tool := map[string]string{"upload": "get_file", "card": "get_item"}[kind]
			if tool == "" {
				tool = "get_" + kind
			}
			for _, ask := range []struct {
				tool string
				in   args
			}{{tool, args{argument: kinds[kind]}}, {"get_item", args{"url": fmt.Sprintf("%s:%d", kind, kinds[kind])}}} {
				got := call[struct {
					parts.Discussion
					Item parts.Discussion
				}](d, ask.tool, ask.in)
				shown := got.Discussion
				if ask.tool == "get_item" {
					shown = got.Item
				}
				if !shown.MoreComments || shown.CommentsCursor == nil {
					d.Fatalf("%s: more %v, cursor %v", ask.tool, shown.MoreComments, shown.CommentsCursor)
				}
				rest := all[parts.CommentItem](d, "list_comments", args{"item": fmt.Sprintf("%s:%d", kind, kinds[kind]), "cursor": *shown.CommentsCursor})
				seen := append(ids(shown.Comments, func(c parts.CommentItem) int64 { return c.ID }), ids(rest, func(c parts.CommentItem) int64 { return c.ID })...)
				if len(seen) != every || distinct(seen) != every {
					d.Errorf("%s: %d comments and %d after them", ask.tool, len(shown.Comments), len(rest))
				}
			}
		}
	})
}

func TestListComments_ShowsALongCommentInFull(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Message", "Two Sams, one inbox")
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", id), `{"content":"<div>`+strings.Repeat("A long comment. ", 500)+`</div>"}`)
		comments := all[parts.CommentItem](d, "list_comments", args{"item": fmt.Sprintf("message:%d", id), "limit": 1})
		last := comments[len(comments)-1]
		if last.Truncated || len(last.Content) < 7000 {
			d.Errorf("%d characters, truncated: %v", len(last.Content), last.Truncated)
		}
		read := call[texts.Message](d, "get_message", args{"message_id": id})
		if cut := read.Comments[len(read.Comments)-1]; !cut.Truncated || len([]rune(cut.Content)) > parts.MaxComment {
			d.Errorf("with its message: %d characters, truncated %v", len([]rune(cut.Content)), cut.Truncated)
		}
		posted := call[parts.Comment](d, "create_comment", args{"item": last.URL, "body": strings.Repeat("Longer still. ", 100)})
		if n := len([]rune(posted.Content)); !posted.Truncated || n > parts.MaxWritten {
			d.Errorf("the answer has %d characters", n)
		}
	})
}

func TestListComments_FailsForAnUnknownItem(t *testing.T) {
	at(t, func(d *toolEnv) {
		vote := fmt.Sprintf("message:%d", d.sandbox.Find("Message", colourVote))
		d.fails(fault.NotFound, "list_comments", args{"item": vote, "project": "Company HQ"}, "in project")
		d.fails(fault.NotFound, "list_comments", args{"item": "message:5"})
		d.fails(fault.NotFound, "list_comments", args{"item": "17"}, "no item 17 of type message, todo")
		bare := d.sandbox.Find("Document", "Glossary")
		if got := call[parts.CommentList](d, "list_comments", args{"item": fmt.Sprintf("document:%d", bare)}); len(got.Items) != 0 || got.Items == nil || got.HasMore {
			d.Errorf("got %+v", got)
		}
		d.sandbox.Inject(sandbox.Fault{Status: 500})
		if f := d.fails(fault.UpstreamError, "list_comments", args{"item": vote}); !f.Retryable {
			d.Errorf("got %+v", f)
		}
	})
}
