package sandbox

import (
	"slices"
	"strconv"
)

type cardTableJSON struct {
	envelope
	Subscribers   []personJSON `json:"subscribers"`
	PublicLinkURL string       `json:"public_link_url"`
	Lists         []columnJSON `json:"lists"`
	Wormholes     []any        `json:"wormholes"`
}

type columnJSON struct {
	envelope
	Description  *string      `json:"description"`
	Subscribers  []personJSON `json:"subscribers"`
	Color        *string      `json:"color"`
	CardsCount   int          `json:"cards_count"`
	CommentCount int          `json:"comment_count"`
	CardsURL     string       `json:"cards_url"`
	OnHold       *onHoldJSON  `json:"on_hold,omitempty"`
}

type onHoldJSON struct {
	ID         int64  `json:"id"`
	CardsCount int    `json:"cards_count"`
	CardsURL   string `json:"cards_url"`
}

type cardJSON struct {
	describedJSON
	taskJSON
	doneJSON
	Content               *string      `json:"content"`
	CompletionSubscribers []personJSON `json:"completion_subscribers"`
	CompletionURL         string       `json:"completion_url"`
	CommentCount          int          `json:"comment_count"`
	Steps                 []stepJSON   `json:"steps"`
}

// addColumns adds the columns that every card table has to a new one.
func (s *Sandbox) addColumns(table *recording) {
	add := func(k kind, title string) {
		s.add(table.bucket, table, &recording{kind: k, title: title, creator: table.creator, created: table.created})
	}
	add(kindTriage, "Triage")
	add(kindNotNow, "Not now")
	add(kindDone, "Done")
}

// onHold returns a column's section for cards on hold, or nil.
func (r *recording) onHold() *recording {
	if sections := r.within(kindOnHold); len(sections) > 0 {
		return sections[0]
	}
	return nil
}

func (c *call) column(r *recording) columnJSON {
	view := columnJSON{
		envelope:    c.envelope(r),
		Description: orNull(r.body),
		Subscribers: apply(r.subscribers, c.person),
		Color:       orNull(r.color),
		CardsCount:  len(c.active(r.within(kindCard))),
		CardsURL:    c.url("/buckets/%d/card_tables/lists/%d/cards.json", r.bucket.id, r.id),
	}
	if section := r.onHold(); section != nil {
		cards := len(c.active(section.within(kindCard)))
		view.OnHold = &onHoldJSON{section.id, cards, c.url("/buckets/%d/card_tables/lists/%d/cards.json", r.bucket.id, section.id)}
	}
	return view
}

func (c *call) card(r *recording) cardJSON {
	return cardJSON{
		describedJSON:         c.described(r),
		taskJSON:              c.task(r),
		doneJSON:              c.done(r),
		Content:               orNull(r.body),
		CompletionSubscribers: apply(r.task.notified, c.person),
		CompletionURL:         c.url("/buckets/%d/todos/%d/completion.json", r.bucket.id, r.id),
		CommentCount:          len(c.comments(r)),
		Steps:                 c.steps(r),
	}
}

// showCardTable answers with the columns in the order of the page: Triage, Not now, the columns of
// the team, Done.
func showCardTable(c *call, table *recording) reply {
	columns := c.active(table.within(columnKinds...))
	order := []kind{kindTriage, kindNotNow, kindColumn, kindDone}
	slices.SortStableFunc(columns, func(a, b *recording) int { return slices.Index(order, a.kind) - slices.Index(order, b.kind) })
	return ok(cardTableJSON{
		envelope:      c.envelope(table),
		Subscribers:   apply(table.subscribers, c.person),
		PublicLinkURL: c.url("/buckets/%d/recordings/%d/publication", table.bucket.id, table.id),
		Lists:         apply(columns, c.column),
		Wormholes:     []any{},
	})
}

func createColumn(c *call, table *recording) reply {
	f := c.fields
	column := c.create(table, &recording{kind: kindColumn, title: f.trimmed("title"), body: f.text("description")})
	return created(c.column(column)).located(c.appURL("%s", column.anchor()))
}

func updateColumn(c *call, column *recording) reply {
	f := c.fields
	if f.has("title") && f.trimmed("title") == "" {
		return invalidField("title", blank)
	}
	if f.has("title") {
		column.title = f.trimmed("title")
	}
	if f.has("description") {
		column.body = f.text("description")
	}
	c.changed(column, "content_changed", nil)
	return ok(c.column(column))
}

func colorColumn(c *call, column *recording) reply {
	color := c.fields.text("color")
	if !slices.Contains(colors, color) {
		return invalidField("color", "is not included in the list")
	}
	column.color = color
	return ok(c.column(column))
}

func watchColumn(c *call, column *recording) { column.subscribe(c.me) }

func holdColumn(c *call, column *recording) reply {
	if column.onHold() == nil {
		c.create(column, &recording{kind: kindOnHold, title: "On hold"})
	}
	return ok(c.column(column))
}

// unholdColumn moves the cards on hold back to the other cards of the column.
func unholdColumn(c *call, column *recording) reply {
	if section := column.onHold(); section != nil {
		for _, card := range section.within(kindCard) {
			card.move(column, 1)
		}
		column.children = slices.DeleteFunc(column.children, func(r *recording) bool { return r == section })
		delete(c.account.recordings, section.id)
	}
	return ok(c.column(column))
}

// createCard creates a card without assignees: Basecamp accepts those only in an update.
func createCard(c *call, column *recording) reply {
	f := c.fields
	due, valid := f.date("due_on")
	switch {
	case f.trimmed("title") == "":
		return invalidField("title", blank)
	case !valid:
		return invalidField("due_on", "is not a valid date")
	}
	card := c.create(column, &recording{
		kind: kindCard, title: f.trimmed("title"), body: c.s.richText(c.account, f.text("content")), task: &task{dueOn: due},
	})
	if column.kind == kindDone {
		c.complete(card)
	}
	c.mention(card, nil)
	return created(c.card(card)).located(c.appURL("%s", card.anchor()))
}

// updateCard changes only the fields of the request. null or "" clears the date, and [] the
// assignees.
func updateCard(c *call, card *recording) reply {
	f := c.fields
	due, valid := f.date("due_on")
	switch {
	case f.has("title") && f.trimmed("title") == "":
		return invalidField("title", blank)
	case !valid:
		return invalidField("due_on", "is not a valid date")
	}
	before := card.copied()
	if f.has("title") {
		card.title = f.trimmed("title")
	}
	if f.has("content") {
		c.setText(card, "content")
	}
	if f.has("due_on") {
		card.task.dueOn = due
	}
	if f.has("assignee_ids") {
		card.task.assignees = c.known(card.bucket, f.numbers("assignee_ids"))
		card.subscribe(card.task.assignees...)
	}
	c.taskChanged(card, before)
	return ok(c.card(card))
}

// moveCard moves a card to a column, at a position counted from 1. By default the card goes to the
// top.
func moveCard(c *call, card *recording) reply {
	position := 1
	if c.fields.has("position") {
		n, err := strconv.Atoi(c.fields.text("position"))
		if err != nil || n < 1 {
			return badRequest("Position must be a positive integer")
		}
		position = n
	}
	column := c.find(c.fields.number("column_id"), cardHolders...)
	if column == nil || column.table() != card.table() {
		return notFound()
	}
	c.moveTo(card, column, position)
	return noContent()
}

// table returns the card table of a card, a column or a section.
func (r *recording) table() *recording {
	for r != nil && r.kind != kindCardTable {
		r = r.parent
	}
	return r
}

// moveOnTable moves a card to a column, at a position counted from 0, or a column to a position in
// its table.
func moveOnTable(c *call, table *recording) reply {
	source := c.find(c.fields.number("source_id"), append([]kind{kindCard}, columnKinds...)...)
	target := c.find(c.fields.number("target_id"), append([]kind{kindCardTable}, cardHolders...)...)
	position := int(c.fields.number("position"))
	switch {
	case source == nil || target == nil:
		return notFound()
	case source.kind == kindCard && source.table() == table && target.kind != kindCardTable && target.table() == table:
		c.moveTo(source, target, position+1)
	case source.kind == kindColumn && source.parent == table && target == table:
		source.move(table, max(1, position))
	default:
		return invalid("This cannot be moved there.")
	}
	return noContent()
}

// adoption returns the details of a move's event: ids without titles.
func adoption(from, to *recording) map[string]any {
	return map[string]any{"parent_id_was": from.id, "new_parent_id": to.id, "notified_recipient_ids": []int64{}}
}

// moveTo moves a card. Moving it into the column Done completes it, and moving it out reopens it.
func (c *call) moveTo(card, column *recording, position int) {
	from := card.parent
	if column.kind != kindDone && card.completed() {
		c.reopen(card)
	}
	if column.kind == kindDone && !card.completed() {
		c.complete(card)
	}
	card.move(column, position)
	if from != column {
		c.changed(card, "adopted", adoption(from, column))
	}
}
