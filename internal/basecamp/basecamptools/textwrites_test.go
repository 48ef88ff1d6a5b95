package basecamptools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// mayHaveHappened drops Basecamp's answer to a write. It checks that the write is sent once, and
// that the error says that it may have happened and is not retryable.
func mayHaveHappened(t *testing.T, method, path, tool string, arguments func(d *toolEnv) args) {
	t.Helper()
	at(t, func(d *toolEnv) {
		in := arguments(d)
		d.sandbox.Inject(sandbox.Fault{Method: method, Drop: true, AfterEffect: true})
		var text string
		var isError bool
		asked := d.asked(func() { text, isError = d.raw(tool, in) })
		if !isError || !strings.Contains(text, `"may_have_happened":true`) || !strings.Contains(text, `"retryable":false`) {
			d.Errorf("%s: %s", tool, text)
		}
		if sent := changes(asked); len(sent) == 0 || method == "POST" && len(sent) > 1 || !strings.Contains(sent[0], path) {
			d.Errorf("%s: sent %v", tool, sent)
		}
	})
}

func TestWritesOfText_WithoutAnAnswerAreNotRetryable(t *testing.T) {
	item := func(d *toolEnv) args {
		return args{"item": fmt.Sprintf("message:%d", d.sandbox.Find("Message", colourVote)), "body": "x"}
	}
	mayHaveHappened(t, "POST", "/comments.json", "create_comment", item)
	mayHaveHappened(t, "POST", "/messages.json", "create_message", func(*toolEnv) args { return args{"project": launch, "subject": "x", "body": "x"} })
	mayHaveHappened(t, "POST", "/documents.json", "create_document", func(*toolEnv) args { return args{"project": launch, "title": "x", "body": "x"} })
	mayHaveHappened(t, "PUT", "/messages/", "edit_text", func(*toolEnv) args { return args{"item": "message:" + colourVote, "project": launch, "append": "x"} })
	mayHaveHappened(t, "PUT", "/documents/", "edit_text", func(*toolEnv) args { return args{"item": "Glossary", "project": launch, "append": "x"} })
	mayHaveHappened(t, "PUT", "/comments/", "edit_text", func(d *toolEnv) args {
		return args{"comment": commentsOn(d, d.sandbox.Find("Message", colourVote))[0]["id"], "append": "x"}
	})
}

// A call that replaces the whole text, or leaves it unchanged, has the same result when it is
// repeated.
func TestEditText_OfAMessageWithoutAppendMayBeRepeated(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", colourVote)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Drop: true, AfterEffect: true})
		for _, in := range []args{{"subject": "Colours", "body": "All new."}, {"subject": "The colours"}} {
			in["message"] = id
			if f := d.fails(fault.UpstreamError, "edit_text", in); !f.Retryable {
				d.Errorf("%v: %+v", in, f)
			}
		}
	})
}

// A refused call has not appended anything.
func TestEditText_OfADocumentARefusedAppendMayBeRepeated(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Status: 429})
		if f := d.fails(fault.RateLimited, "edit_text", args{"document": d.sandbox.Find("Document", "Glossary"), "append": "Bell."}); !f.Retryable {
			d.Errorf("got %+v", f)
		}
	})
}

func TestEdits_RefuseBadCombinationsWithoutARequest(t *testing.T) {
	at(t, func(d *toolEnv) {
		for tool, argument := range map[string]string{"edit_text": "message", "update_document": "document", "update_comment": "comment"} {
			for _, in := range []args{
				{"body": "a", "append": "b"}, {"append": "a", "find": "b", "replace": "c"}, {"find": "a"}, {"replace": "a"},
				{"body": " "}, {"append": " "}, {"mentions": "Priya"}, {},
			} {
				in[argument] = 5
				d.asks(func() { d.fails(fault.InvalidInput, tool, in) })
			}
		}
	})
}

// writesOfText returns a valid call of every tool that writes a text.
func writesOfText(d *toolEnv) map[string]args {
	vote := d.sandbox.Find("Message", colourVote)
	return map[string]args{
		"create_message":  {"project": launch, "subject": "Bells", "body": "Louder."},
		"create_document": {"project": launch, "title": "Bells", "body": "Louder."},
		"create_comment":  {"item": fmt.Sprintf("message:%d", vote), "body": "Louder."},
		"edit_text":       {"message": vote, "body": "Louder.", "drop": true},
		"update_document": {"document": d.sandbox.Find("Document", "Glossary"), "body": "Louder.", "drop": true},
		"update_comment":  {"comment": commentsOn(d, vote)[0]["id"], "body": "Louder.", "drop": true},
	}
}

func TestWritesOfText_ReportUncertainResults(t *testing.T) {
	for _, f := range []sandbox.Fault{{Status: 500}, {Hang: true}, {Garbage: true}} {
		at(t, func(d *toolEnv) {
			writes := writesOfText(d)
			for _, method := range []string{"POST", "PUT"} {
				f.Method = method
				d.sandbox.Inject(f)
			}
			for tool, in := range writes {
				text, isError := d.raw(tool, in)
				if !isError || !strings.Contains(text, `"may_have_happened":true`) || strings.Contains(text, `"retryable":true`) != (strings.HasPrefix(tool, "update_") || tool == "edit_text") {
					d.Errorf("%+v: %s: %s", f, tool, text)
				}
			}
		})
	}
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
