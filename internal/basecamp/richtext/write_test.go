package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written is a Markdown text and the expected HTML.
type written struct{ name, markdown, want string }

func checkHTML(t *testing.T, w Writing, texts []written) {
	t.Helper()
	for _, c := range texts {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, w.HTML(c.markdown)); diff != "" {
				t.Errorf("HTML(%s), -want +got:\n%s", c.markdown, diff)
			}
		})
	}
}

func TestHTML_WritesLikeBasecampsEditor(t *testing.T) {
	checkHTML(t, Writing{}, []written{
		{"blanks become an empty text", " \n\n", ""},
		{"paragraphs are lines of one div", "one\n\ntwo\n\n\nthree", "<div>one<br><br>two<br><br>three</div>"},
		{"a line break is kept", "one\ntwo  \nthree\\\nfour", "<div>one<br>two<br>three<br>four</div>"},
		{"blocks are outside the div", "one\n\n# two\n\nthree", "<div>one</div><h1>two</h1><div>three</div>"},
		{"formatting", "**a** __b__ *c* _d_ ~~e~~ `f`", "<div><strong>a</strong> <strong>b</strong> <em>c</em> <em>d</em> <strike>e</strike> <code>f</code></div>"},
		{"formatting inside its own kind", "**a __b__ c**", "<div><strong>a b c</strong></div>"},
		{"two underscores next to punctuation", "a__(b)__c", "<div>a__(b)__c</div>"},
		{"strong in strong", "**a **b** c**", "<div><strong>a b c</strong></div>"},
		{"stars that open no strong", "2** 3** x", "<div>2** 3** x</div>"},
		{"strong next to words and punctuation", "a**b:**c", "<div>a<strong>b:</strong>c</div>"},
		{"strong open in another paragraph", "x**(y)\n\na**(b)**c", "<div>x**(y)<br><br>a<strong>(b)</strong>c</div>"},
		{"strike open in another paragraph", "x~~(y)\n\na~~(b)~~c", "<div>x~~(y)<br><br>a<strike>(b)</strike>c</div>"},
		{"strong next to punctuation", "note**(new)**: **Bold:**text 2*(3+4)*5", "<div>note<strong>(new)</strong>: <strong>Bold:</strong>text 2*(3+4)*5</div>"},
		{"one tilde is text", "~5 min, ~a~", "<div>~5 min, ~a~</div>"},
		{"an outline indented by tabs is no code", "Plan\n\n\tOne\n\t\tTwo\n\n\tThree\n\n    code", "<div>Plan<br><br>One<br>Two<br><br>Three</div><pre>code</pre>"},
		{"headings of all levels", "# a\n###### b\nc\n---", "<h1>a</h1><h6>b</h6><h2>c</h2>"},
		{"rules", "a\n\n---\n\nb", "<div>a</div><hr><div>b</div>"},
		{"lists, tight or loose", "- a\n- b\n\n  c\n\n- d", "<ul><li>a</li><li>b<br><br>c</li><li>d</li></ul>"},
		{"lists in lists", "1. a\n   - b\n2. c", "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>"},
		{"numbers from elsewhere", "7. a", `<ol start="7"><li>a</li></ol>`},
		{"check boxes are text", "- [ ] a\n- [x] b", "<ul><li>[ ] a</li><li>[x] b</li></ul>"},
		{"quotes", "> a\n>\n> - b", "<blockquote>a<ul><li>b</li></ul></blockquote>"},
		{"quotes that are too deep become flat", strings.Repeat("> ", maxNest+2) + "x", strings.Repeat("<blockquote>", maxNest) + "x" + strings.Repeat("</blockquote>", maxNest)},
		{"lists that are too deep become flat", strings.Repeat("> ", maxNest) + "- x\n" + strings.Repeat("> ", maxNest) + "- y",
			strings.Repeat("<blockquote>", maxNest) + "x<br><br>y" + strings.Repeat("</blockquote>", maxNest)},
		{"code", "```\na < b\n\n  *c*\n```", "<pre>a &lt; b\n\n  *c*</pre>"},
		{"code with its language", "``` c++ x\na\n```\n\n~~~ \"><b>\nb\n~~~", `<pre data-language="c++">a</pre><pre>b</pre>`},
		{"code by indentation", "    a\n\n    b", "<pre>a\n\nb</pre>"},
		{"code in a line", "`` a`b `` `c\nd` `*e*` ` f`", "<div><code>a`b</code> <code>c d</code> <code>*e*</code> <code>f</code></div>"},
		{"tables", "| `a\\|` | b |\n|:--|--:|\n| `x\\|y` | c \\| d |\n| e", "<table><thead><tr><th><code>a|</code></th><th>b</th></tr></thead>" +
			"<tbody><tr><td><code>x|y</code></td><td>c | d</td></tr><tr><td>e</td><td></td></tr></tbody></table>"},
	})
}

func TestHTML_ConvertsLinks(t *testing.T) {
	checkHTML(t, Writing{}, []written{
		{"a link without its title", `[a *b*](https://x.example/?a=1&b="2" "title")`, `<div><a href="https://x.example/?a=1&amp;b=&#34;2&#34;">a <em>b</em></a></div>`},
		{"its target, encoded", `[a](<https://x.example/a b>) [b](https://x.example/&amp;\*)`, `<div><a href="https://x.example/a%20b">a</a> <a href="https://x.example/&amp;*">b</a></div>`},
		{"mail and telephone", "[a](mailto:m@x.example) [b](tel:+45)", `<div><a href="mailto:m@x.example">a</a> <a href="tel:+45">b</a></div>`},
		{"without a text", "[](https://x.example/)", `<div><a href="https://x.example/">https://x.example/</a></div>`},
		{"in angle brackets", "<https://x.example/> <m@x.example> <made:up>", `<div><a href="https://x.example/">https://x.example/</a> <a href="mailto:m@x.example">m@x.example</a> &lt;made:up&gt;</div>`},
		{"bare", "https://x.example/a_b_c?d=e#f www.x.example m@x.example", `<div><a href="https://x.example/a_b_c?d=e#f">https://x.example/a_b_c?d=e#f</a> ` +
			`<a href="http://www.x.example">www.x.example</a> <a href="mailto:m@x.example">m@x.example</a></div>`},
		{"bare, in a sentence", "(https://x.example/), **https://x.example/(y)**. “https://x.example/”", `<div>(<a href="https://x.example/">https://x.example/</a>), ` +
			`<strong><a href="https://x.example/(y)">https://x.example/(y)</a></strong>. “https://x.example/”</div>`},
		{"bare, with brackets", "https://x.example/?a[]=1 [see https://x.example/]", `<div><a href="https://x.example/?a[]=1">https://x.example/?a[]=1</a> [see <a href="https://x.example/">https://x.example/</a>]</div>`},
		{"bare, before formatting", "https://x.example/~~a~~ https://x.example/[a](https://y.example/) https://x.example/[ b", `<div><a href="https://x.example/">https://x.example/</a><strike>a</strike> ` +
			`<a href="https://x.example/">https://x.example/</a><a href="https://y.example/">a</a> <a href="https://x.example/">https://x.example/</a>[ b</div>`},
		{"bare, in a link", "[https://x.example/](https://y.example/)", `<div><a href="https://y.example/">https://x.example/</a></div>`},
		{"text that is not a bare link", "http:// https://\\* ahttps://x.example ftp://x.example m@x m@x.example/y m@x.example@y www.x", "<div>http:// https://* ahttps://x.example ftp://x.example m@x m@x.example/y m@x.example@y www.x</div>"},
		{"pictures become links", "![a frame](https://x.example/f.png) ![](https://x.example/f.png)", `<div><a href="https://x.example/f.png">a frame</a> <a href="https://x.example/f.png">https://x.example/f.png</a></div>`},
		{"a picture in a link", "[![frame](https://x.example/f.png)](https://y.example/)", `<div><a href="https://y.example/">frame</a></div>`},
		{"scripts lose their target", "[a](javascript:alert(1)) [b](JaVa\tscript:x) [c](data:text/html,x) [d](java&Tab;script&colon;x) [e](file:///x)",
			"<div>a [b](JaVa\tscript:x) c d e</div>"},
		{"scripts, invisible", "[a](java\u200bscript:x) [b](&#x200b;javascript:x) [c](https://x.example/&#8203;c)", `<div>a b <a href="https://x.example/c">c</a></div>`},
		{"blanks in a scheme", "[a](<ht tp://x.example/>) [b](ht&Tab;tps:x)", "<div>[a](ht tp://x.example/) [b](ht\ttps:x)</div>"},
		{"text that only looks like a link", "handlers[name](event) [x][y] [z]: https://x.example/", `<div>handlers[name](event) [x][y] [z]: <a href="https://x.example/">https://x.example/</a></div>`},
	})
}

func TestHTML_EscapesTextThatLooksLikeMarkup(t *testing.T) {
	checkHTML(t, Writing{}, []written{
		{"tags", "<div>a</div> <b onclick=x>b</b> <!-- c --> <script>d()</script>", "<div>&lt;div&gt;a&lt;/div&gt; &lt;b onclick=x&gt;b&lt;/b&gt; &lt;!-- c --&gt; &lt;script&gt;d()&lt;/script&gt;</div>"},
		{"blocks of tags", "<table>\n<tr>", "<div>&lt;table&gt;<br>&lt;tr&gt;</div>"},
		{"attachments", `<bc-attachment sgid="x"></bc-attachment> [Attachment: a.pdf] [@Victor]`, "<div>&lt;bc-attachment sgid=&#34;x&#34;&gt;&lt;/bc-attachment&gt; [Attachment: a.pdf] [@Victor]</div>"},
		{"entities", "&lt;b&gt; &amp;lt; &copy; &#169; &#xA9; &unknown; &copy AT&T \\&lt;", "<div>&lt;b&gt; &amp;lt; © © © &amp;unknown; &amp;copy AT&amp;T &amp;lt;</div>"},
		{"escapes", `\*a\* \# \\ \a`, `<div>*a* # \ \a</div>`},
		{"invisible and bidi characters", "a\u200bb \u202ec &#8238;d e\u0000", "<div>ab c d e</div>"},
		{"control characters used as marks", "a \x03" + "0\x03 \x04" + "0\x04 &#3;0&#3; b", "<div>a 0 0 0 b</div>"},
	})
}

func TestHTML_FallsBackToPlainParagraphs(t *testing.T) {
	text := "*a* <b>\nb\n\n- c\n"
	want := "*a* &lt;b&gt;<br>b<br><br>- c"
	for name, tail := range map[string]string{
		"too deep":    strings.Repeat(">", 101) + "d",
		"too long":    strings.Repeat("d", maxHTML),
		"too many":    strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
		"too wide":    strings.Repeat("|", 1000) + "\n" + strings.Repeat("|-", 1000) + "\n" + strings.Repeat("d\n", 1000) + "d",
		"too slanted": strings.Repeat("> ", 90) + "d" + strings.Repeat("\nd", 30_000),
	} {
		t.Run(name, func(t *testing.T) {
			got := Writing{Mention: []Person{{ID: 1, Name: "Mette", SGID: "m"}}, Old: `<bc-attachment filename="a"></bc-attachment>`}.HTML(text + "\n" + tail)
			if start := `<div><bc-attachment sgid="m"></bc-attachment> ` + want + "<br><br>"; !strings.HasPrefix(got, start) {
				t.Errorf("got %.200s..., want %s...", got, start)
			}
			if end := `<br><br><bc-attachment filename="a"></bc-attachment></div>`; !strings.HasSuffix(got, end) {
				t.Errorf("the file is not at the end: ...%s", got[len(got)-100:])
			}
		})
	}
}

func TestHTML_KeepsAPreviewAndANewFileInPlainParagraphs(t *testing.T) {
	copied := map[FileLine]string{{Label: "a.pdf"}: "new"}
	got := Writing{Old: keptFair, Files: copied}.HTML(Markdown(keptFair) + "\n\n" + strings.Repeat(">", 101) + "d [Attachment: a.pdf]")
	if !strings.HasPrefix(got, "<div>[Bike fair](https://x.example/)<br><br>In May<br><br>") || !strings.HasSuffix(got, "d [Attachment: a.pdf]<br><br>"+keptFair+Attach("new", "")+"</div>") {
		t.Errorf("got %s", got)
	}
}

func TestIsPlain_ReportsTextThatReadsTheSameWithoutMarkdown(t *testing.T) {
	for _, plain := range []string{"", "a\nb\n\nc", "2 * 3 < 4", "see https://x.example/a_b (or m@x.example)", "1.5 [x] #7 ~5 a|b", "AT&T C:\\bikes", "a  \nb", "\"hi\" @Mette"} {
		if !IsPlain(plain) {
			t.Errorf("%q is not plain", plain)
		}
	}
	for _, marked := range []string{"*a*", "`a`", "- a", "1. a", "> a", "# a", "a\n---", "```\na", "    a", "[a](b)", "![a](b)", "~~a~~", `\*`, "a\\\nb",
		"&amp;", "<https://x.example/>", "***", "| a |\n|---|", "@[Mette](person:1)", "[@Mette]"} {
		if IsPlain(marked) {
			t.Errorf("%q is plain", marked)
		}
	}
}

func TestMarkdown_ConvertsTables(t *testing.T) {
	check(t, []example{
		{"a header", "<table><thead><tr><th>Part</th><th>Kg</th></tr></thead><tbody><tr><td>fork</td><td>2</td></tr></tbody></table>", lines(
			"| Part | Kg |", "|---|---|", "| fork | 2 |")},
		{"without a header, the first row becomes the header", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", lines("| a | b |", "|---|---|", "| c | d |")},
		{"rows stay in their order", "<table><tr><td>a<td>b<tr><th>c<th>d</table>", lines("| a | b |", "|---|---|", "| c | d |")},
		{"pipes and formatting", "<table><tr><td>a|b<td><b>c</b> <code>d|e</code></table>", lines(`| a\|b | **c** `+"`d\\|e`"+` |`, "|---|---|")},
		{"a cell is one line", "<table><tr><td>a<br>b<td><p>c</p><p>d</p></table>", lines("| a / b | c / d |", "|---|---|")},
		{"spans leave places empty", "<table><tr><td colspan=2>a<td>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f</table>", lines(
			"| a |  | b |", "|---|---|---|", "| c | d | e |", "|  | f |  |")},
		{"a caption comes first", "<table><caption>Weights</caption><tr><td>a<td>b</table>", "**Weights**\n\n| a | b |\n|---|---|"},
		{"empty ones disappear", "<table><tr><td></td><td> </td></tr></table>", ""},
		{"in an item", "<ul><li>x<table><tr><td>a<td>b</table></li></ul>", "- x\n\n  | a | b |\n  |---|---|"},
		{"one column", "<table><tr><th>a</th></tr><tr><td><p>b</p></td></tr></table>", "| a |\n|---|\n| b |"},
		{"one column of paragraphs only arranges", "<table><tr><td>a</td></tr><tr><td>b<br>c</td></tr></table>", "a\n\nb  \nc"},
		{"a single cell only arranges", "<table><tr><td>a</td></tr></table>", "a"},
		{"a table with the role presentation only arranges", `<table role="presentation"><tr><td>a<td>b</table>`, "a\n\nb"},
		{"lists in its cells keep their marks", "<table><tr><td>a<td>x<ul><li>b<li><b>c</b><ol start=3><li>d<li>e</ol><li></ul><tr><td>f<td>g</table>", lines(
			"| a | x / - b / - **c** / 3. d / 4. e |", "|---|---|", "| f | g |")},
		{"a list in a separate item", "<table><tr><td>a<td><ol><li>b<li><ul><li>c</ul><li>d</ol></table>", "| a | 1. b / - c / 2. d |\n|---|---|"},
		{"a list with a table in it", "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\n| b | c |\n|---|---|"},
	})
}

func TestMarkdown_AnOversizedTableBecomesLines(t *testing.T) {
	wide := "<table><tr>" + strings.Repeat("<td>x", maxColumns+1) + "<tr><td>---<td>---</table>"
	check(t, []example{
		{"spans that ask for a million places", "<table><tr><td colspan=1000 rowspan=1000>a</td><td>b</td></tr></table>", "a | b"},
		{"too many columns", wide, strings.TrimSuffix(strings.Repeat("x | ", maxColumns+1), " | ") + "\n\n\\--- | ---"},
		{"ragged rows", "<table>" + strings.Repeat("<tr><td>a<td>b", 100) + "<tr>" + strings.Repeat("<td>c", 40) + "</table>",
			strings.Repeat("a | b\n\n", 100) + strings.TrimSuffix(strings.Repeat("c | ", 40), " | ")},
	})
}

func TestHTMLTag_FindsWhatIsPlainlyHTML(t *testing.T) {
	for markdown, want := range map[string]string{
		"<p>The jig is free.</p>":                              "<p>",
		"free.<br>From noon":                                   "<br>",
		"free.<BR />":                                          "<BR />",
		"# One\n\n- two <div\nclass=\"a_b\">":                  "<div\nclass=\"a_b\">",
		"> <h1>Notes</h1>":                                     "<h1>",
		"| a |\n|---|\n| <li>b |":                              "<li>",
		`<a href="https://fernhillbikes.example">the shop</a>`: "</a>",
		"a <b>bold</b> word":                                   "</b>",
		"*a <strong>bold</strong> word*":                       "<strong>",
		"[<em>a</em>](https://fernhillbikes.example)":          "<em>",
		"`<p>` and <p>":                                        "<p>",
		`<bc-attachment sgid="x"></bc-attachment>`:             `<bc-attachment sgid="x">`,
	} {
		if got := HTMLTag(markdown); got != want {
			t.Errorf("HTMLTag(%q) = %q, want %q", markdown, got, want)
		}
	}
}

func TestHTMLTag_FindsNoneInCodeAndInText(t *testing.T) {
	for _, markdown := range []string{
		"", "no tag", "`<p>`", "``<div> ` </div>``", "```html\n<p>x</p>\n```", "~~~\n<br>\n~~~", "x\n\n    <p>code by indentation</p>",
		`\<p>`, "&lt;p&gt;", "a < b", "if x <p and y > 2", "a <b and c> d", "<p", "< p >", "<3", "<title> of <section>", "List<a>",
		"<https://fernhillbikes.example/p>", "<m@fernhillbikes.example>", "<project>", "<Priya>", "<part-number>",
	} {
		if got := HTMLTag(markdown); got != "" {
			t.Errorf("HTMLTag(%q) = %q", markdown, got)
		}
	}
}

// What Markdown shows must be accepted when it is written again.
func TestHTMLTag_FindsNoneInWhatMarkdownShows(t *testing.T) {
	for _, field := range []string{
		"<div>Write &lt;p&gt; and &lt;/p&gt;</div>", "<pre>&lt;p&gt;</pre>", "<div><code>&lt;br&gt;</code>&lt;br/&gt;</div>",
		"<table><tr><td>a<br>b<p>c</p></td></tr></table>", "<div><u>a</u><sub>2</sub><del>b</del></div>",
		"<ul><li>a<br><br><strong>b</strong></li></ul>",
	} {
		if got := HTMLTag(Markdown(field)); got != "" {
			t.Errorf("HTMLTag(%q) = %q", Markdown(field), got)
		}
	}
}
