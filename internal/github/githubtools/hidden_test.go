package githubtools

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/github/githubtools/parts"
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
		"a <?x?> b":                             "a [hidden comment] b",
		"a <!DOCTYPE x> b":                      "a [hidden comment] b",
		"a <![CDATA[ x > ]]> b":                 "a [hidden comment] b",
		"`<?x?> <!X y>` <! x> <!":               "`<?x?> <!X y>` <! x> <!",
		"<?x\n\ny?> b":                          "[hidden comment] b",
		"a\n\n[//]: # (x)\nb":                   "a\n\n[hidden comment]\nb",
		"[x]:\n#\n\"y\nz\"\nb":                  "[hidden comment]\nb",
		"> - [x]: <y z>":                        "[hidden comment]",
		"[x]: see below":                        "[x]: see below",
		"a [X  y]\n\n[x y]: https://b.c 'd'":    "a [X  y]\n\n[x y]: https://b.c 'd'",
		"[x]: # 'y'\n[x]: # 'z'":                "[hidden comment]\n[hidden comment]",
		"`[x]`\n\n[x]: # (y)":                   "`[x]`\n\n[hidden comment]",
		"<?a\n?>\n\n[x]: # (y)":                 "[hidden comment]\n\n[hidden comment]",
		"<b> <pre>\n\n[x]: # (y)":               "<b> <pre>\n\n[hidden comment]",
		"log\n```\ny\n```\n[x]: y":              "log\n```\ny\n```\n[hidden comment]",
		"log\n[x]: y":                           "log\n[x]: y",
		"[^1]: x\ny\n\nb":                       "[hidden comment]\n\nb",
		"```\n[//]: # (x)\n```":                 "```\n[//]: # (x)\n```",
		"a\n\n[^1]: x\n\n    y\n\nb":            "a\n\n[hidden comment]\n\nb",
		"a[^1]\n\n[^1]: x":                      "a[^1]\n\n[^1]: x",
		"x<!-- `a -->`<!-- b -->":               "x[hidden comment]`[hidden comment]",
	} {
		for _, end := range []string{"\n", "\r\n"} {
			text, want := strings.ReplaceAll(text, "\n", end), strings.ReplaceAll(want, "\n", end)
			if got := parts.Shown(text); got != want {
				t.Errorf("%q\n got %q\nwant %q", text, got, want)
			}
		}
	}
}

func FuzzShown_EndsAndAddsOnlyMarks(f *testing.F) {
	for _, seed := range []string{"a <!-- x --> b", "```\n<!-- x -->", "<?x", "<!X <![CDATA[", "[x]: # (y)\n[^1]: z\n    y", "<div>`<!--`-->", "\\", "<!--"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.ReplaceAll(parts.Shown(text), parts.HiddenComment, ""); len(got) > 4*len(text)+4 {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// Every construct must be read once: an issue's author chooses how often it begins.
func TestShown_ReadsManyBeginningsFast(t *testing.T) {
	for _, beginning := range []string{"<!--", "<?", "<!X", "<![CDATA[", "[", "[a]: b '", "[a]: b (\n", "[^a]: \n", "[a]:\n", "> [a]: <", "`", "``` [x]: y\n", "\\["} {
		text := strings.Repeat(beginning, 65536/len(beginning))
		began := time.Now()
		parts.Shown(text)
		if took := time.Since(began); took > 10*time.Second { // milliseconds, on an idle machine
			t.Errorf("%q took %s", beginning, took)
		}
	}
}

func TestUpdateIssue_AShownBodySentBackIsTheSameBytes(t *testing.T) {
	const ref = configurator + "#83"
	for name, body := range map[string]string{
		"people":          "Ask @hanna, @ines-vidal and (@ben). Mail me@fernhill.example.\n",
		"links to people": "[Hanna](person:5) and @[Ben](mention:6), `[x](person:7)` and [a page](https://x.example/)",
		"CRLF":            "@hanna\r\n\r\n- [ ] one\r\n- [x] two\r\n",
		"both breaks":     "one\r\ntwo\n@hanna",
		"code":            "`@media` and\r\n\r\n```css\r\n@media { }\r\n```\r\n@hanna",
		"backslashes":     "\\@hanna \\\\@ben\n\n```perl\nf(\\@list)\n```\n",
		"URLs":            "https://social.example/@hanna and `\\@x`",
		"no line breaks":  "@hanna",
	} {
		d := newToolEnv(t)
		store(d, 83, body)
		read := call[issueDetails](d, "get_issue", args{"issue": ref}).Body
		if regexp.MustCompile(`(^|\s)@`).MatchString(regexp.MustCompile("(?s)```.*?```|`.*?`").ReplaceAllString(read, "")) {
			t.Errorf("%s: %q mentions someone", name, read)
		}
		if strings.Count(read, "\r\n") != strings.Count(body, "\r\n") {
			t.Errorf("%s: %q is shown as %q", name, body, read)
		}
		read = strings.ReplaceAll(read, "\r\n", "\n") // as most clients send it
		if name == "links to people" && strings.Contains(read, "](person:5") || strings.Contains(read, "](mention:") {
			t.Errorf("%s: %q mentions someone in Basecamp", name, read)
		}
		if i := call[updatedIssue](d, "update_issue", args{"issue": ref, "body": read}); len(i.Changed) > 0 {
			t.Errorf("%s: %q reads %q and becomes %q", name, body, read, stored(d, 83))
		}
		if i := call[writtenIssue](d, "create_issue", args{"repo": configurator, "title": name, "body": read}); stored(d, i.Number) != strings.ReplaceAll(body, "\r\n", "\n") {
			t.Errorf("%s: a copy of %q is %q", name, body, stored(d, i.Number))
		}
	}
}
