package sandbox

import (
	"slices"
	"strconv"
	"strings"
)

// A step is a subtask of a to-do or of a card. It has two families of routes, /subtasks and
// /card_tables/steps.
type stepJSON struct {
	envelope
	taskJSON
	doneJSON
	CompletionURL string `json:"completion_url"`
}

func (c *call) step(r *recording) stepJSON {
	return stepJSON{c.envelope(r), c.task(r), c.done(r), c.url("/buckets/%d/steps/%d/completions.json", r.bucket.id, r.id)}
}

func (c *call) steps(r *recording) []stepJSON { return apply(c.active(r.within(kindStep)), c.step) }

func listSteps(c *call, r *recording) reply { return page(c, c.active(r.within(kindStep)), c.step) }

func showStep(c *call, step *recording) reply { return ok(c.step(step)) }

func createStep(c *call, r *recording) reply {
	f := c.fields
	due, valid := f.date("due_on")
	switch {
	case f.trimmed("title") == "":
		return invalidField("title", blank)
	case !valid:
		return invalidField("due_on", "is not a valid date")
	}
	step := c.create(r, &recording{kind: kindStep, title: f.trimmed("title"), task: &task{
		dueOn: due, assignees: c.known(r.bucket, assigneeIDs(f)),
	}})
	r.updated = step.created
	return created(c.step(step))
}

// updateStep changes only the fields of the request.
func updateStep(c *call, step *recording) reply {
	f := c.fields
	due, valid := f.date("due_on")
	switch {
	case f.has("title") && f.trimmed("title") == "":
		return invalidField("title", blank)
	case !valid:
		return invalidField("due_on", "is not a valid date")
	}
	before := step.copied()
	if f.has("title") {
		step.title = f.trimmed("title")
	}
	if f.has("due_on") {
		step.task.dueOn = due
	}
	if f.has("assignee_ids") || f.has("assignees") {
		step.task.assignees = c.known(step.bucket, assigneeIDs(f))
	}
	c.taskChanged(step, before)
	return ok(c.step(step))
}

func trashStep(c *call, step *recording) reply {
	step.status = trashed
	c.changed(step, string(trashed), nil)
	return noContent()
}

// switchStep completes or reopens a subtask: {"completion": "on" | "off"}.
func switchStep(c *call, step *recording) reply {
	switch c.fields.text("completion") {
	case "on":
		c.complete(step)
	case "off", "":
		c.reopen(step)
	default:
		return badRequest("Invalid completion")
	}
	return ok(c.step(step))
}

// placeStep moves {source_id} to a position counted from 0.
func placeStep(c *call, r *recording) reply {
	step := c.find(c.fields.number("source_id"), kindStep)
	if step == nil || step.parent != r {
		return notFound()
	}
	step.move(r, int(c.fields.number("position"))+1)
	return noContent()
}

// assigneeIDs returns ids from an array, or from the older comma-separated list.
func assigneeIDs(f fields) []int64 {
	ids := f.numbers("assignee_ids")
	for part := range strings.SplitSeq(f.text("assignees"), ",") {
		if id, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
