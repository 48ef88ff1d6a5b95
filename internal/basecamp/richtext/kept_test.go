package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	keptVictor = mentionTag + `<figure><img src="https://bikes.example/7" ><figcaption>Victor</figcaption></figure></bc-attachment>`
	keptMette  = `<bc-attachment  content-type="application/vnd.basecamp.mention" sgid='m'>Mette [L]</bc-attachment>`
	keptPlan   = `<bc-attachment sgid="p" content-type="application/pdf" filename="plan_1.pdf"><figure><figcaption>plan_1.pdf 12 KB</figcaption></figure></bc-attachment>`
	keptPhoto  = `<bc-attachment sgid="f" content-type="image/jpeg" filename="a|b.jpg" presentation="gallery"></bc-attachment>`
	keptRule   = `<bc-attachment sgid="r" content-type="vnd.rubyonrails.horizontal-rule.html"></bc-attachment>`
	keptFair   = `<bc-attachment sgid="o" content-type="application/vnd.basecamp.opengraph-embed"><a href="https://x.example/">Bike fair</a><p>In May</p></bc-attachment>`
)

func TestHTML_KeepsTheOldAttachmentsThatTheTextShows(t *testing.T) {
	for _, c := range []struct{ name, old, markdown, want string }{
		{"a mention", "<div>" + keptVictor + "</div>", "Hi [@Victor]!", "<div>Hi " + keptVictor + "!</div>"},
		{"a mention with markup in its name", keptMette, `**[@Mette \[L\]]**`, "<div><strong>" + keptMette + "</strong></div>"},
		{"a file with its caption", keptPlan, "see\n\n[Attachment: plan_1.pdf (application/pdf)] *12 KB*\n\nend", "<div>see<br><br>" + keptPlan + "<br><br>end</div>"},
		{"a file without its caption", keptPlan, "see [Attachment: plan\\_1.pdf  (application/pdf)] end", "<div>see " + keptPlan + " end</div>"},
		{"a file in a cell", keptPhoto, "| [Attachment: a\\|b.jpg (image/jpeg)] | b |\n|---|---|", "<table><thead><tr><th>" + keptPhoto + "</th><th>b</th></tr></thead></table>"},
		{"files without text between them", keptPhoto + keptPlan, "[Attachment: a|b.jpg (image/jpeg)]\n\n[Attachment: plan_1.pdf (application/pdf)]", "<div>" + keptPhoto + keptPlan + "</div>"},
		{"several with one label, each once", keptVictor + strings.Replace(keptVictor, `"x"`, `"y"`, 1), "[@Victor] [@Victor] [@Victor]",
			"<div>" + keptVictor + " " + strings.Replace(keptVictor, `"x"`, `"y"`, 1) + " [@Victor]</div>"},
		{"a mention followed by text", keptVictor + keptMette, "[@Victor]\n\n[@Mette \\[L\\]]", "<div>" + keptVictor + "<br><br>" + keptMette + "</div>"},
		{"a file without a name", `<bc-attachment sgid="x"></bc-attachment>`, "a [Attachment: file]", `<div>a <bc-attachment sgid="x"></bc-attachment></div>`},
		{"a file with stray content", `<bc-attachment filename="a"><figure><figcaption>b</figcaption></figure><p>c</p></bc-attachment>`, "[Attachment: a] *b*",
			`<div><bc-attachment filename="a"><figure><figcaption>b</figcaption></figure><p>c</p></bc-attachment></div>`},
		{"a mention around a file", mentionTag + "A" + keptPhoto + "</bc-attachment>", "hi [@A]", "<div>hi " + mentionTag + "A" + keptPhoto + "</bc-attachment></div>"},
		{"files missing from the text go to the end", "<div>" + keptPlan + keptVictor + keptPhoto + "</div>", "- new", "<ul><li>new</li></ul><div>" + keptPlan + keptPhoto + "</div>"},
		{"files when the text is empty", keptPlan, "", "<div>" + keptPlan + "</div>"},
		{"not in code", keptVictor, "`[@Victor]` \\[@Victor]", "<div><code>[@Victor]</code> [@Victor]</div>"},
		{"labels of another field are text", "", "[@Victor]", "<div>[@Victor]</div>"},
		{"a rule", keptRule + "<hr>", "a\n\n***\n\n***", "<div>a</div>" + keptRule + "<hr>"},
		{"a rule missing from the text is removed", keptRule + keptMette, "a", "<div>a</div>"},
		{"a preview", keptFair, "a\n\n[Bike fair](https://x.example/)\n\nIn May\n\nb", "<div>a<br><br>" + keptFair + "<br><br>b</div>"},
		{"a preview missing from the text", keptFair, "[Bike fair](https://x.example/)", `<div><a href="https://x.example/">Bike fair</a><br><br>` + keptFair + "</div>"},
		{"a preview is not a label, even after an open bracket", keptFair, "[Ask Ann\n\n[Bike fair](https://x.example/)\n\nIn May", "<div>[Ask Ann<br><br>" + keptFair + "</div>"},
		{"a preview in code is text", keptFair, "```\n\n[Bike fair](https://x.example/)\n\nIn May\n\n```", "<pre>\n[Bike fair](https://x.example/)\n\nIn May\n</pre>"},
		{"those in a gallery", `<bc-attachment presentation="gallery">` + keptPhoto + keptPlan + "</bc-attachment>", "[Attachment: a|b.jpg (image/jpeg)]", "<div>" + keptPhoto + keptPlan + "</div>"},
		{"an attachment within a file is part of it", keptPlan[:len(keptPlan)-16] + keptPhoto + "</bc-attachment>", "a", "<div>a<br><br>" + keptPlan[:len(keptPlan)-16] + keptPhoto + "</bc-attachment></div>"},
		{"an attachment without an end", `<bc-attachment filename="a"/><div>x`, "[Attachment: a] x", `<div><bc-attachment filename="a"/></bc-attachment> x</div>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Writing{Old: c.old}.HTML(c.markdown)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestHTML_DoesNotMentionAPersonTwice(t *testing.T) {
	w := Writing{Old: keptVictor, Mention: []Person{{ID: 7, Name: "Victor Lund", SGID: "x"}}}
	if got, want := w.HTML("@Victor, [@Victor]"), "<div>@Victor, "+keptVictor+"</div>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := w.HTML("@Victor"), `<div><bc-attachment sgid="x"></bc-attachment></div>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHTML_KeepsAllAttachmentsOfAFieldThatIsWrittenBack(t *testing.T) {
	field := "<div>Hi " + keptVictor + ", see " + keptPlan + "<br>" + keptRule + "</div><ul><li>" + keptMette + keptPhoto + keptPhoto + "</li></ul>" + keptFair +
		"<table><tr><td>" + keptVictor + "</td><td>" + keptPhoto + "</td></tr></table>" + sample(4<<10)
	written := Writing{Old: field}.HTML(Markdown(field))
	for _, a := range keep(field).all {
		if had, has := strings.Count(field, a.html), strings.Count(written, a.html); has != had {
			t.Errorf("%d of %d are left of %s", has, had, a.html)
		}
	}
	if diff := cmp.Diff(Markdown(field), Markdown(written)); diff != "" {
		t.Errorf("Markdown differs, -want +got:\n%s", diff)
	}
}
