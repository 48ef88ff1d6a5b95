package sandbox

import (
	"cmp"
	"slices"
	"time"
)

func (c *call) todo(r *recording) view {
	var completion any = absent{}
	if done := r.task.completion; done != nil {
		completion = view{{"created_at", done.at}, {"creator", c.person(done.by)}}
	}
	return append(
		append(c.described(r), c.task(r)...),
		field{"completion", completion},
		field{"content", r.title},
		field{"starts_on", orNull(r.task.startsOn)},
		field{"completion_subscribers", apply(r.task.notified, c.person)},
		field{"completion_url", c.url("/todos/%d/completion.json", r.id)},
		field{"steps", c.steps(r)},
	)
}

// task returns the fields that to-dos, subtasks and cards share.
func (c *call) task(r *recording) view {
	return view{
		{"completed", r.completed()}, {"due_on", orNull(r.task.dueOn)}, {"assignees", apply(r.task.assignees, c.person)},
	}
}

// done says when and by whom a subtask or a card was completed. To-dos have a completion object
// instead.
func (c *call) done(r *recording) view {
	if !r.completed() {
		return nil
	}
	return view{{"completed_at", r.task.completion.at}, {"completer", c.person(r.task.completion.by)}}
}

// listTodos answers with a list's own to-dos, without those of its groups: open ones by default,
// completed ones with ?completed=true, and both with ?status.
func listTodos(c *call, list *recording) reply {
	todos := c.listed(list.within(kindTodo))
	switch {
	case c.query.Get("completed") == "true":
		todos = filter(todos, (*recording).completed)
		slices.SortStableFunc(todos, func(a, b *recording) int { return b.task.completion.at.Compare(a.task.completion.at) })
	case c.status() == active:
		todos = filter(todos, open)
	}
	return page(c, todos, c.todo)
}

func createTodo(c *call, list *recording) reply {
	f := c.fields
	todo := &recording{kind: kindTodo, task: &task{}}
	if refusal := c.writeTodo(todo, list.bucket, f); refusal.status != 0 {
		return refusal
	}
	c.create(list, todo)
	todo.subscribe(todo.task.assignees...)
	if f.yes("notify") {
		c.notifyAll(todo, todo.task.assignees, "inbox")
	}
	c.mention(todo, nil)
	return created(c.todo(todo)).located(c.appURL("%s", todo.anchor()))
}

// updateTodo replaces a to-do. Missing fields are cleared.
func updateTodo(c *call, todo *recording) reply {
	f := c.fields
	before := todo.copied()
	mentions := mentioned(c.account, todo.body)
	if refusal := c.writeTodo(todo, todo.bucket, f); refusal.status != 0 {
		return refusal
	}
	c.taskChanged(todo, before)
	todo.subscribe(todo.task.assignees...)
	c.mention(todo, mentions)
	return ok(c.todo(todo))
}

// writeTodo sets all fields of a to-do. If the request is invalid, it changes nothing.
func (c *call) writeTodo(todo *recording, p *project, f fields) reply {
	due, dueOK := f.date("due_on")
	starts, startsOK := f.date("starts_on")
	switch {
	case f.trimmed("content") == "":
		return invalidBare("content", blank)
	case !dueOK:
		return invalidField("due_on", "is not a valid date")
	case !startsOK:
		return invalidField("starts_on", "is not a valid date")
	case starts != "" && due != "" && starts > due:
		return invalidField("due_on", "must be on or after the start date")
	}
	todo.title = f.trimmed("content")
	todo.body = c.s.richText(c.account, f.text("description"))
	todo.task.dueOn, todo.task.startsOn = due, starts
	todo.task.assignees = c.known(p, f.numbers("assignee_ids"))
	todo.task.notified = c.known(p, f.numbers("completion_subscriber_ids"))
	return reply{}
}

// complete marks a task as completed by the caller. A completed task does not change.
func (c *call) complete(r *recording) {
	if r.completed() {
		return
	}
	r.task.completion = &completion{at: c.now(), by: c.me}
	c.changed(r, "completed", nil)
	c.notifyAll(r, r.task.notified, "inbox")
}

func (c *call) reopen(r *recording) {
	if !r.completed() {
		return
	}
	r.task.completion = nil
	c.changed(r, "uncompleted", nil)
}

// step returns a subtask of a to-do or of a card. It has two families of routes, /subtasks and
// /card_tables/steps.
func (c *call) step(r *recording) view {
	return append(
		append(append(c.envelope(r), c.task(r)...), c.done(r)...),
		field{"completion_url", c.url("/buckets/%d/steps/%d/completions.json", r.bucket.id, r.id)},
	)
}

func (c *call) steps(r *recording) []view { return apply(c.active(r.within(kindStep)), c.step) }

func listSteps(c *call, r *recording) reply { return page(c, c.active(r.within(kindStep)), c.step) }

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
		dueOn: due, assignees: c.known(r.bucket, f.numbers("assignee_ids")),
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
	if f.has("assignee_ids") {
		step.task.assignees = c.known(step.bucket, f.numbers("assignee_ids"))
	}
	c.taskChanged(step, before)
	return ok(c.step(step))
}

func trashStep(c *call, step *recording) {
	step.status = trashed
	c.changed(step, string(trashed), nil)
}

// copied returns the recording as it is now, to be compared later.
func (r *recording) copied() recording {
	before := *r
	task := *r.task
	before.task = &task
	return before
}

// Busy edits the open to-dos of a project in turn, n times in all and each several times in a row.
func (s *Sandbox) Busy(project string, n, inARow int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	todos := s.openTodos(project)
	for i := range n {
		todos[i/inARow%len(todos)].updated = s.now().UTC().Truncate(time.Millisecond)
	}
}

// OpenTodos returns the ids of a project's open to-dos.
func (s *Sandbox) OpenTodos(project string) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return apply(s.openTodos(project), func(r *recording) int64 { return r.id })
}

func (s *Sandbox) openTodos(project string) []*recording {
	var todos []*recording
	for _, r := range s.main.recordings {
		if r.kind == kindTodo && r.bucket == s.project(project) && open(r) && r.effective() == active {
			todos = append(todos, r)
		}
	}
	slices.SortFunc(todos, func(a, b *recording) int { return cmp.Compare(a.id, b.id) })
	return todos
}
