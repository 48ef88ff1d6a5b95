package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/report/fault"
)

// proseArguments are the arguments of each tool that are written as rich text. An argument of
// create_todos belongs to its first to-do.
var proseArguments = map[string][]string{
	"create_message": {"body"}, "create_document": {"body"}, "create_comment": {"body"}, "edit_text": {"body", "append", "replace"},
	"create_card": {"body"}, "create_todos": {"notes"}, "update_work": {"notes"},
	"create_schedule_entry": {"notes"}, "update_schedule_entry": {"notes"}, "answer_checkin": {"body"},
	"post_chat_line": {"text"}, "create_todolist": {"description"}, "upload_file": {"description"},
}

// eachProse calls check with a typical call of every tool that writes rich text, for each argument
// that holds it, with text in that argument.
func eachProse(d *toolEnv, text string, check func(tool, argument string, in args)) {
	calls := typical(d)
	for tool, arguments := range proseArguments {
		for _, argument := range arguments {
			in := maps.Clone(calls[tool])
			delete(in, "append")
			if argument == "replace" {
				in["item"], in["find"] = fmt.Sprint("comment:", call[parts.NewComment](d, "create_comment", args{"item": calls["create_comment"]["item"], "body": "Look at the jig."}).ID), "the"
			}
			if tool == "create_todos" {
				in["todos"] = []args{{"content": "Order labels", argument: text}}
			} else {
				in[argument] = text
			}
			check(tool, argument, in)
		}
	}
}

func TestWritesOfText_RefuseHTMLBeforeAnythingIsWritten(t *testing.T) {
	at(t, func(d *toolEnv) {
		eachProse(d, "The jig is <br> free.", func(tool, argument string, in args) {
			text, sent := d.sends(tool, in)
			for _, part := range []string{string(fault.InvalidInput), argument + ": ", "<br>", "Markdown", "backticks"} {
				if !strings.Contains(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(text), part) {
					d.Errorf("%s does not tell %q: %s", tool, part, text)
				}
			}
			if len(sent) > 0 {
				d.Errorf("%s: wrote %v", tool, sent)
			}
		})
	})
}

// What forms a mention has, internal/basecamp/richtext shows.
func TestWritesOfText_Mention(t *testing.T) {
	const payroll = "Payroll & Contracts"
	says := func(body string, mentioned, not any) row {
		return row{fact: body, in: args{"body": body}, holds: holds{"mentioned": mentioned, "not_mentioned": not}}
	}
	unknown := func(body, name string) row {
		return row{fact: body, in: args{"body": body}, fails: fault.InvalidInput, says: []string{`body: "@` + name + `" matches no person`, "; the nearest: ", "into backticks"}}
	}
	priya, sam := []string{"Priya Raman"}, []string{"Sam Okafor"}
	prya := unknown("@Prya, look", "Prya")
	prya.holds = holds{"data.nearest.0.name": "Priya Raman"}
	cases(t, "create_message", args{"project": launch, "subject": "Jig"},
		says("Ask @Priya or\n- @priya raman", priya, nil), says("[@PRIYA] and @[Priya Raman]", priya, nil), says("[P](mention:{person:Priya Raman})", priya, nil), says("**@Priya**", priya, nil),
		says("@Sam Has it.", sam, nil), says("@Sam has it. Lindqvist too.", sam, nil), says("@Jonas: @noemie?", []string{"Jonas Brandt", "Noémie Laurent"}, nil),
		says("The @media rule, `@Zebedee`, x@Zebedee.com and @2x", nil, []string{"@media", "@Zebedee", "x@Zebedee.com"}), says("```\n@Override\n```\n\n    @Component", nil, []string{"@Override", "@Component"}),
		says("Write \\@Priya or \\[@Hanna].", nil, []string{"@Priya", "@Hanna"}), says("@everyone, @here, @channel and @prya", nil, []string{"@everyone", "@here", "@channel", "@prya"}), says("5 @ 3 euros", nil, nil),
		prya, unknown("@[Prya Raman], look", "Prya Raman"), unknown("@Channel", "Channel"), unknown("@Ölaf.", "Ölaf"), unknown("@Priya-Ann", "Priya-Ann"), unknown("x @O’Neil's", "O’Neil's"),
		unknown("@Sam Lindqvist has it.", "Sam Lindqvist"),
		row{fact: "one of two people must be chosen", in: args{"project": "Company HQ"}, each: []args{{"body": "@Sam, look."}, {"body": "@sam"}, {"body": "[@Sam]"}, {"body": "@[Sam]"}}, fails: fault.Ambiguous,
			says: []string{"body: ", "Name](person:ID)"}, holds: holds{"data.candidates.#": 2}},
		row{fact: "by the whole name", in: args{"project": "Company HQ", "body": "@Sam Okafor and @sam lindqvist"}, holds: holds{"mentioned.#": 2}},
		row{fact: "or by mentions", in: args{"project": "Company HQ", "body": "@Sam", "mentions": sam}, holds: holds{"mentioned": sam}},
		row{fact: "a person who has just joined is known", in: args{"project": payroll, "body": "@Jonas"}, fails: fault.InvalidInput, says: []string{"@Jonas"}, then: []row{
			{setup: func(*toolEnv) { time.Sleep(11 * time.Second) }, before: []string{"PUT /projects/{project:" + payroll + `}/people/users.json {"grant":[{person:Jonas Brandt}]}`},
				in: args{"project": payroll, "body": "@Jonas"}, holds: holds{"mentioned.#": 1}}}},
		row{fact: "a change mentions only who is new, and leaves what was text", in: args{"body": "\\@Hanna and `@Zebedee` and @Priya"}, then: []row{
			{tool: "edit_text", in: args{"message": "{0.id}", "body": "@Hanna, @Zebedee, [@Priya] and @Jonas"}, holds: holds{"mentioned": []string{"Jonas Brandt"}, "not_mentioned": []string{"@Hanna", "@Zebedee"}}},
			{tool: "edit_text", in: args{"message": "{0.id}", "body": "@Hanna", "mentions": "Hanna", "drop": true}, holds: holds{"mentioned": []string{"Hanna Koivisto"}, "changed_paragraphs": []string{"[@Hanna]"}}},
		}},
		row{fact: "a chat leaves words too", tool: "post_chat_line", in: args{"to": launch, "text": "@here: lunch"}, holds: holds{"content": `\@here: lunch`, "not_mentioned": []string{"@here"}}},
	)
}

func TestWritesOfText_RefuseAnUnknownNameBeforeAnythingIsWritten(t *testing.T) {
	at(t, func(d *toolEnv) {
		eachProse(d, "For @Prya.", func(tool, argument string, in args) {
			answer, sent := d.sends(tool, in)
			if !strings.Contains(answer, string(fault.InvalidInput)) || !strings.Contains(answer, `\"@Prya\" matches no person`) || len(sent) > 0 {
				d.Errorf("%s %s: wrote %v: %s", tool, argument, sent, answer)
			}
		})
	})
}

func TestWritesOfText_RefuseThousandsOfMentionsBeforeAnythingIsWritten(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, word := range []string{"@Noémie ", "@Noémie Laurent\n\n", "@media ", "@[Noémie](person:3140027760) ", "[Noémie](mention:3140027760) ", "`x` @Noémie\n\n"} {
			in := maps.Clone(typical(d)["create_comment"])
			in["body"] = strings.Repeat(word, 1001)
			text, sent := d.sends("create_comment", in)
			if len(sent) > 0 || !strings.Contains(text, "body: has more than 1000 mentions or words with an @") {
				d.Errorf("%d times %q: wrote %v, %.200s", 1001, word, sent, text)
			}
		}
	})
}

// Who is named in a text is mentioned there. Others are mentioned before what is said to them, and
// behind a letter and a document.
func TestMentions_StandWhereTheNameDoes(t *testing.T) {
	at(t, func(d *toolEnv) {
		const text = "Dear Priya,\n\nthe pallet is in."
		people := []string{"Priya", "Sam Okafor"}
		const written = "Dear [@Priya],\n\nthe pallet is in.\n\n[@Sam]"
		document := call[struct{ URL string }](d, "create_document", args{"project": launch, "title": "Pallet", "body": text, "mentions": people})
		message := call[struct{ URL string }](d, "create_message", args{"project": launch, "subject": "Pallet", "body": text, "mentions": people})
		item := args{"item": document.URL, "body": text, "mentions": people}
		comment := call[struct{ URL string }](d, "create_comment", item)
		line := call[struct{ URL string }](d, "post_chat_line", args{"to": launch, "text": text, "mentions": people})
		for _, url := range []string{document.URL, message.URL, comment.URL, line.URL} {
			check := func(want string) {
				if got := call[struct{ Item struct{ Content string } }](d, "get_item", args{"url": url}).Item.Content; got != want {
					d.Errorf("%s: %q, want %q", url, got, want)
				}
			}
			if url != comment.URL { // which is shown with its item
				check(written)
			}
			edited := call[anyitem.EditedText](d, "edit_text", args{"item": url, "body": "In.", "mentions": "Hanna", "drop": true})
			switch url {
			case document.URL:
				check("In.\n\n[@Hanna]")
			case line.URL, message.URL:
				check("[@Hanna] In.")
			}
			if !slices.Equal(edited.Mentioned, []string{"Hanna Koivisto"}) {
				d.Errorf("%+v", edited.Reach)
			}
		}
	})
}
