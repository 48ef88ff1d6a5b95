package sandbox

import (
	"fmt"
	"slices"
)

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

// completion returns the fields that say how much of a list or a set is done.
func (c *call) completion(r *recording) view {
	done, total := c.progress(r)
	return view{{"completed", total > 0 && done == total}, {"completed_ratio", fmt.Sprintf("%d/%d", done, total)}}
}

func (c *call) todolist(r *recording) view {
	v := append(
		append(c.described(r), c.completion(r)...),
		field{"name", r.title},
		field{"color", orNull(r.color)},
	)
	if r.isGroup() {
		v = append(v, field{"group_position_url", c.url("/buckets/%d/todolists/groups/%d/position.json", r.bucket.id, r.id)})
	} else {
		v = append(v, field{"groups_url", c.url("%s/groups.json", r.place())})
	}
	return append(
		v,
		field{"todos_url", c.url("%s/todos.json", r.place())},
		field{"app_todos_url", c.appURL("%s/todos", r.place())},
		field{"comments_app_url", c.appURL("/buckets/%d/recordings/%d/comments", r.bucket.id, r.id)},
	)
}

func showTodoset(c *call, set *recording) reply {
	lists := c.active(set.within(kindTodolist))
	loose := c.active(set.within(kindTodo))
	return ok(append(
		append(c.envelope(set), c.completion(set)...),
		field{"name", set.title},
		field{"todos_count", len(filter(loose, open))},
		field{"todolists_count", len(lists)},
		field{"completed_loose_todos_count", len(filter(loose, (*recording).completed))},
		field{"todolists", apply(lists, c.outline)},
		field{"todos_url", c.url("%s/todos.json", set.place())},
		field{"app_todos_url", c.appURL("%s/todos", set.place())},
		field{"hill_chart_url", c.url("%s/hill.json", set.place())},
		field{"todolists_url", c.url("%s/todolists.json", set.place())},
		field{"app_todoslists_url", c.appURL("%s/todolists", set.place())},
	))
}

func (c *call) outline(r *recording) view {
	return append(
		append(view{{"id", r.id}, {"title", r.title}, {"description", orNull(r.body)}}, c.completion(r)...),
		field{"url", c.url("%s.json", r.place())},
		field{"app_url", c.appURL("%s", r.anchor())},
	)
}

func open(r *recording) bool { return !r.completed() }

func listGroups(c *call, list *recording) reply {
	if list.isGroup() {
		return notFound()
	}
	return children(kindTodolist)(c, list)
}

// todolists are lists in a set, and groups in a list.
var todolists = writing{
	kind: kindTodolist,
	mayMake: func(_ *call, parent *recording) reply {
		return refusedIf(parent.kind == kindTodolist && parent.isGroup(), notFound())
	},
	inputs: []input{
		{name: "name", required: true, set: setTitle},
		{name: "color", first: true, set: func(_ *call, list *recording, f fields, name string) string {
			if list.color = f.text(name); list.color != "" && !slices.Contains(colors, list.color) {
				return "is not included in the list"
			}
			return ""
		}},
		{name: "description", set: setBody},
	},
	replaces: true,
	made:     func(c *call, list *recording) { c.mention(list, nil) },
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
