package richtext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
