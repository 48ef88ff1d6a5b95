package basecamp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

// FeedEvent is an entry of the event feed: a pointer to an item that may have changed since. The
// feed leaves out what people may no longer see, and may repeat an entry.
type FeedEvent struct {
	ID          int64     `json:"id"`
	Type        string    `json:"event_type"` // todo.completed, card.moved, ...; Basecamp may add more
	Bucket      int64     `json:"bucket_id"`
	Creator     int64     `json:"creator_id"`
	PerformedBy int64     `json:"performed_by_id"` // the agent that acted for the creator, or 0
	Recording   int64     `json:"recording_id"`
	CreatedAt   time.Time `json:"created_at"`
	Details     struct {
		Boost int64 `json:"boost_id"`
	} `json:"details"`
}

// FeedPage is a page of the event feed, the oldest event first.
type FeedPage struct {
	Events   []FeedEvent
	Position string     // where a later call goes on
	Next     url.Values // the query of the next page; nil at the end of the walk
}

// FeedRefusal is the cause of the fault of a refused read of the event feed.
type FeedRefusal struct { //nolint:errname // a refusal is the word of the domain
	// Reason is one of the reasons below. It is empty if the request did not reach the feed.
	Reason string
}

// Why the feed refuses a read: the first two are Basecamp's own words.
const (
	BadFeedPosition   = "invalid_position"
	BadFeedFilter     = "invalid_filter"
	OtherFeedFilter   = "other_filter" // the position belongs to another filter
	FeedPositionEnded = "gone"         // the feed begins after the position
)

func (r *FeedRefusal) Error() string { return "the event feed refused the read: " + r.Reason }

const feedPath = "events.json"

// Feed returns a page of the event feed. The query has since (an event's ID, 0 or now) or position,
// and the filters. The cause of its faults is a FeedRefusal (event_feed.md, "Poll events").
func (c *Client) Feed(ctx context.Context, query url.Values) (FeedPage, error) {
	return read(upstream.Afresh(ctx), c, request{path: feedPath, query: query}, decodeFeed)
}

func decodeFeed(a upstream.Answer, kept FeedPage) (FeedPage, error) {
	if a.Unchanged() {
		return kept, nil
	}
	var v struct {
		Events   []FeedEvent `json:"events"`
		Position string      `json:"position"`
		Next     string      `json:"next"`
	}
	if err := decodeJSON(a.Body, &v); err != nil {
		return FeedPage{}, err
	}
	if v.Events == nil || v.Position == "" {
		return FeedPage{}, errors.New("a page of the feed without events or position")
	}
	page := FeedPage{Events: v.Events, Position: v.Position}
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

// feedRefused returns the fault for a refused read of the feed.
func (c *call) feedRefused(a upstream.Answer) *fault.Error {
	refusal := &FeedRefusal{Reason: reason(a.Body)}
	f := fault.New(fault.InvalidInput, "Basecamp's event feed did not accept the position or the filter; start again without cursor")
	switch {
	case a.Status == http.StatusConflict:
		refusal.Reason = OtherFeedFilter
	case a.Status == http.StatusGone:
		refusal.Reason = FeedPositionEnded
	case refusal.Reason == "":
		f = fault.New(fault.UpstreamError, "Basecamp did not understand the request for its event feed; trying again will not help")
		f.Retryable = false
	}
	return f.Because(refusal)
}

// isFeed reports whether a request reads the event feed.
func (r request) isFeed() bool { return r.path == feedPath }

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

// Boosted is a boost with the item that it is on.
type Boosted struct {
	Boost
	Recording Parent `json:"recording"`
}

// Boosted returns a boost.
func (c *Client) Boosted(ctx context.Context, id int64) (Boosted, error) {
	return get[Boosted](ctx, c, requestAt("boost", id, "boosts/%d.json"))
}

// Chats lists the chats of all projects.
func (c *Client) Chats(ctx context.Context, page int) (Page[Chat], error) {
	return list[Chat](ctx, c, request{path: "chats.json"}, page)
}
