package basecamp

import (
	"context"
	"errors"
	"net/url"
	"time"

	"basecamp-mcp/internal/upstream"
)

// FeedEvent is an entry of the event feed: a pointer to an item that may have changed since. The
// feed leaves out what people may no longer see, and may repeat an entry.
type FeedEvent struct {
	Creator   int64     `json:"creator_id"`
	Recording int64     `json:"recording_id"`
	CreatedAt time.Time `json:"created_at"`
}

// FeedPage is a page of the event feed, the oldest event first.
type FeedPage struct {
	Events []FeedEvent
	Next   url.Values // the query of the next page; nil at the end of the walk
}

// Feed returns a page of the event feed. The query has since (an event's ID, 0 or now) or position,
// and the filters (event_feed.md, "Poll events").
func (c *Client) Feed(ctx context.Context, query url.Values) (FeedPage, error) {
	return read(upstream.Afresh(ctx), c, request{path: "events.json", query: query}, decodeFeed)
}

func decodeFeed(a upstream.Answer, kept FeedPage) (FeedPage, error) {
	if a.Unchanged() {
		return kept, nil
	}
	var v struct {
		Events []FeedEvent `json:"events"`
		Next   string      `json:"next"`
	}
	if err := decodeJSON(a.Body, &v); err != nil {
		return FeedPage{}, err
	}
	if v.Events == nil {
		return FeedPage{}, errors.New("a page of the feed without events")
	}
	page := FeedPage{Events: v.Events}
	if v.Next != "" {
		if page.Next = feedQuery(v.Next, a.URL); page.Next == nil {
			return FeedPage{}, errors.New("the next page of the feed is elsewhere")
		}
	}
	return page, nil
}

// feedQuery returns the query of an address of the same feed, or nil for any other address.
func feedQuery(address string, from *url.URL) url.Values {
	u, err := from.Parse(address)
	if err != nil || u.Scheme != from.Scheme || u.Host != from.Host || u.Path != from.Path || u.RawQuery == "" {
		return nil
	}
	return u.Query()
}

// Changed is an item of any type with the fields that say what is new about it.
type Changed struct {
	Recording
	Completable
	Subject     string   `json:"subject"` // the title of a message
	Content     HTML     `json:"content"` // of a to-do, its title
	Description HTML     `json:"description"`
	DueOn       string   `json:"due_on"`
	Assignees   []Person `json:"assignees"`
}

// Words returns the text of the item.
func (c Changed) Words() HTML {
	if c.Type == "Todo" || c.Description != "" {
		return c.Description
	}
	return c.Content
}

// LastChanged lists items of a type and a status in a project, or in all active projects for 0, the
// last changed first. The types are those of Recordings.
func (c *Client) LastChanged(ctx context.Context, kind string, project int64, status string, page int) (Page[Changed], error) {
	return list[Changed](ctx, c, recordings(kind, project, sorted("updated_at", "desc")).ofStatus(status), page)
}

// FirstChanged lists the active items of a type in all active projects, the first changed first. Of
// a long list, its last pages have more of what changed last than the first ones of LastChanged.
func (c *Client) FirstChanged(ctx context.Context, kind string, page int) (Page[Changed], error) {
	return list[Changed](ctx, c, recordings(kind, 0, sorted("updated_at", "asc")), page)
}

// Changed returns an item of a kind that Item reads.
func (c *Client) Changed(ctx context.Context, kind string, id int64) (Changed, error) {
	return itemOf[Changed](ctx, c, kind, id)
}
