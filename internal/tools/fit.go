package tools

import (
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// maxAnswer is what a list's answer may weigh, in bytes of JSON; the rest is room for what stands beside the items.
const maxAnswer = 48_000

// trimmer is an item that can make its long texts shorter, marking itself truncated.
type trimmer interface {
	trim(characters int)
}

// answer turns collected upstream items into a page of views no larger than an answer may be. Long texts are cut first,
// on every item alike; then items are left to the next page, so that nothing is out of reach.
func answer[T, V any, P interface {
	*V
	trimmer
}](l *listing[T], c collected[T], view func(T) V) page[V] {
	items := make([]V, len(c.items))
	for i, item := range c.items {
		items[i] = view(item)
	}
	room := fit[V, P](items, maxAnswer-l.beside)
	if room < len(items) {
		items, c.items, c.more, c.next = items[:room], c.items[:room], true, c.ends[room-1]
	}
	p := page[V]{Items: items, HasMore: c.more}
	if c.total >= 0 {
		p.Total = &c.total
	}
	if !c.more {
		return p
	}
	next := l.cursor(c)
	p.NextCursor = &next
	if c.next.Offset == 0 {
		p.NextPage = &c.next.Number
	}
	return p
}

// fit trims items until they fit into size bytes and says how many of them do; at least one always does.
func fit[V any, P interface {
	*V
	trimmer
}](items []V, size int) int {
	for _, characters := range []int{10_000, 4000, 2000, 1000, 500} {
		if weigh(items) <= size {
			return len(items)
		}
		for i := range items {
			P(&items[i]).trim(characters)
		}
	}
	used := 0
	for i, item := range items {
		used += mcptool.Size(item) + 1
		if used > size && i > 0 {
			return i
		}
	}
	return len(items)
}

func weigh[V any](items []V) int {
	total := 0
	for _, item := range items {
		total += mcptool.Size(item) + 1
	}
	return total
}

// excerpt cuts a text in place and notes that it did.
func excerpt(text *string, characters int, truncated *bool) {
	short, cut := plaintext.Excerpt(*text, characters)
	if cut {
		*text, *truncated = short, true
	}
}
