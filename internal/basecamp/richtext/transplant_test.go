package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTransplant_ReplacesMentionsFilesAndPreviewsAndKeepsTheRest(t *testing.T) {
	const field = `<div>Ask <bc-attachment sgid="p1" content-type="application/vnd.basecamp.mention"><figure><figcaption>Ines</figcaption></figure></bc-attachment> &amp; see ` +
		`<bc-attachment sgid="f1" content-type="text/plain" filename="a.txt" href="https://x.example/a" caption="Values &lt;Nm&gt;"></bc-attachment><br>` +
		`<bc-attachment content-type="vnd.rubyonrails.horizontal-rule.html"></bc-attachment>` +
		`<bc-attachment sgid="e1" content-type="application/vnd.basecamp.opengraph-embed" filename="A page" href="https://x.example/page"></bc-attachment></div>`
	var parts []Embedded
	got := Transplant(field, func(e Embedded) string {
		parts = append(parts, e)
		if e.File {
			return AttachAs("f2", e.Caption)
		}
		return Text(e.Name)
	})
	want := []Embedded{
		{Mention: true, Name: "Ines", SGID: "p1"}, {File: true, Name: "a.txt", SGID: "f1", URL: "https://x.example/a", Caption: "Values <Nm>"},
		{Name: "A page", SGID: "e1", URL: "https://x.example/page"},
	}
	for i := range parts {
		if parts[i].Mention {
			parts[i].Name = strings.TrimSpace(parts[i].Name)
		}
	}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Error(diff)
	}
	const wanted = `<div>Ask Ines &amp; see <bc-attachment sgid="f2" caption="Values &lt;Nm&gt;"></bc-attachment><br>` +
		`<bc-attachment content-type="vnd.rubyonrails.horizontal-rule.html"></bc-attachment>A page</div>`
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	if same := Transplant("<div>Plain</div>", nil); same != "<div>Plain</div>" {
		t.Error(same)
	}
}
