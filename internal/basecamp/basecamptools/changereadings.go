package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
)

// changePause is how long after a reading of the lists the next one is due. A poll in between reads
// only the feed.
const changePause = 10 * time.Minute

// changeSource is a list that is sorted by time, the last first.
type changeSource func(ctx context.Context, page int) (news []changeNews, next int, err error)

func (r *changeReader) sources(reading int) (all []changeSource) {
	w, f := r.state.Readings[reading], r.state.Filter
	noFeed := r.state.Feed == ""
	switch reading {
	case eventReading:
		return []changeSource{r.timelineSource(func(hint) bool { return true })}
	case trashReading:
		for _, k := range f.wanted(func(k changeKind) bool { return k.trashed }) {
			all = append(all, r.listSource(k, lookup.Trashed))
		}
		return all
	}
	feedless := f.wanted(func(k changeKind) bool { return k.feed == "" })
	if w.All || !noFeed && len(feedless) > 0 {
		all = append(all, r.timelineSource(func(h hint) bool { return w.All || h.name == "" }))
	}
	reopens := func(k changeKind) bool { return k.word == lookup.TodoKind.Kind || k.word == lookup.CardKind.Kind }
	for _, k := range f.wanted(func(k changeKind) bool { return k.upstream != "" && (w.All || noFeed || k.feed == "" || reopens(k)) }) {
		all = append(all, r.listSource(k, ""))
	}
	return all
}

// timelineSource returns the timeline, with the entries that pass a test.
func (r *changeReader) timelineSource(test func(hint) bool) changeSource {
	return func(ctx context.Context, page int) (news []changeNews, next int, err error) {
		p, err := r.timeline(r.state.Filter.Project, 0)(ctx, page)
		for _, e := range p.Items {
			h, ok := r.hintOfTimeline(e)
			if ok = ok && test(h); !ok { // only its time counts
				h = hint{at: e.CreatedAt}
			}
			news = append(news, changeNews{hint: h})
		}
		return news, p.Next, err
	}
}

// listSource returns the list of a kind by the last change.
func (r *changeReader) listSource(k changeKind, status string) changeSource {
	return func(ctx context.Context, page int) (news []changeNews, next int, err error) {
		p, err := r.BC.LastChanged(ctx, k.upstream, r.state.Filter.Project, status, page)
		for _, item := range p.Items {
			n := changeNews{hint: hint{at: item.UpdatedAt, item: item.ID, bucket: item.Bucket.ID, kind: k.word}, item: item, trashed: status == lookup.Trashed}
			if r.state.Told.knows(item.ID, item.UpdatedAt) || r.telling.knows(item.ID, item.UpdatedAt) || !r.inReach(item.Bucket.ID) {
				n = changeNews{hint: hint{at: item.UpdatedAt}}
			}
			news = append(news, n)
		}
		return news, p.Next, err
	}
}

// happened returns what happened to an item of a list since a time, as far as the item itself says
// it.
func (n changeNews) happened(since time.Time) (all []changeNews) {
	say := func(what string, by int64) {
		n.what, n.by = what, by
		all = append(all, n)
	}
	created := n.item.CreatedAt.After(since)
	words := map[string][2]string{lookup.CommentKind.Kind: {"commented", "comment edited"}, lookup.AnswerKind.Kind: {"answered", "changed"}}[n.kind]
	switch {
	case n.trashed:
		say("trashed", 0)
		return all
	case created:
		say(cmp.Or(words[0], "created"), n.item.Creator.ID)
	}
	if n.item.Completed && n.item.CompletedAt().After(since) {
		var by int64
		if n.item.Completion != nil {
			by = n.item.Completion.Creator.ID
		}
		say("completed", by)
	}
	if len(all) == 0 {
		say(cmp.Or(words[1], "changed"), 0)
	}
	return all
}

func (r *changeReader) isDue(reading int) bool {
	w := r.state.Readings[reading]
	if reading == eventReading {
		return r.state.Feed == ""
	}
	return w.High != 0 || r.now.Sub(time.UnixMilli(w.Ran)) >= changePause
}

// read does a reading: it returns what changed, the last first, down to where all lists have been
// read, or to the end of the reading.
func (r *changeReader) read(ctx context.Context, reading int) ([]changeNews, error) {
	w := &r.state.Readings[reading]
	r.covers[reading] = true
	if w.Until == 0 {
		w.Until = r.now.UnixMilli()
	}
	low := time.UnixMilli(w.Read)
	if w.Ran != 0 {
		low = low.Add(-changeOverlap)
	}
	lists, err := r.pages(ctx, r.sources(reading), low, w)
	if err != nil {
		return nil, err
	}
	frontier := low
	for _, l := range lists {
		switch {
		case !l.ended && len(l.ends) == 0:
			frontier = r.now.Add(changePause) // nothing is complete
		case !l.ended && l.oldest.After(frontier):
			frontier = l.oldest
		}
	}
	var news []changeNews
	for _, l := range lists {
		for _, n := range l.news {
			if n.kind != "" && n.at.After(frontier) && (w.High == 0 || n.at.Before(time.UnixMilli(w.High))) {
				news = append(news, n)
			}
		}
	}
	slices.SortStableFunc(news, func(a, b changeNews) int { return b.at.Compare(a.at) })
	r.reading = append(r.reading, running{reading, lists, frontier})
	return r.united(news, low, reading != eventReading), nil
}

// sortedList is what was read of a list.
type sortedList struct {
	first  int // the number of the first page
	ends   []time.Time
	news   []changeNews
	oldest time.Time
	ended  bool // the end of the list, or of the reading
}

type running struct {
	reading  int
	lists    []sortedList
	frontier time.Time
}

// pages reads the lists of a reading: each at least once, then further those that keep the others
// back.
func (r *changeReader) pages(ctx context.Context, sources []changeSource, low time.Time, w *window) ([]sortedList, error) {
	lists := make([]sortedList, len(sources))
	var open []int
	for i := range lists {
		lists[i].first = 1
		if i < len(w.Pages) {
			lists[i].first = max(1, w.Pages[i]-1) // what was trashed since moves the others forward
		}
		open = append(open, i)
	}
	for round := 0; len(open) > 0; round++ {
		read, err := listing.InParallel(ctx, open, func(ctx context.Context, i int) (sortedList, error) {
			l := lists[i]
			if !r.may() {
				return l, nil
			}
			news, next, err := sources[i](ctx, l.first+len(l.ends))
			l.ended = next == 0 || len(news) == 0
			if n := len(news); n > 0 {
				l.oldest = news[n-1].at
				l.ended = l.ended || !l.oldest.After(low)
			}
			l.ends, l.news = append(l.ends, l.oldest), append(l.news, news...)
			return l, err
		})
		if err != nil {
			return nil, err
		}
		enough := 0
		for j, i := range open {
			lists[i] = read[j]
			enough += len(read[j].news)
		}
		open = slices.DeleteFunc(open, func(i int) bool { return lists[i].ended })
		if r.left.Load() < int64(len(open))+spareRequests || enough == 0 || len(open) == 1 && len(lists[open[0]].news) > 2*mostChanged {
			break
		}
	}
	return lists, nil
}

// united joins what a timeline and the lists say of an item: the timeline knows who, the list how
// the item is now. An item whose list was read and does not have it is no longer there.
func (r *changeReader) united(news []changeNews, low time.Time, listed bool) (all []changeNews) {
	said := map[int64][]hint{}
	for _, n := range news {
		if n.item.ID != 0 {
			r.items[n.item.ID] = n.item
		} else if n.kind != chatWord {
			said[n.hint.item] = append(said[n.hint.item], n.hint)
		}
	}
	for _, n := range news {
		if n.item.ID != 0 {
			for _, what := range n.happened(low) {
				known := slices.ContainsFunc(said[n.item.ID], func(h hint) bool {
					return h.what == what.what || what.what == "changed" && n.at.Sub(h.at).Abs() <= time.Second
				})
				if !known {
					all = append(all, what)
				}
			}
			continue
		}
		n.item = r.items[n.hint.item]
		if n.item.ID != 0 || !listed || kindNamed(n.kind).upstream == "" {
			all = append(all, n)
		}
	}
	return all
}

// settle moves the readings of this call on: to their end, or to the last of the news that the
// answer has.
func (r *changeReader) settle(shown []changeNews, whole bool) (more bool) {
	if !whole && len(shown) == 0 { // all of it comes later
		return true
	}
	for _, run := range r.reading {
		w := &r.state.Readings[run.reading]
		high := run.frontier
		if !whole && len(shown) > 0 {
			high = shown[len(shown)-1].at
		}
		ended := whole && !slices.ContainsFunc(run.lists, func(l sortedList) bool { return !l.ended })
		if !ended {
			w.High, w.Pages = high.UnixMilli(), nil
			if whole { // the frontier itself is not told yet
				w.High++
			}
			for _, l := range run.lists {
				w.Pages = append(w.Pages, l.pageAt(high))
			}
			more = true
			continue
		}
		end := time.UnixMilli(w.Until).Add(-changeOverlap)
		*w = window{Read: w.Until, Ran: r.now.UnixMilli()}
		if run.reading == listReading {
			for id, at := range r.state.Told {
				if at>>1 < end.Unix() {
					delete(r.state.Told, id)
				}
			}
		}
	}
	return more
}

// pageAt returns the page on which what changed before a time begins.
func (l sortedList) pageAt(high time.Time) int {
	for i, end := range l.ends {
		if end.Before(high) {
			return l.first + i
		}
	}
	return l.first + len(l.ends)
}

// newsOfTimeline returns hints of a timeline whose items were read again.
func (r *changeReader) newsOfTimeline(news []changeNews) (hints []hint) {
	for _, n := range news {
		if n.item.ID == 0 && n.entry != nil && kindNamed(n.kind).upstream != "" {
			hints = append(hints, n.hint)
		}
	}
	return hints
}
