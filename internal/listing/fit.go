package listing

import (
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// MaxAnswer is what a list's answer may weigh, in bytes of JSON; the rest is room for what stands beside the items.
const MaxAnswer = 48_000

// trimmer is an item that can make its long texts shorter, marking itself truncated.
type trimmer interface {
	Trim(characters int)
}

// Answer turns collected upstream items into a page of views no larger than an answer may be. Long texts are cut first,
// on every item alike; then items are left to the next page, so that nothing is out of reach.
func Answer[T, V any, P interface {
	*V
	trimmer
}](l *List[T], c Collected[T], view func(T) V) Page[V] {
	items := make([]V, len(c.Items))
	for i, item := range c.Items {
		items[i] = view(item)
	}
	room := Fit[V, P](items, MaxAnswer-l.Beside)
	if room < len(items) {
		items, c.Items, c.More, c.Next = items[:room], c.Items[:room], true, c.ends[room-1]
	}
	p := Page[V]{Items: items, HasMore: c.More}
	if c.total >= 0 {
		p.Total = &c.total
	}
	if !c.More {
		return p
	}
	next := l.Cursor(c)
	p.NextCursor = &next
	if c.Next.Offset == 0 {
		p.NextPage = &c.Next.Number
	}
	return p
}

// Fit trims items until they fit into size bytes and says how many of them do; at least one always does.
func Fit[V any, P interface {
	*V
	trimmer
}](items []V, size int) int {
	for _, characters := range []int{10_000, 4000, 2000, 1000, 500} {
		if Weigh(items) <= size {
			return len(items)
		}
		for i := range items {
			P(&items[i]).Trim(characters)
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

func Weigh[V any](items []V) int {
	total := 0
	for _, item := range items {
		total += mcptool.Size(item) + 1
	}
	return total
}

// Excerpt cuts a text in place and notes that it did.
func Excerpt(text *string, characters int, truncated *bool) {
	short, cut := plaintext.Excerpt(*text, characters)
	if cut {
		*text, *truncated = short, true
	}
}
