package basecamp

import (
	"context"
	"net/url"
	"strconv"
)

// Search is what is looked for. All but Text may be left out.
type Search struct {
	Text    string
	Types   []string // Message, Todo, Kanban::Card, Chat::Transcript, ...: the keys of Basecamp's own search page
	Project int64
	Creator int64
	Since   string // last_7_days, last_30_days, last_90_days or last_12_months
	Recent  bool   // the newest first, not the best match
}

// SearchResult is something that was found. A file has no more of a recording than Creator, Bucket, CreatedAt and Parent, which is
// what it is attached to; it has the fields of Attachment instead.
type SearchResult struct {
	Recording
	Attachment
	AppDownloadURL string `json:"app_download_url"`
	Subject        string `json:"subject"` // of a message its title
	// Content and Description are excerpts, cut after some 300 characters. Only the highlights of the words that matched are markup:
	// <em>, or <mark> around an empty <span> and the word. An item has one of them, both or neither.
	Content     HTML `json:"plain_text_content"`
	Description HTML `json:"plain_text_description"`
}

// IsFile reports whether the result is a file.
func (r SearchResult) IsFile() bool { return r.ID == 0 && r.Filename != "" }

func (s Search) query() url.Values {
	q := url.Values{"q": {s.Text}}
	if len(s.Types) > 0 {
		q["type_names[]"] = s.Types
	}
	if s.Project != 0 {
		q.Set("bucket_ids[]", strconv.FormatInt(s.Project, 10))
	}
	if s.Creator != 0 {
		q.Set("creator_ids[]", strconv.FormatInt(s.Creator, 10))
	}
	if s.Since != "" {
		q.Set("since", s.Since)
	}
	if s.Recent {
		q.Set("sort", "recency")
	}
	return q
}

// Search looks through all that the caller may see.
func (c *Client) Search(ctx context.Context, s Search, page int) (Page[SearchResult], error) {
	return list[SearchResult](ctx, c, request{path: "search.json", query: s.query()}, page)
}
