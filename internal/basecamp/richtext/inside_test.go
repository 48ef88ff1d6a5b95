package richtext

import (
	"fmt"
	"strings"
	"testing"
)

const (
	chef = `<bc-attachment sgid="c" content-type="application/vnd.basecamp.mention"><figure><img src="https://bikes.example/chef.png" alt="C">` +
		`<figcaption>Chef</figcaption></figure></bc-attachment>`
	photo = `<bc-attachment sgid="f" content-type="image/jpeg" filename="frame.jpg" url="https://bikes.example/preview"><figure>` +
		`<a href="https://bikes.example/download"><img src="https://bikes.example/preview"></a><figcaption>The red frame</figcaption></figure></bc-attachment>`
)

func TestMarkdown_AnAttachmentReadsTheSameInAnyElement(t *testing.T) {
	for _, e := range []struct{ before, after, markBefore, markAfter string }{
		{"", "", "", ""},
		{"<p>", "</p>", "", ""},
		{"<p><strong>", "</strong></p>", "**", "**"},
		{"<p><span><em>", "</em></span></p>", "*", "*"},
		{"<ul><li><p>", "</p></li></ul>", "- ", ""},
		{"<blockquote><p>", "</p></blockquote>", "> ", ""},
		{"<h2>", "</h2>", "## ", ""},
		{"<h2><p>", "</p></h2>", "## ", ""},
		{"<div><p><span>", "</span></p></div>", "", ""},
		{`<p><a href="https://x.example/">`, "</a></p>", "[", "](https://x.example/)"},
		{"<table><tr><td><p>", "</p><td>x</table>", "| ", " | x |\n|---|---|"},
	} {
		t.Run(e.before, func(t *testing.T) {
			got := Markdown(e.before + "Review the plan, " + chef + "? Thanks" + e.after)
			if want := e.markBefore + "Review the plan, [@Chef]? Thanks" + e.markAfter; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
		t.Run("a file, "+e.before, func(t *testing.T) {
			got := Markdown(e.before + "See " + photo + " now" + e.after)
			if strings.Count(got, "frame.jpg") != 1 || strings.Count(got, "The red frame") != 1 || strings.Contains(got, "bikes.example") || !strings.Contains(got, "now") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestMarkdown_AttachmentsInAParagraph(t *testing.T) {
	file := "[Attachment: frame.jpg (image/jpeg)] *The red frame*"
	check(t, []example{
		{"two mentions", "<p>" + chef + " and " + chef + ", go</p><p>b</p>", "[@Chef] and [@Chef], go\n\nb"},
		{"a mention and a file", "<p>Hi " + chef + photo + "bye</p>", "Hi [@Chef]\n\n" + file + "\n\nbye"},
		{"a mention in a link", `<p><a href="https://x.example/">ask ` + chef + " now</a></p>", `[ask [@Chef] now](https://x.example/)`},
		{"inside upper-case tags", strings.ReplaceAll("<P>Hi "+chef+"!</P>", "bc-attachment", "BC-Attachment"), "Hi [@Chef]!"},
		{"self-closing", "<p>Hi " + mentionTag[:len(mentionTag)-1] + "/>, see " + photo + "</p>", "Hi [@someone], see\n\n" + file},
		{"not closed", `<p>See <bc-attachment filename="a.pdf"> and ` + chef + "</p>", "See\n\n[Attachment: a.pdf]\n\nand [@Chef]"},
		{"closed outside", `<p>See <bc-attachment filename="a.pdf"><figure><figcaption>A</figcaption></figure></p>x</bc-attachment> y`, "See\n\n[Attachment: a.pdf] *A*\n\nx y"},
		{"with blocks inside", `<p>a <bc-attachment filename="b.pdf"><div><figure><div><img src="https://x.example/p"></div><figcaption><p>b.pdf</p><p>12 KB</p></figcaption></figure></div></bc-attachment> c</p>`,
			"a\n\n[Attachment: b.pdf] *12 KB*\n\nc"},
		{"with a preview and without a figure", `<p>a <bc-attachment filename="b.pdf"><p><a href="https://x.example/d"><img src="https://x.example/p"></a></p></bc-attachment> c</p>`,
			"a\n\n[Attachment: b.pdf]\n\nc"},
		{"a figure of the editor", `<p>Hi ` + mentionTag + `<figure data-trix-attachment="{}" class="attachment"><span><img src="https://x.example/p"><p>Chef</p></span></figure></bc-attachment>!</p>`, "Hi [@Chef]!"},
		{"a gallery", `<p>a <bc-attachment presentation="gallery">` + photo + photo + "</bc-attachment> b</p>", "a\n\n" + file + "\n\n" + file + "\n\nb"},
		{"with a number attribute of its own", `<p><bc-attachment inside="1" filename="a"><i></i></bc-attachment> ` + chef + `</p>`, "[Attachment: a]\n\n[@Chef]"},
		{"in a form", "<select><option>x " + chef + "</select>", "x [@Chef]"},
		{"where it is text", "<textarea>" + chef[:19] + "</textarea>b", "\\<bc-attachment sgid\n\nb"},
		{"side by side with an embed", `<p>x <bc-attachment content-type="application/vnd.basecamp.opengraph-embed"><p>y</p></bc-attachment> z</p>`, "x\n\ny\n\nz"},
	})
}

func TestMarkdown_ALongFieldShowsNoPreview(t *testing.T) {
	field := "<p>" + strings.Replace(photo, ` filename="frame.jpg"`, "", 1) + photo + "</p><!--" + strings.Repeat("x", maxHTML) + "-->"
	if got := Markdown(field); strings.Contains(got, "![") {
		t.Errorf("got %q", got)
	}
}

func TestMarkdown_DeeplyNestedAttachmentsDoNotOverflowTheStack(t *testing.T) {
	for _, n := range []int{maxInside, maxInside + 1, 400, 6000} {
		field := strings.Repeat("<bc-attachment><b>x</b>", n) + "deep words" + strings.Repeat("</bc-attachment>", n)
		if got := Markdown(field); !strings.Contains(got, "deep words") {
			t.Error(fmt.Sprint(n), got)
		}
	}
}
