package overview

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type searchInput struct {
	Query   string       `json:"query,omitzero" jsonschema:"Words; without, creator's latest" limits:"word maxlen=500"`
	Status  string       `json:"status,omitzero" jsonschema:"Trash or archive; needs no query" limits:"enum=trashed|archived"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Types   []string     `json:"types,omitzero" jsonschema:"message, todo, todolist, document, upload, card, comment, chat, checkin, schedule_entry" limits:"maxitems=10"`
	Creator toolargs.Ref `json:"creator,omitzero" jsonschema:"Id, name or me"`
	Since   string       `json:"since,omitzero" jsonschema:"As in get_activity"`
	Sort    string       `json:"sort,omitzero" jsonschema:"Order" limits:"enum=best_match|recency default=best_match"`
	listing.ScrollInput
	parts.AccountInput
}

type searchType struct {
	word    string
	key     string // Basecamp's name for it
	exclude string // a type that the key also finds, and that the caller does not want
}

var searchTypes = []searchType{
	{"message", "Message", ""}, {"todo", "Todo", "Todolist"}, {"todolist", "Todo", "Todo"}, {"document", "Document", ""},
	{"upload", "Attachment", ""}, {"card", "Kanban::Card", ""}, {"comment", "Comment", ""}, {"chat", "Chat::Transcript", ""},
	{"checkin", "Question", ""}, {"schedule_entry", "Schedule::Entry", ""},
}

// FoundItem is a search result. A file inside a text has no id, and the text's url.
type FoundItem struct {
	ID          int64  `json:"id,omitempty"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Excerpt     string `json:"excerpt,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	Where       string `json:"where,omitempty"`
	On          string `json:"on,omitempty"` // the item of a comment or a subtask, type:id
	Completed   bool   `json:"completed,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	ByteSize    int64  `json:"byte_size,omitempty"`
	DownloadURL string `json:"download_url,omitempty"`
	Draft       bool   `json:"draft,omitempty"` // only the caller sees it
	lookup.Meta `compact:"url"`
}

// FoundList lists what a search found.
type FoundList struct {
	listing.SinceList[FoundItem]
	listing.Gaps
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (f *FoundItem) Trim(characters int) {
	listing.Trim(characters, &f.Truncated, &f.Excerpt, &f.Title)
}

// Search returns the tool search.
func Search(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "search",
		Title:       "Search or find",
		Description: "Finds everything in Basecamp with these words, or in the trash. get_item reads one.",
	}, func(ctx context.Context, in searchInput) (FoundList, error) {
		in.Query = unquoted(ctx, strings.TrimSpace(in.Query))
		if in.Status != "" {
			return rs.searchPutAway(ctx, in)
		}
		asked, err := rs.searchFor(ctx, in)
		if err != nil {
			return FoundList{}, err
		}
		l := &listing.List[basecamp.SearchResult]{
			Of:   listing.Digest("search", asked.Text, asked.Types, in.Types, asked.Project, asked.Creator, in.Since, in.Sort),
			ID:   ResultID,
			Keep: asked.keep,
		}
		var noDrafts listing.Gaps
		if asked.Text == "" {
			l.Partial, l.Sources = true, []listing.Source[basecamp.SearchResult]{rs.latest(asked, in.Types)}
		} else {
			l.Sources = []listing.Source[basecamp.SearchResult]{rs.withDrafts(asked, &noDrafts, func(ctx context.Context, page int) (basecamp.Page[basecamp.SearchResult], error) {
				return rs.BC.Search(ctx, asked.Search, page)
			})}
		}
		found, err := l.Collect(ctx, in.Paging())
		if err := rs.VerifyProject(ctx, asked.filter, err); err != nil {
			return FoundList{}, err
		}
		for _, r := range found.Items {
			rs.LearnHolder(ctx, r.Recording)
		}
		done := map[int64]bool{}
		left, err := listing.Extras(ctx, rs.completedInto(done, slices.Clone(found.Items)), rs.seenInto(found.Items, asked.Text == ""))
		if err != nil {
			return FoundList{}, err
		}
		left.LeftOut = append(left.LeftOut, noDrafts.LeftOut...)
		list := listing.Scrolled(listing.Answer(l, found, func(r basecamp.SearchResult) FoundItem {
			v := ViewFound(r)
			v.Completed = done[r.ID]
			return v
		}))
		return FoundList{listing.SinceList[FoundItem]{Scroll: list, Since: listing.Understood(asked.begin)}, left}, nil
	})
}

// searched is a request to Basecamp's search, with what it was made from.
type searched struct {
	basecamp.Search
	filter parts.ProjectFilter
	begin  time.Time                        // of the period
	keep   func(basecamp.SearchResult) bool // selects what Basecamp cannot; nil if it is not needed
}

func (rs *Resolver) searchFor(ctx context.Context, in searchInput) (asked searched, err error) {
	asked.Search = basecamp.Search{Text: strings.TrimSpace(in.Query), Recent: in.Sort == "recency"}
	if asked.Text == "" && in.Creator.IsZero() {
		return asked, fault.Invalid("query", "must contain a word, unless creator is given, or status is trashed or archived")
	}
	keys, not, err := SearchKeys(in.Types)
	if err != nil {
		return asked, err
	}
	asked.Types = keys
	if asked.filter, asked.Creator, asked.begin, err = rs.searchFilters(ctx, in); err != nil {
		return asked, err
	}
	asked.Project = asked.filter.ID
	if in.Since != "" {
		asked.Since = rs.spanFor(in.Since, asked.begin)
	}
	if asked.Text != "" && (asked.Since != in.Since || not != "") {
		begin := asked.begin
		asked.keep = func(r basecamp.SearchResult) bool {
			return (not == "" || r.Type != not) && !r.CreatedAt.Before(begin) // files have no type
		}
	}
	return asked, nil
}

// inQuotes matches a whole query in quotes.
var inQuotes = lazyregexp.New(`^["“„«'‘]([^"“”„«»]*)["”“»'’]$`)

// unquoted returns a query without the quotes around it: Basecamp would look for them too.
func unquoted(ctx context.Context, query string) string {
	parts := inQuotes.FindStringSubmatch(query)
	if len(parts) < 2 || strings.TrimSpace(parts[1]) == "" {
		return query
	}
	text := strings.TrimSpace(parts[1])
	mcptool.Understood(ctx, "query: the quotes around "+plaintext.Quote(text)+" are left out")
	return text
}

// searchFilters returns the project and the creator that a search is narrowed to, and when its
// period begins.
func (rs *Resolver) searchFilters(ctx context.Context, in searchInput) (within parts.ProjectFilter, creator int64, begin time.Time, err error) {
	project := listing.Ahead(ctx, func(context.Context) (parts.ProjectFilter, error) { return rs.FilterProject(ctx, in.Project) })
	if in.Since != "" {
		begin, err = rs.Since(ctx, "since", in.Since)
	}
	within, wrong := project()
	if err := cmp.Or(wrong, err); err != nil {
		return within, 0, begin, err
	}
	creator, err = rs.FilterPerson(ctx, "creator", in.Creator, within)
	return within, creator, begin, err
}

// SearchKeys returns the keys of the types, and a type to exclude from their results, or "".
// To-dos and to-do lists share a key.
func SearchKeys(words []string) (keys []string, not string, err error) {
	for _, word := range words {
		i := slices.IndexFunc(searchTypes, func(t searchType) bool { return t.word == word })
		if i < 0 {
			return nil, "", fault.Invalid("types", "unknown type %s; use %s", plaintext.Quote(word), SearchWords())
		}
		switch t := searchTypes[i]; {
		case !slices.Contains(keys, t.key):
			keys, not = append(keys, t.key), not+t.exclude
		case not != t.exclude: // the caller wants both types of this key
			not = ""
		}
	}
	return keys, not, nil
}

// SearchWords returns the types that search takes, as a text.
func SearchWords() string {
	return strings.Join(lookup.Mapped(searchTypes, func(t searchType) string { return t.word }), ", ")
}

// spans are the periods that Basecamp's search accepts, with their lengths.
var spans = []struct {
	word         string
	months, days int
}{{"last_7_days", 0, 7}, {"last_30_days", 0, 30}, {"last_90_days", 0, 90}, {"last_12_months", 12, 0}}

// spanFor returns the shortest span that reaches back to a time, or "". The filter drops results
// from before that time.
func (rs *Resolver) spanFor(since string, begin time.Time) string {
	const delay = time.Minute // until Basecamp handles the request
	for _, s := range spans {
		if since == s.word || !begin.Before(rs.Now().Add(delay).AddDate(0, -s.months, -s.days)) {
			return s.word
		}
	}
	return ""
}

// ResultID returns a number that identifies a result. For a file, which has no id, it is derived
// from the file's address.
func ResultID(r basecamp.SearchResult) int64 {
	if r.IsFile() {
		return calendar.Occurrence(0, r.DownloadURL)
	}
	return r.ID
}

// maxStates is the number of results whose completion one call reads.
const maxStates = 20

// completedInto finds out which to-dos, cards and subtasks are completed. It reads those of which
// the search did not say it.
func (rs *Resolver) completedInto(done map[int64]bool, found []basecamp.SearchResult) listing.Extra {
	return listing.Extra{Name: "completed", Read: func(ctx context.Context) error {
		var unknown []basecamp.SearchResult
		for _, r := range found {
			switch isTask := slices.ContainsFunc(work.CompletableKinds, func(k lookup.Kind) bool { return k.Upstream == r.Type }); {
			case r.Completed != nil:
				done[r.ID] = *r.Completed
			case isTask:
				unknown = append(unknown, r)
			}
		}
		read, err := listing.InParallel(ctx, unknown[:min(maxStates, len(unknown))], func(ctx context.Context, r basecamp.SearchResult) (basecamp.Listed, error) {
			item, err := basecamp.ItemAt[basecamp.Listed](lookup.TypeOf(r.Type)).Get(ctx, rs.BC, r.ID)
			if fault.Is(err, fault.NotFound) { // it was deleted since
				err = nil
			}
			return item, err
		})
		for _, item := range read {
			done[item.ID] = item.Completed
		}
		if err == nil && len(unknown) > maxStates {
			err = fault.New(fault.LimitReached, "only the first %d to-dos and cards were read; use limit %d and follow next_cursor", maxStates, maxStates)
		}
		return err
	}}
}

// seenInto finds out which results clients see. A timeline does not say it of its items.
func (rs *Resolver) seenInto(found []basecamp.SearchResult, inTimeline bool) listing.Extra {
	return listing.Extra{Name: "clients_see", Read: func(ctx context.Context) error {
		var some []*basecamp.SearchResult
		for i := range found {
			if !rs.WithoutClients(ctx, found[i].Bucket.ID) {
				some = append(some, &found[i])
			}
		}
		if inTimeline && len(some) > 0 {
			return fault.New(fault.LimitReached, "a list without words does not say it; get_item does")
		}
		a := rs.Audience(ctx)
		_, err := listing.InParallel(ctx, some[:min(maxStates, len(some))], func(ctx context.Context, r *basecamp.SearchResult) (struct{}, error) {
			item := r.Recording
			if r.IsFile() { // clients see it exactly if they see what holds it
				item.Type = lookup.CommentKind.Upstream
			}
			err := a.SeenInto(&item).Read(ctx)
			r.ClientsSee = item.ClientsSee
			return struct{}{}, err
		})
		for _, r := range some[min(maxStates, len(some)):] {
			if r.ClientsSee = rs.RememberedSeen(ctx, r.Recording); err == nil && !r.ClientsSee && !rs.WithoutClients(ctx, r.Bucket.ID) {
				err = fault.New(fault.LimitReached, "only the first %d results that clients may see were read; use limit %d and follow next_cursor", maxStates, maxStates)
			}
		}
		return err
	}}
}

// ViewFound returns what Basecamp found as answers show it.
func ViewFound(r basecamp.SearchResult) FoundItem {
	if r.IsFile() {
		return viewFoundFile(r)
	}
	v := FoundItem{ID: r.ID, Type: lookup.TypeOf(r.Type), Title: plaintext.Clean(cmp.Or(r.Subject, r.Title)), Draft: r.Status == lookup.Drafted, Meta: lookup.ViewMeta(r.Recording)}
	v.Author.Email = ""
	for _, excerpt := range []basecamp.HTML{r.Content, r.Description} {
		if v.Excerpt = Unmarked(excerpt); v.Excerpt == v.Title {
			v.Excerpt = ""
		}
		if v.Excerpt != "" {
			break
		}
	}
	if r.Parent != nil {
		v.Where = plaintext.Clean(r.Parent.Title)
		if v.Type == lookup.CommentKind.Kind || v.Type == lookup.SubtaskKind.Kind {
			v.On = fmt.Sprintf("%s:%d", lookup.TypeOf(r.Parent.Type), r.Parent.ID)
		}
	}
	return v
}

// InsideText is the type of a file that is not an item of its own.
const InsideText = "file"

// viewFoundFile shows a file with the URL of its upload, or of the item whose text holds it.
func viewFoundFile(r basecamp.SearchResult) FoundItem {
	v := FoundItem{
		Type:        InsideText,
		Title:       plaintext.Clean(r.Filename),
		ContentType: r.ContentType,
		ByteSize:    r.ByteSize,
		DownloadURL: cmp.Or(r.AppDownloadURL, r.DownloadURL),
		Meta:        lookup.ViewMeta(r.Recording),
	}
	v.Author.Email = ""
	v.URL, v.UpdatedAt = v.DownloadURL, v.CreatedAt
	if r.Parent == nil {
		return v
	}
	v.Where, v.URL = plaintext.Clean(r.Parent.Title), cmp.Or(r.Parent.AppURL, v.URL)
	if r.Parent.Type == lookup.UploadKind.Upstream {
		v.ID, v.Type = r.Parent.ID, lookup.UploadKind.Kind
	}
	return v
}

// highlights matches the tags around matched words. The last tag may be cut off. Other text that
// looks like a tag is not matched.
var highlights = regexp.MustCompile(`</?(?:em|mark|span)(?:\s[^<>]*)?>|</?(?:e|em|s|sp|spa|(?:m|ma|mar|mark|span)(?:\s[^<>]*)?)?(?:\.\.\.|…)?$`)

// Unmarked returns an excerpt without the marks around what was found.
func Unmarked(text basecamp.HTML) string {
	return strings.TrimSpace(richtext.Plain(html.UnescapeString(highlights.ReplaceAllString(string(text), ""))))
}
