package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
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

// textToEdit is an item of a kind with a text: how it is made, and in which fields Basecamp keeps
// title and text.
type textToEdit struct {
	kind, tool              string
	in                      args
	item, path, title, text string
	takes                   string // arguments of edit_text, besides those of every text
}

func textsToEdit() []textToEdit {
	const text, line = "The *bell* rings.\n\nIt is loud.", "/chats/{tool:chat@" + launch + "}/lines/{0.id}.json"
	return []textToEdit{
		{"message", "create_message", args{"project": launch, "subject": "Bell", "body": text}, "message:{0.id}", "/messages/{0.id}.json", "subject", "content", "title publish category pin"},
		{"document", "create_document", args{"project": launch, "title": "Bell", "body": text}, "document:{0.id}", "/documents/{0.id}.json", "title", "content", "title publish"},
		{"comment", "create_comment", args{"item": "message:Bike number zero, week three", "project": launch, "body": text}, "comment:{0.id}", "/comments/{0.id}.json", "", "content", ""},
		{"answer", "answer_checkin", args{"project": launch, "question": daily, "body": text, "date": "1999-12-31"}, "answer:{0.id}", "/question_answers/{0.id}.json", "", "content", ""},
		{"todo", "create_todos", args{"project": launch, "list": "Launch checklist", "todos": []args{{"content": "Bell", "notes": text, "assignees": "me", "due_on": "2031-05-20"}}}, "todo:{0.results.0.item.id}", "/todos/{0.results.0.item.id}.json", "content", "description", "title"},
		{"card", "create_card", args{"project": launch, "board": frame, "title": "Bell", "body": text, "assignees": "me", "steps": []args{{"title": "Grind"}}}, "card:{0.id}", "/card_tables/cards/{0.id}.json", "title", "content", "title"},
		{"todolist", "create_todolist", args{"project": launch, "name": "Bell", "description": text}, "todolist:{0.id}", "/todolists/{0.id}.json", "name", "description", "title"},
		{"schedule_entry", "create_schedule_entry", args{"project": launch, "summary": "Bell", "starts_at": "2026-12-01T10:00", "notes": text, "participants": "Priya"}, "schedule_entry:{0.id}", "/schedule_entries/{0.id}.json", "summary", "description", "title"},
		{"chat_line", "post_chat_line", args{"to": launch, "text": text}, "{0.url}", line, "", "content", ""},
		{"project", "GET /projects/{project:" + launch + "}.json", nil, "project:{0.id}", "/projects/{0.id}.json", "name", "description", "title"},
	}
}

func TestEditText_EditsEveryKindAndSaysWhatItWas(t *testing.T) {
	keeps := holds{}
	for _, field := range []string{"status", "assignees", "due_on", "starts_on", "starts_at", "ends_at", "all_day", "participants", "group_on", "steps", "position", "parent", "visible_to_clients", "dock"} {
		keeps[field] = "{1." + field + "}"
	}
	var rows []row
	for _, x := range textsToEdit() {
		is := row{tool: "GET " + x.path, holds: holds{x.text: has("Louder.")}}
		then := []row{
			{tool: "GET " + x.path},
			{in: args{"edits": []args{{"find": "rings", "replace": "is quiet"}, {"find": "It is loud", "replace": "Louder"}}}, says: says{`"notified":[]`}, holds: holds{"type": x.kind, "changed": 2, "changed_paragraphs.0": has("is quiet."),
				"changed_paragraphs.1": "Louder.", "previous.content": has("rings.\n\nIt is loud."), "previous.title": nil}},
			{tool: "GET " + x.path, holds: keeps}, is,
			{in: args{"edits": []args{{"find": "Louder", "replace": "Louder"}}}, writes: []string{}, holds: holds{"unchanged": true, "previous": nil}},
			{in: args{"append": "And more."}, holds: holds{"changed": 1, "changed_paragraphs": says{"And more."}, "previous.content": nil}},
			{in: args{"edits": []args{{"find": "And more", "replace": "And less"}}, "append": "The end, @Priya Raman."}, says: says{"And less.", "The end, "}, holds: holds{"previous.content": has("And more.")}},
		}
		if x.kind != "project" {
			then[1].holds["author.id"] = some
		}
		if x.title != "" {
			then = append(then, row{in: args{"title": "Louder bell"}, holds: holds{"title": "Louder bell", "previous.title": some}}, row{tool: "GET " + x.path, holds: holds{x.title: "Louder bell", x.text: has("And less.")}})
		}
		then = append(then, row{in: args{"body": "All new.", "drop": true}, holds: holds{"changed_paragraphs": says{"All new."}, "changed_paragraphs_count": 1, "previous.content": has("And less.")}}, row{tool: "GET " + x.path, holds: holds{x.text: has("All new.")}, misses: says{"And less."}})
		for argument, value := range (args{"title": "x", "publish": true, "category": "FYI", "pin": true}) {
			if !slices.Contains(strings.Fields(x.takes), argument) {
				then = append(then, invalid("", args{argument: value, "append": "More."}, argument+": does not fit a "))
			}
		}
		for i := range then {
			if then[i].fact = fmt.Sprint("step ", i); then[i].tool == "" {
				then[i].in["item"] = x.item
			}
		}
		made := row{fact: x.kind, tool: x.tool, in: x.in, then: then}
		if x.kind == "project" {
			made.before = []string{`PUT /projects/{project:` + launch + `}.json {"name":"` + launch + `","description":"The bell rings.\n\nIt is loud."}`}
		}
		rows = append(rows, made)
	}
	cases(t, "edit_text", nil, rows...)
}

func TestEditText(t *testing.T) {
	const field = `<div>One <u>two three</u> four <bc-attachment sgid=\"{0.attachable_sgid}\"></bc-attachment></div><table><tr><td colspan=\"2\">five</td></tr><tr><td>six</td><td>seven</td></tr></table>`
	const document = "document:{1.id}"
	loses := func(in args, words ...string) row {
		in["item"] = document
		return invalid("", in, words...)
	}
	is := func(content string) row {
		return row{tool: "GET /documents/{1.id}.json", holds: holds{"content": has(content)}}
	}
	edits := []args{{"find": "Step", "replace": "Part", "all": true}}
	var body strings.Builder
	for i := range 30 {
		fmt.Fprintf(&body, "Step %d takes %d minutes.\n\n", i, i+100)
		edits = append(edits, args{"find": fmt.Sprintf("%d minutes", i+100), "replace": fmt.Sprintf("%d seconds", i+200)})
	}
	cases(t, "edit_text", nil,
		invalid("a project's description mentions no one", args{"item": "project:" + launch, "append": "More.", "mentions": "Priya"}, "mentions: ", "plain text"),
		invalid("only a body or edits lose something", args{"item": "message:Bike number zero, week three", "title": "x", "drop": true}, "drop: "),
		invalid("a subtask has no text", args{"item": "subtask:7", "title": "x"}, "item: must be of type"),
		row{fact: "a group has only a name", tool: "create_todolist", in: args{"project": launch, "name": "Group", "group_of": "Launch checklist"}, then: []row{invalid("", args{"item": "todolist:{0.id}", "append": "x"}, "a group has only a name")}},
		row{fact: "a line is changed only by its author", as: "Priya Raman", tool: "post_chat_line", in: args{"to": launch, "text": "See https://fernhill.example/bell & *not* bold"}, then: []row{
			{as: "Ines Albrecht", in: args{"item": "{0.url}", "append": "x"}, fails: fault.PermissionDenied, says: says{"only its author", "Priya Raman"}}}},
		row{fact: "a plain line becomes rich text with its links", tool: "post_chat_line", in: args{"to": launch, "text": `See https://fernhill.example/bell & \*not\* bold`}, then: []row{
			{in: args{"item": "chat_line:{0.id}", "find": "bold", "replace": "**bold**"}, holds: holds{"changed_paragraphs": says{`See https://fernhill.example/bell & \*not\* **bold**`}}},
			{tool: "GET /chats/{tool:chat@" + launch + "}/lines/{0.id}.json", holds: holds{"type": lookup.RichLine, "content": has(`<a href="https://fernhill.example/bell">`)}}}},
		invalid("a recurring entry is changed in Basecamp", args{"item": "schedule_entry:{Schedule::Entry:Launch stand-up@" + launch + "}", "append": "x"}, "recurring", "https://3.basecamp.com/"),
		row{fact: "what Markdown cannot write is not lost", tool: "GET /people/{person:Priya Raman}.json", then: []row{
			{tool: "create_document", in: args{"project": launch, "title": "Bells", "body": "x"}},
			{before: []string{`PUT /documents/{1.id}.json {"title":"Bells","content":"` + field + `"}`}, tool: "GET /documents/{1.id}.json"},
			loses(args{"edits": []args{{"find": "seven", "replace": "7"}, {"find": "One", "replace": "1"}}}, `edits[1]: this change would lose the underline of "two three"`, "with drop"),
			loses(args{"find": "four [@Priya]", "replace": "4"}, "edits[0]: this change would lose", `the underline of "two three"`, `the mention of "Priya"`),
			loses(args{"find": "**One** two", "replace": "1"}, "edits[0].find: these words have other formatting", `from "One two three four`),
			loses(args{"body": "New."}, "body: this change would lose", `the underline of "two three"`, `the merged cells "five"`, `the mention of "Priya"`, "with drop"),
			loses(args{"edits": []args{{"find": "seven", "replace": "7"}, {"find": "7", "replace": "eight"}}}, "edits[1].find: this edit overlaps edits[0]"),
			{in: args{"item": document, "find": "five", "replace": "**5**"}}, is("<div>One <u>two three</u> four <bc-attachment "), is(`<td colspan="2"><strong>5</strong></td></tr><tr><td>six</td><td>seven</td></tr></table>`),
			{in: args{"item": document, "body": "New.", "drop": true}, holds: holds{"previous.content": has("[@Priya]")}}, {tool: "GET /documents/{1.id}.json", holds: holds{"content": "<div>New.</div>"}}}},
		row{fact: "many places change in one call", tool: "create_document", in: args{"project": launch, "title": "Steps", "body": body.String()}, then: []row{
			{in: args{"item": "{0.url}", "edits": edits}, holds: holds{"changed": 60, "changed_paragraphs": says{"Part 0 takes 200 seconds.", "Part 1 takes 201 seconds.", "Part 2 takes 202 seconds."}, "changed_paragraphs_count": 30,
				"previous.content": has("Step 29 takes 129 minutes.")}}}},
	)
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
	const body = "# Bells\n\nOne **loud** bell.\n\nTwo.\n\nThree.\n\nFour.\n\nA LOUD  bell, again.\n\n- Six\n- Seven"
	want := []parts.Paragraph{{Number: 1, Content: "# Bells"}, {Number: 2, Found: true, Content: "One **loud** bell."}, {Number: 3, Content: "Two."}, {Number: 5, Content: "Four."}, {Number: 6, Found: true, Content: "A LOUD bell, again."}, {Number: 7, Content: "- Six\n- Seven"}}
	var rows []row
	for _, x := range []struct{ make, title, read, id string }{{"create_document", "title", "get_document", "document_id"}, {"create_message", "subject", "get_message", "message_id"}} {
		found := func(in args, r row) row {
			r.tool, r.in, in[x.id] = x.read, in, "{0.id}"
			return r
		}
		rows = append(rows, row{fact: x.read, tool: x.make, in: args{"project": launch, x.title: "Bells", "body": body}, then: []row{
			found(args{"find": "loud bell"}, row{holds: holds{"paragraphs": want, "paragraph_count": 7, "content": nil, "truncated": nil}}),
			found(args{"find": "no such words"}, row{holds: holds{"paragraphs": nil, "paragraph_count": 7}, says: says{`find: nothing in the text matches \"no such words\"`}}),
			found(args{"find": "no such words", "offset": 3}, invalid("", nil, "find: give either find or offset")), found(args{"find": " "}, invalid("", nil, "find: must not be blank"))}})
	}
	needle := row{tool: "get_document", in: args{"document_id": "{0.id}", "find": "NEEDLE"}, holds: holds{"paragraphs.0.content": has("needle"), "truncated": true}}
	short := row{tool: "get_document", in: needle.in, holds: holds{"paragraphs.0.content": most(parts.MaxFoundParagraph)}}
	cases(t, "", nil, append(rows, row{fact: "a long paragraph is cut", tool: "create_document", in: args{"project": launch, "title": "Long", "body": strings.Repeat("word ", 2000) + "needle " + strings.Repeat("word ", 2000)}, then: []row{needle, short}})...)
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
