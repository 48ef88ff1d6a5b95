package richtext

import "testing"

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
