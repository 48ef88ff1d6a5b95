package fence

import (
	"strings"
	"testing"
)

func TestParse_ReadsEveryMemberAndRefusesEveryOther(t *testing.T) {
	for text, want := range map[string]string{ // a part of the error; empty for none
		`{}`: "",
		`{"read":{"projects":[1],"repos":["fernhill/shop.js"],"boards":["fern_hill/3"]},"write":{},"no_pings":true,` +
			`"writes_an_hour":30,"no_links":true,"link_hosts":["docs.fernhill.example"]}`: "",
		`{"reed":{}}`:                         `unknown field "reed"`,
		`{"read":{"project":[1]}}`:            `unknown field "project"`,
		`{"read":{"projects":["1"]}}`:         "cannot unmarshal",
		`{"read":{"projects":[0]}}`:           "read.projects[0] must be the ID",
		`{"write":{"repos":["shop"]}}`:        "write.repos[0] must be owner/name",
		`{"write":{"boards":["a/b"]}}`:        "write.boards[0] must be owner/number",
		`{"link_hosts":["Fernhill.example"]}`: "link_hosts[0] must be a host name",
		`{"writes_an_hour":-1}`:               "writes_an_hour must be from 0 to 10000",
		`{"no_pings":true} {}`:                "text follows",
		`[]`:                                  "cannot unmarshal",
		`{"no_pings":`:                        "unexpected EOF",
		`{"link_hosts":["` + strings.Repeat(`a.example","`, 400) + `a.example"]}`: "is the most",
	} {
		f, err := Parse(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.80s: %v", text, err)
		}
		if again, err2 := Parse(f.Text()); err == nil && (err2 != nil || !again.Equal(f)) {
			t.Errorf("%.80s: %v, %s", text, err2, f.Text())
		}
	}
}

func TestParsers_ReadWhatPeoplePaste(t *testing.T) {
	for text, want := range map[string]int64{
		"12": 12, "https://3.basecamp.com/1/projects/12": 12, "https://3.basecamp.com/1/buckets/12/todos/3#c": 12,
		"": 0, "0": 0, "-1": 0, "+1": 0, "1.5": 0, "Cargo": 0, "https://3.basecamp.com/1/people/12": 0, "https://3.basecamp.com/1/projects": 0, "http://3.basecamp.com/1/projects/12": 0,
	} {
		if got, ok := Project(text); ok != (want > 0) || ok && got != want {
			t.Errorf("project %q: %d, %t", text, got, ok)
		}
	}
	for name, test := range map[string]struct {
		parse func(string) (string, bool)
		texts map[string]string
	}{
		"repo": {Repo, map[string]string{
			"fernhill/shop": "fernhill/shop", "https://github.com/fernhill/shop/issues/1": "fernhill/shop", "Fern_Hill/.github": "Fern_Hill/.github",
			"": "", "shop": "", "a/b/c": "", "a/..": "", "a b/c": "", "/c": "", "https://github.com/fernhill": "",
		}},
		"board": {Board, map[string]string{
			"fernhill/3": "fernhill/3", "https://github.com/orgs/fernhill/projects/3/views/1": "fernhill/3", "https://github.com/users/ines/projects/4": "ines/4",
			"fernhill/0": "", "fernhill/x": "", "fernhill": "", "https://github.com/fernhill/shop": "",
		}},
		"host": {Host, map[string]string{
			"Fernhill.example": "fernhill.example", "https://docs.fernhill.example:8080/a?b": "docs.fernhill.example", "xn--bcher-kva.example": "xn--bcher-kva.example",
			"": "", "fernhill": "", "fernhill.example/a": "", "fernhill.example:80": "", "-a.example": "", "a..example": "", "*.example": "", "bücher.example": "", "1.2.3.4/8": "",
		}},
	} {
		for text, want := range test.texts {
			if got, ok := test.parse(text); ok != (want != "") || ok && got != want {
				t.Errorf("%s %q: %q, %t", name, text, got, ok)
			}
		}
	}
}

func TestWords_SayWhatAFenceForbids(t *testing.T) {
	for want, f := range map[string]Fence{
		"": {},
		"Uses only 1 project. Writes only in 2 projects, 1 repository and 1 board.": {
			Read: &Places{Projects: []int64{1}}, Write: &Places{Projects: []int64{1, 2}, Repos: []string{"a/b"}, Boards: []string{"a/1"}},
		},
		"Uses only your tasks and checklists.":                                        {Read: &Places{}, NoPings: true},
		"Does not use pings. Makes at most 1 write an hour. Writes no links.":         {NoPings: true, WritesAnHour: 1, NoLinks: true},
		"Writes no links, except to a.example and b.example.":                         {NoLinks: true, LinkHosts: []string{"a.example", "b.example"}},
		"Does not see what people wrote on GitHub who do not work on the repository.": {Lockdown: true},
	} {
		if got := f.Words(); strings.Join(got, " ") != want {
			t.Errorf("%s: %q", f.Text(), got)
		}
	}
}
