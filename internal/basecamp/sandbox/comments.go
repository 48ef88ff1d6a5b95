package sandbox

// comments returns a recording's active comments that the caller may see, oldest first.
func (c *call) comments(r *recording) []*recording {
	return filter(r.within(kindComment), func(comment *recording) bool { return comment.status == active && c.sees(comment) })
}

func listComments(c *call, r *recording) reply {
	if !kinds[r.kind].commented {
		return notFound()
	}
	return page(c, c.comments(r), c.text)
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
