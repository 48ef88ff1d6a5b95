package sandbox

var messageRoutes = []route{
	{"GET /message_boards/{id}/messages", sortedChildren(kindMessage)},
	{"GET /messages", everyRecording(kindMessage)},
	{"GET /categories", func(c *call) reply { return whole(c, c.bucket.categories, "") }},
	{"GET /categories/{id}", on(func(c *call) *category {
		return first(c.bucket.categories, func(g *category) bool { return g.ID == c.id(0) })
	}, showAs[category]("category"))},
	{"POST /recordings/{id}/pin", onKinds(silently(func(_ *call, m *recording) { m.Pinned = true }), kindMessage)},
	{"DELETE /recordings/{id}/pin", onKinds(silently(func(_ *call, m *recording) { m.Pinned = false }), kindMessage)},
	{"GET /comments", everyRecording(kindComment)},
	{"GET /recordings/{id}/comments", func(c *call, r *recording) reply {
		refuse(!r.Type.documents("comments_url"), notFound())
		return page(c, c.comments(r), "full")
	}},
	{"POST /recordings/{id}/comments", makes(comments)},
	{"GET /inboxes/{id}/inbox_forwards", sortedChildren(kindForward)},
	{"GET /inbox_forwards/{id}/replies", func(c *call, f *recording) reply {
		return page(c, c.active(f.within(kindReply)), "full")
	}},
	{"GET /inbox_forwards/{id}/replies/{id}", func(c *call, f *recording) reply {
		r := c.find(c.id(1), kindReply)
		refuse(r == nil || r.Parent != f, notFound())
		return ok(c.show(r))
	}},
	{"GET /forwards", everyRecording(kindForward)},
}

// messages notify all members of the project if the request has no subscriptions.
var messages = writing{
	kind: kindMessage, within: []kind{kindBoard}, list: "messages",
	inputs: []input{
		{name: "subject", required: true, set: setTitle},
		{name: "content", set: setBody},
		{name: "category_id", set: func(_ *call, m *recording, v value) {
			m.Category = first(m.Bucket.categories, func(g *category) bool { return g.ID == v.fields.number(v.name) })
		}},
	},
	drafts: true,
	made: func(c *call, m *recording) {
		if c.fields.has("subscriptions") {
			m.subscribe(c.known(m.Bucket, c.fields.numbers("subscriptions"))...)
		} else {
			m.subscribe(m.Bucket.People...)
		}
		if m.Status == active {
			c.announce(m)
		}
	},
	changed: func(c *call, m *recording, was recording) {
		if c.fields.has("subscriptions") {
			m.Subscribers = c.known(m.Bucket, c.fields.numbers("subscriptions"))
			m.subscribe(m.Creator, c.me)
		}
		c.publish(m, was)
	},
}

// comments returns a recording's active comments that the caller may see, oldest first.
func (c *call) comments(r *recording) []*recording {
	return filter(r.within(kindComment), func(comment *recording) bool { return comment.Status == active && c.sees(comment) })
}

// comments notify the subscribers and the mentioned people, and subscribe the author.
var comments = writing{
	kind: kindComment,
	mayMake: func(_ *call, r *recording) {
		refuse(!r.Type.documents("comments_url"), notFound())
		refuse(r.effective() == trashed, forbidden())
	},
	mayChange: func(c *call, r *recording) { refuse(r.Creator != c.me && !c.me.Admin, forbidden()) },
	inputs:    []input{{name: "content", required: true, bare: true, set: setBody}},
	inherits:  true, replaces: true,
	made: func(c *call, comment *recording) {
		comment.Parent.subscribe(c.me)
		comment.Parent.UpdatedAt = comment.CreatedAt
		c.announce(comment)
	},
}
