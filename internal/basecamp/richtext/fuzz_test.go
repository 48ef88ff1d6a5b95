package richtext

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	word       = regexp.MustCompile(`[a-zA-Z0-9]{4,}`)
	inCode     = regexp.MustCompile("(?s)`+.*?`+")
	unsafeLink = regexp.MustCompile(`(?i)(?:^|[^\\])\]\(\s*(?:javascript|vbscript|data)\s*:`)
)

// attachmentTag matches the tags around the content of an attachment.
var attachmentTag = regexp.MustCompile(`(?i)</?bc-attachment[^>]*>?`)

// shown returns the texts that a browser shows, as the parser sees them. Words end where an
// attachment begins or ends, because Markdown shows the attachment apart from the text around it.
// If the parser fails, shown returns no text.
func shown(field string) (texts []string) {
	field = attachmentTag.ReplaceAllString(field, " $0 ")
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(field), body, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			texts = append(texts, n.Data)
		}
		if n.Type == html.ElementNode && is(n.Data, hides) {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	for _, n := range nodes {
		walk(n)
	}
	return texts
}

func FuzzMarkdown(f *testing.F) {
	f.Add(update)
	f.Add(`<div>Hi <bc-attachment content-type="application/vnd.basecamp.mention"/> please look</div><p>More</p>`)
	f.Add(`<BC-ATTACHMENT FILENAME="a.pdf"><figure><figcaption>a.pdf 12 KB</figcaption></figure>after`)
	f.Add(`<BC-AttAChment><figure>0</BC-AttAChment >0000`)
	f.Add(`<ul><li>one<ol start=3><li>two</ol><blockquote><pre class=language-go>x` + "\n```\n" + `</pre></blockquote></ul>`)
	f.Add(`<table><caption>Cap</caption><tr><td colspan=3 rowspan=9>left<td>right | side<tr><th>x<br>y</table>`)
	f.Add(`<a href="java&#10;script:alert(1)">text</a><a href="data:text/html,x">more</a><a href="javascript&amp;colon;alert(1)">z</a>`)
	f.Add(`<b>bold<ul><li>item</ul>tail</b><h1>C#</h1><h2><table><td>grid</table></h2><code>a<br>b</code>`)
	f.Add(`# x<br>1. y<br>- z<br>*a* _b_ ~~c~~ &lt;div&gt; [l](u) ![i](u) &amp;lt; \* | --- |`)
	f.Add(`<svg><title>title</title><style>hide</style><desc>&lt;script&gt;</desc></svg><textarea><b>area</b></textarea><template>tmpl`)
	f.Add("<p>invisible\u200btext \u202eright\u2066 \U000E0041 \uf002 \xff</p>")
	f.Add(`<details><summary>sum</summary>body</details><dl><dt>term<dd>meaning</dl><video src="https://a.example/v.mp4">no video</video>`)
	f.Add(strings.Repeat("<div>", 600) + "deep words")
	f.Fuzz(func(t *testing.T, field string) {
		start := time.Now()
		for name, out := range map[string]string{"Markdown": Markdown(field), "plain": plain(field)} {
			if !utf8.ValidString(out) {
				t.Errorf("%s: invalid UTF-8: %q", name, out)
			}
			if strings.ContainsAny(out, "\x00\x01\x02\x07\u200b\u202e\ufeff") {
				t.Errorf("%s: control characters: %q", name, out)
			}
			if link := unsafeLink.FindString(inCode.ReplaceAllString(out, "")); link != "" {
				t.Errorf("%s: unsafe link %q in %q", name, link, out)
			}
			if strings.Trim(out, "\n") != out {
				t.Errorf("%s: newlines around %q", name, out)
			}
			if name == "plain" {
				continue // plain reads tags and not HTML, so text in a misplaced tag differs
			}
			for _, text := range shown(field) {
				for _, w := range word.FindAllString(text, -1) {
					if !strings.Contains(out, w) {
						t.Errorf("%s: lost %q: %q", name, w, out)
					}
				}
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
