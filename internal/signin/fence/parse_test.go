package fence

import (
	"strings"
	"testing"
)

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
		"Uses only your tasks and checklists.": {Read: &Places{}, NoPings: true},
		"Does not use pings.":                  {NoPings: true},
		"Does not see what people wrote on GitHub who do not work on the repository.": {Lockdown: true},
	} {
		if got := f.Words(); strings.Join(got, " ") != want {
			t.Errorf("%s: %q", f.Text(), got)
		}
	}
}
