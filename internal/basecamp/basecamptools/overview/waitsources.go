package overview

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/waiting"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

// assignments returns what is assigned to the caller, with subtasks.
func (r *waitReader) assignments() part {
	return partOf("assignments", func(ctx context.Context) (basecamp.Assignments, error) { return basecamp.MyAssignments.Get(ctx, r.BC) }, func(mine basecamp.Assignments) {
		for _, a := range slices.Concat(mine.Priorities, mine.Others) {
			for _, own := range OwnTasks(a, r.of.ID) {
				kind := lookup.TypeOf(own.Type)
				r.addDue(dueTask{
					id: own.ID, ref: parts.RefOf(kind, own.ID), on: parts.RefOf(lookup.TypeOf(a.Type), a.ID).ID, title: own.Content, dueOn: own.DueOn, assignees: []basecamp.Person{r.of}, bucket: own.Bucket,
				}, own.Completed)
				if own.ID == a.ID {
					r.talk.AddThread(waiting.Thread{ID: a.ID, Kind: kind, Title: a.Content, URL: a.AppURL, Bucket: a.Bucket, Assignees: []basecamp.Person{r.of}})
				}
			}
		}
	})
}

// reminders returns the check-ins that the caller owes.
func (r *waitReader) reminders() part {
	return partOf("check-ins", func(ctx context.Context) (basecamp.Page[basecamp.Reminder], error) {
		return basecamp.Reminders.Page(ctx, r.BC, 1)
	}, func(p basecamp.Page[basecamp.Reminder]) {
		r.owed = p.Items
		if p.Next > 0 {
			r.lack("check-ins", fault.LimitReached, fmt.Sprintf("the first %d of %d", len(p.Items), p.Total))
		}
	})
}

// notifications returns what the caller's notifications show of chats: the last line of each. Of
// what has comments, the comments themselves are read.
func (r *waitReader) notifications() part {
	return partOf("notifications", func(ctx context.Context) (basecamp.Readings, error) {
		return r.BC.Readings(ctx, 1)
	}, func(menu basecamp.Readings) {
		for _, n := range slices.Concat(menu.Unread, menu.Read.Items) {
			link, err := basecamp.ParseLink(n.AppURL)
			isPing := n.Section == "pings" || link.Type == texts.PingLink
			switch {
			case err != nil || n.UpdatedAt.Before(r.since):
				continue
			case link.Type != "lines" && !isPing:
				r.mentioned(n, link)
				continue
			}
			th := waiting.Thread{ID: cmp.Or(link.Within, link.ID), Kind: lookup.Chat.Kind, Title: n.Title, URL: n.AppURL, Bucket: basecamp.Bucket{ID: link.Project, Name: n.BucketName}}
			if isPing {
				th.Kind, th.Bucket.ID, th.Assignees = lookup.PingKind, 0, []basecamp.Person{r.of}
			}
			r.shown[link.ID] = n
			r.talk.AddThread(th)
			r.talk.Add(waiting.Text{
				ID: link.ID, Kind: th.Kind, Thread: th.ID, By: n.Creator, At: n.UpdatedAt, Body: basecamp.HTML(n.Excerpt), Plain: true,
			})
		}
	})
}

// mentioned notes an item whose text mentions the caller.
func (r *waitReader) mentioned(n basecamp.Reading, link basecamp.Link) {
	if at := lookup.KindAt(link).Kind; n.Section == "mentions" && link.Comment == 0 && at != "" && at != lookup.ProjectKind.Kind {
		r.told[link.ID] = at
	}
}

// chats returns the chats that may wait, to see who answered there.
func (r *waitReader) chats() (parts []part) {
	heard := map[int64]bool{}
	for _, w := range r.waits() {
		if th := r.talk.Thread(w.Thread); r.isChat(th) && !r.heard[th.ID] && !heard[th.ID] {
			heard[th.ID] = true
			parts = append(parts, r.lines(th))
		}
	}
	return parts
}

// threads returns the items on which it depends for whom a question waits: those of a kind one by
// one, or by the list that has most of them.
func (r *waitReader) threads() (parts []part) {
	byKind := map[string][]int64{}
	for id, kind := range r.unread() {
		byKind[kind] = append(byKind[kind], id)
	}
	var singles []part
	for _, k := range lookup.ItemKinds {
		ids := byKind[k.Kind]
		task := map[string]basecamp.Tasks{lookup.TodoKind.Kind: basecamp.Todos, lookup.CardKind.Kind: basecamp.Cards}[k.Kind]
		switch {
		case r.deep && task != "" && r.opened[task] >= 0 && len(ids) >= manyItems:
			parts = append(parts, r.open(task))
		case len(ids) > 2 && r.lists[k.Upstream] == nil:
			parts = append(parts, r.changed(k.Upstream, 1))
		default:
			slices.Sort(ids)
			for _, id := range slices.Backward(ids) {
				singles = append(singles, r.item(k.Kind, id))
			}
		}
	}
	return append(parts, singles...)
}

func (r *waitReader) isChat(th waiting.Thread) bool {
	return th.Kind == lookup.Chat.Kind || th.Kind == lookup.PingKind
}

// unread returns the items on which it depends for whom a question waits, with their kinds, and
// those that mention the caller.
func (r *waitReader) unread() map[int64]string {
	items := map[int64]string{}
	for id, kind := range r.told {
		if r.talk.Thread(id).By.ID == 0 {
			items[id] = kind
		}
	}
	for _, w := range r.waits() {
		th := r.talk.Thread(w.Thread)
		if w.Unread && !r.isChat(th) && !slices.Contains(w.For, r.of.ID) {
			items[th.ID] = th.Kind
		}
	}
	return items
}

// waits returns what may wait, in both directions.
func (r *waitReader) waits() []waiting.Wait {
	return slices.Concat(r.talk.Waits(r.of.ID, false), r.talk.Waits(r.of.ID, true))
}

func (r *waitReader) item(kind string, id int64) part {
	return partOf("items", func(ctx context.Context) (basecamp.Changed, error) {
		return basecamp.ItemAt[basecamp.Changed](kind).Get(ctx, r.BC, id)
	}, r.add)
}

// lines returns the last lines of a chat. In a project's chat, only those wait that notifications
// show.
func (r *waitReader) lines(th waiting.Thread) part {
	return partOf("chats", func(ctx context.Context) (basecamp.Page[basecamp.ChatLine], error) {
		return basecamp.LinesIn.Page(ctx, r.BC, 1, th.ID)
	}, func(p basecamp.Page[basecamp.ChatLine]) {
		r.heard[th.ID] = true
		for _, line := range p.Items {
			_, shown := r.shown[line.ID]
			r.talk.Add(waiting.Text{
				ID: line.ID, Kind: th.Kind, Thread: th.ID, By: line.Creator, At: line.CreatedAt, Body: basecamp.HTML(line.Content), Plain: !line.IsHTML(),
				Boosts: boostsOn(line.Recording), Context: !shown && th.Kind == lookup.Chat.Kind,
			})
		}
	})
}

// readBoosts reads the boosts that may answer: each text's, or the feed's where there are many.
func (r *waitReader) readBoosts(ctx context.Context) {
	texts, people := r.boostsToRead()
	if len(texts) > r.left && r.left > 0 {
		r.feedBoosts(ctx, texts, people)
		texts, _ = r.boostsToRead()
	}
	var parts []part
	for _, id := range texts[:min(len(texts), r.left)] {
		parts = append(parts, partOf("boosts", func(ctx context.Context) (basecamp.Page[basecamp.Boost], error) {
			return basecamp.BoostsOn.Page(ctx, r.BC, 1, id)
		}, func(p basecamp.Page[basecamp.Boost]) {
			r.talk.Boosted(id, nil)
			for _, b := range p.Items {
				r.talk.Boosted(id, []waiting.Boost{{By: b.Booster.ID, At: b.CreatedAt}})
			}
		}))
	}
	r.together(ctx, parts...)
	if rest, _ := r.boostsToRead(); len(rest) > 0 {
		r.lack("boosts", fault.LimitReached, fmt.Sprintf("those of %d texts were not read, and may answer what is listed", len(rest)))
	}
}

// boostsToRead returns the texts whose boosts may answer, and the people who may have boosted them.
func (r *waitReader) boostsToRead() (texts, people []int64) {
	for _, w := range r.waits() {
		texts, people = append(texts, w.Boosts...), append(people, w.For...)
	}
	slices.Sort(people)
	people = slices.DeleteFunc(slices.Compact(people), func(id int64) bool { return id <= 0 })
	seen := map[int64]bool{}
	return slices.DeleteFunc(texts, func(id int64) bool {
		again := seen[id]
		seen[id] = true
		return again
	}), people
}

const mostCreators = 100 // of a filter of the feed

// feedBoosts reads who boosted texts from the event feed, if it reaches its end. An account without
// a feed has none.
func (r *waitReader) feedBoosts(ctx context.Context, texts, people []int64) {
	ids := lookup.Mapped(people, func(id int64) string { return strconv.FormatInt(id, 10) })
	query := url.Values{"since": {"0"}, "types": {"boost.created"}, "creators": {strings.Join(ids, ",")}}
	found := map[int64][]waiting.Boost{}
	for query != nil && len(ids) > 0 && len(ids) <= mostCreators && r.left > 0 {
		r.left--
		page, err := r.BC.Feed(ctx, query)
		if err != nil {
			return
		}
		for _, e := range page.Events {
			found[e.Recording] = append(found[e.Recording], waiting.Boost{By: e.Creator, At: e.CreatedAt})
		}
		query = page.Next
	}
	for _, id := range texts {
		if len(found[id]) > 0 || query == nil {
			r.talk.Boosted(id, found[id])
		}
	}
}

// changedList is how far the items of a type were read, the last changed first: by its pages, or
// after the first one from the end of the list that has the last changed last.
type changedList struct {
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

func (r *waitReader) changed(kind string, page int) part {
	return partOf(manyOf(kind), func(ctx context.Context) (basecamp.Page[basecamp.Changed], error) {
		if l := r.lists[kind]; l != nil && l.step < 0 {
			return basecamp.RecordingsIn[basecamp.Changed](kind, 0, "", basecamp.Sorted("updated_at", "asc")).Page(ctx, r.BC, page)
		}
		return basecamp.RecordingsIn[basecamp.Changed](kind, 0, "", basecamp.Sorted("updated_at", "desc")).Page(ctx, r.BC, page)
	}, func(p basecamp.Page[basecamp.Changed]) {
		l := r.lists[kind]
		if l == nil {
			l = &changedList{step: 1, oldest: r.now}
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
	})
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
