package sandbox

func (c *call) category(g *category) view {
	return view{{"id", g.id}, {"name", g.name}, {"icon", g.icon}, {"created_at", g.created}, {"updated_at", g.updated}}
}

// messages notify all members of the project if the request has no subscriptions.
var messages = writing{
	kind: kindMessage, within: []kind{kindBoard}, list: "messages",
	inputs: []input{
		{name: "subject", required: true, set: setTitle},
		{name: "content", set: setBody},
		{name: "category_id", set: func(_ *call, m *recording, f fields, name string) string {
			m.category = first(m.bucket.categories, func(g *category) bool { return g.id == f.number(name) })
			return ""
		}},
	},
	drafts: true,
	made: func(c *call, m *recording) {
		if c.fields.has("subscriptions") {
			m.subscribe(c.known(m.bucket, c.fields.numbers("subscriptions"))...)
		} else {
			m.subscribe(m.bucket.people...)
		}
		if m.status == active {
			c.announce(m)
		}
	},
	changed: func(c *call, m *recording, was recording) {
		if c.fields.has("subscriptions") {
			m.subscribers = c.known(m.bucket, c.fields.numbers("subscriptions"))
			m.subscribe(m.creator, c.me)
		}
		c.publish(m, was)
	},
}

func listCategories(c *call) reply { return whole(c.bucket.categories, c.category) }

// findCategory returns the category {id} of the project, or nil.
func (c *call) findCategory() *category {
	return first(c.bucket.categories, func(g *category) bool { return g.id == c.id(0) })
}

func pinMessage(_ *call, m *recording)   { m.pinned = true }
func unpinMessage(_ *call, m *recording) { m.pinned = false }

// comments returns a recording's active comments that the caller may see, oldest first.
func (c *call) comments(r *recording) []*recording {
	return filter(r.within(kindComment), func(comment *recording) bool { return comment.status == active && c.sees(comment) })
}

func listComments(c *call, r *recording) reply {
	if !r.kind.documents("comments_url") {
		return notFound()
	}
	return page(c, c.comments(r), c.show)
}

// comments notify the subscribers and the mentioned people, and subscribe the author.
var comments = writing{
	kind: kindComment,
	mayMake: func(_ *call, r *recording) reply {
		if !r.kind.documents("comments_url") {
			return notFound()
		}
		return refusedIf(r.effective() == trashed, forbidden())
	},
	mayChange: func(c *call, r *recording) reply { return refusedIf(r.creator != c.me && !c.me.admin, forbidden()) },
	inputs:    []input{{name: "content", required: true, bare: true, set: setBody}},
	inherits:  true, replaces: true,
	made: func(c *call, comment *recording) {
		comment.parent.subscribe(c.me)
		comment.parent.updated = comment.created
		c.announce(comment)
	},
}

func listReplies(c *call, f *recording) reply {
	return page(c, c.active(f.within(kindReply)), c.show)
}

func showReply(c *call, f *recording) reply {
	r := c.find(c.id(1), kindReply)
	if r == nil || r.parent != f {
		return notFound()
	}
	return ok(c.show(r))
}
