package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

var assignmentRoutes = []route{
	// Answers with the caller's unpublished messages and documents.
	{"GET /my/drafts", func(c *call) reply {
		drafts := c.account.where(func(r *recording) bool {
			written := r.Type == kindMessage || r.Type == kindDocument
			return written && r.Status == drafted && r.Creator == c.me && r.Bucket.Status == active
		})
		slices.SortFunc(drafts, func(a, b *recording) int {
			return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
		})
		return page(c, drafts, "draft")
	}},
	// Answers with the caller's tasks. A subtask with priority is shown as the to-do or card that
	// contains it (my_assignments.md, "Prioritize an assignment").
	{"GET /my/assignments", func(c *call) reply {
		first := c.account.priorities[c.me]
		mine := c.assigned(c.me, open)
		var shown []*recording
		priorities := []view{}
		for _, r := range first {
			top := r
			if r.Type == kindStep {
				top = r.Parent
			}
			if slices.Contains(mine, top) && !slices.Contains(shown, top) {
				shown = append(shown, top)
				priorities = append(priorities, append(c.as("assignment", top), field{"priority_recording_id", r.ID}))
			}
		}
		isFirst := func(r *recording) bool { return slices.Contains(shown, r) }
		return ok(map[string]any{
			"priorities":     priorities,
			"non_priorities": c.each("assignment", filter(mine, func(r *recording) bool { return !isFirst(r) })),
		})
	}},
	{"GET /my/assignments/completed", func(c *call) reply {
		done := c.assigned(c.me, (*recording).completed)
		return ok(c.each("assignment", filter(done, (*recording).completed)))
	}},
	{"POST /my/priorities", func(c *call) reply {
		r := c.find(c.fields.number("id"), kindTodo, kindCard, kindStep)
		refuse(r == nil, notFound())
		if !slices.Contains(c.account.priorities[c.me], r) {
			c.account.priorities[c.me] = append(c.account.priorities[c.me], r)
		}
		return noContent()
	}},
	{"DELETE /my/priorities/{id}", func(c *call, r *recording) {
		c.account.priorities[c.me] = slices.DeleteFunc(c.account.priorities[c.me], func(o *recording) bool { return o == r })
	}},
	{"POST /my/priority_moves", func(c *call) reply {
		first := c.account.priorities[c.me]
		r := c.find(c.fields.number("source_id"))
		refuse(r == nil, notFound())
		at := slices.Index(first, r)
		refuse(at < 0, invalid("Recording is not prioritized."))
		refuse(!c.fields.has("position"), failure(http.StatusBadRequest, "Position is required."))
		position, err := strconv.Atoi(c.fields.text("position"))
		refuse(err != nil, failure(http.StatusBadRequest, "Position must be an integer."))
		refuse(position < 1 || position > len(first), invalid(fmt.Sprintf("Position must be between 1 and %d.", len(first))))
		first = slices.Delete(first, at, at+1)
		c.account.priorities[c.me] = slices.Insert(first, position-1, r)
		return noContent()
	}},
}

var assignmentTypes = map[kind]string{kindTodo: "todo", kindCard: "card", kindStep: "step"}

func (k kind) isTask() bool { return assignmentTypes[k] != "" }

// mySteps returns the caller's subtasks of a task, open ones of an open task.
func (c *call) mySteps(r *recording) []*recording {
	return filter(c.active(r.within(kindStep)), func(step *recording) bool {
		return slices.Contains(step.Assignees, c.me) && step.completed() == r.completed()
	})
}

// assigned returns the tasks of a person that keep accepts. For a subtask, it returns the to-do or
// card that contains the subtask.
func (c *call) assigned(p *Person, keep func(*recording) bool) []*recording {
	var found []*recording
	for _, r := range c.everywhere(kindTodo, kindCard, kindStep) {
		if !slices.Contains(r.Assignees, p) || !keep(r) {
			continue
		}
		if r.Type == kindStep {
			r = r.Parent
		}
		if !slices.Contains(found, r) {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b *recording) int {
		return cmp.Or(cmp.Compare(a.Bucket.ID, b.Bucket.ID), byDue(a, b))
	})
	return found
}

// byDue orders tasks by due date, with undated tasks last.
func byDue(a, b *recording) int {
	return cmp.Or(cmp.Compare(cmp.Or(a.DueOn, "9"), cmp.Or(b.DueOn, "9")), cmp.Compare(a.ID, b.ID))
}
