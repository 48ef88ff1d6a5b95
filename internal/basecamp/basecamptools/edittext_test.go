package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
)

func TestItemKinds_HaveARowForEachKindOfText(t *testing.T) {
	for _, k := range work.TextItems {
		if row := work.RowOf(k); k.Kind != lookup.LineKind.Kind && row.Write == nil {
			t.Errorf("%s cannot be written", k.Kind)
		}
	}
}

// textsToEdit makes items of each kind with a text. It returns them with the path and the fields in
// which Basecamp keeps title and text.
func textsToEdit(d *toolEnv) map[string]struct{ item, path, title, text string } {
	const text = "The *bell* rings.\n\nIt is loud."
	project := d.sandbox.ProjectID(launch)
	made := func(tool string, in args) int64 {
		in["project"] = launch
		return call[lookup.Head](d, tool, in).ID
	}
	message := made("create_message", args{"subject": "Bell", "body": text})
	document := made("create_document", args{"title": "Bell", "body": text})
	comment := call[parts.NewComment](d, "create_comment", args{"item": fmt.Sprint("message:", message), "body": text}).ID
	answer := made("answer_checkin", args{"question": daily, "body": text, "date": "1999-12-31"})
	todo := call[todos.CreatedTodos](d, "create_todos", args{"project": launch, "list": "Launch checklist", "todos": []args{{"content": "Bell", "notes": text}}}).Results[0].Item.ID
	card := made("create_card", args{"board": frame, "title": "Bell", "body": text})
	list := made("create_todolist", args{"name": "Bell", "description": text})
	entry := made("create_schedule_entry", args{"summary": "Bell", "starts_at": "2026-12-01T10:00", "notes": text})
	line := call[texts.PostedLine](d, "post_chat_line", args{"to": launch, "text": text})
	chat := d.sandbox.ToolID(launch, "chat")
	d.meanwhile("PUT", fmt.Sprintf("/projects/%d.json", project), fmt.Sprintf(`{"name":%q,"description":"The bell rings.\n\nIt is loud."}`, launch))
	return map[string]struct{ item, path, title, text string }{
		"message":        {fmt.Sprint("message:", message), fmt.Sprintf("/messages/%d.json", message), "subject", "content"},
		"document":       {fmt.Sprint("document:", document), fmt.Sprintf("/documents/%d.json", document), "title", "content"},
		"comment":        {fmt.Sprint("comment:", comment), fmt.Sprintf("/comments/%d.json", comment), "", "content"},
		"answer":         {fmt.Sprint("answer:", answer), fmt.Sprintf("/question_answers/%d.json", answer), "", "content"},
		"todo":           {fmt.Sprint("todo:", todo), fmt.Sprintf("/todos/%d.json", todo), "content", "description"},
		"card":           {fmt.Sprint("card:", card), fmt.Sprintf("/card_tables/cards/%d.json", card), "title", "content"},
		"todolist":       {fmt.Sprint("todolist:", list), fmt.Sprintf("/todolists/%d.json", list), "name", "description"},
		"schedule_entry": {fmt.Sprint("schedule_entry:", entry), fmt.Sprintf("/schedule_entries/%d.json", entry), "summary", "description"},
		"chat_line":      {line.URL, fmt.Sprintf("/chats/%d/lines/%d.json", chat, line.ID), "", "content"},
		"project":        {fmt.Sprint("project:", project), fmt.Sprintf("/projects/%d.json", project), "name", "description"},
	}
}

func TestEditText_EditsEveryKindAndSaysWhatItWas(t *testing.T) {
	at(t, func(d *toolEnv) {
		for kind, x := range textsToEdit(d) {
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
			before := upstream[record](d, x.path)
			got := call[anyitem.EditedText](d, "edit_text", args{"item": x.item, "edits": []args{{"find": "rings", "replace": "is quiet"}, {"find": "It is loud", "replace": "Louder"}}})
			after := upstream[record](d, x.path)
			if got.Type != kind || got.Changed != 2 || !strings.Contains(strings.Join(got.Paragraphs, "|"), "is quiet.|Louder.") || got.Previous == nil ||
				!strings.Contains(got.Previous.Content, "rings.\n\nIt is loud.") || got.Previous.Title != "" || got.Notified == nil || (got.Author.ID == 0) != (kind == "project") {
				d.Errorf("%s: %+v, previous %+v", kind, got, got.Previous)
			}
			if text := after[x.text].(string); !strings.Contains(text, "is quiet.") || !strings.Contains(text, "Louder.") {
				d.Errorf("%s: Basecamp has %s", kind, text)
			}
			changed := []string{x.text, x.text + "_attachments", "updated_at", "description"}
			if kind == "chat_line" || kind == "comment" || kind == "answer" {
				changed = append(changed, "title")
			}
			for _, field := range changed {
				delete(before, field)
				delete(after, field)
			}
			if !maps.EqualFunc(before, after, func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
				d.Errorf("%s: other fields changed:\n%v\n%v", kind, before, after)
			}
			again, asked := costing[anyitem.EditedText](d, "edit_text", args{"item": x.item, "edits": []args{{"find": "Louder", "replace": "Louder"}}})
			if !again.Unchanged || again.Previous != nil || len(writesIn(asked)) > 0 {
				d.Errorf("%s: %+v after %v", kind, again, asked)
			}
			got = call[anyitem.EditedText](d, "edit_text", args{"item": x.item, "append": "And more."})
			if got.Changed != 1 || !slices.Equal(got.Paragraphs, []string{"And more."}) || got.Previous.Content != "" {
				d.Errorf("%s: %+v, previous %+v", kind, got, got.Previous)
			}
			got = call[anyitem.EditedText](d, "edit_text", args{"item": x.item, "edits": []args{{"find": "And more", "replace": "And less"}}, "append": "The end, @Priya Raman."})
			if !strings.Contains(strings.Join(got.Paragraphs, "|"), "And less.|The end, ") || !strings.Contains(got.Previous.Content, "And more.") || kind != "project" && kind != "chat_line" && !slices.Contains(got.Mentioned, "Priya Raman") {
				d.Errorf("%s: %+v, previous %+v", kind, got, got.Previous)
			}
			if x.title != "" {
				got = call[anyitem.EditedText](d, "edit_text", args{"item": x.item, "title": "Louder bell"})
				if now := upstream[record](d, x.path); got.Title != "Louder bell" || now[x.title] != "Louder bell" || !strings.Contains(now[x.text].(string), "And less.") || got.Previous.Title == "" {
					d.Errorf("%s: %+v, previous %+v", kind, got, got.Previous)
				}
			}
			got = call[anyitem.EditedText](d, "edit_text", args{"item": x.item, "body": "All new.", "drop": true})
			if now := upstream[record](d, x.path)[x.text].(string); !strings.Contains(now, "All new.") || strings.Contains(now, "And less.") || !slices.Equal(got.Paragraphs, []string{"All new."}) || got.Count != 1 || !strings.Contains(got.Previous.Content, "And less.") {
				d.Errorf("%s: %+v, previous %+v", kind, got, got.Previous)
			}
		}
	})
}

func TestEditText_RefusesWhatDoesNotFitTheKind(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := textsToEdit(d)
		takes := map[string]string{
			"message": "title publish category pin", "document": "title publish", "todo": "title", "card": "title", "todolist": "title", "schedule_entry": "title", "project": "title",
		}
		given := map[string]any{"title": "x", "publish": true, "category": "FYI", "pin": true}
		for kind, x := range items {
			for argument, value := range given {
				if slices.Contains(strings.Fields(takes[kind]), argument) {
					continue
				}
				d.refuses(fault.InvalidInput, "edit_text", args{"item": x.item, "append": "More.", argument: value}, argument+": does not fit a ")
			}
		}
		d.refuses(fault.InvalidInput, "edit_text", args{"item": items["project"].item, "append": "More.", "mentions": "Priya"}, "mentions: ", "plain text")
		d.refuses(fault.InvalidInput, "edit_text", args{"item": items["message"].item, "title": "x", "drop": true}, "drop: ")
		d.refuses(fault.InvalidInput, "edit_text", args{"item": "subtask:7", "title": "x"}, "item: must be of type")
		group := call[todos.CreatedTodolist](d, "create_todolist", args{"project": launch, "name": "Group", "group_of": "Launch checklist"})
		d.refuses(fault.InvalidInput, "edit_text", args{"item": fmt.Sprint("todolist:", group.ID), "append": "x"}, "a group has only a name")
	})
}

func TestEditText_ChangesALineOnlyForItsAuthorAndNoRecurringEntry(t *testing.T) {
	at(t, func(d *toolEnv) {
		line := call[texts.PostedLine](d.as("Priya Raman"), "post_chat_line", args{"to": launch, "text": "See https://fernhill.example/bell & *not* bold"})
		d.refuses(fault.PermissionDenied, "edit_text", args{"item": line.URL, "append": "x"}, "only its author", "Priya Raman")
		plain := call[texts.PostedLine](d, "post_chat_line", args{"to": launch, "text": `See https://fernhill.example/bell & \*not\* bold`})
		got := call[anyitem.EditedText](d, "edit_text", args{"item": fmt.Sprint("chat_line:", plain.ID), "find": "bold", "replace": "**bold**"})
		if !slices.Equal(got.Paragraphs, []string{`See https://fernhill.example/bell & \*not\* **bold**`}) {
			d.Errorf("got %q", got.Paragraphs)
		}
		held := upstream[record](d, fmt.Sprintf("/chats/%d/lines/%d.json", d.sandbox.ToolID(launch, "chat"), plain.ID))
		if held["type"] != lookup.RichLine || !strings.Contains(held["content"].(string), `<a href="https://fernhill.example/bell">`) {
			d.Errorf("Basecamp has %v", held)
		}
		recurring := d.sandbox.FindIn(launch, "Schedule::Entry", "Launch stand-up")
		d.refuses(fault.InvalidInput, "edit_text", args{"item": fmt.Sprint("schedule_entry:", recurring), "append": "x"}, "recurring", "https://3.basecamp.com/")
	})
}

func TestEditText_RefusesToLoseWhatMarkdownCannotWrite(t *testing.T) {
	at(t, func(d *toolEnv) {
		const field = `<div>One <u>two three</u> four <bc-attachment sgid=\"%s\"></bc-attachment></div><table><tr><td colspan=\"2\">five</td></tr><tr><td>six</td><td>seven</td></tr></table>`
		made := call[files.WrittenDocument](d, "create_document", args{"project": launch, "title": "Bells", "body": "x"})
		path := fmt.Sprintf("/documents/%d.json", made.ID)
		priya := upstream[record](d, fmt.Sprintf("/people/%d.json", d.sandbox.Person("Priya Raman").ID))["attachable_sgid"].(string)
		d.meanwhile("PUT", path, fmt.Sprintf(`{"title":"Bells","content":"`+field+`"}`, priya))
		before := upstream[record](d, path)["content"].(string)
		item := fmt.Sprint("document:", made.ID)
		for _, c := range []struct {
			in    args
			words []string
		}{
			{args{"edits": []args{{"find": "seven", "replace": "7"}, {"find": "One", "replace": "1"}}}, []string{`edits[1]: this change would lose the underline of "two three"`, "with drop"}},
			{args{"find": "four [@Priya]", "replace": "4"}, []string{"edits[0]: this change would lose", `the underline of "two three"`, `the mention of "Priya"`}},
			{args{"find": "**One** two", "replace": "1"}, []string{"edits[0].find: these words have other formatting", `from "One two three four`}},
			{args{"body": "New."}, []string{"body: this change would lose", `the underline of "two three"`, `the merged cells "five"`, `the mention of "Priya"`, "with drop"}},
			{args{"edits": []args{{"find": "seven", "replace": "7"}, {"find": "7", "replace": "eight"}}}, []string{"edits[1].find: this edit overlaps edits[0]"}},
		} {
			c.in["item"] = item
			d.refuses(fault.InvalidInput, "edit_text", c.in, c.words...)
			if now := upstream[record](d, path)["content"]; now != before {
				d.Errorf("%v changed the document", c.in)
			}
		}
		call[anyitem.EditedText](d, "edit_text", args{"item": item, "find": "five", "replace": "**5**"})
		want := strings.Replace(before, "five", "<strong>5</strong>", 1)
		if now := upstream[record](d, path)["content"].(string); now != want {
			d.Errorf("Basecamp has\n%s, want\n%s", now, want)
		}
		got := call[anyitem.EditedText](d, "edit_text", args{"item": item, "body": "New.", "drop": true})
		if now := upstream[record](d, path)["content"].(string); now != "<div>New.</div>" || !strings.Contains(got.Previous.Content, "[@Priya]") {
			d.Errorf("%s, previous %+v", now, got.Previous)
		}
	})
}

func TestEditText_ChangesManyPlacesInOneCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		var body strings.Builder
		var edits []args
		for i := range 30 {
			fmt.Fprintf(&body, "Step %d takes %d minutes.\n\n", i, i+100)
			edits = append(edits, args{"find": fmt.Sprintf("%d minutes", i+100), "replace": fmt.Sprintf("%d seconds", i+200)})
		}
		edits = append(edits, args{"find": "Step", "replace": "Part", "all": true})
		made := call[files.WrittenDocument](d, "create_document", args{"project": launch, "title": "Steps", "body": body.String()})
		got := call[anyitem.EditedText](d, "edit_text", args{"item": made.URL, "edits": edits})
		if got.Changed != 60 || !slices.Equal(got.Paragraphs, []string{"Part 0 takes 200 seconds.", "Part 1 takes 201 seconds.", "Part 2 takes 202 seconds."}) || got.Count != 30 || strings.Count(got.Previous.Content, "minutes") != 30 {
			d.Errorf("got %+v", got)
		}
	})
}

func TestItem_IsUnderstoodWhereOneThingIsMeant(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, x := range takers {
			if x.argument == "items" || x.argument == "list" || x.tool == "upload_file" {
				continue
			}
			in := x.put(x.title)
			delete(in, x.argument)
			in["item"], in["project"] = fmt.Sprintf("%s:%s", x.typ, x.title), launch
			if text, isError := d.raw(x.tool, in); isError {
				d.Errorf("%s %v: %.300s", x.tool, in, text)
			}
		}
	})
}

func TestFind_ShowsTheParagraphsAroundWords(t *testing.T) {
	at(t, func(d *toolEnv) {
		body := "# Bells\n\nOne **loud** bell.\n\nTwo.\n\nThree.\n\nFour.\n\nA LOUD  bell, again.\n\n- Six\n- Seven"
		written := call[files.WrittenDocument](d, "create_document", args{"project": launch, "title": "Bells", "body": body})
		posted := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Bells", "body": body})
		want := []parts.Paragraph{{Number: 1, Found: false, Content: "# Bells"}, {Number: 2, Found: true, Content: "One **loud** bell."}, {Number: 3, Found: false, Content: "Two."}, {Number: 5, Found: false, Content: "Four."}, {Number: 6, Found: true, Content: "A LOUD bell, again."}, {Number: 7, Found: false, Content: "- Six\n- Seven"}}
		for tool, in := range map[string]args{"get_document": {"document_id": written.ID}, "get_message": {"message_id": posted.ID}} {
			in["find"] = "loud bell"
			got := call[files.Document](d, tool, in)
			if got.Paragraphs == nil || !slices.Equal(*got.Paragraphs, want) || got.ParagraphCount != 7 || got.Content != "" || got.Truncated {
				d.Errorf("%s: %+v", tool, got)
			}
			in["find"] = "no such words"
			if got := call[files.Document](d, tool, in); got.Paragraphs == nil || len(*got.Paragraphs) != 0 || got.ParagraphCount != 7 {
				d.Errorf("%s: %+v", tool, got)
			}
			if text, _ := d.raw(tool, in); !strings.Contains(text, `find: nothing in the text matches \"no such words\"`) {
				d.Errorf("%s: %s", tool, text)
			}
			in["offset"] = 3
			d.fails(fault.InvalidInput, tool, in, "find: give either find or offset")
			delete(in, "offset")
			in["find"] = " "
			d.fails(fault.InvalidInput, tool, in, "find: must not be blank")
		}
		long := call[files.WrittenDocument](d, "create_document", args{"project": launch, "title": "Long", "body": strings.Repeat("word ", 2000) + "needle " + strings.Repeat("word ", 2000)})
		got := call[files.Document](d, "get_document", args{"document_id": long.ID, "find": "NEEDLE"})
		if text := (*got.Paragraphs)[0].Content; !strings.Contains(text, "needle") || len(text) > parts.MaxFoundParagraph || !got.Truncated {
			d.Errorf("%d characters, truncated %v", len(text), got.Truncated)
		}
	})
}

func TestPreviousText_HasTheParagraphsThatAreGone(t *testing.T) {
	long := strings.Repeat("x", 600)
	for _, test := range []struct{ old, now, want string }{
		{"a\n\nb\n\nc", "a\n\nB\n\nc", "b"},
		{"a\n\nb\n\nc", "a\n\nb\n\nc\n\nd", ""},
		{"a\n\na", "a", "a"},
		{"a\n\nb", "", "a\n\nb"},
		{"", "a", ""},
		{long, "a", long[:500] + "…"},
	} {
		if got := parts.PreviousText(test.old, test.now); got != test.want {
			t.Errorf("%q to %q: %q", test.old, test.now, got)
		}
	}
}
