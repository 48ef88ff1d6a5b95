package sandbox

import "slices"

func (c *call) message(r *recording) view {
	v := c.text(r, field{"subject", r.title})
	if r.category != nil {
		v = append(v, field{"category", c.category(r.category)})
	}
	return v
}

func (c *call) category(g *category) view {
	return view{{"id", g.id}, {"name", g.name}, {"icon", g.icon}, {"created_at", g.created}, {"updated_at", g.updated}}
}

func showBoard(c *call, board *recording) reply {
	return ok(c.envelope(
		board,
		field{"messages_count", len(c.active(board.within(kindMessage)))},
		field{"messages_url", c.url("%s/messages.json", board.place())},
		field{"app_messages_url", c.appURL("%s/messages", board.place())},
	))
}

func listMessages(c *call, board *recording) reply {
	return page(c, c.sorted(c.listed(board.within(kindMessage))), c.message)
}

// createMessage creates a draft unless status is active. Without subscriptions, Basecamp notifies
// all members of the project.
func createMessage(c *call, board *recording) reply {
	f := c.fields
	m := &recording{kind: kindMessage, title: f.trimmed("subject"), status: drafted, category: c.findCategory(board.bucket, f)}
	m.body = c.s.richText(c.account, f.text("content"))
	if f.text("status") == string(active) {
		m.status = active
	}
	c.create(board, m)
	if f.has("subscriptions") {
		m.subscribe(c.known(board.bucket, f.numbers("subscriptions"))...)
	} else {
		m.subscribe(board.bucket.people...)
	}
	if m.status == active {
		c.announce(m)
	}
	return created(c.message(m)).located(c.appURL("%s", m.anchor()))
}

// updateMessage changes the fields of the request. status=active publishes a draft.
func updateMessage(c *call, m *recording) reply {
	f := c.fields
	if f.has("subject") && f.trimmed("subject") == "" {
		return invalidField("subject", blank)
	}
	if f.has("subject") {
		m.title = f.trimmed("subject")
	}
	if f.has("content") {
		c.setText(m, "content")
	}
	if f.has("category_id") {
		m.category = c.findCategory(m.bucket, f)
	}
	if f.has("subscriptions") {
		m.subscribers = c.known(m.bucket, f.numbers("subscriptions"))
		m.subscribe(m.creator, c.me)
	}
	c.publishOr(m, f, "content_changed")
	return ok(c.message(m))
}

// publishOr publishes a draft if the request asks for it. Otherwise it records a change.
func (c *call) publishOr(r *recording, f fields, change string) {
	if r.status != drafted || f.text("status") != string(active) {
		c.changed(r, change, nil)
		return
	}
	r.status = active
	r.created = c.now()
	c.changed(r, "created", nil)
	c.announce(r)
}

func (c *call) findCategory(p *project, f fields) *category {
	id := f.number("category_id")
	at := slices.IndexFunc(p.categories, func(g *category) bool { return g.id == id })
	if at < 0 {
		return nil
	}
	return p.categories[at]
}

func listCategories(c *call) reply { return whole(c.bucket.categories, c.category) }

func pinMessage(_ *call, m *recording)   { m.pinned = true }
func unpinMessage(_ *call, m *recording) { m.pinned = false }

// comments returns a recording's active comments that the caller may see, oldest first.
func (c *call) comments(r *recording) []*recording {
	return filter(r.within(kindComment), func(comment *recording) bool { return comment.status == active && c.sees(comment) })
}

func listComments(c *call, r *recording) reply {
	if !kinds[r.kind].commented {
		return notFound()
	}
	return page(c, c.comments(r), c.show)
}

// createComment adds a comment, notifies the subscribers and the mentioned people, and subscribes
// the author.
func createComment(c *call, r *recording) reply {
	f := c.fields
	switch {
	case !kinds[r.kind].commented:
		return notFound()
	case r.effective() == trashed:
		return forbidden()
	case f.trimmed("content") == "":
		return invalidBare("content", blank)
	}
	comment := c.create(r, &recording{kind: kindComment, body: c.s.richText(c.account, f.text("content")), public: r.public})
	r.subscribe(c.me)
	r.updated = comment.created
	c.announce(comment)
	return created(c.text(comment)).located(c.appURL("%s", comment.anchor()))
}

func updateComment(c *call, comment *recording) reply {
	f := c.fields
	switch {
	case comment.creator != c.me && !c.me.admin:
		return forbidden()
	case f.trimmed("content") == "":
		return invalidBare("content", blank)
	}
	c.setText(comment, "content")
	c.changed(comment, "content_changed", nil)
	return ok(c.text(comment)).located(c.appURL("%s", comment.anchor()))
}

func showInbox(c *call, inbox *recording) reply {
	return ok(c.envelope(
		inbox,
		field{"forwards_count", len(c.active(inbox.within(kindForward)))},
		field{"forwards_url", c.url("%s/forwards.json", inbox.place())},
	))
}

// forward returns an e-mail of a sender outside the account. No person of the team wrote its
// content.
func (c *call) forward(r *recording) view {
	return c.text(
		r,
		field{"subject", r.title},
		field{"from", orNull(r.from)},
		field{"replies_count", len(c.active(r.within(kindReply)))},
		field{"replies_url", c.url("%s/replies.json", r.place())},
	)
}

func listForwards(c *call, inbox *recording) reply {
	return page(c, c.sorted(c.listed(inbox.within(kindForward))), c.forward)
}

func listReplies(c *call, f *recording) reply {
	return page(c, c.active(f.within(kindReply)), c.show)
}

func showReply(c *call, f *recording) reply {
	r := c.find(c.id(1), kindReply)
	if r == nil || r.parent != f {
		return notFound()
	}
	return ok(c.text(r))
}
