package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/fault"
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

func TestWritesOfText_MentionInEveryForm(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Person("Priya Raman").ID
		for _, form := range []string{
			"@Priya", "@priya", "@PRIYA", "@Priya Raman", "@priya raman", "[@Priya]", "[@Priya Raman]", "@[Priya]", "@[Priya Raman]",
			"@[P](person:%d)", "[P](mention:%d)", "**@Priya**", "(@Priya)", "@Priya's", "@Priya’s", "\"@Priya\"", "@Priya,", "@Priya:", "cc:@Priya", "@Priya-", "@Priya thanks",
		} {
			if strings.Contains(form, "%d") {
				form = fmt.Sprintf(form, id)
			}
			got := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Jig", "body": "Ask " + form + " or\n- " + form})
			if n := strings.Count(got.Content, "[@Priya]"); n != 2 || !slices.Equal(got.Mentioned, []string{"Priya Raman"}) || got.NotMentioned != nil {
				d.Errorf("%q: mentions %d times, %v, not %v: %s", form, n, got.Mentioned, got.NotMentioned, got.Content)
			}
		}
		for said, want := range map[string]string{"@Jonas, look.": "[@Jonas], look.", "Look, @noemie": "Look, [@Noémie]", "@Mateusz Wojcik.": "[@Mateusz]."} {
			got := call[texts.PostedLine](d, "post_chat_line", args{"to": launch, "text": said})
			if got.Content != want || len(got.Mentioned) != 1 {
				d.Errorf("the chat has %q, %v", got.Content, got.Mentioned)
			}
		}
	})
}

func TestWritesOfText_RefuseAnUnknownNameBeforeAnythingIsWritten(t *testing.T) {
	at(t, func(d *toolEnv) {
		for text, name := range map[string]string{
			"@Prya, look": "Prya", "For [@Prya].": "Prya", "@[Prya Raman], look": "Prya Raman", "@Channel": "Channel", "@Ölaf.": "Ölaf",
			"@Priya-Ann": "Priya-Ann", "@Priya_R": "Priya_R", "@Sam Lindqvist, hi": "Sam Lindqvist", "x @O’Neil's": "O’Neil's", "*@Injectable*()": "Injectable",
		} {
			f := d.fails(fault.InvalidInput, "create_message", args{"project": launch, "subject": "Jig", "body": text}, "body: \"@"+name+"\" matches no person", "; the nearest: ", "into backticks")
			if name == "Prya" && (!strings.Contains(f.Message, "Priya Raman") || len(f.Data.Nearest) == 0 || f.Data.Nearest[0].Name != "Priya Raman") {
				d.Errorf("%s: %s, nearest %+v", text, f.Message, f.Data.Nearest)
			}
		}
		eachProse(d, "For @Prya.", func(tool, argument string, in args) {
			answer, sent := d.sends(tool, in)
			if !strings.Contains(answer, string(fault.InvalidInput)) || !strings.Contains(answer, `\"@Prya\" matches no person`) {
				d.Errorf("%s %s: %s", tool, argument, answer)
			}
			if len(sent) > 0 {
				d.Errorf("%s: wrote %v", tool, sent)
			}
		})
	})
}

func TestWritesOfText_AskWhichOfTwoPeopleWithAName(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := func(body string) args { return args{"project": "Company HQ", "subject": "Jig", "body": body} }
		for _, body := range []string{"@Sam, look.", "@sam", "[@Sam]", "@[Sam]"} {
			f := d.fails(fault.Ambiguous, "create_message", in(body), "body: ", "Name](person:ID)")
			if len(f.Data.Candidates) != 2 {
				d.Errorf("%s: candidates %v", body, f.Data.Candidates)
			}
		}
		call[texts.WrittenMessage](d, "create_message", in("@Sam Okafor and @sam lindqvist"))
		chosen := in("@Sam")
		chosen["mentions"] = []string{"Sam Okafor"}
		if got := call[texts.WrittenMessage](d, "create_message", chosen); !slices.Equal(got.Mentioned, []string{"Sam Okafor"}) {
			d.Errorf("mentions chooses %v", got.Mentioned)
		}
	})
}

func TestWritesOfText_LeaveAddressesCodeAndLowerCaseWordsAsText(t *testing.T) {
	at(t, func(d *toolEnv) {
		for body, told := range map[string][]string{
			"The @media rule, `@Zebedee`, x@Zebedee.com, @2x and priya@fernhillbikes.example.": {"@media", "@Zebedee", "x@Zebedee.com", "priya@fernhillbikes.example"},
			"```\n@Override\n```\n\n    @Component":                                            {"@Override", "@Component"},
			"See [the @Override](https://x.example/@Sam) and https://x.example/@Priya/1 now":   {"@Override"},
			"Write \\@Priya or \\[@Hanna].":                                                    {"@Priya", "@Hanna"},
			"@everyone, @here, @channel and @prya":                                             {"@everyone", "@here", "@channel", "@prya"},
			"5 @ 3 euros":                                                                      nil,
			"Ask @ Priya or ask@":                                                              nil,
		} {
			got := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Jig", "body": body})
			if diff := cmp.Diff(told, got.NotMentioned); diff != "" || len(got.Mentioned) > 0 {
				d.Errorf("%q mentions %v and tells %s", body, got.Mentioned, diff)
			}
		}
		line := call[texts.PostedLine](d, "post_chat_line", args{"to": launch, "text": "@here: lunch"})
		if line.Content != `\@here: lunch` || !slices.Equal(line.NotMentioned, []string{"@here"}) {
			d.Errorf("the chat has %q, %v", line.Content, line.NotMentioned)
		}
	})
}

func TestUpdates_LeaveWordsThatWereTextAndMentionOnlyNewPeople(t *testing.T) {
	at(t, func(d *toolEnv) {
		post := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Jig", "body": "\\@Hanna and `@Zebedee` and @Priya"})
		got := call[anyitem.EditedText](d, "edit_text", args{"message": post.ID, "body": "@Hanna, @Zebedee, [@Priya] and @Jonas"})
		if !slices.Equal(got.Mentioned, []string{"Jonas Brandt"}) || !slices.Equal(got.NotMentioned, []string{"@Hanna", "@Zebedee"}) {
			d.Errorf("mentioned %v, not %v", got.Mentioned, got.NotMentioned)
		}
		got = call[anyitem.EditedText](d, "edit_text", args{"message": post.ID, "body": "@Hanna", "mentions": []string{"Hanna"}, "drop": true})
		if !slices.Equal(got.Mentioned, []string{"Hanna Koivisto"}) || !slices.Equal(got.Paragraphs, []string{"[@Hanna]"}) {
			d.Errorf("mentioned %v: %s", got.Mentioned, got.Paragraphs)
		}
	})
}

func TestWritesOfText_KnowAPersonWhoHasJustJoinedTheProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project": "Payroll & Contracts", "subject": "Jig", "body": "@Jonas"}
		d.fails(fault.InvalidInput, "create_message", in, "@Jonas")
		time.Sleep(11 * time.Second)
		d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", d.sandbox.ProjectID("Payroll & Contracts")), fmt.Sprintf(`{"grant":[%d]}`, d.sandbox.Person("Jonas Brandt").ID))
		if got := call[texts.WrittenMessage](d, "create_message", in); len(got.Mentioned) != 1 {
			d.Errorf("mentioned %v", got.Mentioned)
		}
	})
}

func TestWritesOfText_DoNotMentionAnotherPersonWithTheSameFirstName(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project": launch, "subject": "Jig", "body": "@Sam Lindqvist has it."} // only Sam Okafor is on the project
		d.fails(fault.InvalidInput, "create_message", in, "@Sam Lindqvist", "matches no person")
		for _, body := range []string{"@Sam Has it.", "@Sam has it. Lindqvist too."} {
			in["body"] = body
			if got := call[texts.WrittenMessage](d, "create_message", in); !slices.Equal(got.Mentioned, []string{"Sam Okafor"}) {
				d.Errorf("%s: mentioned %v", body, got.Mentioned)
			}
		}
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
