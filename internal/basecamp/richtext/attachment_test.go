package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const mentionTag = `<bc-attachment sgid="x" content-type="application/vnd.basecamp.mention">`

func TestMarkdown_ConvertsMentions(t *testing.T) {
	check(t, []example{
		{"by the caption", "Hi " + mentionTag + `<figure><img src="https://x.example/a.png" alt="V"><figcaption>Victor</figcaption></figure></bc-attachment>!`, "Hi [@Victor]!"},
		{"by the picture", mentionTag + `<img src="https://x.example/a.png" alt="Victor"></bc-attachment>`, "[@Victor]"},
		{"by the text, without a second @", mentionTag + "@Victor Lund</bc-attachment>", "[@Victor Lund]"},
		{"upper and lower case", `<BC-Attachment Content-Type="Application/VND.Basecamp.Mention">Victor</BC-ATTACHMENT>`, "[@Victor]"},
		{"without a name", mentionTag + "</bc-attachment>", "[@someone]"},
		{"side by side", mentionTag + "A</bc-attachment>" + mentionTag + "B</bc-attachment>", "[@A][@B]"},
		{"a name is not markup", mentionTag + "*A* [b](c)</bc-attachment>", `[@\*A\* \[b\](c)]`},
		{"a mention is not a link", mentionTag + "A</bc-attachment>(https://x.example)", `[@A]\(https://x.example)`},
		{"in a cell", "<table><tr><td>" + mentionTag + "A|B</bc-attachment><td>b</table>", "| [@A\\|B] | b |\n|---|---|"},
	})
}

func TestMarkdown_ConvertsFiles(t *testing.T) {
	const figure = `<figure><img src="https://x.example/p.jpg" alt="p"><figcaption>`
	check(t, []example{
		{"name and type", `<bc-attachment filename="my-photo.jpg" content-type="image/jpeg" url="https://x.example/p"></bc-attachment>`,
			"[Attachment: my-photo.jpg (image/jpeg)]"},
		{"the figure is not shown twice", `<bc-attachment filename="p.jpg" content-type="image/jpeg">` + figure + "p.jpg</figcaption></figure></bc-attachment>",
			"[Attachment: p.jpg (image/jpeg)]"},
		{"a caption is kept", `<bc-attachment filename="p.jpg" caption="old">` + figure + "The red frame</figcaption></figure></bc-attachment>",
			"[Attachment: p.jpg] *The red frame*"},
		{"the size that the editor adds", `<bc-attachment filename="p.pdf">` + figure + "<span>p.pdf</span> <span>12 KB</span></figcaption></figure></bc-attachment>",
			"[Attachment: p.pdf] *12 KB*"},
		{"a caption in an attribute", `<bc-attachment filename="p.jpg" caption="Red"></bc-attachment>`, "[Attachment: p.jpg] *Red*"},
		{"named by its caption", "<bc-attachment>" + figure + "Red</figcaption></figure></bc-attachment>", "[Attachment: Red]"},
		{"without a name", `<bc-attachment sgid="x"></bc-attachment>`, "[Attachment: file]"},
		{"office types are files", `<bc-attachment filename="a.xlsx" content-type="application/vnd.ms-excel"></bc-attachment>`, "[Attachment: a.xlsx (application/vnd.ms-excel)]"},
		{"on a separate line", `<div>a <bc-attachment filename="b"></bc-attachment> c</div>`, "a\n\n[Attachment: b]\n\nc"},
		{"in the line of a heading", `<h1>a <bc-attachment filename="b"></bc-attachment> c</h1>`, "# a [Attachment: b] c"},
		{"a gallery of attachments", `<div>` + strings.Repeat(`<bc-attachment presentation="gallery" filename="a.jpg"></bc-attachment>`, 2) + `</div>`,
			"[Attachment: a.jpg]\n\n[Attachment: a.jpg]"},
		{"a gallery around attachments", `<bc-attachment presentation="gallery"><bc-attachment filename="a"></bc-attachment> <bc-attachment filename="b"></bc-attachment></bc-attachment>`,
			"[Attachment: a]\n\n[Attachment: b]"},
	})
}

func TestMarkdown_TextAroundAnAttachmentIsKept(t *testing.T) {
	const file = `<bc-attachment filename="a.pdf"`
	check(t, []example{
		{"self-closing", "<div>x " + file + "/> y</div><div>z</div>", "x\n\n[Attachment: a.pdf]\n\ny\n\nz"},
		{"never closed", file + "> y<div>z</div>", "[Attachment: a.pdf]\n\ny\n\nz"},
		{"never closed, before a closed one", file + "> y <bc-attachment filename=b></bc-attachment> z", "[Attachment: a.pdf]\n\ny\n\n[Attachment: b]\n\nz"},
		{"a self-closing mention", "Hi " + mentionTag[:len(mentionTag)-1] + " /> please look", "Hi [@someone] please look"},
		{"closed too late", file + "><p>y <b>z</b></p></bc-attachment>", "[Attachment: a.pdf]\n\ny **z**"},
		{"a tag in an attribute's quotes", `<bc-attachment filename="a > b.pdf" title='/>'/> y`, "[Attachment: a > b.pdf]\n\ny"},
		{"a link to itself", file + `><a href="https://x.example/download">a.pdf</a></bc-attachment>`, "[Attachment: a.pdf]"},
	})
}

func TestMarkdown_EmbedsKeepTheirTextAndLinks(t *testing.T) {
	const embed = `<bc-attachment content-type="application/vnd.basecamp.opengraph-embed"`
	check(t, []example{
		{"with content", embed + `><a href="https://x.example/">Bike fair</a><p>In May</p></bc-attachment>`, "[Bike fair](https://x.example/)\n\nIn May"},
		{"with attributes only", embed + ` href="https://x.example/" filename="Bike fair" caption="In May"></bc-attachment>`, "[Bike fair](https://x.example/) In May"},
		{"with a target only", embed + ` href="https://x.example/"></bc-attachment>`, "https://x.example/"},
		{"a rule", `a<bc-attachment content-type="vnd.rubyonrails.horizontal-rule.html"></bc-attachment>b`, "a\n\n***\n\nb"},
	})
}

func TestNameFiles_AddsMissingNames(t *testing.T) {
	files := []File{{"p", `plan "A".pdf`, "application/pdf", ""}, {"q", "q.png", "image/png", ""}, {"r", "", "image/png", ""}}
	for _, c := range []struct{ name, field, want string }{
		{"by its sgid", `<p>See <bc-attachment sgid="p"></bc-attachment></p>`, `<p>See <bc-attachment filename="plan &#34;A&#34;.pdf" content-type="application/pdf" sgid="p"></bc-attachment></p>`},
		{"its own type stays", `<BC-attachment sgid=q content-type="image/jpeg" caption="Red"/>`, `<BC-attachment filename="q.png" sgid=q content-type="image/jpeg" caption="Red"/>`},
		{"its own name stays", `<bc-attachment sgid="p" filename="b.pdf"></bc-attachment>`, `<bc-attachment sgid="p" filename="b.pdf"></bc-attachment>`},
		{"a person is not a file", `<bc-attachment sgid="p" content-type="application/vnd.basecamp.mention"></bc-attachment>`, `<bc-attachment sgid="p" content-type="application/vnd.basecamp.mention"></bc-attachment>`},
		{"unknown, nameless, without an sgid, cut off", `<bc-attachment sgid="x"><bc-attachment sgid="r"><bc-attachment><bc-attachment sgid="p`, `<bc-attachment sgid="x"><bc-attachment sgid="r"><bc-attachment><bc-attachment sgid="p`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NameFiles(c.field, files); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestHTML_KeepsAFileThatWasReadWithItsListedName(t *testing.T) {
	field := `<p>a <bc-attachment sgid="p" caption="The red *frame*"></bc-attachment></p><p>b <bc-attachment sgid="q" content-type="image/png"></bc-attachment> ` +
		`<bc-attachment sgid="k" filename="k.pdf"></bc-attachment></p>`
	read := Markdown(NameFiles(field, []File{{"p", "plan.pdf", "application/pdf", ""}, {"q", "q.png", "image/png", ""}}))
	if want := "a\n\n[Attachment: plan.pdf (application/pdf)] *The red \\*frame\\**\n\nb\n\n[Attachment: q.png (image/png)]\n\n[Attachment: k.pdf]"; read != want {
		t.Errorf("reads %q, want %q", read, want)
	}
	want := `<div>a<br><br><bc-attachment sgid="p" caption="The red *frame*"></bc-attachment><br><br>b<br><br><bc-attachment sgid="q" content-type="image/png"></bc-attachment>` +
		`<bc-attachment sgid="k" filename="k.pdf"></bc-attachment></div>`
	if got := (Writing{Old: field}).HTML(read); got != want {
		t.Errorf("written back as %s, want %s", got, want)
	}
}

func TestFiles_AreThoseThatTheElementsDescribe(t *testing.T) {
	field := `<div><bc-attachment sgid="p" content-type="application/vnd.basecamp.mention" filename="Priya"></bc-attachment>
		<bc-attachment sgid="a" content-type="image/png" href="https://storage.3.basecamp.com/1/blobs/a/download/a.png" filename="a &amp; b.png"><figure></figure></bc-attachment></div>
		<div><bc-attachment presentation="gallery" sgid="b" filename="b.pdf"></bc-attachment><bc-attachment sgid="nameless"></bc-attachment></div>
		<pre>&lt;bc-attachment sgid="x" filename="x.png"&gt;</pre>`
	want := []File{{"a", "a & b.png", "image/png", "https://storage.3.basecamp.com/1/blobs/a/download/a.png"}, {"b", "b.pdf", "", ""}}
	if diff := cmp.Diff(want, Files(field)); diff != "" {
		t.Error(diff)
	}
	if got := Files("<div>no files</div>"); got != nil {
		t.Errorf("got %v", got)
	}
}
