package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	toVictor  = `<bc-attachment sgid="v"></bc-attachment>`
	toAnn     = `<bc-attachment sgid="a"></bc-attachment>`
	toAnnLee  = `<bc-attachment sgid="al"></bc-attachment>`
	oldVictor = `<bc-attachment sgid="old" content-type="application/vnd.basecamp.mention"><figure><figcaption>Victor</figcaption></figure></bc-attachment>`
	toZoe     = `<bc-attachment sgid="z&amp;1"></bc-attachment>`
)

var (
	victor = Person{ID: 7, Name: "Victor Lund", SGID: "v"}
	ann    = Person{ID: 8, Name: "Ann", SGID: "a"}
	annLee = Person{ID: 9, Name: "Ann Lee", SGID: "al"}
	zoe    = Person{ID: 10, Name: "Zoë D’Arcy", SGID: "z&1"}
)

func TestHTML_ConvertsInlineMentions(t *testing.T) {
	checkHTML(t, Writing{Inline: []Person{victor, {ID: 11, Name: "Unknown"}}}, []written{
		{"by id, whatever the name", "hi @[Vic](person:7), **@[@V. \\[L\\]](person:7)**", "<div>hi " + toVictor + ", <strong>" + toVictor + "</strong></div>"},
		{"an unknown person", "@[Ann *Lee*](person:8) @[No](person:11) @[@Zoë](person:10)", "<div>@Ann *Lee* @No @Zoë</div>"},
		{"not in code", "`@[V](person:7)`\n\n    @[V](person:7)", "<div><code>@[V](person:7)</code></div><pre>@[V](person:7)</pre>"},
		{"not in a link", "[see @[V](person:7)](https://x.example/)", `<div><a href="https://x.example/">see @V</a></div>`},
		{"not escaped", `\@[V](person:7)`, "<div>@[V](person:7)</div>"},
		{"in cells, items and headings", "# @[V](person:7)\n\n- @[V](person:7)", "<h1>" + toVictor + "</h1><ul><li>" + toVictor + "</li></ul>"},
		{"in the form of a link", "[V](person:7) [@V](person:7) [@V](mention:7) **[V](mention:7)**", "<div>" + toVictor + " " + toVictor + " " + toVictor + " <strong>" + toVictor + "</strong></div>"},
		{"text that only looks like a mention", "@[V](person:x) @[V](person:99999999999999999999) @[V] @[V](7) [V](7) [V](person)", "<div>@[V](person:x) @[V](person:99999999999999999999) @[V] @[V](7) [V](7) [V](person)</div>"},
	})
}

func TestHTML_MentionsTheRequiredPeople(t *testing.T) {
	for _, c := range []struct {
		name, markdown, want string
		people               []Person
	}{
		{"by full name", "ask @Victor Lund, @Victor", "<div>ask " + toVictor + ", @Victor</div>", []Person{victor}},
		{"by first name", "ask @Victor. @Victor!", "<div>ask " + toVictor + ". @Victor!</div>", []Person{victor}},
		{"without case, accents and blanks", "@zoe   d’arcy @VICTOR\u00a0LUND", "<div>" + toZoe + " " + toVictor + "</div>", []Person{victor, zoe}},
		{"written with combining accents", "@Zoe\u0308 hi", "<div>" + toZoe + " hi</div>", []Person{zoe}},
		{"the longest name first", "@Ann Lee and @Ann", "<div>" + toAnnLee + " and " + toAnn + "</div>", []Person{ann, annLee}},
		{"two people with one first name", "@Ann and @Ann", "<div>" + toAnn + " and " + toAnnLee + "</div>", []Person{ann, annLee}},
		{"whole words", "@Anna @Ann-Marie x@Ann @Ann_b (@Ann)", "<div>@Anna @Ann-Marie x@Ann @Ann_b (" + toAnn + ")</div>", []Person{ann}},
		{"in possessives", "@Ann's", "<div>" + toAnn + "&#39;s</div>", []Person{ann}},
		{"in formatting", "- **@ann**", "<ul><li><strong>" + toAnn + "</strong></li></ul>", []Person{ann}},
		{"not in code or links", "`@Ann` [@Ann](https://x.example/)\n\n```\n@Ann\n```", "<div>" + toAnn + ` <code>@Ann</code> <a href="https://x.example/">@Ann</a></div><pre>@Ann</pre>`, []Person{ann}},
		{"otherwise at the beginning", "hi\n\nthere", "<div>" + toAnn + " " + toVictor + " hi<br><br>there</div>", []Person{ann, victor}},
		{"before a block that is not a paragraph", "# hi", "<div>" + toAnn + "</div><h1>hi</h1>", []Person{ann}},
		{"alone", "", "<div>" + toAnn + "</div>", []Person{ann}},
		{"each once", "@Ann @Ann", "<div>" + toAnn + " @Ann</div>", []Person{ann, ann}},
		{"not again after an inline mention", "@Ann, @[x](person:8)", "<div>@Ann, " + toAnn + "</div>", []Person{ann}},
		{"not without an sgid", "@Ann", "<div>@Ann</div>", []Person{{ID: 8, Name: "Ann"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Writing{Inline: []Person{ann}, Mention: c.people}.HTML(c.markdown)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("HTML(%s), -want +got:\n%s", c.markdown, diff)
			}
		})
	}
}

func TestHTML_MentionsTheRequiredPeopleWhereTheirNameStands(t *testing.T) {
	may := Person{ID: 11, Name: "May Lin", SGID: "m"}
	annDee := Person{ID: 12, Name: "Ann Dee", SGID: "ad"}
	toMay := `<bc-attachment sgid="m"></bc-attachment>`
	for _, c := range []struct {
		name, markdown, want string
		people               []Person
	}{
		{"in a salutation", "Dear Victor,\n\nthe pallet is in.", "Dear " + toVictor + ",<br><br>the pallet is in.", []Person{victor}},
		{"at the beginning", "Victor Lund, Ann Lee: see `Ann`", toVictor + ", " + toAnnLee + ": see <code>Ann</code>", []Person{victor, annLee}},
		{"in emphasis and possessives", "**Zoe's** jig, \"Victor\"", "<strong>" + toZoe + "&#39;s</strong> jig, &#34;" + toVictor + "&#34;", []Person{victor, zoe}},
		{"only once", "Victor and Victor", toVictor + " and Victor", []Person{victor}},
		{"rather behind an @", "Victor? @Victor!", "Victor? " + toVictor + "!", []Person{victor}},
		{"not as another's first name", "Victor Berg asks victor", "Victor Berg asks victor<hr>", []Person{victor}},
		{"not as a part of something", `\@Victor x/Victor Victor.pdf Victorian Victor-Emanuel`, "@Victor x/Victor Victor.pdf Victorian Victor-Emanuel<hr>", []Person{victor}},
		{"not as another word", "May Lin in May?", toMay + " in May?", []Person{may}},
		{"not as another word alone", "In May, may we?", "In May, may we?<hr>", []Person{may}},
		{"not as the first name of two", "Ann, Ann", "Ann, Ann<hr>", []Person{annLee, annDee}},
	} {
		got := Writing{Mention: c.people, Last: true}.HTML(c.markdown)
		line := ""
		for _, p := range c.people {
			line += " " + mentionOf(p)
		}
		want := "<div>" + strings.Replace(c.want, "<hr>", "</div><div><br></div><div>"+strings.TrimSpace(line), 1) + "</div>"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: HTML(%s), -want +got:\n%s", c.name, c.markdown, diff)
		}
	}
}

func TestHTML_MentionsTheOthersInFrontButNotOfASalutation(t *testing.T) {
	for markdown, want := range map[string]string{
		"The jig is free.": toVictor + " The jig is free.", "Hello!": toVictor + " Hello!", "Dearest is the frame.": toVictor + " Dearest is the frame.",
		"Dear all,\n\nit is in.": "", "Hi everyone, it is in.": "", "Liebe Leute": "",
	} {
		got := Writing{Mention: []Person{victor}}.HTML(markdown)
		if want == "" && !strings.HasSuffix(got, "<div>"+toVictor+"</div>") || want != "" && got != "<div>"+want+"</div>" {
			t.Errorf("%s: %s", markdown, got)
		}
	}
}

func TestHTML_MentionsPeopleByTheLabelThatMarkdownShows(t *testing.T) {
	read := Markdown(oldVictor)
	checkHTML(t, Writing{Called: map[string]Person{"Victor": victor, "Ann Lee": annLee, "Unknown": {Name: "Unknown"}}, Old: oldVictor}, []written{
		{"an old mention stays next to new ones", read + " and **" + read + "** [@Ann  Lee]", "<div>" + oldVictor + " and <strong>" + toVictor + "</strong> " + toAnnLee + "</div>"},
		{"as often as the text has the label", "[@Ann Lee] [@Ann Lee]", "<div>" + toAnnLee + " " + toAnnLee + "</div>"},
		{"not unknown people", "[@Zoe] [@Unknown] [Ann Lee] [@ann lee]", "<div>[@Zoe] [@Unknown] [Ann Lee] [@ann lee]</div>"},
		{"not in code", "`[@Ann Lee]`\n\n    [@Ann Lee]", "<div><code>[@Ann Lee]</code></div><pre>[@Ann Lee]</pre>"},
		{"not as a link, or in one", "[@Ann Lee](https://x.example/) [see [@Ann Lee]](https://x.example/)", `<div><a href="https://x.example/">@Ann Lee</a> <a href="https://x.example/">see [@Ann Lee]</a></div>`},
		{"not escaped", `\[@Ann Lee]`, "<div>[@Ann Lee]</div>"},
	})
}

func TestReadRefs_ReturnsEachReferenceOnce(t *testing.T) {
	markdown := "@[V](person:7) **@[A](person:9)** `@[C](person:1)` @[V](person:7) \\@[D](person:2)\n\n> @[B](person:8)\n\n```\n@[E](person:3)\n```\n\n" +
		Markdown(oldVictor) + " **[@Zoe]** [@Ann Lee] [@Zoe] `[@Code]` [@Link](https://x.example) \\[@Escaped] [Attachment: a.pdf] [it](todo:5) [a](todo:5)"
	want := Refs{[]int64{7, 9, 8}, []string{"Ann Lee", "Zoe"}, []string{"person:2", "todo:5"}, []FileLine{{Label: "a.pdf"}}}
	if diff := cmp.Diff(want, ReadRefs(markdown, oldVictor)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(Refs{}, ReadRefs("unknown [x]", "")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

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
