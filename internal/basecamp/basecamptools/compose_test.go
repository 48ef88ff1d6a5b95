package basecamptools

import (
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

// proseArguments are the arguments of each tool that are written as rich text. An argument of
// create_todos belongs to its first to-do.
var proseArguments = map[string][]string{
	"create_message": {"body"}, "update_message": {"body", "append", "replace"},
	"create_document": {"body"}, "update_document": {"body", "append", "replace"},
	"create_comment": {"body"}, "update_comment": {"body", "append", "replace"},
	"create_card": {"body"}, "update_card": {"body"}, "create_todos": {"notes"}, "update_todo": {"notes"},
	"create_schedule_entry": {"notes"}, "update_schedule_entry": {"notes"}, "answer_checkin": {"body"},
	"post_campfire_line": {"text"}, "create_todolist": {"description"}, "upload_file": {"description"},
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
				in["find"] = "the"
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
			var text string
			sent := d.written(func() { text, _ = d.raw(tool, in) })
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

func TestWritesOfText_AcceptHTMLInCode(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, body := range []string{"Write `<br>` here.", "```html\n<p>x</p>\n```", `Write \<br> here.`} {
			got := call[struct{ Content string }](d, "create_message", args{"project": launch, "subject": "Tags", "body": body})
			if got.Content != body {
				d.Errorf("%q became %q", body, got.Content)
			}
		}
	})
}
