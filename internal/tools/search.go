package tools

import (
	"context"
	"html"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

type searchInput struct {
	Query   string      `json:"query" jsonschema:"Words to look for" limits:"minlen=1 maxlen=500"`
	Project mcptool.Ref `json:"project,omitzero" jsonschema:"Only in this project"`
	Types   []string    `json:"types,omitzero" jsonschema:"Any of message, todo, todolist, document, upload, card, comment, chat, checkin, schedule_entry" limits:"maxitems=10"`
	Creator mcptool.Ref `json:"creator,omitzero" jsonschema:"Author: id, name or me"`
	Since   string      `json:"since,omitzero" jsonschema:"Date, time, last_7_days, last_30_days, last_90_days or last_12_months"`
	Sort    string      `json:"sort,omitzero" jsonschema:"Order" limits:"enum=best_match|recency default=best_match"`
	scrollInput
}

// searchType is a word of types: the key Basecamp knows it by, and of what that finds the types that are not meant.
type searchType struct{ word, key, but string }

var searchTypes = []searchType{
	{"message", "Message", ""}, {"todo", "Todo", "Todolist"}, {"todolist", "Todo", "Todo"}, {"document", "Document", ""},
	{"upload", "Attachment", ""}, {"card", "Kanban::Card", ""}, {"comment", "Comment", ""}, {"chat", "Chat::Transcript", ""},
	{"checkin", "Question", ""}, {"schedule_entry", "Schedule::Entry", ""},
}

type foundItem struct {
	head
	Title     string `json:"title"`
	Excerpt   string `json:"excerpt,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	Where     string `json:"where,omitempty"`
	meta
}

func (f *foundItem) trim(characters int) {
	excerpt(&f.Excerpt, characters, &f.Truncated)
	excerpt(&f.Title, characters, &f.Truncated)
}

func search(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "search",
		Title:       "Search",
		Description: "Searches all of Basecamp for words: plain excerpts with type and id (type:id), title, where it is and url. get_by_url reads any of it in full.",
	}, func(ctx context.Context, in searchInput) (scroll[foundItem], error) {
		asked, keep, err := ws.searchFor(ctx, in)
		if err != nil {
			return scroll[foundItem]{}, err
		}
		l := &listing[basecamp.SearchResult]{
			of:   digest("search", asked.Text, asked.Types, in.Types, asked.Project, asked.Creator, in.Since, in.Sort),
			id:   func(r basecamp.SearchResult) int64 { return r.ID },
			keep: keep,
			sources: []source[basecamp.SearchResult]{func(ctx context.Context, page int) (basecamp.Page[basecamp.SearchResult], error) {
				return ws.bc.Search(ctx, asked, page)
			}},
		}
		found, err := l.collect(ctx, in.paging())
		if err != nil {
			return scroll[foundItem]{}, err
		}
		return scrolled(answer(l, found, viewFound)), nil
	})
}

// searchFor turns the arguments into what Basecamp can be asked, and a filter for the rest, nil when there is none.
func (ws *workspace) searchFor(ctx context.Context, in searchInput) (asked basecamp.Search, keep func(basecamp.SearchResult) bool, err error) {
	asked = basecamp.Search{Text: strings.TrimSpace(in.Query), Recent: in.Sort == "recency"}
	if asked.Text == "" {
		return asked, nil, fault.Invalid("query", "must hold a word")
	}
	keys, not, err := searchKeys(in.Types)
	if err != nil {
		return asked, nil, err
	}
	asked.Types = keys
	var begin time.Time
	err = together(ctx,
		func(ctx context.Context) (err error) {
			if in.Since != "" {
				begin, err = ws.since(ctx, "since", in.Since)
				asked.Since = ws.spanFor(in.Since, begin)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			asked.Project, err = ws.filterProject(ctx, in.Project)
			return err
		},
	)
	if err != nil {
		return asked, nil, err
	}
	if asked.Creator, err = ws.filterPerson(ctx, "creator", in.Creator, asked.Project); err != nil {
		return asked, nil, err
	}
	if asked.Since == in.Since && not == "" {
		return asked, nil, nil
	}
	return asked, func(r basecamp.SearchResult) bool { return r.Type != not && !r.CreatedAt.Before(begin) }, nil
}

// searchKeys are the keys of some types, and the type their results must not have, "" for none: to-dos and their lists share a
// key.
func searchKeys(words []string) (keys []string, not string, err error) {
	for _, word := range words {
		i := slices.IndexFunc(searchTypes, func(t searchType) bool { return t.word == word })
		if i < 0 {
			return nil, "", fault.Invalid("types", "has no %q; there are %s", shorten(word), searchWords())
		}
		switch t := searchTypes[i]; {
		case !slices.Contains(keys, t.key):
			keys, not = append(keys, t.key), not+t.but
		case not != t.but: // both that share it
			not = ""
		}
	}
	return keys, not, nil
}

func searchWords() string {
	words := make([]string, len(searchTypes))
	for i, t := range searchTypes {
		words[i] = t.word
	}
	return strings.Join(words, ", ")
}

// spanFor is the shortest span that reaches back to a time, "" when none does. What one finds too much is left to the filter.
func (ws *workspace) spanFor(since string, begin time.Time) string {
	const delay = time.Minute // until Basecamp reckons its own now
	for _, s := range spans {
		if since == s.word || !begin.Before(ws.now().Add(delay).AddDate(0, -s.months, -s.days)) {
			return s.word
		}
	}
	return ""
}

func viewFound(r basecamp.SearchResult) foundItem {
	v := foundItem{
		head:    head{r.ID, typeOf(r.Type)},
		Title:   richtext.Clean(r.Title),
		Excerpt: unmarked(r.Excerpt),
		meta:    viewMeta(r.Recording),
	}
	v.Author.Email = ""
	if r.Subject != "" {
		v.Title = richtext.Clean(r.Subject)
	}
	if v.Excerpt == v.Title {
		v.Excerpt = ""
	}
	if r.Parent != nil {
		v.Where = richtext.Clean(r.Parent.Title)
	}
	return v
}

var marks = strings.NewReplacer("<em>", "", "</em>", "")

// unmarked is an excerpt as plain text.
func unmarked(text basecamp.HTML) string {
	return strings.TrimSpace(richtext.Clean(html.UnescapeString(marks.Replace(string(text)))))
}
