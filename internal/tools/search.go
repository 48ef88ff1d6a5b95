package tools

import (
	"cmp"
	"context"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

type searchInput struct {
	Query   string      `json:"query" jsonschema:"Words to look for" limits:"minlen=1 maxlen=500"`
	Project mcptool.Ref `json:"project,omitzero" jsonschema:"Only in this project"`
	Types   []string    `json:"types,omitzero" jsonschema:"Any of message, todo, todolist, document, upload, card, comment, chat, checkin, schedule_entry" limits:"maxitems=10"`
	Creator mcptool.Ref `json:"creator,omitzero" jsonschema:"Author: id, name or me"`
	Since   string      `json:"since,omitzero" jsonschema:"Date, time, last_7_days, last_30_days, last_90_days or last_12_months"`
	Sort    string      `json:"sort,omitzero" jsonschema:"Order" limits:"enum=best_match|recency default=best_match"`
	listing.ScrollInput
}

// searchType is a word of types: the key Basecamp knows it by, and of what that finds the types that are not meant.
type searchType struct{ word, key, but string }

var searchTypes = []searchType{
	{"message", "Message", ""}, {"todo", "Todo", "Todolist"}, {"todolist", "Todo", "Todo"}, {"document", "Document", ""},
	{"upload", "Attachment", ""}, {"card", "Kanban::Card", ""}, {"comment", "Comment", ""}, {"chat", "Chat::Transcript", ""},
	{"checkin", "Question", ""}, {"schedule_entry", "Schedule::Entry", ""},
}

// foundItem is what a search finds. A file inside a text has no id; its url is that of what it is in.
type foundItem struct {
	ID          int64  `json:"id,omitempty"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Excerpt     string `json:"excerpt,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	Where       string `json:"where,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	ByteSize    int64  `json:"byte_size,omitempty"`
	DownloadURL string `json:"download_url,omitempty"`
	meta
}

func (f *foundItem) Trim(characters int) {
	listing.Excerpt(&f.Excerpt, characters, &f.Truncated)
	listing.Excerpt(&f.Title, characters, &f.Truncated)
}

func search(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "search",
		Title:       "Search",
		Description: "Searches all of Basecamp for words: plain excerpts with type and id (type:id), title, where it is and url. get_by_url reads any of it; a file in a text has the text's url.",
	}, func(ctx context.Context, in searchInput) (listing.Scroll[foundItem], error) {
		asked, keep, err := ws.searchFor(ctx, in)
		if err != nil {
			return listing.Scroll[foundItem]{}, err
		}
		l := &listing.List[basecamp.SearchResult]{
			Of:   listing.Digest("search", asked.Text, asked.Types, in.Types, asked.Project, asked.Creator, in.Since, in.Sort),
			ID:   resultID,
			Keep: keep,
			Sources: []listing.Source[basecamp.SearchResult]{func(ctx context.Context, page int) (basecamp.Page[basecamp.SearchResult], error) {
				return ws.bc.Search(ctx, asked, page)
			}},
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return listing.Scroll[foundItem]{}, err
		}
		return listing.Scrolled(listing.Answer(l, found, viewFound)), nil
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
	err = listing.Together(ctx,
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
	return asked, func(r basecamp.SearchResult) bool {
		return (not == "" || r.Type != not) && !r.CreatedAt.Before(begin) // files have no type
	}, nil
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

// resultID identifies a result: files have no id, but an address of their own.
func resultID(r basecamp.SearchResult) int64 {
	if r.IsFile() {
		return occurrence(0, r.DownloadURL)
	}
	return r.ID
}

func viewFound(r basecamp.SearchResult) foundItem {
	if r.IsFile() {
		return viewFoundFile(r)
	}
	v := foundItem{ID: r.ID, Type: typeOf(r.Type), Title: plaintext.Clean(cmp.Or(r.Subject, r.Title)), meta: viewMeta(r.Recording)}
	v.Author.Email = ""
	for _, excerpt := range []basecamp.HTML{r.Content, r.Description} {
		if v.Excerpt = unmarked(excerpt); v.Excerpt == v.Title {
			v.Excerpt = ""
		}
		if v.Excerpt != "" {
			break
		}
	}
	if r.Parent != nil {
		v.Where = plaintext.Clean(r.Parent.Title)
	}
	return v
}

// insideText is the type of a file that is not an item of its own.
const insideText = "file"

// viewFoundFile shows a file at the address of what it is attached to: of the upload that it is, or of the text that it is in.
func viewFoundFile(r basecamp.SearchResult) foundItem {
	v := foundItem{
		Type:        insideText,
		Title:       plaintext.Clean(r.Filename),
		ContentType: r.ContentType,
		ByteSize:    r.ByteSize,
		DownloadURL: cmp.Or(r.AppDownloadURL, r.DownloadURL),
		meta:        viewMeta(r.Recording),
	}
	v.Author.Email = ""
	v.URL, v.UpdatedAt = v.DownloadURL, v.CreatedAt
	if r.Parent == nil {
		return v
	}
	v.Where, v.URL = plaintext.Clean(r.Parent.Title), cmp.Or(r.Parent.AppURL, v.URL)
	if r.Parent.Type == uploadKind.upstream {
		v.ID, v.Type = r.Parent.ID, uploadKind.kind
	}
	return v
}

// highlights are the tags around the words that matched, the last of which may be cut off. What else looks like a tag is text.
var highlights = regexp.MustCompile(`</?(?:em|mark|span)(?:\s[^<>]*)?>|</?(?:e|em|s|sp|spa|(?:m|ma|mar|mark|span)(?:\s[^<>]*)?)?(?:\.\.\.|…)?$`)

// unmarked is an excerpt as plain text.
func unmarked(text basecamp.HTML) string {
	return strings.TrimSpace(plaintext.Clean(html.UnescapeString(highlights.ReplaceAllString(string(text), ""))))
}
