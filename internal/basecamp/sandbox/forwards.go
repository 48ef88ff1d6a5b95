package sandbox

type inboxJSON struct {
	envelope
	ForwardsCount int    `json:"forwards_count"`
	ForwardsURL   string `json:"forwards_url"`
}

// A forward is an e-mail of a sender outside the account. No person of the team wrote its content.
type forwardJSON struct {
	textJSON
	Subject      string  `json:"subject"`
	From         *string `json:"from"`
	RepliesCount int     `json:"replies_count"`
	RepliesURL   string  `json:"replies_url"`
}

func showInbox(c *call, inbox *recording) reply {
	forwards := c.active(inbox.within(kindForward))
	return ok(inboxJSON{c.envelope(inbox), len(forwards), c.url("%s/forwards.json", inbox.place())})
}

func (c *call) forward(r *recording) forwardJSON {
	return forwardJSON{c.text(r), r.title, orNull(r.from), len(c.active(r.within(kindReply))), c.url("%s/replies.json", r.place())}
}

func listForwards(c *call, inbox *recording) reply {
	return page(c, c.sorted(c.listed(inbox.within(kindForward))), c.forward)
}

func listReplies(c *call, f *recording) reply {
	return page(c, c.active(f.within(kindReply)), c.text)
}

func showReply(c *call, f *recording) reply {
	r := c.find(c.id(1), kindReply)
	if r == nil || r.parent != f {
		return notFound()
	}
	return ok(c.text(r))
}
