package basecamp

import (
	"context"
	"net/url"
	"strconv"

	"basecamp-mcp/internal/signin/identity"
)

// Search has the terms of a search. Only Text is required.
type Search struct {
	Text    string
	Types   []string // Message, Todo, Kanban::Card, Chat::Transcript, ...: the keys of Basecamp's search page
	Project int64
	Creator int64
	Since   string // last_7_days, last_30_days, last_90_days or last_12_months
	Recent  bool   // the newest first instead of the best match
}

// SearchResult is an item or a file that was found. A file has the fields of Attachment. Of the
// fields of a recording, it has only Creator, Bucket, CreatedAt and Parent, which is the item that
// it is attached to.
type SearchResult struct {
	Recording
	Attachment
	AppDownloadURL string `json:"app_download_url"`
	Subject        string `json:"subject"`   // the title of a message
	Completed      *bool  `json:"completed"` // of a to-do, card or subtask; nil if Basecamp does not say
	// Content and Description are excerpts of about 300 characters. An item has one of them, both
	// or neither. Their only markup highlights the words that matched: <em>, or <mark> around an
	// empty <span> and the word.
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

// Search searches all items that the user may see. For a client that is held to projects, it
// searches only those: what is found elsewhere would cost requests, whose number tells of it.
func (c *Client) Search(ctx context.Context, s Search, page int) (Page[SearchResult], error) {
	q := s.query()
	caller, _ := identity.From(ctx)
	if places := caller.Fence.In(caller.Account).Read; places != nil && s.Project == 0 {
		if len(places.Projects) == 0 {
			return Page[SearchResult]{}, nil
		}
		for _, project := range places.Projects {
			q.Add("bucket_ids[]", strconv.FormatInt(project, 10))
		}
	}
	return Endpoint[SearchResult]{path: "search.json", query: q}.Page(ctx, c, page)
}

// Draft is a text that the user has not published.
type Draft struct {
	Recording        // its type is that of the URL: message, document
	Excerpt   string `json:"excerpt"` // plain text, about 300 characters
}
