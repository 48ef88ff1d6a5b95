package githubtools

import (
	"strings"
	"testing"
)

func TestShown_MarksWhatGitHubHides(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                 "plain",
		"a <!-- x --> b":                        "a [hidden comment] b",
		"a <!-- x\ny --> b":                     "a [hidden comment] b",
		"a <!--> b":                             "a [hidden comment] b",
		"`<!-- x -->`":                          "`<!-- x -->`",
		"`` ` <!-- x --> ``":                    "`` ` <!-- x --> ``",
		"\\` <!-- x --> `":                      "\\` [hidden comment] `",
		"```\n<!-- x -->\n```\n<!-- y -->":      "```\n<!-- x -->\n```\n[hidden comment]",
		"~~~\n```\n<!-- x -->\n~~~\n<!-- y -->": "~~~\n```\n<!-- x -->\n~~~\n[hidden comment]",
		"<!-- x":                                "[hidden comment]",
		"a <!-- x":                              "a <!-- x",
		"> ```\n<!-- x -->\n```":                "> ```\n[hidden comment]\n```",
		"- a\n  ```\n  b\n<!-- x -->":           "- a\n  ```\n  b\n[hidden comment]",
		"<div>\n```\n<!-- x -->\n```\n</div>":   "<div>\n```\n[hidden comment]\n```\n</div>",
		"<a title=\"`\"> <!-- x --> `":          "<a title=\"`\"> [hidden comment] `",
		"<div>`<!-- x -->`":                     "<div>`[hidden comment]`",
		"<pre>\n\n```\n<!-- x -->\n```\n</pre>": "<pre>\n\n```\n[hidden comment]\n```\n</pre>",
		"<pre>a</pre>\n\n`<!-- x -->`":          "<pre>a</pre>\n\n`<!-- x -->`",
		"> <div>`<!-- x -->`":                   "> <div>`[hidden comment]`",
		"- <div>\n  ```\n  <!-- x -->":          "- <div>\n  ```\n  [hidden comment]",
		"a <\u200b!-- x -->":                    "a [hidden comment]",
		"x<!-- `a -->`<!-- b -->":               "x[hidden comment]`[hidden comment]",
	} {
		if got := shown(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func FuzzShown_EndsAndAddsOnlyMarks(f *testing.F) {
	for _, seed := range []string{"a <!-- x --> b", "```\n<!-- x -->", "<div>`<!--`-->", "\\", "<!--"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.ReplaceAll(shown(text), hiddenComment, ""); len(got) > 4*len(text)+4 {
			t.Errorf("%q became %q", text, got)
		}
	})
}
