package basecamp

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"basecamp-mcp/internal/wire/upstream"
)

// Reading is a notification in the user's Hey! menu.
type Reading struct {
	ID          int64     `json:"id"`
	Section     string    `json:"section"` // inbox, chats, pings, mentions or bubbles
	UnreadCount int       `json:"unread_count"`
	UpdatedAt   time.Time `json:"updated_at"`
	SGID        string    `json:"readable_sgid"` // by which it is marked as read
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

// Count returns how many read notifications there are.
func (r Readings) Count() int { return r.Read.Total }

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

// Happening is an entry of a project's timeline.
type Happening struct {
	ID        int64     `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	Kind      string    `json:"kind"`            // todo_completed, message_created, ...; Basecamp may add more
	Action    string    `json:"action"`          // "Ines A. added a to-do"
	Target    string    `json:"target"`          // the item, or what contains it; for a to-do its list
	Excerpt   string    `json:"summary_excerpt"` // plain text; for a to-do its title
	AppURL    string    `json:"app_url"`         // empty if it has no page: project_access_changed, ...
	Creator   Person    `json:"creator"`
	Bucket    Bucket    `json:"bucket"`
}

// Event is a change to a recording.
type Event struct {
	ID        int64        `json:"id"`
	Action    string       `json:"action"` // created, completed, assignment_changed, adopted, ...; Basecamp may add more
	Details   EventDetails `json:"details"`
	CreatedAt time.Time    `json:"created_at"`
	Creator   Person       `json:"creator"`
}

// EventDetails describe some actions further.
type EventDetails struct {
	Added   []int64 `json:"added_person_ids"`   // assignment_changed
	Removed []int64 `json:"removed_person_ids"` // assignment_changed
	From    int64   `json:"parent_id_was"`      // adopted: the column that a card was moved from
	To      int64   `json:"new_parent_id"`      // adopted: the column that it was moved to
}

// UnmarshalJSON ignores details in an unknown format: Basecamp documents details for some actions
// only, and the event must stay readable.
func (d *EventDetails) UnmarshalJSON(data []byte) error {
	type plain EventDetails
	var known plain
	if json.Unmarshal(data, &known) == nil {
		*d = EventDetails(known)
	}
	return nil
}
