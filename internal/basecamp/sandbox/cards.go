package sandbox

import (
	"slices"
	"strconv"
)

var cardRoutes = []route{
	{"POST /card_tables/{id}/columns", makes(columns)},
	// Moves a card to a column, at a position counted from 0, or a column to a position in its
	// table.
	{"POST /card_tables/{id}/moves", func(c *call, table *recording) reply {
		source := c.find(c.fields.number("source_id"), append([]kind{kindCard}, columnKinds...)...)
		target := c.find(c.fields.number("target_id"), append([]kind{kindCardTable}, cardHolders...)...)
		position := int(c.fields.number("position"))
		switch {
		case source == nil || target == nil:
			return notFound()
		case source.Type == kindCard && source.table() == table && target.Type != kindCardTable && target.table() == table:
			c.moveTo(source, target, position+1)
		case source.Type == kindColumn && source.Parent == table && target == table:
			source.move(table, max(1, position))
		default:
			return invalid("This cannot be moved there.")
		}
		return noContent()
	}},
	{"PUT /card_tables/columns/{id}/color", func(c *call, column *recording) reply {
		color := c.fields.text("color")
		refuse(!slices.Contains(colors, color), invalidField("color", "is not included in the list"))
		column.Color = color
		return ok(c.show(column))
	}},
	{"POST /card_tables/columns/{id}/on_hold", func(c *call, column *recording) reply {
		if column.onHold() == nil {
			c.create(column, &recording{Type: kindOnHold, Title: "On hold"})
		}
		return ok(c.show(column))
	}},
	// Moves the cards on hold back to the other cards of the column.
	{"DELETE /card_tables/columns/{id}/on_hold", func(c *call, column *recording) reply {
		if section := column.onHold(); section != nil {
			for _, card := range section.within(kindCard) {
				card.move(column, 1)
			}
			column.children = slices.DeleteFunc(column.children, func(r *recording) bool { return r == section })
			delete(c.account.recordings, section.ID)
		}
		return ok(c.show(column))
	}},
	{"POST /card_tables/lists/{id}/subscription", onKinds(silently(func(c *call, r *recording) { r.subscribe(c.me) }), columnKinds...)},
	{"DELETE /card_tables/lists/{id}/subscription", onKinds(silently(unsubscribe), columnKinds...)},
	{"GET /card_tables/lists/{id}/cards", children(kindCard)},
	{"POST /card_tables/lists/{id}/cards", onKinds(makes(cards), columnKinds...)},
	// Moves a card to a column, at a position counted from 1. By default the card goes to the top.
	{"POST /card_tables/cards/{id}/moves", func(c *call, card *recording) reply {
		position := 1
		if c.fields.has("position") {
			n, err := strconv.Atoi(c.fields.text("position"))
			refuse(err != nil || n < 1, badRequest("Position must be a positive integer"))
			position = n
		}
		column := c.find(c.fields.number("column_id"), cardHolders...)
		refuse(column == nil || column.table() != card.table(), notFound())
		c.moveTo(card, column, position)
		return noContent()
	}},
	{"GET /cards/open", everyTask(kindCard, openNow)},
	{"GET /cards/completed", everyTask(kindCard, (*recording).completed)},
	{"GET /cards/unassigned", everyTask(kindCard, unassigned)},
	{"GET /cards/no_due_date", everyTask(kindCard, undated)},
	{"GET /cards/not_now", everyTask(kindCard, notNow)},
	{"GET /cards/overdue", everyOverdue(kindCard)},
}

// addColumns adds the columns that every card table has to a new one.
func (s *Sandbox) addColumns(table *recording) {
	for _, c := range []recording{{Type: kindTriage, Title: "Triage"}, {Type: kindNotNow, Title: "Not now"}, {Type: kindDone, Title: "Done"}} {
		c.Creator, c.CreatedAt = table.Creator, table.CreatedAt
		s.add(table.Bucket, table, &c)
	}
}

// onHold returns a column's section for cards on hold, or nil.
func (r *recording) onHold() *recording {
	return first(r.children, func(c *recording) bool { return c.Type == kindOnHold })
}

// columns returns the columns in the order of the page: Triage, Not now, the columns of the team,
// Done.
func (c *call) columns(table *recording) []*recording {
	columns := c.active(table.within(columnKinds...))
	order := []kind{kindTriage, kindNotNow, kindColumn, kindDone}
	slices.SortStableFunc(columns, func(a, b *recording) int { return slices.Index(order, a.Type) - slices.Index(order, b.Type) })
	return columns
}

var columns = writing{kind: kindColumn, inputs: []input{
	{name: "title", required: true, set: setTitle},
	{name: "description", set: setPlainBody},
}}

// cards take assignees only in a change, as at Basecamp.
var cards = writing{
	kind: kindCard,
	inputs: []input{
		{name: "title", required: true, set: setTitle},
		{name: "due_on", set: setDue},
		{name: "content", set: setBody},
		{name: "assignee_ids", later: true, set: func(c *call, card *recording, v value) {
			setAssignees(c, card, v)
			card.subscribe(card.Assignees...)
		}},
	},
	made: func(c *call, card *recording) {
		if card.Parent.Type == kindDone {
			c.complete(card)
		}
		c.mention(card, nil)
	},
	changed: (*call).taskChanged,
}

// table returns the card table of a card, a column or a section.
func (r *recording) table() *recording {
	for r != nil && r.Type != kindCardTable {
		r = r.Parent
	}
	return r
}

// adoption returns the details of a move's event: ids without titles.
func adoption(from, to *recording) map[string]any {
	return map[string]any{"parent_id_was": from.ID, "new_parent_id": to.ID, "notified_recipient_ids": []int64{}}
}

// moveTo moves a card. Moving it into the column Done completes it, and moving it out reopens it.
func (c *call) moveTo(card, column *recording, position int) {
	from := card.Parent
	if column.Type != kindDone && card.completed() {
		c.reopen(card)
	}
	if column.Type == kindDone && !card.completed() {
		c.complete(card)
	}
	card.move(column, position)
	if from != column {
		c.changed(card, "adopted", adoption(from, column))
	}
}
