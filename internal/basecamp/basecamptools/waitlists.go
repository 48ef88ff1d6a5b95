package basecamptools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
)

// changedList is how far the items of a type were read, the last changed first: by its pages, or
// after the first one from the end of the list that has the last changed last.
type changedList struct {
	kind    string
	page    int // the last one that was read
	step    int // to the next one; -1 from the end
	count   int
	total   int
	oldest  time.Time
	atStart bool // whether all was read
}

// goesOn reports whether older items may follow, of the time since.
func (l *changedList) goesOn(since time.Time) bool {
	return l != nil && !l.atStart && !l.oldest.Before(since)
}

// expected returns how many items the list probably has since a time.
func (l *changedList) expected(now, since time.Time) int {
	switch {
	case l == nil:
		return 0
	case !l.goesOn(since):
		return l.count
	}
	span := max(now.Sub(l.oldest), time.Hour)
	return min(l.total, int(float64(l.count)*float64(now.Sub(since))/float64(span)))
}

// lastPage returns the number of the last page of a list.
func lastPage(total int) (page int) {
	for page = 1; listing.SizeOfPage(page+1, total) > 0; page++ {
	}
	return page
}

// lacks returns the next pages that the list probably needs, at most so many. After the first page,
// it takes the end from which they have more.
func (l *changedList) lacks(now, since time.Time, most int) (pages []int) {
	switch {
	case most <= 0:
		return nil
	case l == nil:
		return []int{1}
	case !l.goesOn(since):
		return nil
	}
	needed := l.expected(now, since) - l.count
	from := func(page, step int) (pages []int, held int) {
		for len(pages) < most && page+step > 0 && listing.SizeOfPage(page+step, l.total) > 0 && (held < needed || len(pages) == 0) {
			page += step
			pages, held = append(pages, page), held+listing.SizeOfPage(page, l.total)
		}
		return pages, held
	}
	pages, held := from(l.page, l.step)
	if l.page == 1 {
		ends, more := from(lastPage(l.total)+1, -1)
		more -= l.count // which are among them
		if held < needed && more > held || more >= needed && len(ends) < len(pages) {
			l.page, l.step = lastPage(l.total)+1, -1
			return ends
		}
	}
	return pages
}

func manyOf(upstream string) string { return lookup.KindOf(upstream).Many }

// changed returns a page of the items of a type.
func (r *waitReader) changed(kind string, page int) part {
	return part{manyOf(kind), func(ctx context.Context) (func(), error) {
		l := r.lists[kind]
		read := func(ctx context.Context) (basecamp.Page[basecamp.Changed], error) {
			if l != nil && l.step < 0 {
				return r.BC.FirstChanged(ctx, kind, page)
			}
			return r.BC.LastChanged(ctx, kind, 0, "", page)
		}
		p, err := read(ctx)
		return func() {
			if l == nil {
				l = &changedList{kind: kind, step: 1, oldest: r.now}
				r.lists[kind] = l
			}
			l.page, l.count, l.total = page, l.count+len(p.Items), max(p.Total, l.total)
			l.atStart = l.step > 0 && p.Next == 0 || l.step < 0 && page == 1
			for _, item := range p.Items {
				if item.UpdatedAt.Before(l.oldest) {
					l.oldest = item.UpdatedAt
				}
				r.add(item)
			}
		}, err
	}}
}

// readLists reads further pages of the items of types, as far as questions wait, and keeps so many
// requests.
func (r *waitReader) readLists(ctx context.Context, keep int, kinds ...string) {
	for range 3 { // rounds, because a list can be longer than expected
		var parts []part
		for _, kind := range kinds {
			for _, page := range r.lists[kind].lacks(r.now, r.since, r.left-keep-len(parts)) {
				parts = append(parts, r.changed(kind, page))
			}
		}
		if len(parts) == 0 {
			return
		}
		r.together(ctx, parts...)
	}
}
