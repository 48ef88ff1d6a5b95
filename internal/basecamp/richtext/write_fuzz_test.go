package richtext

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/plaintext"
)

// allowed maps the elements that HTML writes to their attributes.
var allowed = map[string]string{
	"div": "", "br": "", "hr": "", "h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "strong": "", "em": "", "strike": "",
	"code": "", "pre": "data-language", "blockquote": "", "ul": "", "ol": "start", "li": "", "a": "href", "table": "", "thead": "",
	"tbody": "", "tr": "", "th": "", "td": "", "bc-attachment": "sgid",
}

var allowedTarget = regexp.MustCompile(`^(?i:https?|mailto|tel):[^\s]*$`)

// harmless fails the test if a text written by HTML contains anything forbidden.
func harmless(t *testing.T, written string) {
	t.Helper()
	if !utf8.ValidString(written) || strings.ContainsAny(written, "\x00\x01\x02\x03\x04\x07\u200b\u202e\ufeff") {
		t.Errorf("invalid or invisible characters: %q", written)
	}
	if again := policy().Sanitize(written); again != written {
		t.Errorf("%q\nis cleaned to %q", written, again)
	}
	var open []string
	z := html.NewTokenizer(strings.NewReader(written))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		attribute, ok := allowed[token.Data]
		switch {
		case kind == html.TextToken:
			continue
		case !ok || kind == html.CommentToken || kind == html.DoctypeToken:
			t.Errorf("%v in %q", token, written)
		case kind == html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%v closes %v in %q", token, open, written)
			}
			open = open[:len(open)-1]
		case !is(token.Data, neverEnds):
			open = append(open, token.Data)
		}
		for _, a := range token.Attr {
			if a.Key != attribute || a.Key == "href" && !allowedTarget.MatchString(a.Val) {
				t.Errorf("%v in %q", token, written)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("%v are open in %q", open, written)
	}
}

// withoutKept returns a text without the attachments kept from old.
func withoutKept(written, old string) string {
	all := keep(old).all
	slices.SortFunc(all, func(a, b *attachment) int { return cmp.Compare(len(b.html), len(a.html)) })
	for _, a := range all {
		written = strings.Replace(written, a.html, "", 1)
	}
	return written
}

func FuzzHTML(f *testing.F) {
	f.Add(Markdown(update), update, "Mette")
	f.Add("# a\n\n- b\n  1. **c** *d* ~~e~~ `f`\n\n> g\n\n```go\nh\n```\n\n***\n\n| i | j |\n|---|---|\n| `k\\|l` | m |", "", "Ann Lee")
	f.Add("@[Mette](person:1) @Ann [@Victor] [Attachment: a.pdf (application/pdf)] *b*", keptVictor+keptPlan+keptRule+keptFair, "Ann Lee")
	f.Add("[a](javascript:alert(1)) [b](java&Tab;script&colon;c) ![d](data:x) <javascript:e> https://x.example/\"onclick=f() [g](<https://x.example/\" onmouseover=\"h>)", "", "O'Brien <b>")
	f.Add("<script>a</script> <bc-attachment sgid=\"x\"> &lt;b&gt; &#3;0&#3; &#x202e; \x03\x30\x03 \x04\x30\x04", keptFair, "\x03")
	f.Add("a\\\nb  \nc\n---\n    d\n\n~~~ \"><x>\ne", `<bc-attachment filename="a"/><bc-attachment><!-- </bc-attachment> --></bc-attachment>`, "É")
	f.Add("[[[a]](b)](c) ![![d](e)](https://f.example) **g*h**i* ***j** k* __l_ m_n_o", "", "@")
	f.Add(strings.Repeat(">\t", 30)+"a\n"+strings.Repeat("- \t", 30)+"b\n\n"+strings.Repeat("1.\t+ \t*\t", 10)+"c", "", "d")
	f.Add("[x] \n[ ]\r\t- [a]\f", "", "e")
	f.Add(strings.Repeat("> ", 30)+"a\n"+strings.Repeat("- ", 30)+"b", "<bc-attachment><bc-attachment filename=a></bc-attachment>", " ")
	f.Fuzz(func(t *testing.T, markdown, old, name string) {
		start := time.Now()
		w := Writing{Inline: []Person{{1, name, "in"}}, Mention: []Person{{2, name, "must"}}, Called: map[string]Person{name: {3, name, "called"}}, Old: old}
		written := w.HTML(markdown)
		harmless(t, withoutKept(written, old))
		if !strings.Contains(written, `<bc-attachment sgid="must">`) {
			t.Errorf("no mention in %q", written)
		}
		for _, a := range keep(old).all {
			if (a.kind == fileKind || a.kind == previewKind) && !strings.Contains(written, a.html) {
				t.Errorf("%q is missing in %q", a.html, written)
			}
		}
		if len(ReadRefs(markdown, "").People)+len(ReadRefs(markdown, "").Called) > 0 && IsPlain(markdown) {
			t.Errorf("%q has a mention, but is plain", markdown)
		}
		if IsPlain(markdown) {
			written := Writing{}.HTML(markdown)
			text := strings.Join(shown(written), "")
			for _, w := range word.FindAllString(plaintext.Clean(markdown), -1) {
				if !strings.Contains(text, w) {
					t.Errorf("lost %q: %q", w, written)
				}
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(update)
	f.Add(keptVictor + "<div>a" + keptPlan + "</div><pre>" + keptPhoto + "</pre><h1>" + keptRule + "</h1><ul><li>" + keptFair + "</ul>")
	f.Add(`<div># a<br>1. b<br>- c</div><b>d<i>e</b>f</i><code>g</code><strong>“h”</strong>i`)
	f.Add(`<table><tr><td>a|b<td>c</table><blockquote>d<ol start=7><li>e<pre>f</pre></ol></blockquote><a href="https://x.example">https://x.example</a>.`)
	f.Add(`<bc-attachment presentation="gallery"><bc-attachment filename="a" caption="b"></bc-attachment></bc-attachment>&lt;c&gt; &amp;lt;`)
	f.Add(`<bc-attachment a><figCAption>0000</div>10</bc-attachment>`)
	f.Add(`<p>@Hanna x@Ann <b>@Ben</b>, [@Victor] @[Zoe] @[Zoe](person:5) @<a href="person:7">c</a> <a href="https://x.example/@d">@d</a> https://x.example/@e</p>`)
	f.Fuzz(func(t *testing.T, field string) {
		markdown := Markdown(field)
		mentionsOnly(t, field, markdown)
		written := Writing{Old: field}.HTML(markdown)
		text := strings.Join(shown(written), " ") + written
		for _, a := range keep(field).all {
			if (a.kind == fileKind || a.kind == previewKind) && !strings.Contains(written, a.html) {
				t.Errorf("%q is missing in %q", a.html, written)
			}
			text += strings.Join(shown(a.html), " ") // a stray end tag in it closes an element around it
		}
		for _, s := range shown(field) {
			for _, w := range word.FindAllString(s, -1) {
				if strings.Contains(markdown, w) && !strings.Contains(text, w) {
					t.Errorf("%q of %q is missing, which reads %q: %q", w, field, markdown, written)
				}
			}
		}
	})
}

// mentionLabel is a mention in Markdown.
var mentionLabel = regexp.MustCompile(`(^|[^\\])\[@(?:[^\[\]\\]|\\.)*\]`)

// mentionsOnly fails the test if a copy of a shown text could mention anyone whom the field does
// not mention.
func mentionsOnly(t *testing.T, field, markdown string) {
	t.Helper()
	if strings.Contains(strings.ToLower(field), "<bc-attachment") {
		markdown = mentionLabel.ReplaceAllString(markdown, "$1")
	}
	refs, addressed := ReadRefs(markdown, field), Writing{Old: field}.Addressed(markdown)
	if len(refs.Called)+len(addressed)+len(refs.People) > 0 {
		t.Errorf("%q, which reads %q, mentions %q, %q and %v", field, markdown, refs.Called, addressed, refs.People)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("@Hanna `@media` [@Victor] @[Ann](person:5) [Attachment: a.pdf] \\@b https://x.example/@c")
	f.Add("<https://a`b> @Hanna `c\n  ```\n@d")
	f.Add("<a0:@Hanna>")
	f.Add("&commat;Hanna &#64;Ben h@example.com")
	f.Fuzz(func(t *testing.T, text string) {
		if shown := Plain(text); refers(shown) {
			t.Errorf("%q, which reads %q, mentions someone", text, shown)
		}
	})
}

func FuzzReplace(f *testing.F) {
	f.Add("<div>one <b>two</b> three</div>", "one *two*", "1")
	f.Add("<p>a <a href='https://x.example'>b <i>c</i></a> d</p>", "[c](d)", "- e\n- f")
	f.Add("<ul><li>a<li>b &amp; c"+keptVictor+"</ul>", "- b & c", "- d\n- [e](https://x.example)")
	f.Add("<h1>a</h1><pre>b\n c</pre><table><td>d<td>e</table>", "```\nb c\n```", "```\nf\n```")
	f.Add("<b><div>a</b> b</div><i>c", "a b", "***")
	f.Add(`<div>a<bc-attachment filename="b"/> c<br> <br>d`, "c", "e\n\nf")
	f.Fuzz(func(t *testing.T, field, find, replacement string) {
		edited, m := replaceIn(field, find, replacement)
		if m.Places != 1 {
			if edited != field {
				t.Errorf("Replace(%q, %q) finds %d places and returns %q", field, find, m.Places, edited)
			}
			return
		}
		closed, in, _ := blocksOf(field)
		if !slices.ContainsFunc(in, func(b block) bool { return keepsOutside(closed, edited, b) }) {
			t.Errorf("Replace(%q, %q) = %q: more than one block changed", field, find, edited)
		}
		for _, a := range keep(field).all {
			if !strings.Contains(edited, a.html) && len(Lost(field, edited)) == 0 {
				t.Errorf("Replace(%q, %q) = %q: loses %q", field, find, edited, a.html)
			}
		}
	})
}

// withoutTags returns text without the tags at its end.
func withoutTags(text string) string {
	for strings.HasSuffix(text, ">") && strings.Contains(text, "<") {
		text = text[:strings.LastIndexByte(text, '<')]
	}
	return text
}

// reversed returns text in reverse order, with mirrored brackets.
func reversed(text string) string {
	bytes := []byte(text)
	slices.Reverse(bytes)
	return strings.NewReplacer("<", ">", ">", "<").Replace(string(bytes))
}

func FuzzAppend(f *testing.F) {
	f.Add("<div>a</div>", "b")
	f.Add("<ul><li>a<b>c", "- b")
	f.Add("a <!-- b", "# c")
	f.Fuzz(func(t *testing.T, field, text string) {
		addition := Writing{}.HTML(text)
		whole := Append(field, addition)
		if !strings.HasSuffix(whole, addition) {
			t.Errorf("Append(%q, %q) = %q", field, addition, whole)
		}
		closed, _ := attachmentsOf(field)
		parts, open := partsOf(closed)
		if len(open) == 0 && (field == "" || len(parts) > 0 && parts[len(parts)-1].to == len(closed)) && !strings.HasPrefix(whole, closed) {
			t.Errorf("Append(%q, %q) = %q: the field changed", field, addition, whole)
		}
	})
}
