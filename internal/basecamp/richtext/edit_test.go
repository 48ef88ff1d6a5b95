package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppend_KeepsTheFieldAndAddsABlock(t *testing.T) {
	const added = "<div>z</div>"
	for _, c := range []struct{ name, field, want string }{
		{"nothing before it", "", added},
		{"blanks before it", "\n ", "\n " + added},
		{"after a paragraph", "<div>a</div>\n", "<div>a</div>\n<div><br></div>" + added},
		{"after text", "a<br>", "a<br><div><br></div>" + added},
		{"after an attachment", keptPlan, keptPlan + "<div><br></div>" + added},
		{"after a list", "<ul><li>a</li></ul>", "<ul><li>a</li></ul>" + added},
		{"after a list and a line", "<ul><li>a</li></ul>\n", "<ul><li>a</li></ul>\n" + added},
		{"after a comment", "<!-- a --><p>b</p>", "<!-- a --><p>b</p>" + added},
		{"after a paragraph of another editor", "<p>a</p>", "<p>a</p>" + added},
		{"after open elements", "<div><b>a", "<div><b>a</b></div><div><br></div>" + added},
		{"after items without end tags", "<ul><li>a<li><p>b<p>c", "<ul><li>a<li><p>b<p>c</p></li></ul>" + added},
		{"after an incomplete tag", "<div>a</div><b cl", "<div>a</div><div><br></div>" + added},
		{"after an incomplete comment", "<p>a</p><!-- b", "<p>a</p>" + added},
		{"after an attachment without an end tag", `<bc-attachment filename="a">b`, `<bc-attachment filename="a"></bc-attachment>b<div><br></div>` + added},
		{"after end tags without start tags", "</b><p>a</i></p>", "</b><p>a</i></p>" + added},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Append(c.field, added); got != c.want {
				t.Errorf("Append(%q) = %q, want %q", c.field, got, c.want)
			}
		})
	}
	if got := Append("<div>a</div>", "<ul><li>b</li></ul>"); got != "<div>a</div><ul><li>b</li></ul>" {
		t.Errorf("a list is appended as %q", got)
	}
	if got := Append("<div>a</div>", ""); got != "<div>a</div>" {
		t.Errorf("an empty addition gives %q", got)
	}
}

func TestReplace_ReplacesTheOnlyMatch(t *testing.T) {
	const link = `<a href="https://x.example/">the plan</a>`
	for _, c := range []struct{ name, field, find, replacement, want string }{
		{"text", "<div>one two  three</div>", "two", "2", "<div>one 2 three</div>"},
		{"text with markup in it", "<div>a &lt;b&gt; c</div>", "<b>", "<i>", "<div>a &lt;i&gt; c</div>"},
		{"by an empty text", "<div>one two</div>", "two", "", "<div>one</div>"},
		{"single line breaks", "<div>one<br>two<br>three</div>", "one two three", "1", "<div>1</div>"},
		{"after a comment", "<!-- a --><div>one</div>", "one", "1", "<!-- a --><div>1</div>"},
		{"inside formatting, which stays", "<div>one <b>two</b></div>", "two", "2 *3*", "<div>one <strong>2 <em>3</em></strong></div>"},
		{"with its formatting", "<div>one <b>two three</b> <i>four</i></div>", "one **two three** *four*", "1 **2**", "<div>1 <strong>2</strong></div>"},
		{"from inside formatting, with its mark", "<div>one <b>two three</b> four</div>", "one **two", "**1", "<div><strong>1 three</strong> four</div>"},
		{"blanks are collapsed", "<div>one&nbsp; two<br>three\n four</div>", "one\ntwo  three four", "1", "<div>1</div>"},
		{"invisible characters are ignored", "<div>o\u200bne &#8203;two</div>", "one two", "1", "<div>1</div>"},
		{"entities, whole", "<div>a &amp; &copy;b</div>", "& ©", "and", "<div>a andb</div>"},
		{"escapes", "<div>snake_case *</div>", `snake\_case \*`, "x", "<div>x</div>"},
		{"markup in find that is text in the field", "<div>1. one</div>", "1. one", "1\\. two", "<div>1. two</div>"},
		{"a paragraph among lines", "<div>one<br><br>two<br><br>one two</div>", "two\n", "2", ""},
		{"paragraphs for a paragraph", "<div>a<br><br>one</div>", "one", "1\n\n2", "<div>a<br><br>1<br><br>2</div>"},
		{"a link", "<div>see " + link + " now</div>", "[the plan](https://x.example/)", "[it](https://y.example/)", `<div>see <a href="https://y.example/">it</a> now</div>`},
		{"a link's text", "<div>" + link + "</div>", "plan", "list", `<div><a href="https://x.example/">the list</a></div>`},
		{"an item", "<ol><li>one <b>x</b></li><li>two</li></ol>", "- two", "- 2\n- 3", "<ol><li>one <b>x</b></li><li>2</li><li>3</li></ol>"},
		{"part of an item", "<ul><li>one</li></ul>", "one", "1\n\n- 2", "<ul><li><div>1</div><ul><li>2</li></ul></li></ul>"},
		{"a heading", "<h2>one two</h2>", "# one", "### 1", "<h2>1 two</h2>"},
		{"a heading by a paragraph", "<div>a</div><h1>one</h1>", "one", "1", "<div>a</div><h1>1</h1>"},
		{"a heading by a list", "<h1>one</h1>", "one", "- 1", "<ul><li>1</li></ul>"},
		{"code", "<pre>x := 1\ny</pre>", "```\nx := 1\n```", "```\nx := 2\n```", "<pre>x := 2\ny</pre>"},
		{"code, without its indentation", "<pre>y</pre>", "```\n  y\n```", "z", "<pre>z</pre>"},
		{"a quote", "<blockquote>one</blockquote>", "> one", "> 1", "<blockquote>1</blockquote>"},
		{"a cell", "<table><tr><td>one</td><td>two</td></tr></table>", "two", "2", "<table><tr><td>one</td><td>2</td></tr></table>"},
		{"a block in a line", "<div>one two <b>three</b> four</div>", "two", "- 2", "<div><div>one</div><ul><li>2</li></ul><div><strong>three</strong> four</div></div>"},
		{"a rule in a line", "<p>one two three</p>", "two", "---", "<div>one</div><hr><div>three</div>"},
		{"a rule and a paragraph for a paragraph", "<div>a</div><p>one</p>", "one", "---\n\n1", "<div>a</div><hr><div>1</div>"},
		{"next to an attachment in another one, without an end tag", `<bc-attachment filename="a"><bc-attachment filename="b"/>c</bc-attachment> two`, "two", "2",
			`<bc-attachment filename="a"><bc-attachment filename="b"/></bc-attachment>c</bc-attachment> 2`},
		{"next to an attachment", "<div>one " + keptVictor + " two</div>", "two", "2", "<div>one " + keptVictor + " 2</div>"},
		{"superscript", "<div>12 m<sup>2</sup> of it</div>", "12 m² of", "12 m³ of", "<div>12 m³ of it</div>"},
		{"superscript without Unicode characters", "<div>e<sup>i Q</sup> of it</div>", "^(i Q) of", "x", "<div>ex it</div>"},
		{"superscript in code", "<pre>x<sup>2</sup></pre>", "x2", "y", "<pre>y</pre>"},
		{"next to superscript", "<div>one m<sup>2</sup></div>", "one", "1", "<div>1 m²</div>"},
		{"a field with open elements", "<div>one <b>two", "two", "2", "<div>one <strong>2</strong>"},
		{"by a sign that does not begin the paragraph", "<div>one * two</div>", "one", "", `<div>* two</div>`},
		{"a bare URL", `<div>see <a href="https://x.example/a">https://x.example/a</a></div>`, "https://x.example/a", "https://y.example/b", `<div>see <a href="https://y.example/b">https://y.example/b</a></div>`},
		{"formatting across paragraphs", "<div><b>one<br><br>two</b> three</div>", "three", "3", "<div><strong>one</strong><br><br><strong>two</strong> 3</div>"},
		{"words that a link's target has too", `<div><a href="https://x.example/plan">my plan</a></div>`, "plan", "list", `<div><a href="https://x.example/plan">my list</a></div>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, m := replaceIn(c.field, c.find, c.replacement)
			if c.want == "" {
				c.want = c.field
			} else if m.Places != 1 {
				t.Errorf("%+v", m)
			}
			if got != c.want {
				t.Errorf("Replace(%s, %q) =\n%s, want\n%s", c.field, c.find, got, c.want)
			}
		})
	}
}

func TestReplace_LeavesTheFieldUnchangedWithoutExactlyOneMatch(t *testing.T) {
	for _, c := range []struct {
		name, field, find string
		places            int
	}{
		{"none", "<div>one</div>", "two", 0},
		{"in another case", "<div>One</div>", "one", 0},
		{"two", "<div>one</div><p>one</p>", "one", 2},
		{"two in one paragraph", "<div>one one</div>", "one", 2},
		{"as literal text and as shown text", "<div>*one* and <i>one</i></div>", "*one*", 2},
		{"nothing to find", "<div>one</div>", " ", 0},
		{"across paragraphs", "<div>one</div><div>two</div>", "one two", 0},
		{"across two line breaks", "<div>one<br> <br>two</div>", "one two", 0},
		{"two paragraphs", "<div>one<br><br>two</div>", "one\n\ntwo", 0},
		{"across items and cells", "<ul><li>one</li><li>two</li></ul><table><td>one<td>two</table>", "one two", 0},
		{"across an attachment", "<div>one " + keptVictor + " two</div>", "one two", 0},
		{"in an attachment", "<div>" + keptVictor + keptPlan + "</div>", "Victor", 0},
		{"the label of a file", "<div>" + keptPlan + "</div>", "[Attachment: plan_1.pdf (application/pdf)]", 0},
		{"across a picture", `<div>one <img src="https://x.example/"> two</div>`, "one two", 0},
		{"in hidden text", "<style>one</style><!-- one --><b title='one'>two</b>", "one", 0},
		{"in an attachment after an end tag without a start tag", "</bc-attachment>" + keptVictor, "Victor", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, m := replaceIn(c.field, c.find, "x")
			if got != c.field || m.Places != c.places {
				t.Errorf("Replace(%s, %q) = %s, %+v, want %d places", c.field, c.find, got, m, c.places)
			}
		})
	}
}

func TestReplace_QuotesABlockThatShowsTheWordsWithOtherMarks(t *testing.T) {
	const link = `<a href="https://x.example/">the plan</a>`
	for _, c := range []struct{ field, find, replacement, quote string }{
		{"<p>a</p><div>one <b>two</b> three</div>", "one two three", "1", "one **two** three"},
		{"<div>one two</div>", "**one** *two*", "1", "one two"},
		{"<div>one <i><b>two</b></i></div>", "**two**", "2", "one ***two***"},
		{"<div>one <b>two</b></div>", "two", "", "one **two**"},
		{"<div>" + link + "</div>", "the plan", "", "[the plan](https://x.example/)"},
		{"<div>" + link + "</div>", "the", "[a](https://y.example/)", "[the plan](https://x.example/)"},
		{"<div>one <b>two three</b></div>", "two", "- 2", "one **two three**"},
		{"<h1>one two</h1>", "one", "- 1", "one two"},
		{"<div>12 m<sup>2</sup> <b>of</b> it</div>", "12 m² of it", "x", "12 m² **of** it"},
	} {
		if got, m := replaceIn(c.field, c.find, c.replacement); got != c.field || m.Places != 0 || m.Quote != c.quote {
			t.Errorf("Replace(%s, %q) = %s, %+v, want %q", c.field, c.find, got, m, c.quote)
		}
	}
}

func TestReplaceAndAppend_NoFieldTakesLong(t *testing.T) {
	takesSeconds(t)
	for name, field := range hostile() {
		t.Run(name, func(t *testing.T) {
			withinLimits(t, func() { Append(field, "<div>x</div>") })
			withinLimits(t, func() { replaceIn(field+"<p>here</p>", "here", "- x") })
		})
	}
	for name, field := range map[string]string{
		"one in many elements":           strings.Repeat("<b>", 50_000) + "here" + strings.Repeat("</b>", 50_000),
		"in the middle of many elements": strings.Repeat("<b>", 50_000) + "a here b" + strings.Repeat("</b>", 50_000),
		"end tags with few start tags":   strings.Repeat("<b>", 50_000) + strings.Repeat("<i></u>", 50_000) + "here",
		"across many elements":           "he" + strings.Repeat("<b></b>", 50_000) + "re",
	} {
		t.Run(name, func(t *testing.T) {
			withinLimits(t, func() { replaceIn(field, "here", "- x") })
		})
	}
}

// replaceIn edits a field once.
func replaceIn(field, find, with string) (edited string, m Match) {
	e := Edit(field)
	m, _ = e.Replace(find, with, false, writeAgain)
	return e.HTML(), m
}

// writeAgain writes a block anew.
func writeAgain(old, markdown string) (string, error) { return Writing{Old: old}.HTML(markdown), nil }

func TestEdit_OfAPlainTextChangesNothingElse(t *testing.T) {
	e := Edit(Verbatim("see https://x.example/a_b_c  & *b*\n\n1. <c>\nd"))
	e.Replace("<c>", "<e>\n", false, nil)
	if got, want := ToPlain(e.HTML()), "see https://x.example/a_b_c  & *b*\n\n1. <e>\n\nd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTransplant_ReplacesMentionsFilesAndPreviewsAndKeepsTheRest(t *testing.T) {
	const field = `<div>Ask <bc-attachment sgid="p1" content-type="application/vnd.basecamp.mention"><figure><figcaption>Ines</figcaption></figure></bc-attachment> &amp; see ` +
		`<bc-attachment sgid="f1" content-type="text/plain" filename="a.txt" href="https://x.example/a" caption="Values &lt;Nm&gt;"></bc-attachment><br>` +
		`<bc-attachment content-type="vnd.rubyonrails.horizontal-rule.html"></bc-attachment>` +
		`<bc-attachment sgid="e1" content-type="application/vnd.basecamp.opengraph-embed" filename="A page" href="https://x.example/page"></bc-attachment></div>`
	var parts []Embedded
	got := Transplant(field, func(e Embedded) string {
		parts = append(parts, e)
		if e.File {
			return Attach("f2", e.Caption)
		}
		return e.Name
	})
	want := []Embedded{
		{Mention: true, Name: "Ines", SGID: "p1"}, {File: true, Name: "a.txt", SGID: "f1", URL: "https://x.example/a", Caption: "Values <Nm>"},
		{Name: "A page", SGID: "e1", URL: "https://x.example/page"},
	}
	for i := range parts {
		if parts[i].Mention {
			parts[i].Name = strings.TrimSpace(parts[i].Name)
		}
	}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Error(diff)
	}
	const wanted = `<div>Ask Ines &amp; see <bc-attachment sgid="f2" caption="Values &lt;Nm&gt;"></bc-attachment><br>` +
		`<bc-attachment content-type="vnd.rubyonrails.horizontal-rule.html"></bc-attachment>A page</div>`
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	if same := Transplant("<div>Plain</div>", nil); same != "<div>Plain</div>" {
		t.Error(same)
	}
}
