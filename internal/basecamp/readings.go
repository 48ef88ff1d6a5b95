package basecamp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"basecamp-mcp/internal/upstream"
)

// Reading is an entry of a person's Hey! menu: news of something, or that it has been read.
type Reading struct {
	ID          int64     `json:"id"`
	Section     string    `json:"section"` // inbox, chats, pings, mentions or bubbles
	UnreadCount int       `json:"unread_count"`
	UpdatedAt   time.Time `json:"updated_at"`
	SGID        string    `json:"readable_sgid"` // what it is marked as read by
	Title       string    `json:"title"`
	Excerpt     string    `json:"content_excerpt"`
	Creator     Person    `json:"creator"` // of the latest news
	BucketName  string    `json:"bucket_name"`
	AppURL      string    `json:"app_url"`
	BubbleUpAt  time.Time `json:"bubble_up_at"` // when it is to bubble up; zero for what has, and for all that is none
}

// Readings are a person's news: what is unread, at most a hundred and the same on every page, and a page of what is read.
// BubbleUps, the same on every page too, are what the person keeps in sight: what has bubbled up, then what is yet to.
type Readings struct {
	Unread    []Reading
	Read      Page[Reading]
	BubbleUps []Reading
}

// readingsJSON lacks the lists of bubble-ups in accounts that know nothing of them.
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

// Readings reads the caller's Hey! menu; pages are of what has been read.
func (c *Client) Readings(ctx context.Context, page int) (Readings, error) {
	return read(ctx, c, request{path: "my/readings.json", query: upstream.WithPage(nil, page)}, decodeReadings)
}

// BubbleUps lists what the caller keeps in sight: what has bubbled up, the latest first, then what is yet to, the next first.
func (c *Client) BubbleUps(ctx context.Context, page int) (Page[Reading], error) {
	return list[Reading](ctx, c, request{path: "my/readings/bubble_ups.json"}, page)
}

type readables struct {
	SGIDs []string `json:"readables"`
}

// MarkRead marks entries of the caller's menu as read, by their SGIDs; twice is as once.
func (c *Client) MarkRead(ctx context.Context, sgids []string) error {
	_, err := send[struct{}](ctx, c, http.MethodPut, request{path: "my/unreads.json"}, readables{sgids})
	return err
}
