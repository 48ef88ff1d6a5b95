package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type assignmentJSON struct {
	ID                  int64            `json:"id"`
	AppURL              string           `json:"app_url"`
	Content             string           `json:"content"`
	StartsOn            *string          `json:"starts_on"`
	DueOn               *string          `json:"due_on"`
	Bucket              bucketLinkJSON   `json:"bucket"`
	Completed           bool             `json:"completed"`
	Type                string           `json:"type"`
	Assignees           []personBrief    `json:"assignees"`
	CommentsCount       int              `json:"comments_count"`
	HasDescription      bool             `json:"has_description"`
	PriorityRecordingID int64            `json:"priority_recording_id,omitempty"`
	Parent              linkJSON         `json:"parent"`
	Children            []assignmentJSON `json:"children"`
}

type bucketLinkJSON struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	AppURL string `json:"app_url"`
}

type linkJSON struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	AppURL string `json:"app_url"`
}

var assignmentTypes = map[kind]string{kindTodo: "todo", kindCard: "card", kindStep: "step"}

func (c *call) assignment(r *recording) assignmentJSON {
	view := assignmentJSON{
		ID:             r.id,
		AppURL:         c.appURL("%s", r.anchor()),
		Content:        r.title,
		StartsOn:       orNull(r.task.startsOn),
		DueOn:          orNull(r.task.dueOn),
		Bucket:         bucketLinkJSON{r.bucket.id, r.bucket.name, c.appURL("/buckets/%d", r.bucket.id)},
		Completed:      r.completed(),
		Type:           assignmentTypes[r.kind],
		Assignees:      apply(r.task.assignees, c.brief),
		CommentsCount:  len(c.comments(r)),
		HasDescription: r.body != "",
		Parent:         linkJSON{r.parent.id, r.parent.title, c.appURL("%s", r.parent.anchor())},
		Children:       []assignmentJSON{},
	}
	for _, step := range c.active(r.within(kindStep)) {
		if slices.Contains(step.task.assignees, c.me) && step.completed() == r.completed() {
			view.Children = append(view.Children, c.assignment(step))
		}
	}
	return view
}

// assigned returns the tasks of a person that keep accepts. For a subtask, it returns the to-do or
// card that contains the subtask.
func (c *call) assigned(p *person, keep func(*recording) bool) []*recording {
	var found []*recording
	for _, r := range c.everywhere(kindTodo, kindCard, kindStep) {
		if !slices.Contains(r.task.assignees, p) || !keep(r) {
			continue
		}
		if r.kind == kindStep {
			r = r.parent
		}
		if !slices.Contains(found, r) {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b *recording) int {
		return cmp.Or(cmp.Compare(a.bucket.id, b.bucket.id), byDue(a, b))
	})
	return found
}

// byDue orders tasks by due date, with undated tasks last.
func byDue(a, b *recording) int {
	return cmp.Or(cmp.Compare(cmp.Or(a.task.dueOn, "9"), cmp.Or(b.task.dueOn, "9")), cmp.Compare(a.id, b.id))
}

// listAssignments answers with the caller's tasks. A subtask with priority is shown as the to-do or
// card that contains it (my_assignments.md, "Prioritize an assignment").
func listAssignments(c *call) reply {
	first := c.account.priorities[c.me]
	mine := c.assigned(c.me, open)
	var shown []*recording
	priorities := []assignmentJSON{}
	for _, r := range first {
		top := r
		if r.kind == kindStep {
			top = r.parent
		}
		if slices.Contains(mine, top) && !slices.Contains(shown, top) {
			view := c.assignment(top)
			view.PriorityRecordingID = r.id
			shown, priorities = append(shown, top), append(priorities, view)
		}
	}
	isFirst := func(r *recording) bool { return slices.Contains(shown, r) }
	return ok(map[string]any{
		"priorities":     priorities,
		"non_priorities": apply(filter(mine, func(r *recording) bool { return !isFirst(r) }), c.assignment),
	})
}

func listCompletedAssignments(c *call) reply {
	done := c.assigned(c.me, (*recording).completed)
	return whole(filter(done, (*recording).completed), c.assignment)
}

func prioritize(c *call) reply {
	r := c.find(c.fields.number("id"), kindTodo, kindCard, kindStep)
	if r == nil {
		return notFound()
	}
	if !slices.Contains(c.account.priorities[c.me], r) {
		c.account.priorities[c.me] = append(c.account.priorities[c.me], r)
	}
	return noContent()
}

func deprioritize(c *call, r *recording) {
	c.account.priorities[c.me] = slices.DeleteFunc(c.account.priorities[c.me], func(o *recording) bool { return o == r })
}

func movePriority(c *call) reply {
	first := c.account.priorities[c.me]
	r := c.find(c.fields.number("source_id"))
	if r == nil {
		return notFound()
	}
	at := slices.Index(first, r)
	if at < 0 {
		return invalid("Recording is not prioritized.")
	}
	if !c.fields.has("position") {
		return failure(http.StatusBadRequest, "Position is required.")
	}
	position, err := strconv.Atoi(c.fields.text("position"))
	if err != nil {
		return failure(http.StatusBadRequest, "Position must be an integer.")
	}
	if position < 1 || position > len(first) {
		return invalid(fmt.Sprintf("Position must be between 1 and %d.", len(first)))
	}
	first = slices.Delete(first, at, at+1)
	c.account.priorities[c.me] = slices.Insert(first, position-1, r)
	return noContent()
}

type draftJSON struct {
	ID                 int64          `json:"id"`
	AppURL             string         `json:"app_url"`
	Title              string         `json:"title"`
	Type               string         `json:"type"`
	Bucket             bucketLinkJSON `json:"bucket"`
	Parent             linkJSON       `json:"parent"`
	Excerpt            string         `json:"excerpt"`
	CreatedAt          stamp          `json:"created_at"`
	UpdatedAt          stamp          `json:"updated_at"`
	ScheduledPostingAt *stamp         `json:"scheduled_posting_at"`
}

// listDrafts answers with the caller's unpublished messages and documents.
func listDrafts(c *call) reply {
	var drafts []*recording
	for _, r := range c.account.recordings {
		written := r.kind == kindMessage || r.kind == kindDocument
		if written && r.status == drafted && r.creator == c.me && r.bucket.status == active {
			drafts = append(drafts, r)
		}
	}
	slices.SortFunc(drafts, func(a, b *recording) int {
		return cmp.Or(b.updated.Compare(a.updated), cmp.Compare(b.id, a.id))
	})
	return page(c, drafts, func(r *recording) draftJSON {
		return draftJSON{
			ID: r.id, AppURL: c.appURL("%s", r.anchor()), Title: r.title, Type: strings.ToLower(string(r.kind)),
			Bucket:    bucketLinkJSON{r.bucket.id, r.bucket.name, c.appURL("/buckets/%d", r.bucket.id)},
			Parent:    linkJSON{r.parent.id, r.parent.title, c.appURL("%s", r.parent.anchor())},
			Excerpt:   shorten(plain(r.body), 300),
			CreatedAt: stamp(r.created), UpdatedAt: stamp(r.updated),
		}
	})
}
