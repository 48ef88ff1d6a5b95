package sandbox

import (
	"slices"
	"time"
)

var todoRoutes = []route{
	{"GET /todosets/{id}/todos", listTodos},
	{"GET /todolists/{id}/todos", listTodos},
	{"POST /todos/{id}/completion", (*call).complete},
	{"DELETE /todos/{id}/completion", (*call).reopen},
	{"PUT /todos/{id}/position", reposition},
	{"GET /recordings/{id}/subtasks", onKinds(func(c *call, r *recording) reply { return page(c, c.active(r.within(kindStep)), "full") }, kindTodo, kindCard)},
	{"POST /recordings/{id}/subtasks", onKinds(makes(steps), kindTodo, kindCard)},
	{"GET /subtasks/{id}", (*call).show},
	{"PUT /subtasks/{id}", changes(steps)},
	{"DELETE /subtasks/{id}", (*call).trash},
	{"POST /subtasks/{id}/completion", (*call).complete},
	{"DELETE /subtasks/{id}/completion", (*call).reopen},
	{"PUT /subtasks/{id}/position", reposition},
	{"GET /todos/open", everyTask(kindTodo, open)},
	{"GET /todos/completed", everyTask(kindTodo, (*recording).completed)},
	{"GET /todos/unassigned", everyTask(kindTodo, unassigned)},
	{"GET /todos/no_due_date", everyTask(kindTodo, undated)},
	{"GET /todos/overdue", everyOverdue(kindTodo)},
}

// listTodos answers with a list's own to-dos, without those of its groups: open ones by default,
// completed ones with ?completed=true, and both with ?status.
func listTodos(c *call, list *recording) reply {
	todos := c.listed(list.within(kindTodo))
	switch {
	case c.query.Get("completed") == "true":
		todos = filter(todos, (*recording).completed)
		slices.SortStableFunc(todos, func(a, b *recording) int { return b.Completion.CreatedAt.Compare(a.Completion.CreatedAt) })
	case c.status() == active:
		todos = filter(todos, open)
	}
	return page(c, todos, "full")
}

var todos = writing{
	kind: kindTodo, within: []kind{kindTodoset, kindTodolist}, list: "todos",
	inputs: []input{
		{name: "content", required: true, bare: true, set: setTitle},
		{name: "due_on", set: setDue},
		{name: "starts_on", set: setStarts},
		{name: "description", set: setBody},
		{name: "assignee_ids", set: setAssignees},
		{name: "completion_subscriber_ids", set: func(c *call, todo *recording, v value) {
			todo.CompletionSubscribers = v.people(c, todo)
		}},
	},
	agree: func(todo *recording) {
		starts, due := todo.StartsOn, todo.DueOn
		refuse(starts != "" && due != "" && starts > due, invalidField("due_on", "must be on or after the start date"))
	},
	replaces: true,
	made: func(c *call, todo *recording) {
		todo.subscribe(todo.Assignees...)
		if c.fields.yes("notify") {
			c.notifyAll(todo, todo.Assignees, "inbox")
		}
		c.mention(todo, nil)
	},
	changed: func(c *call, todo *recording, was recording) {
		c.taskChanged(todo, was)
		todo.subscribe(todo.Assignees...)
	},
}

// complete marks a task as completed by the caller. A completed task does not change.
func (c *call) complete(r *recording) {
	if r.completed() {
		return
	}
	r.Completion = &completion{CreatedAt: c.now(), Creator: c.me}
	c.changed(r, "completed", nil)
	c.notifyAll(r, r.CompletionSubscribers, "inbox")
}

func (c *call) reopen(r *recording) {
	if !r.completed() {
		return
	}
	r.Completion = nil
	c.changed(r, "uncompleted", nil)
}

var steps = writing{
	kind: kindStep,
	inputs: []input{
		{name: "title", required: true, set: setTitle},
		{name: "due_on", set: setDue},
		{name: "assignee_ids", set: setAssignees},
	},
	made:    func(_ *call, step *recording) { step.Parent.UpdatedAt = step.CreatedAt },
	changed: (*call).taskChanged,
}

// Busy edits the open to-dos of a project in turn, n times in all and each several times in a row.
func (s *Sandbox) Busy(project string, n, inARow int) {
	todos := s.OpenTodos(project)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n {
		s.main.recordings[todos[i/inARow%len(todos)]].UpdatedAt = s.now().UTC().Truncate(time.Millisecond)
	}
}

// OpenTodos returns the ids of a project's open to-dos.
func (s *Sandbox) OpenTodos(project string) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	todos := apply(s.main.where(func(r *recording) bool {
		return r.Type == kindTodo && r.Bucket == s.main.project(project) && open(r) && r.effective() == active
	}), func(r *recording) int64 { return r.ID })
	slices.Sort(todos)
	return todos
}
