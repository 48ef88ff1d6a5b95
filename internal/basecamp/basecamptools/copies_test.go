package basecamptools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
)

// copyable puts a file into a comment and returns its line.
func copyable(d *toolEnv, name string) string {
	d.Helper()
	message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
	d.comment(message, d.attached(name))
	comments := call[struct{ Items []aComment }](d, "list_comments", args{"item": fmt.Sprintf("message:%d", message), "limit": 100}).Items
	_, line, found := strings.Cut(comments[len(comments)-1].Content, "[Attachment: ")
	if !found {
		d.Fatalf("the comment shows no file: %+v", comments)
	}
	return "[Attachment: " + line
}

func TestWritesOfText_AttachTheFileOfACopiedLineAnew(t *testing.T) {
	at(t, func(d *toolEnv) {
		n := 0
		eachProse(d, "", func(tool, argument string, in args) {
			n++
			name := fmt.Sprintf("jig-plan-%d.txt", n)
			text := "See\n\n" + copyable(d, name) + " *12 KB*\n\nBye"
			if argument == "body" {
				text += " to the jig"
			}
			if todos, ok := in["todos"].([]args); ok {
				todos[0][argument] = text
			} else {
				in[argument] = text
			}
			answer, isError := d.raw(tool, in)
			if tool == "post_chat_line" {
				if !isError || !strings.Contains(answer, "upload_file") {
					d.Errorf("%s: %s", tool, answer)
				}
				return
			}
			if tool == "create_todos" && !isError { // it answers the ID of the to-do
				var made todos.CreatedTodos
				_ = json.Unmarshal([]byte(answer), &made)
				answer, isError = d.raw("get_todo", args{"todo_id": made.Results[0].Item.ID})
			}
			if isError || !strings.Contains(answer, "[Attachment: "+name) || strings.Contains(answer, "12 KB") {
				d.Errorf("%s, %s: %s", tool, argument, answer)
			}
		})
	})
}

func TestCopies_TakeAnAddressAndAreBounded(t *testing.T) {
	at(t, func(d *toolEnv) {
		line := copyable(d, "two.txt")
		copyable(d, "two.txt")
		post := func(body string) (string, bool) {
			return d.raw("create_message", args{"project": launch, "subject": "Copies", "body": body})
		}
		for body, want := range map[string]string{
			line: "not the only one",
			"[Attachment: two.txt](https://files.example/two.txt)":                                            "not at this address",
			"[Attachment: two.txt](https://storage.3.basecamp.com/1/blobs/x/download/two.txt)":                "another Basecamp account",
			"[Attachment: a] [Attachment: b] [Attachment: c] [Attachment: d] [Attachment: e] [Attachment: f]": "at most 5 files",
			strings.Repeat("> ", 200) + "x\n\n[Attachment: two.pdf]":                                          "not found",
		} {
			var answer string
			if sent := d.written(func() { answer, _ = post(body) }); !strings.Contains(answer, want) || len(sent) > 0 {
				t.Errorf("%s: %s, wrote %v", body, answer, sent)
			}
		}
		comments := call[withFiles](d, "list_comments", args{"item": fmt.Sprintf("message:%d", d.sandbox.FindIn(launch, "Message", "Bike number zero, week three"))}).Items
		body := "[Attachment: two.txt](" + comments[len(comments)-1].Content[0].DownloadURL + ")"
		if answer, isError := post(body); isError || !strings.Contains(answer, "[Attachment: two.txt") {
			t.Errorf("%s: %s", body, answer)
		}
		for _, body := range []string{"`" + line + "`", `\` + line, "```\n" + line + "\n```"} {
			if answer, isError := post(body); isError {
				t.Errorf("%s: %s", body, answer)
			}
		}
	})
}

// aComment is what a comment shows.
type aComment struct {
	ID        int64
	Content   string
	Mentioned []string
	Notified  []string
}

func TestEditText_OfACommentKeepsItsOwnFileWithoutACopy(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		d.comment(message, d.attached("own.txt", "own.txt"))
		comments := call[struct{ Items []aComment }](d, "list_comments", args{"item": fmt.Sprintf("message:%d", message)}).Items
		own := comments[len(comments)-1]
		sent := d.written(func() {
			call[anyitem.EditedText](d, "edit_text", args{"comment": fmt.Sprintf("comment:%d", own.ID), "body": own.Content + "\n\nBye"})
		})
		if len(sent) != 1 || strings.Contains(strings.Join(sent, ""), "attachments.json") {
			t.Errorf("wrote %v", sent)
		}
	})
}

func TestTexts_SentBackMentionWhomTheyMentioned(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		item := fmt.Sprintf("message:%d", message)
		everyone := call[struct{ Items []struct{ Name string } }](d, "list_people", args{"project": launch}).Items
		for _, form := range []string{
			"ask @%s today", "<b>@%s</b>,", "(@%s)", "@[%s](person:1)", "[@%s]", "x @%s@y.example @nobody @Override", `\\@%s`,
			`<a href=\"https://x.example\">@%s</a>`, `<ul><li>@%s</li></ul><pre>@%[1]s</pre><code>@%[1]s</code>`, "https://social.example/@%s",
		} {
			for _, person := range everyone[:3] {
				for _, name := range []string{person.Name, strings.Fields(person.Name)[0], strings.ToLower(person.Name)} {
					text := fmt.Sprintf(form, name)
					d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", message), `{"content":"<div>`+text+`</div>"}`)
					comments := call[struct{ Items []aComment }](d, "list_comments", args{"item": item, "limit": 100}).Items
					copied := comments[len(comments)-1].Content
					if again := call[aComment](d, "create_comment", args{"item": item, "body": copied}); len(again.Mentioned) > 0 || again.Content != copied {
						t.Errorf("%q reads %q; a copy reads %q and mentions %v", text, copied, again.Content, again.Mentioned)
					}
				}
			}
		}
	})
}

func TestExcerpts_SentBackMentionNoOne(t *testing.T) {
	back := func(text string) row {
		return row{tool: "create_comment", in: args{"item": richItem, "body": text}, holds: holds{"mentioned": nil, "content": has("Priya Raman")}}
	}
	cases(t, "list_campfire_lines", args{"project": launch, "limit": 1}, row{fact: "a line and what a search finds",
		before: []string{`POST /chats/{tool:chat@` + launch + `}/lines.json {"content":"Zwieback for @Priya Raman [Attachment: a.pdf] @[x](person:1)"}`},
		then:   []row{{tool: "search", in: args{"query": "Zwieback"}}, back("{0.items.0.content}"), back("{1.items.0.excerpt}")}})
}
