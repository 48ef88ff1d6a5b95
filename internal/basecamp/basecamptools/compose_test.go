package basecamptools

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
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

func TestWritesOfText_RefuseWhatTheyCannotWrite(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		for text, words := range map[string][]string{
			"The jig is <br> free.": {"<br>", "Markdown", "backticks"}, "For @Prya.": {`"@Prya" matches no person`}, "See\n\n[Attachment: nowhere_1.pdf (application/pdf)]": {"nowhere_1.pdf", "backticks"},
		} {
			eachProse(d, text, func(tool, argument string, in args) {
				d.refuses(fault.InvalidInput, tool, in, append([]string{argument + ": "}, words...)...)
			})
		}
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
		row{fact: "there are at most 1000", tool: "create_comment", in: args{"item": richItem}, each: lookup.Mapped([]string{"@Noémie ", "@Noémie Laurent\n\n", "@media ", "@[Noémie](person:3140027760) ", "[Noémie](mention:3140027760) ", "`x` @Noémie\n\n"}, func(word string) args {
			return args{"body": strings.Repeat(word, 1001)}
		}), fails: fault.InvalidInput, says: []string{"body: has more than 1000 mentions or words with an @"}},
		row{fact: "a chat leaves words too", tool: "post_chat_line", in: args{"to": launch, "text": "@here: lunch"}, holds: holds{"content": `\@here: lunch`, "not_mentioned": []string{"@here"}}},
	)
}

// Who is named in a text is mentioned there. Others are mentioned before what is said to them, and
// behind a letter and a document.
func TestMentions_StandWhereTheNameDoes(t *testing.T) {
	const text, written = "Dear Priya,\n\nthe pallet is in.", "Dear [@Priya],\n\nthe pallet is in.\n\n[@Sam]"
	stand := func(tool string, in args, edited string) row {
		in["mentions"] = says{"Priya", "Sam Okafor"}
		edit := row{tool: "edit_text", in: args{"item": "{0.url}", "body": "In.", "mentions": "Hanna", "drop": true}, holds: holds{"mentioned": says{"Hanna Koivisto"}}}
		is := func(content string) row {
			return row{tool: "get_item", in: args{"url": "{0.url}"}, holds: holds{"item.content": content}}
		}
		then := []row{is(written), edit, is(edited)}
		if tool == "create_comment" { // which is shown with its item
			then = []row{edit}
		}
		return row{fact: tool, tool: tool, in: in, then: then}
	}
	cases(t, "", nil,
		stand("create_document", args{"project": launch, "title": "Pallet", "body": text}, "In.\n\n[@Hanna]"), stand("create_message", args{"project": launch, "subject": "Pallet", "body": text}, "[@Hanna] In."),
		stand("create_comment", args{"item": richItem, "body": text}, ""), stand("post_chat_line", args{"to": launch, "text": text}, "[@Hanna] In."),
	)
}
