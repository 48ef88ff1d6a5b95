package sandbox

import (
	"cmp"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var searchRoutes = []route{
	{"GET /search", search},
}

// searchTypes maps the type keys of search requests to kinds.
var searchTypes = []struct {
	key   string
	kinds []kind
}{
	{"Kanban::Card", []kind{kindCard, kindStep}},
	{"Chat::Transcript", lineKinds},
	{"Question", []kind{kindQuestion, kindAnswer}},
	{"Comment", []kind{kindComment, kindReply}},
	{"Document", []kind{kindDocument}},
	{"Schedule::Entry", []kind{kindEntry}},
	{"Attachment", []kind{kindUpload, kindAttachment}},
	{"Vault", []kind{kindVault}},
	{"Inbox::Forward", []kind{kindForward}},
	{"Message", []kind{kindMessage}},
	{"Todo", []kind{kindTodo, kindTodolist}},
}

// search answers with the recordings that contain every word of ?q, in any case and without regard
// to accents. Like at Basecamp, it fails if the GET request has a Content-Type.
func search(c *call) reply {
	query, _ := folded(c.query.Get("q"))
	words := strings.Fields(query)
	refuse(c.r.Header.Get("Content-Type") != "", badRequest("Bad Request"))
	refuse(len(words) == 0, badRequest("param is missing or the value is empty: q"))
	wanted := c.searchFilter()
	type hit struct {
		r     *recording
		score int
	}
	var hits []hit
	for _, r := range slices.AppendSeq(c.inlineFiles(), maps.Values(c.account.recordings)) {
		if !wanted(r) {
			continue
		}
		if score := r.score(words); score > 0 {
			hits = append(hits, hit{r, score})
		}
	}
	byRelevance := c.query.Get("sort") == "" || c.query.Get("sort") == "best_match"
	slices.SortFunc(hits, func(a, b hit) int {
		relevance := 0
		if byRelevance {
			relevance = cmp.Compare(b.score, a.score)
		}
		return cmp.Or(relevance, b.r.CreatedAt.Compare(a.r.CreatedAt), cmp.Compare(b.r.ID, a.r.ID))
	})
	size, err := strconv.Atoi(c.query.Get("per_page"))
	if err != nil || size < 1 || size > 100 {
		size = 50
	}
	return pageOf(c, size, hits, func(h hit) view {
		if h.r.Type == kindUpload || h.r.Type == kindAttachment {
			return c.as("found_file", h.r)
		}
		return c.result(h.r, words)
	})
}

// sinceDays maps the time ranges of a search to days. Other values mean no limit.
var sinceDays = map[string]int{"last_7_days": 7, "last_30_days": 30, "last_90_days": 90, "last_12_months": 365}

// searchFilter returns the filter of the query. It accepts bracketed arrays and the older single
// parameters.
func (c *call) searchFilter() func(*recording) bool {
	var kinds []kind
	names := slices.Concat(c.query["type_names[]"], c.query["type"])
	for _, t := range searchTypes {
		if len(names) == 0 || slices.Contains(names, t.key) {
			kinds = append(kinds, t.kinds...)
		}
	}
	buckets := slices.Concat(c.query["bucket_ids[]"], c.query["bucket_id"])
	creators := slices.Concat(c.query["creator_ids[]"], c.query["creator_id"])
	var since time.Time
	if days := sinceDays[c.query.Get("since")]; days > 0 {
		since = c.now().AddDate(0, 0, -days)
	}
	fileType := strings.ToLower(c.query.Get("file_type"))
	return func(r *recording) bool {
		return slices.Contains(kinds, r.Type) && r.effective() == active && c.sees(r) &&
			(c.query.Get("exclude_chat") != "1" || !slices.Contains(lineKinds, r.Type)) &&
			(len(buckets) == 0 || slices.Contains(buckets, strconv.FormatInt(r.Bucket.ID, 10))) &&
			(len(creators) == 0 || slices.Contains(creators, strconv.FormatInt(r.Creator.ID, 10))) &&
			(since.IsZero() || r.CreatedAt.After(since)) &&
			(fileType == "" || r.File != nil && strings.Contains(strings.ToLower(r.File.ContentType), fileType))
	}
}

// score returns 0 if a word is missing. It is higher the more words are in the title.
func (r *recording) score(words []string) int {
	title, _ := folded(r.Title)
	body, _ := folded(r.plainBody())
	score := 1
	for _, word := range words {
		switch {
		case strings.Contains(title, word):
			score += 3
		case strings.Contains(body, word):
			score++
		default:
			return 0
		}
	}
	return score
}

// plainBody returns the body without markup. A plain-text body is returned unchanged.
func (r *recording) plainBody() string {
	if r.Type == kindTextLine {
		return r.Body
	}
	return plain(r.Body)
}

// excerptLength is the length of a result's excerpt, in characters.
const excerptLength = 300

// contentKinds and describedKinds are the kinds for which search shows a content or a description.
// Some kinds have both.
var (
	contentKinds   = slices.Concat(lineKinds[:2], []kind{kindMessage, kindComment, kindReply, kindDocument, kindAnswer, kindForward, kindCard, kindTodolist})
	describedKinds = []kind{kindTodo, kindTodolist, kindCard, kindEntry}
)

// result returns a search result. Content and description are null for every item; the excerpts
// contain the parts that the kind has. A result has the fields of its kind, as the documented one
// of a column has (search.md, "Search recordings").
func (c *call) result(r *recording, words []string) view {
	excerpt := highlight(around(strings.Join(strings.Fields(r.plainBody()), " "), words), words)
	content, described := slices.Contains(contentKinds, r.Type), slices.Contains(describedKinds, r.Type)
	files := c.inline(r.Body)
	return append(
		c.envelope(r),
		field{"content", nil},
		field{"content_attachments", present(content && len(files) > 0, files)},
		field{"description", nil},
		field{"description_attachments", present(described && len(files) > 0, files)},
		field{"subject", present(r.Type == kindMessage && r.Title != "", r.Title)},
		field{"completed", present(slices.Contains([]kind{kindTodo, kindCard, kindStep}, r.Type), r.completed())},
		field{"plain_text_content", present(content, excerpt)},
		field{"plain_text_description", present(described, excerpt)},
	)
}

// around returns the part of a text around the first match of a word.
func around(text string, words []string) string {
	runes := []rune(text)
	if len(runes) <= excerptLength {
		return text
	}
	at := len(runes)
	plain, places := folded(text)
	for _, word := range words {
		if before, _, found := strings.Cut(plain, word); found {
			at = min(at, utf8.RuneCountInString(text[:places[len(before)]]))
		}
	}
	from := max(0, min(at-excerptLength/4, len(runes)-excerptLength))
	return "…" + string(runes[from:from+excerptLength]) + "…"
}

// highlight escapes a text and marks the words.
func highlight(text string, words []string) string {
	plain, places := folded(text)
	var b strings.Builder
	done := 0
	for i := range len(plain) {
		n := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(plain[i:], word) })
		if n < 0 || places[i] < done {
			continue
		}
		from, to := places[i], places[i+len(words[n])]
		b.WriteString(html.EscapeString(text[done:from]) + `<mark class="circled-text"><span></span>` + html.EscapeString(text[from:to]) + "</mark>")
		done = to
	}
	return b.String() + html.EscapeString(text[done:])
}

// folded returns a text in lower case and without accents, and where each of its bytes and its end
// stand in the text.
func folded(text string) (plain string, places []int) {
	var b strings.Builder
	for at, r := range text {
		if r < utf8.RuneSelf { // most are
			b.WriteRune(unicode.ToLower(r))
			places = append(places, at)
			continue
		}
		for _, part := range norm.NFKD.String(strings.ToLower(string(r))) {
			if unicode.Is(unicode.Mn, part) {
				continue
			}
			b.WriteRune(part)
			for len(places) < b.Len() {
				places = append(places, at)
			}
		}
	}
	return b.String(), append(places, len(text))
}
