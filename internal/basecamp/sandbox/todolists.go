package sandbox

import "slices"

var todolistRoutes = []route{
	// Moves a list within its set. The position counts only lists that are not completed.
	{"PUT /todosets/todolists/{id}/position", func(c *call, list *recording) reply {
		position := int(c.fields.number("position"))
		refuse(list.isGroup(), notFound())
		refuse(position < 1, badRequest("Position must be greater than or equal to 1"))
		others := filter(list.Parent.within(kindTodolist), func(r *recording) bool { return r != list && r.Status == list.Status })
		at, before := 0, 0
		for ; at < len(others) && before < position-1; at++ {
			if done, total := c.progress(others[at]); total == 0 || done < total {
				before++
			}
		}
		list.move(list.Parent, at+1)
		c.changed(list, "position_changed", nil)
		return noContent()
	}},
	{"GET /todolists/{id}/groups", func(c *call, list *recording) reply {
		refuse(list.isGroup(), notFound())
		return children(kindTodolist)(c, list)
	}},
	{"POST /todolists/{id}/groups", makes(todolists)},
	// Moves a group within its list.
	{"PUT /todolists/groups/{id}/position", func(c *call, group *recording) reply {
		refuse(!group.isGroup(), notFound())
		return reposition(c, group)
	}},
}

// isGroup reports whether a to-do list is a group of another list.
func (r *recording) isGroup() bool { return r.Type == kindTodolist && r.Parent.Type == kindTodolist }

// progress counts the active to-dos below a list or set, groups included.
func (c *call) progress(r *recording) (done, total int) {
	for _, child := range c.active(r.children) {
		switch child.Type {
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

func open(r *recording) bool { return !r.completed() }

// todolists are lists in a set, and groups in a list.
var todolists = writing{
	kind: kindTodolist, within: []kind{kindTodoset}, list: "todolists",
	mayMake: func(_ *call, parent *recording) { refuse(parent.isGroup(), notFound()) },
	inputs: []input{
		{name: "name", required: true, set: setTitle},
		{name: "color", first: true, set: func(_ *call, list *recording, v value) {
			list.Color = v.text()
			v.refuse(list.Color != "" && !slices.Contains(colors, list.Color), "is not included in the list")
		}},
		{name: "description", set: setBody},
	},
	replaces: true,
	made:     func(c *call, list *recording) { c.mention(list, nil) },
}

// reposition moves a group, a subtask or a to-do within its parent. A to-do can also move to
// another list.
func reposition(c *call, r *recording) reply {
	position := int(c.fields.number("position"))
	refuse(position < 1, badRequest("Position must be greater than or equal to 1"))
	parent := r.Parent
	if c.fields.has("parent_id") && r.Type == kindTodo {
		if parent = c.find(c.fields.number("parent_id"), kindTodolist); parent == nil {
			return notFound()
		}
		r.Bucket = parent.Bucket
	}
	r.move(parent, position)
	c.changed(r, "position_changed", nil)
	return noContent()
}

// colors are the colors of groups and columns.
var colors = []string{"white", "red", "orange", "yellow", "green", "blue", "aqua", "purple", "gray", "pink", "brown"}
