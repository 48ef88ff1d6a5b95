package basecamp

import (
	"context"
	"encoding/json"
	"time"
)

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

// Events lists the changes to an item, the latest first. The item must be in the project, unless
// project is 0.
func (c *Client) Events(ctx context.Context, project, item int64, page int) (Page[Event], error) {
	return list[Event](ctx, c, requestAt("item", item, "recordings/%d/events.json").within(project), page)
}
