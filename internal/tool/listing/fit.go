package listing

import (
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolanswer"
)

// MaxAnswer is the largest size of a list's items, in bytes of JSON. An answer may have 50 KB; the
// rest is for its other fields.
const MaxAnswer = 48_000

// trimmer is an item that can shorten its long texts and mark itself as truncated.
type trimmer interface {
	Trim(characters int)
}

// Answer returns the collected upstream items as a page of views that fits into an answer. It first
// shortens the long texts of all items, then moves items to the next page.
func Answer[T, V any, P interface {
	*V
	trimmer
}](l *List[T], c Collected[T], view func(T) V) Page[V] {
	items := make([]V, len(c.Items))
	for i, item := range c.Items {
		items[i] = view(item)
	}
	room := fit[V, P](items, MaxAnswer-l.Beside, c.compact)
	if room < len(items) {
		room = c.wholePages(room)
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

// wholePages returns how many of the first n items an answer shows if no others fit into it. It
// ends at the end of an upstream page where endsBefore allows that.
func (c Collected[T]) wholePages(n int) int {
	for i := n; endsBefore(i, n, n) && i > 0; i-- {
		if c.ends[i-1].Offset == 0 {
			return i
		}
	}
	return n
}

// Fit trims items until they fit into size bytes in full detail, and returns how many of them fit:
// at least one.
func Fit[V any, P interface {
	*V
	trimmer
}](items []V, size int) int {
	return fit[V, P](items, size, false)
}

// fit does what Fit does, for a compact answer or for full detail.
func fit[V any, P interface {
	*V
	trimmer
}](items []V, size int, compact bool) int {
	for _, characters := range []int{10_000, 4000, 2000, 1000, 500} {
		if sum(toolanswer.ItemSizes(items, compact)) <= size {
			return len(items)
		}
		for i := range items {
			P(&items[i]).Trim(characters)
		}
	}
	used := 0
	for i, item := range toolanswer.ItemSizes(items, compact) {
		used += item + 1
		if used > size && i > 0 {
			return i
		}
	}
	return len(items)
}

// Weigh returns the size of items in full detail, in bytes of JSON.
func Weigh[V any](items []V) int { return sum(toolanswer.ItemSizes(items, false)) }

// sum returns the size of items with the commas between them.
func sum(sizes []int) int {
	total := 0
	for _, size := range sizes {
		total += size + 1
	}
	return total
}

// Trim shortens texts in place, and sets truncated if it did.
func Trim(characters int, truncated *bool, texts ...*string) {
	for _, text := range texts {
		Excerpt(text, characters, truncated)
	}
}

// Excerpt cuts a text in place, and sets truncated if it did.
func Excerpt(text *string, characters int, truncated *bool) {
	short, cut := plaintext.Excerpt(*text, characters)
	if cut {
		*text, *truncated = short, true
	}
}
