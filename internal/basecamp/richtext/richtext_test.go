package richtext

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/microcosm-cc/bluemonday"
)

// example is a field in HTML and the expected Markdown.
type example struct{ name, html, want string }

func check(t *testing.T, examples []example) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			if diff := cmp.Diff(e.want, Markdown(e.html)); diff != "" {
				t.Errorf("Markdown(%s), -want +got:\n%s", e.html, diff)
			}
		})
	}
}

// lines joins the lines of an expected text.
func lines(s ...string) string { return strings.Join(s, "\n") }

func TestMarkdown_ConvertsText(t *testing.T) {
	check(t, []example{
		{"an empty field", "", ""},
		{"blanks only", " \n&nbsp;<div><br></div>", ""},
		{"strong, em and strike", "<strong>a</strong> <b>b</b> <em>c</em> <strike>d</strike> <del>e</del>", "**a b** *c* ~~d e~~"},
		{"blanks stay outside formatting", "one<b> two </b>three", "one **two** three"},
		{"adjacent formatting", "<b>a</b><i>b</i> <i>c</i><b>d</b> <b>e</b><b>f</b>", "**a***b c***d ef**"},
		{"formatting around blocks moves inside them", "<b>a<div>b</div><ul><li>c</li></ul></b>", "**a**\n\n**b**\n\n- **c**"},
		{"empty formatting disappears", "a<b></b><i> </i>b", "a b"},
		{"elements without Markdown keep their text", "<u>a</u> <mark>b</mark> <ins>c</ins>", "a b c"},
		{"super- and subscript", "x<sup>2</sup> H<sub>2</sub>O 10<sup>-3</sup> 1<sup>st</sup> a<sub>i,j</sub> 3<sup>¼ inch</sup>", `x² H₂O 10⁻³ 1ˢᵗ a\_(i,j) 3^(¼ inch)`},
		{"a note's number is a link", `see<sup><a href="u">1</a></sup> <b>m<sup>2</sup></b>`, "see[¹](u) **m²**"},
		{"super- and subscript around blocks are ignored", "a<sup><div>2</div></sup> b<sub></sub>", "a\n\n2\n\nb"},
		{"br is a line break", "a<br>b", "a  \nb"},
		{"two br are a new paragraph", "a<br><br>b<br>", "a\n\nb"},
		{"a break inside formatting", "<b>a<br>b</b>", "**a**  \n**b**"},
		{"paragraphs", "<p>a</p><p>b</p><div>c</div>", "a\n\nb\n\nc"},
		{"headings", "<h1>Frames</h1><h2>Forks</h2><h6>Bolts</h6>", "# Frames\n\n## Forks\n\n###### Bolts"},
		{"a heading is one line", "<h1>Two<br><div>wheels</div></h1>", "# Two wheels"},
		{"a number sign at the end of a heading", "<h1>C#</h1><h1>F #</h1><h1>#</h1>", "# C#\n\n# F \\#\n\n# \\#"},
		{"a heading around a list", "<h1>Parts<ul><li>fork</li></ul></h1>", "Parts\n\n- fork"},
		{"hr", "a<hr>b", "a\n\n***\n\nb"},
		{"every line of a blockquote", "<blockquote>a<br>b<p>c</p></blockquote>", "> a  \n> b\n>\n> c"},
		{"quotes in quotes", "<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"},
		{"q", "he said <q>no</q>", `he said "no"`},
		{"definitions", "<dl><dt>PSI</dt><dd>pressure</dd></dl>", "**PSI**\n\npressure"},
		{"details", "<details><summary>More</summary>hidden</details>", "**More**\n\nhidden"},
		{"scripts, styles and comments are dropped", "a<script>x()</script><style>p{}</style><!-- y -->b", "ab"},
		{"title and textarea are text", "<title>t</title><textarea>&lt;x</textarea>", "t\n\n\\<x"},
		{"no-break spaces are spaces", "12&nbsp;kg&nbsp; and", "12 kg and"},
		{"entities", "Tom &amp; Mette &euro; &copy;", "Tom & Mette € ©"},
	})
}

func TestMarkdown_ConvertsLists(t *testing.T) {
	check(t, []example{
		{"a link in an item", `<ul><li><a href="u">x</a></li></ul>`, "- [x](u)"},
		{"numbers", "<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"},
		{"numbers from elsewhere", `<ol start="9"><li>a</li><li>b<p>c</p></li></ol>`, "9. a\n10. b\n\n    c"},
		{"a start number that is too high", `<ol start="-3"><li>a</li></ol><p>x</p><ol start="123456789012"><li>b</li></ol>`, "1. a\n\nx\n\n1. b"},
		{"nested lists are indented", "<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>", lines(
			"- a", "  1. b", "     - c", "- d")},
		{"a list nested next to its item", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"},
		{"a nested list that cannot follow its line", `<ul><li>a<ol start="2"><li>b</li></ol></li></ul>`, "- a\n\n  2. b"},
		{"paragraphs and lines in items", "<ul><li><p>a</p><p>b<br>c</p></li></ul>", "- a\n\n  b  \n  c"},
		{"a quote in an item", "<ul><li><blockquote>a<br>b</blockquote></li></ul>", "- > a  \n  > b"},
		{"code in an item", "<ul><li>a<pre>x\n\ny</pre></li></ul>", "- a\n\n  ```\n  x\n\n  y\n  ```"},
		{"empty items disappear", "<ul><li></li><li>a</li><li> </li></ul>", "- a"},
		{"text between items belongs to the item above", "<ul>a<li>b</li>c</ul>", "- a\n- b\n\n  c"},
		{"items without a list are lines", "<li>a</li><li>b</li>", "a\n\nb"},
		{"a nested list in a separate item", `<ul><li value="1">First</li><li value="2" class="lexxy-nested-listitem"><ul><li>Second</li><li class="lexxy-nested-listitem"> <ol><li>Third</li></ol></li></ul></li><li>Last</li></ul>`, lines(
			"- First", "  - Second", "    1. Third", "- Last")},
		{"numbers continue after a nested list", `<ol><li>a</li><li><ol><li>b</li><li>c</li></ol></li><li>d</li></ol>`, "1. a\n   1. b\n   2. c\n2. d"},
		{"a nested list in the first item", `<ul><li>First<ul><li class="lexxy-nested-listitem"><ul><li>Second</li></ul></li></ul></li></ul>`, "- First\n  - Second"},
		{"a nested list with what an editor puts around it", `<ul><li>First</li><li><br><div><ul><li>Second</li></ul></div></li></ul>`, "- First\n  - Second"},
		{"an item with more than a list", "<ul><li>a</li><li><b>b</b><ul><li>c</li></ul></li></ul>", "- a\n- **b**\n  - c"},
		{"the number of the first item", `<ol><li value="4">a</li><li value="5">b</li></ol>`, "4. a\n5. b"},
		{"checked items", `<ul><li role="checkbox" aria-checked="true">a</li><li aria-checked="false">b</li><li data-checked="true"><p>c</p></li></ul>`, "- [x] a\n- [ ] b\n- [x] c"},
		{"check boxes", `<ul class="contains-task-list"><li><input type="checkbox" checked disabled> a</li><li><p><label><input type=CheckBox></label>b</p></li><li><input type="text" value="x">c</li></ul>`, "- [x] a\n- [ ] b\n- c"},
		{"lists that are too deep become flat", strings.Repeat("<ul><li>", maxNest+2) + "x", strings.Repeat("- ", maxNest) + "x"},
	})
}

func TestMarkdown_ConvertsCode(t *testing.T) {
	check(t, []example{
		{"inline", "run <code>make check</code>.", "run `make check`."},
		{"inline with backticks", "<code>`a``b</code>", "``` `a``b```"},
		{"adjacent code", "<code>a</code><code>b</code> <code>c</code>", "`ab` `c`"},
		{"markup inside has no effect", "<code>a <b>b</b> *c* &lt;d&gt;</code>", "`a b *c* <d>`"},
		{"kbd, samp and tt", "<kbd>Ctrl</kbd> <samp>ok</samp>", "`Ctrl` `ok`"},
		{"code with lines is a block", "<code>a<br>b</code>", "```\na\nb\n```"},
		{"pre is a fence", "<pre>a\n\n  b &lt;c&gt; *d*\n</pre>", "```\na\n\n  b <c> *d*\n```"},
		{"its language", `<pre class="hl language-go"><code>x</code></pre>`, "```go\nx\n```"},
		{"its language, on the code", `<pre><code class="lang-ruby">x</code></pre>`, "```ruby\nx\n```"},
		{"its language, as the new editor writes it", `<pre data-language="sql">x</pre>`, "```sql\nx\n```"},
		{"its language, as the old editor writes it", `<pre language="ruby">x</pre>`, "```ruby\nx\n```"},
		{"its language, in the code's attribute", `<pre><code data-language="js">x</code></pre>`, "```js\nx\n```"},
		{"its language, if it is a valid one", `<pre class="language-" data-language="a b" language="go">x</pre>`, "```go\nx\n```"},
		{"a language with invalid characters", "<pre class='language-`x'>y</pre>", "```\ny\n```"},
		{"a fence longer than those inside", "<pre>```\n````\n</pre>", "`````\n```\n````\n`````"},
		{"breaks and blocks are lines", "<pre>a<br>b<div>c</div><div>d</div>e</pre>", "```\na\nb\nc\nd\ne\n```"},
		{"quoted, on every line", "<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"},
		{"in a heading it is inline", "<h1><pre>a\nb</pre></h1>", "```\na\nb\n```"},
		{"the converter's own mark in a text", "<pre>a\uf002b</pre>c\uf002", "```\na\ufffdb\n```\n\nc\ufffd"},
	})
}

func TestMarkdown_LiteralTextStaysLiteral(t *testing.T) {
	check(t, []example{
		{"tags written as text", "a &lt;div&gt; b &lt;/p&gt; &lt;!-- c", `a \<div> b \</p> \<!-- c`},
		{"comparisons", "a &lt; b &gt; c", "a < b > c"},
		{"addresses in brackets", "&lt;mette@fernhill.example&gt; &lt;1@x.example&gt; &lt;5 kg", `\<mette@fernhill.example> \<1@x.example> <5 kg`},
		{"entities written as text", "&amp;lt;b&amp;gt; AT&amp;T &amp;", `\&lt;b\&gt; AT&T &`},
		{"headings, items, quotes and rules", "# a<br>- b<br>1. c<br>&gt; d<br>---<br>===<br>+ e<br>2) f", lines(
			`\# a  `, `\- b  `, `1\. c  `, `\> d  `, `\---  `, `\===  `, `\+ e  `, `2\) f`)},
		{"text that only looks like them", "#1 -5 1.5 a - b 3.<br>#tag<br>-5<br>1.5", "#1 -5 1.5 a - b 3.  \n#tag  \n-5  \n1.5"},
		{"emphasis", "*a* _b_ __init__ ~~c~~", `\*a\* \_b\_ \_\_init\_\_ \~\~c\~\~`},
		{"signs that open no emphasis", "snake_case 2 * 3 ~5 min", "snake_case 2 * 3 ~5 min"},
		{"links, images and definitions", "[a](b) ![c](d)<br>[e]: f", "[a\\](b) ![c\\](d)  \n[e\\]: f"},
		{"brackets", "[draft] a[0]", "[draft] a[0]"},
		{"brackets across formatting", "<b>[a]</b>(b) [a]<u>(b)</u>", `**[a]**(b) [a\](b)`},
		{"text that looks like a label", "[@Mette] [Attachment: x]", `\[@Mette] \[Attachment: x]`},
		{"a check box in text", "<ul><li>[ ] a</li></ul>[x] b", "- [ ] a\n\n[x] b"},
		{"marks without text", "<p>-</p><p>a<br>-</p><blockquote>+</blockquote><h1>*</h1><p>1.</p><p>#</p>", "-\n\na  \n\\-\n\n> +\n\n# *\n\n1.\n\n\\#"},
		{"marks that would join a list", "<p>-</p><ul><li>a</li></ul><p>-</p><p>-</p>", "\\-\n\n- a\n\n\\-\n\n-"},
		{"backticks", "a `b`", "a \\`b\\`"},
		{"backslashes", `C:\bikes \* \`, `C:\bikes \\\* \\`},
		{"a table", "a | b<br>--- | ---<br>|---|", "a | b  \n\\--- | ---  \n\\|---|"},
		{"headings need fewer backslashes", "<h2>1. Frames - and # forks</h2>", "## 1. Frames - and # forks"},
		{"an exclamation before a link", `look!<a href="u">x</a>`, `look\![x](u)`},
	})
}

func TestMarkdown_ConvertsLinks(t *testing.T) {
	check(t, []example{
		{"a link", `<a href="https://fernhill.example/a_b?q=1&amp;r=2#c">plan</a>`, "[plan](https://fernhill.example/a_b?q=1&r=2#c)"},
		{"a URL as its own text", `see <a href="https://fernhill.example/x">https://fernhill.example/x</a>.`, "see https://fernhill.example/x."},
		{"a URL that touches a word", `<a href="https://x.example/">https://x.example/</a>abc`, "[https://x.example/](https://x.example/)abc"},
		{"parentheses, blanks and brackets", `<a href="/a (b)[c]&lt;d|e\f">x</a>`, "[x](/a%20%28b%29%5Bc%5D%3Cd%7Ce%5Cf)"},
		{"brackets in its text", `<a href="u">a [b] c</a>`, `[a \[b\] c](u)`},
		{"formatting in and around", `<b><a href="u">x</a></b> <a href="v"><i>y</i> z</a>`, "**[x](u)** [*y* z](v)"},
		{"around blocks", `<a href="u"><div>a</div><div>b</div></a>`, "[a](u)\n\n[b](u)"},
		{"adjacent links", `<a href="u">a</a><a href="u">b</a>`, "[a](u)[b](u)"},
		{"no target", `<a name="x">a</a> <a href="">b</a>`, "a b"},
		{"no text", `a<a href="u"></a>b`, "ab"},
		{"mail and telephone", `<a href="mailto:mette@fernhill.example">Mette</a> <a href="tel:+45">call</a>`, "[Mette](mailto:mette@fernhill.example) [call](tel:+45)"},
		{"javascript", `<a href="javascript:alert(1)">x</a>`, "x"},
		{"javascript, disguised", "<a href='\u0001 JaVa\tscr&#10;ipt&colon;alert(1)'>x</a>", "x"},
		{"javascript, invisible", "<a href='java\u200bscript:alert(1)'>x</a>", "x"},
		{"javascript, encoded for Markdown", `<a href="javascript&amp;colon;alert(1)">x</a> <a href="javascript\:y">z</a>`,
			`[x](javascript\&colon;alert%281%29) [z](javascript%5C:y)`},
		{"data and vbscript", `<a href="data:text/html,x">a</a> <a href="VBScript:x">b</a>`, "a b"},
		{"images", `<img src="https://x.example/f.png" alt="the [red] frame">`, `![the \[red\] frame](https://x.example/f.png)`},
		{"images from other sites keep their words", `<img src="data:image/png;base64,xx" alt="frame"> <img src="/f.png" alt="fork">`, "frame fork"},
		{"an image that is a link", `<a href="u"><img src="https://x.example/f.png"></a>`, "[![](https://x.example/f.png)](u)"},
		{"video", `<video src="https://x.example/v.mp4">no video</video>`, "[video](https://x.example/v.mp4) no video"},
		{"video with sources", `<video title="Test ride"><source src="https://x.example/v.mp4"></video>`, "[Test ride](https://x.example/v.mp4)"},
		{"a figure", `<figure><img src="https://x.example/f.png" alt="f"><figcaption>The frame</figcaption></figure>`, "![f](https://x.example/f.png)\n\nThe frame"},
	})
}

func TestMarkdown_FallsBackToPlainText(t *testing.T) {
	body := `<p>One &amp; <b>two</b></p><ul><li>three<li><a href="https://fernhill.example/">four</a></ul>` +
		`<bc-attachment content-type="application/vnd.basecamp.mention"><figure><figcaption>Mette</figcaption></figure></bc-attachment>, see ` +
		`<bc-attachment filename="a.pdf" content-type="application/pdf"><figure><figcaption>a.pdf</figcaption></figure></bc-attachment>` +
		`<table><tr><td>a<td>b</table><pre>x` + "\n" + `y</pre># no heading<br>&lt;div&gt;<script>no</script>`
	want := lines("One & two", "", "- three", "- [four](https://fernhill.example/)", "", "[@Mette], see", "", "[Attachment: a.pdf (application/pdf)]", "",
		"a | b", "", "```", "x", "y", "```", "", `\# no heading  `, `\<div>`)
	check(t, []example{
		{"nested too deep for the parser", strings.Repeat("<div>", 600) + body, want},
		{"too long", body + "<!--" + strings.Repeat("x", maxHTML) + "-->", want},
	})
}

func TestMarkdown_KeepsFormattingThatAParserCouldMultiply(t *testing.T) {
	const n = 400
	field := strings.Repeat("<p>a <B class=x>b</B> <i>c</i> <strike>d</strike> <code>e</code></p>", n)
	if defuse(field) == field {
		t.Fatal("the field does not multiply elements")
	}
	want := strings.TrimSpace(strings.Repeat("a **b** *c* ~~d~~ `e`\n\n", n))
	if diff := cmp.Diff(want, Markdown(field)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMarkdownAndHTML_AreSafeForConcurrentUse(t *testing.T) {
	field := sample(8 << 10)
	want := Markdown(field)
	w := Writing{Old: field, Mention: []Person{{ID: 1, Name: "Mette", SGID: "m"}}}
	written := w.HTML(want)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if Markdown(field) != want || w.HTML(want) != written {
					t.Error("the result differs in concurrent use")
				}
			}
		})
	}
	wg.Wait()
}

// policy allows the rich text that Basecamp documents, and no other elements than those listed
// here. It is part of the tests only, because HTML never writes anything that it would remove, and
// it would add a fifth to the time in which a process starts.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("div", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "strike", "code", "pre", "blockquote",
		"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?i:https?|mailto|tel):`)).OnElements("a")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]+$`)).OnElements("ol")
	p.AllowAttrs("data-language").Matching(regexp.MustCompile(`^[\w+#.-]+$`)).OnElements("pre")
	p.AllowAttrs("sgid").OnElements("bc-attachment")
	return p
})

func TestMarkdown_ShowsNoInvisibleCharacters(t *testing.T) {
	check(t, []example{
		{"in text", "a\u200bb &#x202e;c", "ab c"},
		{"in code", "<pre>a\u200bb</pre>", "```\nab\n```"},
		{"in names and targets", "<bc-attachment filename='a\u202egpj.exe'></bc-attachment><a href='https://x.example/\u200b'>x</a>", "[Attachment: agpj.exe]\n\n[x](https://x.example/)"},
		{"families stay whole", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
	})
}
