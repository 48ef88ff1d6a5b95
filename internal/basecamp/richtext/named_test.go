package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHTML_MentionsNamedPeopleEverywhere(t *testing.T) {
	named := map[string]Person{"Victor": victor, "zoe d'arcy": zoe, "Ann": ann, "Ann Lee": annLee, "Nemo": {Name: "Nemo"}}
	checkHTML(t, Writing{Named: named}, []written{
		{"each time", "@Victor, @VICTOR! @victor's", "<div>" + toVictor + ", " + toVictor + "! " + toVictor + "&#39;s</div>"},
		{"the longest name", "(@Ann Lee) @Ann", "<div>(" + toAnnLee + ") " + toAnn + "</div>"},
		{"with other apostrophes and accents", "@Zoë D’Arcy @Zoe D'Arcy", "<div>" + toZoe + " " + toZoe + "</div>"},
		{"whole words", "x@Ann @Anna @Ann-Marie @Ann_b", "<div>x@Ann @Anna @Ann-Marie @Ann_b</div>"},
		{"in cells, items and formatting", "- **@Ann**\n- *@Victor*", "<ul><li><strong>" + toAnn + "</strong></li><li><em>" + toVictor + "</em></li></ul>"},
		{"not in code or links", "`@Ann` [@Ann](https://x.example/)", `<div><code>@Ann</code> <a href="https://x.example/">@Ann</a></div>`},
		{"not escaped", `\@Ann \[@Ann] \\@Ann`, `<div>@Ann [@Ann] \` + toAnn + "</div>"},
		{"not without an sgid", "@Nemo", "<div>@Nemo</div>"},
	})
}

func TestAddressed_ReturnsWhatFollowsAnAtSignAtTheStartOfAWord(t *testing.T) {
	markdown := "@Ann *and* (@[Ann Lee]) x@y.example @2 @ b `@Code` [@Link](https://x.example) \\@Escaped [@Old] @"
	got := Writing{Old: strings.ReplaceAll(oldVictor, "Victor", "Old")}.Addressed(markdown)
	if diff := cmp.Diff([]string{"Ann ", "[Ann Lee]) "}, cutAt(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// cutAt returns the texts up to their next "@" or e-mail address.
func cutAt(texts []string) []string {
	for i, text := range texts {
		text, _, _ = strings.Cut(text, "@")
		texts[i] = strings.TrimSuffix(text, "x")
	}
	return texts
}

func TestNames_FindTheLongestNameAtTheStartOfAText(t *testing.T) {
	names := NamesOf([]Person{ann, annLee, victor, zoe, {ID: 12, Name: "Ann-Marie Otto", SGID: "o"}})
	for text, want := range map[string][]int64{
		"Ann Lee's": {9}, "Ann": {8, 9}, "ann.": {8, 9}, "Ann-Marie": {12}, "Anna": nil, "Victor lund": {7}, "victorious": nil, "Zoe\u0308": {10}, "": nil, "Lund": nil,
	} {
		var got []int64
		found, length := names.Begin(text)
		for _, p := range found {
			got = append(got, p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" || (length > 0) != (want != nil) {
			t.Errorf("%q: %d bytes, -want +got:\n%s", text, length, diff)
		}
	}
}

func TestUnmentioned_ReturnsTheWordsWithAnAtSignThatMentionNoOne(t *testing.T) {
	field := "<div>@media, <code>@Override</code> (a.b@c.example) " + oldVictor + toAnn + " @<b>Ann</b>!<br>@2x @ x <a href=\"https://x.example/@ann\">https://x.example/@ann</a>" +
		"<a href=\"mailto:d@e.example\">d@e.example</a> <a href=\"https://x.example/\">@link</a> @media</div><pre>@é’s</pre>"
	if diff := cmp.Diff([]string{"@media", "@Override", "a.b@c.example", "@Ann", "d@e.example", "@link", "@é’s"}, Unmentioned(field)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if many := Unmentioned("<p>" + strings.Repeat("@a", 3) + strings.Repeat(" @b<br>@c @d", 9) + "</p>"); len(many) > 5 {
		t.Errorf("repeats: %q", many)
	}
}
