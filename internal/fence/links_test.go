package fence

import (
	"slices"
	"strings"
	"testing"
)

func TestRefused_FindsEveryFormOfALink(t *testing.T) {
	f := Fence{NoLinks: true, LinkHosts: []string{"docs.example"}}
	for text, host := range map[string]string{
		"see https://evil.example/x?y=1": "evil.example", "HTTP://EVIL.example.": "evil.example", "www.evil.example": "www.evil.example",
		"[x](//evil.example)": "evil.example", `<a href="//evil.example">x</a>`: "evil.example", `<img src=/\\evil.example/a.png>`: "evil.example",
		`<a href="https:evil.example">`: "evil.example", `<a href="ht&#116;ps://evil.example">`: "evil.example", "<a href=\"ht\ntps://evil.example\">": "evil.example",
		"https://docs.example@evil.example/": "docs.example@evil.example", `https://docs.example\@evil.example`: `docs.example\@evil.example`, "[ref]: //evil.example": "evil.example",
		"mailto:a@evil.example": "evil.example", "ftp://evil.example:21/x": "evil.example", "slack://evil.example/x": "evil.example",
		"https://docs.example/a https://evil.example": "evil.example", "https://docs.example.evil.example": "docs.example.evil.example",
		"https://docs.example/a, (https://DOCS.example:443/b).": "", "https://app.basecamp.com/1": "", "at 10:30, a/b, 1//2, c:/d": "", "": "",
	} {
		if got := f.Refused(text, []string{"basecamp.com"}, func(string) bool { return false }); got != host {
			t.Errorf("%q: refused %q, want %q", text, got, host)
		}
	}
	known := func(link string) bool { return link == "evil.example/x" }
	if f.Refused("https://evil.example/x", nil, known) != "" || f.Refused("https://evil.example/y", nil, known) == "" || (Fence{}).Refused("https://evil.example", nil, known) != "" {
		t.Error("a link that stands there already, another one, or no such rule")
	}
}

func FuzzLinks(f *testing.F) {
	f.Add("a https://x.example/b <c href='//d'>")
	f.Fuzz(func(t *testing.T, text string) {
		if clean := strings.Map(func(r rune) rune {
			if strings.ContainsRune("<>&\"'", r) {
				return ' '
			}
			return r
		}, text); !slices.Contains(Links(clean+" https://evil.example/ z"), "evil.example/") {
			t.Errorf("%q hides a link", clean)
		}
	})
}
