package basecamp

import (
	"context"
	"errors"
	"net/url"
	"time"

	"basecamp-mcp/internal/wire/upstream"
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
