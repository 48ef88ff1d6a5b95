package basecamp

import (
	"context"
	"encoding/json"
	"fmt"
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
	From    string  `json:"previous_parent_title"`
	To      string  `json:"parent_title"` // adopted: from one column to another
	FromID  int64   `json:"previous_parent_id"`
	ToID    int64   `json:"parent_id"`
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

// Events lists what was done to a recording, the latest first. A project other than 0 is the one it must be in.
func (c *Client) Events(ctx context.Context, project, recording int64, page int) (Page[Event], error) {
	r := at("item", recording, "recordings/%d/events.json")
	if project != 0 { // the older route, as the flat one takes the item of any project
		r.path = fmt.Sprintf("buckets/%d/", project) + r.path
	}
	return list[Event](ctx, c, r, page)
}
