package parts

import (
	"cmp"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolanswer"
)

// PageInput holds the paging arguments of lists.
type PageInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
}

// Page is the answer of a list. HasMore is true exactly if NextCursor is set.
type Page[T any] struct {
	Items      []T                `json:"items"`
	HasMore    bool               `json:"has_more"`
	NextCursor *string            `json:"next_cursor"`
	Total      *int               `json:"total,omitempty"`
	Incomplete *github.Incomplete `json:"incomplete,omitempty"`
	// Withheld counts the entries whose texts are left out, because outsiders wrote them.
	Withheld int `json:"withheld,omitempty"`
	// Meant has what arguments were taken to mean, where they were given in other words.
	Meant map[string]string `json:"meant,omitempty"`
	// Unchecked says which names of a search that found nothing may not exist.
	Unchecked []string `json:"unchecked,omitempty"`
}

// Position is where an answer begins: an offset into one of GitHub's pages.
type Position struct {
	Of   string `json:"q"` // digest of the arguments that selected the list
	Next string `json:"n,omitempty"`
	Used int    `json:"u,omitempty"`
}

// List is a list of GitHub's.
type List[T, V any] struct {
	Of   string
	Read func(next string) (github.Page[T], error)
	View func(T) (v V, matches bool)
	// after returns the Next that continues after an entry. If it is nil, offsets into a page are
	// used, and all pages must have the same size.
	After func(T) string
	Total bool // GitHub's total counts only matches
	Size  int  // bytes of JSON that the entries may take; 0: those of an answer with nothing else
}

// Start returns the position that the paging arguments name.
func Start(in PageInput, of string) (Position, error) {
	at := Position{Of: of}
	if in.Cursor == "" {
		return at, nil
	}
	if !listing.DecodeCursor(in.Cursor, &at) || at.Of != of || at.Used < 0 {
		return at, listing.BadCursor("must be the next_cursor of the same list with the same arguments")
	}
	return at, nil
}

// Collect reads pages until it has as many matches as wanted. After maxPages it stops, and the next
// call continues there.
func (l List[T, V]) Collect(in PageInput) (Page[V], error) {
	at, err := Start(in, l.Of)
	if err != nil {
		return Page[V]{}, err
	}
	p, size, limit, room := Page[V]{Items: []V{}}, 0, cmp.Or(in.Limit, listing.DefaultLimit), cmp.Or(l.Size, listing.MaxAnswer)
	for range MaxPages {
		read, err := l.Read(at.Next)
		if err != nil {
			return Page[V]{}, err
		}
		p.Incomplete = p.Incomplete.And(read.Incomplete)
		if l.Total && read.Total >= 0 {
			p.Total = &read.Total
		}
		for i, item := range read.Items[min(at.Used, len(read.Items)):] {
			v, matches := l.View(item)
			if !matches {
				continue
			}
			weight := toolanswer.Size(v) + 1
			if len(p.Items) == limit || len(p.Items) > 0 && size+weight > room {
				return p.until(l.positionBefore(at, read.Items, at.Used+i)), nil
			}
			p.Items, size = append(p.Items, v), size+weight
			if w, ok := any(v).(interface{ IsWithheld() bool }); ok && w.IsWithheld() {
				p.Withheld++
			}
		}
		if read.Next == "" {
			return p, nil
		}
		// GitHub may have refused the size of a page, so that the position is in a later one.
		if at = (Position{Of: l.Of, Next: read.Next, Used: max(0, at.Used-len(read.Items))}); len(p.Items) == limit {
			break
		}
	}
	return p.until(at), nil
}

// positionBefore returns the position of the entry with an index in the page at a position. It
// begins after the last entry before it that has a Next: entries that the user may not see can lack
// it.
func (l List[T, V]) positionBefore(at Position, items []T, index int) Position {
	at.Used = index
	for last := index; l.After != nil && last > 0; last-- {
		if next := l.After(items[last-1]); next != "" {
			at.Next, at.Used = next, index-last
			break
		}
	}
	return at
}

// until returns the answer with the cursor that continues at a position.
func (p Page[V]) until(next Position) Page[V] {
	cursor := listing.EncodeCursor(next)
	p.HasMore, p.NextCursor = true, &cursor
	return p
}
