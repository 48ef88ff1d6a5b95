package basecamptools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// lostWrite is a write whose answer is lost.
type lostWrite struct {
	tool, sent string // the beginning of the request
	repeatable bool   // whether the call has the same result when it is repeated
	in         args
}

func lostWrites(d *toolEnv) []lostWrite {
	vote := fmt.Sprint("message:", d.sandbox.Find("Message", colourVote))
	comment := fmt.Sprintf("comment:%.0f", commentsOn(d, d.sandbox.Find("Message", colourVote))[0]["id"])
	document, card := fmt.Sprint("document:", d.sandbox.Find("Document", "Glossary")), fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand))
	return []lostWrite{
		{"create_message", "POST /message_boards/", false, args{"project": launch, "subject": "x", "body": "x"}},
		{"create_document", "POST /vaults/", false, args{"project": launch, "title": "x", "body": "x"}},
		{"create_comment", "POST /recordings/", false, args{"item": vote, "body": "x"}},
		{"create_todolist", "POST /todosets/", false, args{"project": launch, "name": "x"}},
		{"create_todos", "POST /todolists/", false, newTodos(launch, "Parking lot", args{"content": "x"})},
		{"create_card", "POST /card_tables/lists/", false, args{"project": launch, "board": frame, "title": "x", "assignees": "me"}},
		{"add_subtasks", "POST /recordings/", false, args{"item": card, "steps": []args{{"title": "x"}}}},
		{"update_work", "POST /card_tables/cards/", false, one(card, args{"column": "Done"})},
		{"update_work", "PUT /card_tables/cards/", true, one(card, args{"title": "x"})},
		{"edit_text", "PUT /messages/", false, args{"item": vote, "append": "x"}},
		{"edit_text", "PUT /documents/", false, args{"item": document, "append": "x"}},
		{"edit_text", "PUT /comments/", false, args{"item": comment, "append": "x"}},
		{"edit_text", "PUT /messages/", true, args{"item": vote, "title": "x"}},
		{"edit_text", "PUT /messages/", true, args{"item": vote, "title": "x", "body": "x", "drop": true}},
		{"edit_text", "PUT /documents/", true, args{"item": document, "body": "x", "drop": true}},
		{"edit_text", "PUT /comments/", true, args{"item": comment, "body": "x", "drop": true}},
	}
}

// A write whose answer is lost is not sent again, and the error says that it may have happened.
func TestWrites_WithoutAnAnswerSayThatTheyMayHaveHappened(t *testing.T) {
	for name, failure := range map[string]sandbox.Fault{
		"lost": {Drop: true, AfterEffect: true}, "hanging": {Hang: true}, "broken": {Status: http.StatusInternalServerError}, "garbled": {Garbage: true},
	} {
		t.Run(name, func(t *testing.T) {
			unlimited(t, func(d *toolEnv) {
				for _, x := range lostWrites(d) {
					failure.Method, _, _ = strings.Cut(x.sent, " ")
					d.sandbox.Inject(failure)
					text, written := d.sends(x.tool, x.in)
					if !strings.Contains(text, `"may_have_happened":true`) || !strings.Contains(text, fmt.Sprintf(`"retryable":%v`, x.repeatable)) {
						d.Errorf("%s %v: %s", x.tool, x.in, text)
					}
					if len(written) == 0 || failure.Method == "POST" && len(written) > 1 || !strings.HasPrefix(written[0], x.sent) {
						d.Errorf("%s %v: sent %v", x.tool, x.in, written)
					}
					d.sandbox.ClearFaults()
					time.Sleep(2 * time.Minute) // of the test's own time: Basecamp counts as answering again
				}
			})
		})
	}
}

func TestWrites_CutALongTextOnlyInTheirAnswer(t *testing.T) {
	long := strings.Repeat("Bell by bell. ", 200)
	cut := func(tool, argument, field, path string, in args) row {
		in[argument] = long
		return row{fact: tool, tool: tool, in: in, holds: holds{"truncated": true, field: most(parts.MaxWritten + 1)}, then: []row{{tool: "GET " + path + "/{0.id}.json", holds: holds{field: has(strings.TrimSpace(long))}}}}
	}
	cases(t, "", nil,
		cut("post_chat_line", "text", "content", "/chats/{tool:chat@"+launch+"}/lines", args{"to": launch}), cut("create_card", "body", "content", "/card_tables/cards", args{"project": launch, "board": frame, "title": "Bell"}),
		cut("answer_checkin", "body", "content", "/question_answers", args{"question": daily, "project": launch, "date": "1999-12-31"}), cut("create_todolist", "description", "description", "/todolists", args{"project": launch, "name": "Bells"}),
	)
}

func TestEdits_RefuseBadCombinationsWithoutARequest(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, argument := range []string{"message", "document", "comment"} {
			for _, in := range []args{
				{"body": "a", "append": "b"}, {"body": "a", "find": "b", "replace": "c"}, {"find": "a"}, {"replace": "a"},
				{"body": " "}, {"append": " "}, {"mentions": "Priya"}, {},
			} {
				in[argument] = 5
				d.asks(func() { d.fails(fault.InvalidInput, "edit_text", in) })
			}
		}
	})
}

// changedOnly compares an item in Basecamp before and after a change: only the named fields may
// differ, and all of them must.
func (d *toolEnv) changedOnly(change any, before, after record, fields []string) {
	d.Helper()
	for _, field := range fields {
		if cmp.Equal(before[field], after[field]) {
			d.Errorf("%v: %s is still %v", change, field, after[field])
		}
	}
	for _, field := range append(fields, "updated_at") {
		delete(before, field)
		delete(after, field)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		d.Errorf("%v: %s", change, diff)
	}
}
