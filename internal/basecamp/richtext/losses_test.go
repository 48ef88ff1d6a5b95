package richtext

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// shapes are rich texts with each element that the page rich_text of Basecamp's API documentation
// allows, and with attachments as it shows them.
var shapes = []string{
	`<div>one <strong>two</strong> <em>three</em> <b>four</b> <i>five</i> <s>six</s> <strike>seven</strike> <del>eight</del></div>`,
	`<div>one <u>two three</u> <ins>four</ins> <mark style="color: red">five</mark> <span style="color: blue">six</span> <span>seven</span> eight</div>`,
	`<p>press <kbd>Ctrl</kbd> or <samp>out</samp>, <var>n</var>, <tt>mono</tt>, <code>code <b>bold</b> here</code>, <q>said</q> end</p>`,
	`<p>12 m<sup>2</sup> of H<sub>2</sub>O and e<sup>i Q</sup> end</p>`,
	`<p><ruby>word<rp>(</rp><rt>reading</rt><rp>)</rp></ruby> after it</p>`,
	`<h1>one two</h1><h2>three</h2><h6>four</h6><h7>five six</h7><h8>seven</h8>`,
	`<blockquote>one <u>two</u></blockquote><pre data-language="go">x := <b>1</b>
y</pre><hr><p>three</p>`,
	`<ul><li>one <u>two</u></li><li>three<ol><li>four</li></ol></li></ul><ol start="3"><li>five</li></ol>`,
	`<dl><dt>one</dt><dd>two three</dd><dt>four</dt><dd>five</dd></dl>`,
	`<table><thead><tr><th colspan="2">one two</th></tr></thead><tbody><tr><td rowspan="2">three</td><td>four <u>five</u></td></tr><tr><td>six</td></tr></tbody><tfoot><tr><td>seven</td><td>eight</td></tr></tfoot></table>`,
	`<table><tr><td><ul><li>one</li><li>two</li></ul></td><td>three<br>four</td></tr><tr><td><p>five</p><p>six</p></td><td><pre>seven</pre></td></tr></table>`,
	`<table><tr><td>one<table><tr><td>two</td><td>three</td></tr></table></td><td>four</td></tr></table>`,
	`<details><summary>one two</summary><p>three</p></details><p>four</p>`,
	`<figure><img src="https://x.example/a.png" alt="one" width="300" height="20"><figcaption>two three</figcaption></figure><p>four</p>`,
	`<p>one <img src="https://x.example/a.png"> two <a href="https://x.example/">three <u>four</u></a></p>`,
	`<video src="https://x.example/a.mp4" controls><track src="https://x.example/a.vtt"></video><p>one two</p>`,
	`<div>one ` + keptVictor + ` two ` + keptMette + `<br><br>` + keptPlan + `</div><div>` + keptPhoto + keptRule + keptFair + `three</div>`,
	`<p>one</p><bc-attachment sgid="a" content-type="image/jpeg" width="2560" height="1536" url="u" href="h" filename="a.jpg" caption="My photo"><figure><img srcset="s" src="t"><figcaption>My photo</figcaption></figure></bc-attachment><p>two</p>`,
	`<div><bc-attachment presentation="gallery" sgid="a" filename="a.jpg"></bc-attachment><bc-attachment presentation="gallery" sgid="b" filename="b.jpg"></bc-attachment></div><p>one</p>`,
	`<p>one</p><bc-attachment sgid="a" filename="a.png"><figure><figcaption>two</figcaption</figure></bc-attachment><p>three</p>`,
	`<p>one</p><bc-attachment sgid="a" filename="a.png">two</figcaption</bc-attachment><p>three</p>`,
	`<p>one <bc-attachment sgid="a" filename="a.png"/> two <bc-attachment sgid="b" filename="b.png"> three</p>`,
	`<div style="text-align: center">one</div><p style="text-align: right">two three</p>`,
}

// inventory counts the elements of a field that Markdown cannot write, as an HTML parser sees them.
func inventory(t *testing.T, field string) map[string]int {
	t.Helper()
	root := &html.Node{}
	if err := parseInto(root, field); err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	count(all, root)
	_, attachments := embedded(field)
	for _, e := range attachments {
		switch kindOf(e.tag) {
		case mentionKind:
			all["mention "+attr(e.tag, "sgid")]++
		case fileKind, previewKind:
			all[e.raw]++
		}
	}
	return all
}

func count(all map[string]int, n *html.Node) {
	if n.Type == html.ElementNode {
		switch n.Data {
		case "bc-attachment":
			return
		case "td", "th":
			if attr(n, "colspan")+attr(n, "rowspan") != "" {
				all[fmt.Sprint(n.Data, n.Attr)]++
			}
		case "u", "ins", "mark", "kbd", "samp", "var", "tt", "q", "ruby", "h7", "h8", "dl", "details", "figcaption", "video", "img":
			all[fmt.Sprint(n.Data, n.Attr)]++
		default:
			if attr(n, "style") != "" {
				all[fmt.Sprint(n.Data, n.Attr)]++
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		count(all, c)
	}
}

// keptAll fails the test if a change has lost something of which Lost says nothing.
func keptAll(t *testing.T, old, changed, what string) {
	t.Helper()
	if len(Lost(old, changed)) > 0 {
		return
	}
	before, after := inventory(t, old), inventory(t, changed)
	for part, had := range before {
		if after[part] < had && !strings.HasPrefix(part, "th") { // a header may become a cell
			t.Errorf("%s\nof %s\ngives %s\nand silently loses %s", what, old, changed, part)
		}
	}
}

func TestLost_AnEditLosesNothingSilently(t *testing.T) {
	refused, accepted := 0, 0
	for _, field := range shapes {
		closed, in, _ := blocksOf(field)
		for _, b := range in {
			words := strings.Fields(b.read(closed))
			for from := range words {
				for to := from + 1; to <= len(words); to++ {
					find := strings.Join(words[from:to], " ")
					for _, replacement := range []string{"new", "", find + " more", "more " + find, "**new** words", "- new\n- items", "new\n\nparagraph"} {
						edited, m := replaceIn(field, find, replacement)
						if m.Places != 1 {
							continue
						}
						keptAll(t, field, edited, fmt.Sprintf("%q for %q", replacement, find))
						if len(Lost(field, edited)) > 0 {
							refused++
							continue
						}
						accepted++
						if !keepsOutside(closed, edited, b) {
							t.Errorf("%q for %q changes more than its block:\n%s\n%s", replacement, find, field, edited)
						}
					}
				}
			}
		}
	}
	if refused < 50 || accepted < 500 {
		t.Errorf("%d edits refused, %d accepted: the shapes are too simple", refused, accepted)
	}
}

// keepsOutside reports whether an edit has left the bytes around a block as they were.
func keepsOutside(field, edited string, b block) bool {
	before, after := withoutTags(field[:b.from]), reversed(withoutTags(reversed(field[b.to:])))
	return strings.HasPrefix(edited, before) && strings.HasSuffix(edited, after)
}

func TestLost_ANewBodyLosesNothingSilently(t *testing.T) {
	for _, field := range shapes {
		for _, body := range []string{Markdown(field), "new", Markdown(field) + "\n\nnew", strings.ReplaceAll(Markdown(field), "[@", "@")} {
			keptAll(t, field, Writing{Old: field}.HTML(body), fmt.Sprintf("body %q", body))
		}
	}
}

func TestLost_NamesWhatIsLost(t *testing.T) {
	for _, c := range []struct {
		old, changed string
		want         []string
	}{
		{"<div>one <b>two</b></div>", "<div>one</div>", nil},
		{"<div>one <u>two</u> <u>three</u></div>", "<div>one <u>three</u></div>", []string{`the underline of "two"`}},
		{"<div>one <u>two</u></div>", "<div>one <u>2</u></div>", nil},
		{"<div><u>one</u> two <u>three</u></div>", "<div><u>one</u> two three</div>", []string{`the underline of "three"`}},
		{"<div>m<sup>2</sup></div>", "<div>m²</div>", nil},
		{"<div>" + keptVictor + "</div>", `<div><bc-attachment sgid="x"></bc-attachment></div>`, nil},
		{"<div>" + keptVictor + keptPlan + keptFair + keptRule + "</div>", "<div>" + keptPlan + "</div>", []string{`the mention of "Victor"`, `the preview "[Bike fair](https://x.example/) In May"`}},
		{"<div>" + keptPlan + "</div>", "", []string{`the file "plan_1.pdf (application/pdf)"`}},
		{`<table><tr><td colspan="2">one</td></tr><tr><td>two</td><td>three</td></tr></table>`, "", []string{`the merged cells "one"`}},
		{`<img src="https://x.example/a.png" alt="A plan" width="3">`, `<img src="https://x.example/a.png" alt="A plan">`, []string{`the picture "A plan https://x.example/a.png"`}},
		{"<details><summary>More</summary>text</details>", "<div>More text</div>", []string{`the folded part "More text"`}},
		{`<pre>a <b>"b"</b></pre>`, "<pre>a</pre>", []string{`the formatting in code of "\"b\""`}},
	} {
		if got := Lost(c.old, c.changed); !slices.Equal(got, c.want) {
			t.Errorf("Lost(%s, %s) = %q, want %q", c.old, c.changed, got, c.want)
		}
	}
}

func TestLost_NoFieldTakesLong(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	fields := hostile()
	for _, start := range []string{"<u>", "<sup>", "<sup>a</sup>", "<table>", "<table><td>x</table>", "<td colspan=2>", "<img src=x>"} {
		fields[start] = strings.Repeat(start, 100_000/len(start))
	}
	for name, field := range fields {
		t.Run(name, func(t *testing.T) { withinLimits(t, func() { Lost(field, "x") }) })
	}
}

func TestEdit_ChangesAtMostAThousandPlaces(t *testing.T) {
	e := Edit(strings.Repeat("<p>a b</p>", 600))
	if m, _ := e.Replace("a", "c", true, writeAgain); m.TooMany || m.Places != 600 {
		t.Errorf("%+v", m)
	}
	if m, _ := e.Replace("b", "c", true, writeAgain); !m.TooMany || strings.Count(e.HTML(), "b") != 600 {
		t.Errorf("%+v", m)
	}
}

func TestLost_AnEditNamesWhatItsBlockLoses(t *testing.T) {
	const other = "<p>four <u>five</u></p><table><tr><td colspan=2>six <mark>seven</mark></td></tr></table>"
	field := "<p>one <u>two</u> <mark>three</mark> " + keptVictor + "</p><p>plain " + keptPlan + "</p>" + other
	for find, want := range map[string][]string{
		"one":   {`the underline of "two"`, `the highlight of "three"`},
		"two":   {`the underline of "two"`, `the highlight of "three"`},
		"plain": nil,
	} {
		edited, _ := replaceIn(field, find, "new")
		if got := Lost(field, edited); !slices.Equal(got, want) || !strings.HasSuffix(edited, other) || !strings.Contains(edited, keptVictor) || !strings.Contains(edited, keptPlan) {
			t.Errorf("%q: loses %q: %s", find, got, edited)
		}
	}
}

func TestEdit_FindsWordsAroundAMention(t *testing.T) {
	field := "<div>ask " + keptVictor + ", then ride</div>"
	for _, c := range []struct{ find, with, want, lost string }{
		{"ask [@Victor], then ride", "ask [@Victor], later ride", "<div>ask " + keptVictor + ", later ride</div>", ""},
		{"ask [@Victor], then", "[@Victor], then ask", "<div>" + keptVictor + ", then ask ride</div>", ""},
		{"[@Victor]", "him", "<div>ask him, then ride</div>", "the mention of \"Victor\""},
		{", then ride", ", later ride", "<div>ask " + keptVictor + ", later ride</div>", ""},
		{"Victor", "x", field, ""},
		{"@Victor", "x", field, ""},
		{"ask Victor", "x", field, ""},
	} {
		got, m := replaceIn(field, c.find, c.with)
		if m.Places > 1 || got != c.want || strings.Join(Lost(field, got), "") != c.lost {
			t.Errorf("%q for %q: %d places, %s, loses %q", c.with, c.find, m.Places, got, Lost(field, got))
		}
	}
}

func TestEdit_FindsEditsThatOverlap(t *testing.T) {
	type edit struct{ find, replacement string }
	for _, c := range []struct {
		name  string
		edits []edit
		over  int // of the last edit
		want  string
	}{
		{"apart", []edit{{"one", "1"}, {"three", "3"}, {"two", "2"}}, -1, "<p>1 2 3 1</p>"},
		{"the same words", []edit{{"two", "2"}, {"two", "zwei"}}, 0, "<p>one 2 three one</p>"},
		{"a word that an edit wrote", []edit{{"three", "3"}, {"two", "four"}, {"four", "4"}}, 1, "<p>one four 3 one</p>"},
		{"around one", []edit{{"two", "2"}, {"one 2 three", "1"}}, 0, "<p>one 2 three one</p>"},
		{"across words that are gone", []edit{{"two ", ""}, {"one three", "1"}}, 0, ""},
		{"in what a whole edit wrote", []edit{{"one two", "one two and a half"}, {"a half", "½"}}, 0, "<p>one two and a half three one</p>"},
	} {
		e := Edit("<p>one two three one</p>")
		var last Match
		for _, edit := range c.edits {
			last, _ = e.Replace(edit.find, edit.replacement, edit.find == "one", writeAgain)
		}
		if last.Over != c.over || c.want != "" && e.HTML() != c.want {
			t.Errorf("%s: over edit %d: %s", c.name, last.Over, e.HTML())
		}
	}
}
