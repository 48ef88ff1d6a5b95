package sandbox

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// searchTypes are the kinds that search knows, under the keys it is asked for them.
var searchTypes = []struct {
	key, label string
	kinds      []kind
}{
	{"Kanban::Card", "Card tables", []kind{kindCard, kindStep}},
	{"Chat::Transcript", "Chats", lineKinds},
	{"Question", "Check-ins", []kind{kindQuestion, kindAnswer}},
	{"Comment", "Comments", []kind{kindComment, kindReply}},
	{"Document", "Documents", []kind{kindDocument}},
	{"Schedule::Entry", "Events", []kind{kindEntry}},
	{"Attachment", "Files", []kind{kindUpload}},
	{"Vault", "Folders", []kind{kindVault}},
	{"Inbox::Forward", "Forwarded emails", []kind{kindForward}},
	{"Message", "Messages", []kind{kindMessage}},
	{"Todo", "To-dos", []kind{kindTodo, kindTodolist}},
}

func showSearchMetadata(c *call) reply {
	type option struct {
		Key   *string `json:"key"`
		Value string  `json:"value"`
	}
	types := []option{{nil, "Everything"}}
	for _, t := range searchTypes {
		types = append(types, option{&t.key, t.label})
	}
	files := []option{{nil, "All files"}}
	for _, name := range []string{"Image", "PDF", "Document", "Video"} {
		files = append(files, option{&name, name + "s"})
	}
	return ok(map[string]any{
		"recording_search_types":  types,
		"file_search_types":       files,
		"default_creator_label":   "Anyone",
		"default_bucket_label":    "All projects",
		"default_circle_label":    "All pings",
		"default_file_type_label": "All files",
		"default_type_label":      "Everything",
	})
}

type resultJSON struct {
	envelope
	Content            *string          `json:"content"` // always null
	ContentAttachments []attachmentJSON `json:"content_attachments"`
	Description        *string          `json:"description"` // always null
	Subject            string           `json:"subject,omitempty"`
	PlainTextContent   string           `json:"plain_text_content"`
}

// search finds recordings that hold every word of ?q. A Content-Type on the GET breaks it, as it breaks the real one.
func search(c *call) reply {
	words := strings.Fields(strings.ToLower(c.query.Get("q")))
	switch {
	case c.r.Header.Get("Content-Type") != "":
		return badRequest("Bad Request")
	case len(words) == 0:
		return badRequest("param is missing or the value is empty: q")
	}
	wanted := c.searchFilter()
	type hit struct {
		r     *recording
		score int
	}
	var hits []hit
	for _, r := range c.account.recordings {
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
		return cmp.Or(relevance, b.r.created.Compare(a.r.created), cmp.Compare(b.r.id, a.r.id))
	})
	size, err := strconv.Atoi(c.query.Get("per_page"))
	if err != nil || size < 1 || size > 100 {
		size = 50
	}
	return pageOf(c, size, hits, func(h hit) resultJSON { return c.result(h.r, words) })
}

// sinceDays are the ranges of time a search can be kept to, in days; what is not here is for ever.
var sinceDays = map[string]int{"last_7_days": 7, "last_30_days": 30, "last_90_days": 90, "last_12_months": 365}

// searchFilter reads all the filters of the query: arrays bracketed and repeated, or the older single ones.
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
		return slices.Contains(kinds, r.kind) && r.effective() == active && c.sees(r) &&
			(c.query.Get("exclude_chat") != "1" || !slices.Contains(lineKinds, r.kind)) &&
			(len(buckets) == 0 || slices.Contains(buckets, strconv.FormatInt(r.bucket.id, 10))) &&
			(len(creators) == 0 || slices.Contains(creators, strconv.FormatInt(r.creator.id, 10))) &&
			(since.IsZero() || r.created.After(since)) &&
			(fileType == "" || r.file != nil && strings.Contains(strings.ToLower(r.file.contentType), fileType))
	}
}

// score is 0 when a word is missing, and higher where more words are in the title.
func (r *recording) score(words []string) int {
	title, body := strings.ToLower(r.title), strings.ToLower(r.plainBody())
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

// plainBody is the body without markup, which of what was said in plain text is all of it.
func (r *recording) plainBody() string {
	if r.kind == kindTextLine {
		return r.body
	}
	return plain(r.body)
}

// excerptLength is how much of a text a result shows, in characters.
const excerptLength = 300

func (c *call) result(r *recording, words []string) resultJSON {
	text := strings.Join(strings.Fields(r.plainBody()), " ")
	if r.kind == kindTodo || r.kind == kindStep || r.kind == kindUpload {
		text = strings.TrimSpace(r.title + " " + text)
	}
	view := resultJSON{
		envelope: c.envelope(r), ContentAttachments: c.inline(r.body), PlainTextContent: highlight(around(text, words), words),
	}
	if r.kind == kindMessage {
		view.Subject = r.title
	}
	return view
}

// around is the part of a text where the first of the words is.
func around(text string, words []string) string {
	runes := []rune(text)
	if len(runes) <= excerptLength {
		return text
	}
	at := len(runes)
	lower := strings.ToLower(text)
	for _, word := range words {
		if before, _, found := strings.Cut(lower, word); found {
			at = min(at, len([]rune(before)))
		}
	}
	from := max(0, min(at-excerptLength/4, len(runes)-excerptLength))
	return "…" + string(runes[from:from+excerptLength]) + "…"
}

// highlight escapes a text and wraps the words in <em>.
func highlight(text string, words []string) string {
	text = html.EscapeString(text)
	quoted := apply(words, func(word string) string { return regexp.QuoteMeta(html.EscapeString(word)) })
	return regexp.MustCompile(`(?i)(`+strings.Join(quoted, "|")+`)`).ReplaceAllString(text, "<em>$1</em>")
}
