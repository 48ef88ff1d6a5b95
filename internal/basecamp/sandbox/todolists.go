package sandbox

import (
	"fmt"
	"slices"
)

type todosetJSON struct {
	envelope
	Completed                bool          `json:"completed"`
	CompletedRatio           string        `json:"completed_ratio"`
	Name                     string        `json:"name"`
	TodosCount               int           `json:"todos_count"`
	TodolistsCount           int           `json:"todolists_count"`
	CompletedLooseTodosCount int           `json:"completed_loose_todos_count"`
	Todolists                []listOutline `json:"todolists"`
	TodosURL                 string        `json:"todos_url"`
	AppTodosURL              string        `json:"app_todos_url"`
	HillChartURL             string        `json:"hill_chart_url"`
	TodolistsURL             string        `json:"todolists_url"`
	AppTodolistsURL          string        `json:"app_todoslists_url"`
}

type listOutline struct {
	ID             int64   `json:"id"`
	Title          string  `json:"title"`
	Description    *string `json:"description"`
	Completed      bool    `json:"completed"`
	CompletedRatio string  `json:"completed_ratio"`
	URL            string  `json:"url"`
	AppURL         string  `json:"app_url"`
}

type todolistJSON struct {
	describedJSON
	Completed        bool    `json:"completed"`
	CompletedRatio   string  `json:"completed_ratio"`
	Name             string  `json:"name"`
	Color            *string `json:"color"`
	GroupsURL        string  `json:"groups_url,omitempty"`
	GroupPositionURL string  `json:"group_position_url,omitempty"`
	TodosURL         string  `json:"todos_url"`
	AppTodosURL      string  `json:"app_todos_url"`
	CommentsAppURL   string  `json:"comments_app_url"`
}

// isGroup reports whether a to-do list is a group of another list.
func (r *recording) isGroup() bool { return r.kind == kindTodolist && r.parent.kind == kindTodolist }

// progress counts the active to-dos below a list or set, groups included.
func (c *call) progress(r *recording) (done, total int) {
	for _, child := range c.active(r.children) {
		switch child.kind {
		case kindTodo:
			total++
			if child.completed() {
				done++
			}
		case kindTodolist:
			d, t := c.progress(child)
			done, total = done+d, total+t
		}
	}
	return done, total
}

func ratio(done, total int) string { return fmt.Sprintf("%d/%d", done, total) }

func (c *call) todolist(r *recording) todolistJSON {
	done, total := c.progress(r)
	view := todolistJSON{
		describedJSON:  c.described(r),
		Completed:      total > 0 && done == total,
		CompletedRatio: ratio(done, total),
		Name:           r.title,
		Color:          orNull(r.color),
		TodosURL:       c.url("%s/todos.json", r.place()),
		AppTodosURL:    c.appURL("%s/todos", r.place()),
		CommentsAppURL: c.appURL("/buckets/%d/recordings/%d/comments", r.bucket.id, r.id),
	}
	if r.isGroup() {
		view.GroupPositionURL = c.url("/buckets/%d/todolists/groups/%d/position.json", r.bucket.id, r.id)
	} else {
		view.GroupsURL = c.url("%s/groups.json", r.place())
	}
	return view
}

func showTodoset(c *call, set *recording) reply {
	done, total := c.progress(set)
	lists := c.active(set.within(kindTodolist))
	loose := c.active(set.within(kindTodo))
	return ok(todosetJSON{
		envelope:                 c.envelope(set),
		Completed:                total > 0 && done == total,
		CompletedRatio:           ratio(done, total),
		Name:                     set.title,
		TodosCount:               len(filter(loose, open)),
		TodolistsCount:           len(lists),
		CompletedLooseTodosCount: len(filter(loose, (*recording).completed)),
		Todolists:                apply(lists, c.outline),
		TodosURL:                 c.url("%s/todos.json", set.place()),
		AppTodosURL:              c.appURL("%s/todos", set.place()),
		HillChartURL:             c.url("%s/hill.json", set.place()),
		TodolistsURL:             c.url("%s/todolists.json", set.place()),
		AppTodolistsURL:          c.appURL("%s/todolists", set.place()),
	})
}

func (c *call) outline(r *recording) listOutline {
	done, total := c.progress(r)
	return listOutline{
		r.id, r.title, orNull(r.body), total > 0 && done == total, ratio(done, total),
		c.url("%s.json", r.place()), c.appURL("%s", r.anchor()),
	}
}

func open(r *recording) bool { return !r.completed() }

func listGroups(c *call, list *recording) reply {
	if list.isGroup() {
		return notFound()
	}
	return children(kindTodolist)(c, list)
}

// createTodolist adds a list to a set, or a group to a list.
func createTodolist(c *call, parent *recording) reply {
	f := c.fields
	color := f.text("color")
	switch {
	case parent.kind == kindTodolist && parent.isGroup():
		return notFound()
	case f.trimmed("name") == "":
		return invalidField("name", blank)
	case color != "" && !slices.Contains(colors, color):
		return invalidField("color", "is not included in the list")
	}
	list := c.create(parent, &recording{
		kind: kindTodolist, title: f.trimmed("name"), body: c.s.richText(c.account, f.text("description")), color: color,
	})
	c.mention(list, nil)
	return created(c.todolist(list)).located(c.appURL("%s", list.anchor()))
}

// updateTodolist replaces name and description. A missing description is cleared.
func updateTodolist(c *call, list *recording) reply {
	f := c.fields
	list.title = f.trimmed("name")
	c.setText(list, "description")
	c.changed(list, "content_changed", nil)
	return ok(c.todolist(list))
}

// repositionGroup moves a group within its list.
func repositionGroup(c *call, group *recording) reply {
	if !group.isGroup() {
		return notFound()
	}
	return reposition(c, group)
}

// repositionList moves a list within its set. The position counts only lists that are not
// completed.
func repositionList(c *call, list *recording) reply {
	position := int(c.fields.number("position"))
	if list.isGroup() {
		return notFound()
	}
	if position < 1 {
		return badRequest("Position must be greater than or equal to 1")
	}
	others := filter(list.parent.within(kindTodolist), func(r *recording) bool { return r != list && r.status == list.status })
	at, before := 0, 0
	for ; at < len(others) && before < position-1; at++ {
		if done, total := c.progress(others[at]); total == 0 || done < total {
			before++
		}
	}
	list.move(list.parent, at+1)
	c.changed(list, "position_changed", nil)
	return noContent()
}

// reposition moves a group, a subtask or a to-do within its parent. A to-do can also move to
// another list.
func reposition(c *call, r *recording) reply {
	position := int(c.fields.number("position"))
	if position < 1 {
		return badRequest("Position must be greater than or equal to 1")
	}
	parent := r.parent
	if c.fields.has("parent_id") && r.kind == kindTodo {
		if parent = c.find(c.fields.number("parent_id"), kindTodolist); parent == nil {
			return notFound()
		}
		r.bucket = parent.bucket
	}
	r.move(parent, position)
	c.changed(r, "position_changed", nil)
	return noContent()
}

// colors are the colors of groups and columns.
var colors = []string{"white", "red", "orange", "yellow", "green", "blue", "aqua", "purple", "gray", "pink", "brown"}
