package basecamp

import (
	"context"
	"encoding/json"
	"time"
)

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

// Timeline lists the changes in all projects, the latest first.
func (c *Client) Timeline(ctx context.Context, page int) (Page[Happening], error) {
	return list[Happening](ctx, c, request{path: "reports/progress.json"}, page)
}

// ProjectTimeline lists the changes in a project, the latest first.
func (c *Client) ProjectTimeline(ctx context.Context, project int64, page int) (Page[Happening], error) {
	return list[Happening](ctx, c, requestAt("project", project, "projects/%d/timeline.json"), page)
}

// PersonTimeline lists a person's changes in all projects, the latest first.
func (c *Client) PersonTimeline(ctx context.Context, person int64, page int) (Page[Happening], error) {
	return listIn[Happening](ctx, c, requestAt("person", person, "reports/users/progress/%d.json"), "events", page)
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

// Events lists the changes to an item, the latest first. The item must be in the project, unless
// project is 0.
func (c *Client) Events(ctx context.Context, project, item int64, page int) (Page[Event], error) {
	return list[Event](ctx, c, requestAt("item", item, "recordings/%d/events.json").within(project), page)
}
