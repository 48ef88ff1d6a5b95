package basecamp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"basecamp-mcp/internal/upstream"
)

// Reading is a notification in the user's Hey! menu.
type Reading struct {
	ID          int64     `json:"id"`
	Section     string    `json:"section"` // inbox, chats, pings, mentions or bubbles
	UnreadCount int       `json:"unread_count"`
	UpdatedAt   time.Time `json:"updated_at"`
	SGID        string    `json:"readable_sgid"` // for MarkRead
	Title       string    `json:"title"`
	Excerpt     string    `json:"content_excerpt"`
	Creator     Person    `json:"creator"` // of the latest change
	BucketName  string    `json:"bucket_name"`
	AppURL      string    `json:"app_url"`
	BubbleUpAt  time.Time `json:"bubble_up_at"` // zero unless a later time is scheduled
}

// Readings are the user's notifications. Unread, at most a hundred, and BubbleUps are the same on
// every page. BubbleUps has the notifications that bubbled up, and then the scheduled ones.
type Readings struct {
	Unread    []Reading
	Read      Page[Reading]
	BubbleUps []Reading
}

// readingsJSON lacks the lists of bubble-ups in accounts without this feature.
type readingsJSON struct {
	Unread    []Reading `json:"unreads"`
	Read      []Reading `json:"reads"`
	BubbledUp []Reading `json:"bubble_ups"`
	Scheduled []Reading `json:"scheduled_bubble_ups"`
}

func decodeReadings(a upstream.Answer, kept Readings) (Readings, error) {
	if a.Unchanged() {
		read, err := kept.Read.WithHeaders(a)
		return Readings{Unread: kept.Unread, Read: read, BubbleUps: kept.BubbleUps}, err
	}
	var v readingsJSON
	if err := decodeJSON(a.Body, &v); err != nil {
		return Readings{}, err
	}
	if v.Unread == nil || v.Read == nil {
		return Readings{}, errNoLists
	}
	read, err := Page[Reading]{Items: v.Read}.WithHeaders(a)
	return Readings{Unread: v.Unread, Read: read, BubbleUps: slices.Concat(v.BubbledUp, v.Scheduled)}, err
}

// Readings returns the user's notifications. page is a page of the read ones.
func (c *Client) Readings(ctx context.Context, page int) (Readings, error) {
	return read(ctx, c, request{path: "my/readings.json", query: upstream.WithPage(nil, page)}, decodeReadings)
}

// BubbleUps lists the notifications that bubbled up, the latest first, and then the scheduled ones,
// the next first.
func (c *Client) BubbleUps(ctx context.Context, page int) (Page[Reading], error) {
	return list[Reading](ctx, c, request{path: "my/readings/bubble_ups.json"}, page)
}

// MarkRead marks notifications as read by their SGIDs. Repeating it changes nothing.
func (c *Client) MarkRead(ctx context.Context, sgids []string) error {
	return c.write(ctx, http.MethodPut, request{path: "my/unreads.json"}, fields{"readables": sgids})
}

// BubbleUp makes an item appear in the user's notifications on a day: YYYY-MM-DD or "today". An
// empty day takes it back. Repeating it changes nothing.
func (c *Client) BubbleUp(ctx context.Context, item int64, day string) error {
	r := requestAt("item", item, "recordings/%d/bubble_up.json")
	r.repeatable = true
	if day == "" {
		return c.write(ctx, http.MethodDelete, r, nil)
	}
	return c.write(ctx, http.MethodPost, r, fields{"at": day})
}
