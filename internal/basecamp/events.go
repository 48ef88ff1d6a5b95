package basecamp

import (
	"context"
	"encoding/json"
	"time"
)

// Event is a change of a recording.
type Event struct {
	ID        int64        `json:"id"`
	Action    string       `json:"action"` // an open set: created, completed, assignment_changed, adopted, ...
	Details   EventDetails `json:"details"`
	CreatedAt time.Time    `json:"created_at"`
	Creator   Person       `json:"creator"`
}

// EventDetails say more of some actions.
type EventDetails struct {
	Added   []int64 `json:"added_person_ids"`   // assignment_changed
	Removed []int64 `json:"removed_person_ids"` // likewise
	From    int64   `json:"parent_id_was"`      // adopted: a card came from this column
	To      int64   `json:"new_parent_id"`      // into this one
}

// UnmarshalJSON takes what it understands: details are only promised for some actions, and no reason to lose the event.
func (d *EventDetails) UnmarshalJSON(data []byte) error {
	type plain EventDetails
	var known plain
	if json.Unmarshal(data, &known) == nil {
		*d = EventDetails(known)
	}
	return nil
}

// Events lists what was done to an item, which must be in the project unless that is 0, the latest first.
func (c *Client) Events(ctx context.Context, project, item int64, page int) (Page[Event], error) {
	return list[Event](ctx, c, at("item", item, "recordings/%d/events.json").within(project), page)
}
