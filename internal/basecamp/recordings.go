package basecamp

import (
	"context"
	"strconv"
)

// Recordings lists the active recordings of a type in a project, those changed last first. Types are Comment, Document,
// Kanban::Card, Kanban::Step, Message, Question::Answer, Schedule::Entry, Todo, Todolist, Upload and Vault. What sets the type
// apart is left out.
func (c *Client) Recordings(ctx context.Context, kind string, project int64, page int) (Page[Recording], error) {
	r := request{path: "projects/recordings.json", query: sorted("updated_at", "desc"), about: about("project", project)}
	r.query.Set("type", kind)
	r.query.Set("bucket", strconv.FormatInt(project, 10))
	return list[Recording](ctx, c, r, page)
}
