package sandbox

import (
	"slices"
)

type boardJSON struct {
	envelope
	MessagesCount  int    `json:"messages_count"`
	MessagesURL    string `json:"messages_url"`
	AppMessagesURL string `json:"app_messages_url"`
}

type messageJSON struct {
	textJSON
	Subject  string        `json:"subject"`
	Category *categoryJSON `json:"category,omitempty"`
}

type categoryJSON struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Icon      string `json:"icon"`
	CreatedAt stamp  `json:"created_at"`
	UpdatedAt stamp  `json:"updated_at"`
}

func (c *call) message(r *recording) messageJSON {
	view := messageJSON{textJSON: c.text(r), Subject: r.title}
	if r.category != nil {
		category := c.category(r.category)
		view.Category = &category
	}
	return view
}

func (c *call) category(g *category) categoryJSON {
	return categoryJSON{g.id, g.name, g.icon, stamp(g.created), stamp(g.updated)}
}

func showBoard(c *call, board *recording) reply {
	return ok(boardJSON{
		envelope:       c.envelope(board),
		MessagesCount:  len(c.active(board.within(kindMessage))),
		MessagesURL:    c.url("%s/messages.json", board.place()),
		AppMessagesURL: c.appURL("%s/messages", board.place()),
	})
}

func listMessages(c *call, board *recording) reply {
	return page(c, c.sorted(c.listed(board.within(kindMessage))), c.message)
}

// createMessage creates a draft unless status is active. Without subscriptions, Basecamp notifies
// all members of the project.
func createMessage(c *call, board *recording) reply {
	f := c.fields
	if f.trimmed("subject") == "" {
		return invalidField("subject", blank)
	}
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
	before := m.copied()
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
	if c.publishOr(m, f, "content_changed"); before.status == m.status && m.status != drafted {
		c.emitEdits(m, before)
	}
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
