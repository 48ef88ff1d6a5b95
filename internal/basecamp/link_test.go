package basecamp

import (
	"testing"
)

func TestParseLink_ReadsEveryFormOfURL(t *testing.T) {
	for raw, want := range map[string]Link{
		"https://3.basecamp.com/77001/projects/42":                                         {77001, 42, "projects", 42, 0},
		"https://app.basecamp.com/77001/buckets/42/todos/7":                                {77001, 42, "todos", 7, 0},
		" https://3.basecamp.com/77001/buckets/42/messages/7/ ":                            {77001, 42, "messages", 7, 0},
		"https://3.basecamp.com/77001/buckets/42/messages/7#__recording_9":                 {77001, 42, "messages", 7, 9},
		"https://3.basecamp.com/77001/buckets/42/messages/7/edit":                          {77001, 42, "messages", 7, 0},
		"https://3.basecamp.com/77001/buckets/42/card_tables/cards/7":                      {77001, 42, "cards", 7, 0},
		"https://3.basecamp.com/77001/buckets/42/card_tables/columns/7":                    {77001, 42, "columns", 7, 0},
		"https://3.basecamp.com/77001/buckets/42/chats/7@8":                                {77001, 42, "lines", 8, 0},
		"https://3.basecamp.com/77001/buckets/42/chats/7/lines/8":                          {77001, 42, "lines", 8, 0},
		"https://3.basecampapi.com/77001/buckets/42/todolists/7.json":                      {77001, 42, "todolists", 7, 0},
		"https://3.basecampapi.com/77001/todos/7.json":                                     {77001, 0, "todos", 7, 0},
		"http://3.BASECAMP.com/77001/buckets/42/documents/9007199254741623":                {77001, 42, "documents", 9007199254741623, 0},
		"https://3.basecamp.com/77001/buckets/42/todolists/7/groups/8?x=1#anything-at-all": {77001, 42, "groups", 8, 0},
	} {
		if got, err := ParseLink(raw); err != nil || got != want {
			t.Errorf("ParseLink(%q) = %+v, %v; want %+v", raw, got, err, want)
		}
	}
}

func TestParseLink_RefusesWhatNamesNothingInBasecamp(t *testing.T) {
	for _, raw := range []string{
		"", "todo", "https://3.basecamp.com/", "https://3.basecamp.com/77001", "https://3.basecamp.com/77001/projects",
		"https://3.basecamp.com/77001/projects/zero", "https://3.basecamp.com/77001/projects/-4", "https://evil.example/77001/projects/42",
		"https://3.basecamp.com.evil.example/77001/projects/42", "javascript://3.basecamp.com/77001/projects/42",
		"https://3.basecamp.com/77001/buckets/42/todos/99999999999999999999", "https://3.basecamp.com/x/projects/42",
		"https://3.basecamp.com/77001/buckets/42",
	} {
		if got, err := ParseLink(raw); err == nil {
			t.Errorf("ParseLink(%q) = %+v, want an error", raw, got)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	f.Add("https://3.basecamp.com/77001/buckets/42/messages/7#__recording_9")
	f.Add("https://3.basecamp.com/1/buckets/2/chats/3@4")
	f.Fuzz(func(t *testing.T, raw string) {
		link, err := ParseLink(raw)
		if err == nil && (link.Account <= 0 || link.ID <= 0 || link.Project < 0 || link.Comment < 0 || link.Type == "") {
			t.Errorf("ParseLink(%q) = %+v", raw, link)
		}
	})
}
