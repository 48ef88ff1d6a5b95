package basecamptools

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
)

// changePause is how long after a walk through the lists the next one is due. A poll in between
// reads only the feed.
const changePause = 10 * time.Minute

const readAtOnce = 5 // lists

// begin begins a walk through the lists, back to where the last one began.
func (r *changeReader) begin(w changeWalk) {
	w.Until = r.now.UnixMilli()
	w.Low = time.UnixMilli(r.state.Listed).Add(-changeOverlap).UnixMilli()
	r.state.Walk = &w
}

// beginDue begins a walk if one is due. Without a feed, it also is if the timeline has a new entry.
func (r *changeReader) beginDue(ctx context.Context) error {
	due := r.now.Sub(time.UnixMilli(r.state.Listed)) >= changePause
	w := changeWalk{All: r.state.Feed == "", Trash: due}
	if !due && r.state.Feed == "" {
		p, err := r.timeline(r.state.Filter.Project, 0)(ctx, 1)
		if err != nil {
			return err
		}
		r.left.Add(-1)
		due, r.glanced = r.newest(p.Items) > r.state.After, true
	}
	if due {
		r.begin(w)
	}
	return nil
}

// newest returns the last entry of a timeline from before the walk.
func (r *changeReader) newest(entries []basecamp.Happening) (id int64) {
	until := r.now.UnixMilli()
	if w := r.state.Walk; w != nil {
		until = w.Until
	}
	for _, e := range entries {
		if e.CreatedAt.UnixMilli() <= until {
			id = max(id, e.ID)
		}
	}
	return id
}

// changeSource is a list that is sorted by time, the last first. It ends at low.
type changeSource struct {
	low  int64
	read func(ctx context.Context, page int) (news []changeNews, next int, err error)
}

// sources returns the lists that a walk reads.
func (r *changeReader) sources(w changeWalk) (all []changeSource) {
	f := r.state.Filter
	if w.Last {
		if len(f.wanted(func(k changeKind) bool { return k.timeline != "" && (w.All || k.feed == "") })) > 0 {
			all = append(all, r.timelineSource(w))
		}
		return all
	}
	for _, k := range f.wanted(func(k changeKind) bool { return k.upstream != "" && (w.All || !k.isFed()) }) {
		all = append(all, r.listSource(k, "", w.lowOf(k)))
	}
	if w.Trash {
		for _, k := range f.wanted(func(k changeKind) bool { return k.trashed }) {
			all = append(all, r.listSource(k, lookup.Trashed, time.UnixMilli(r.state.Trashed).Add(-changeOverlap).UnixMilli()))
		}
	}
	return all
}

// lowOf returns how far back a walk goes for a kind.
func (w changeWalk) lowOf(k changeKind) int64 {
	if k.isFed() && w.Fed != 0 {
		return w.Fed
	}
	return w.Low
}

// timelineSource returns the entries of the timeline that no list has.
func (r *changeReader) timelineSource(w changeWalk) changeSource {
	low := w.Low
	if w.Fed != 0 {
		low = min(low, w.Fed)
	}
	return changeSource{low, func(ctx context.Context, page int) (news []changeNews, next int, err error) {
		p, err := r.timeline(r.state.Filter.Project, 0)(ctx, page)
		if page == 1 && r.state.Feed == "" {
			r.state.After = max(r.state.After, r.newest(p.Items))
		}
		for _, e := range p.Items {
			h, ok := r.hintOfTimeline(e)
			k := kindNamed(h.kind)
			if !ok || h.at.UnixMilli() <= w.lowOf(k) || !w.All && k.feed != "" { // only its time counts
				h = hint{at: e.CreatedAt}
			}
			news = append(news, changeNews{hint: h})
		}
		return news, p.Next, err
	}}
}

// hintOfTimeline returns an entry of a timeline as a hint, and false if it is not asked for, or a
// list has it.
func (r *changeReader) hintOfTimeline(e basecamp.Happening) (hint, bool) {
	h := hint{event: e.ID, at: e.CreatedAt, bucket: e.Bucket.ID, by: e.Creator.ID, entry: &e, kind: projectWord, item: e.Bucket.ID, what: "people changed"}
	link, err := basecamp.ParseLink(e.AppURL)
	if err == nil && link.Type != projectWord+"s" {
		i := slices.IndexFunc(changeKinds(), func(k changeKind) bool { return k.timeline == e.Kind })
		if i < 0 {
			return h, false
		}
		h.kind, h.item, h.what = changeKinds()[i].word, link.ID, "created"
		if h.kind == chatWord {
			h.item, h.what = link.Within, "chatted"
		}
	} else if e.Kind != kindNamed(projectWord).timeline {
		h.what = e.Kind[strings.LastIndexByte(e.Kind, '_')+1:]
	}
	return h, r.state.Filter.wants(h.kind) && r.inReach(h.bucket) && !r.state.Told.knows(-h.event, h.at)
}

// listSource returns the list of a kind by the last change.
func (r *changeReader) listSource(k changeKind, status string, low int64) changeSource {
	return changeSource{low, func(ctx context.Context, page int) (news []changeNews, next int, err error) {
		p, err := r.BC.LastChanged(ctx, k.upstream, r.state.Filter.Project, status, page)
		for _, item := range p.Items {
			n := changeNews{hint: hint{at: item.UpdatedAt, item: item.ID, bucket: item.Bucket.ID, kind: k.word}, item: item, trashed: status == lookup.Trashed, since: low}
			if r.state.Told.knows(item.ID, item.UpdatedAt) || r.telling.knows(item.ID, item.UpdatedAt) || !r.inReach(item.Bucket.ID) {
				n = changeNews{hint: hint{at: item.UpdatedAt}}
			}
			news = append(news, n)
		}
		return news, p.Next, err
	}}
}

// walkedList is a list of a walk, as far as this call has read it.
type walkedList struct {
	changeSource
	last  int          // the page that was read last; 0 if none was
	next  int          // the page to read next; 0 at the end
	bound int64        // what was not read changed at this time at the latest
	rest  []changeNews // what was read and is not told
}

// walkStage is the part of a walk that this call has read: of the lists, or of the timeline.
type walkStage struct {
	walk  changeWalk
	lists []*walkedList
	news  []changeNews // what can be told, the last first
}

// ended reports whether everything of the stage was read.
func (s *walkStage) ended() bool {
	return !slices.ContainsFunc(s.lists, func(l *walkedList) bool { return l.next != 0 })
}

// read goes on with the walk as far as the answer and the requests go.
func (r *changeReader) read(ctx context.Context) error {
	w := *r.state.Walk
	r.walked = r.state.Walk
	for {
		s, err := r.readStage(ctx, w)
		if err != nil {
			return err
		}
		r.stages = append(r.stages, s)
		if w.Last || !s.ended() || len(s.news) > mostChanged || r.left.Load() <= spareRequests {
			return nil
		}
		w = w.timeline()
	}
}

// timeline returns the walk where it comes to the timeline.
func (w changeWalk) timeline() changeWalk {
	w.Last, w.At, w.Same, w.Lists = true, 0, nil, nil
	return w
}

// readStage reads the lists until the items of an answer are certain: no list has a later one that
// was not read.
func (r *changeReader) readStage(ctx context.Context, w changeWalk) (*walkStage, error) {
	s := &walkStage{walk: w}
	for i, source := range r.sources(w) {
		l := &walkedList{changeSource: source, next: 1, bound: w.Until}
		if 2*i+1 < len(w.Lists) {
			l.next, l.bound = int(w.Lists[2*i]), w.Until-w.Lists[2*i+1]
		}
		s.lists = append(s.lists, l)
	}
	for {
		open := slices.DeleteFunc(slices.Clone(s.lists), func(l *walkedList) bool { return l.next == 0 })
		slices.SortStableFunc(open, func(a, b *walkedList) int { return cmp.Compare(b.bound, a.bound) })
		frontier := int64(math.MinInt64)
		if len(open) > 0 {
			frontier = open[0].bound
		}
		s.news = s.certain(frontier)
		subjects := map[int64]bool{}
		for _, n := range s.news {
			subjects[n.subjectID()] = true
		}
		for i := 1; i < len(open); i++ { // beside the first one, each list is read only if it was not
			if open[i].last != 0 {
				open = slices.Delete(open, i, i+1)
				i--
			}
		}
		open = open[:max(0, min(len(open), readAtOnce, int(r.left.Load()-spareRequests)))]
		if len(open) == 0 || len(subjects) > mostChanged {
			return s, nil
		}
		if _, err := listing.InParallel(ctx, open, func(ctx context.Context, l *walkedList) (struct{}, error) {
			return struct{}{}, r.readPage(ctx, l, &w)
		}); err != nil {
			return nil, err
		}
	}
}

// certain returns what was read from a time on.
func (s *walkStage) certain(from int64) (news []changeNews) {
	for _, l := range s.lists {
		for _, n := range l.rest {
			if n.at.UnixMilli() >= from {
				news = append(news, n)
			}
		}
	}
	slices.SortStableFunc(news, func(a, b changeNews) int { return b.at.Compare(a.at) })
	return news
}

// readPage reads the next page of a list. Where a call begins, items may have moved to the page
// before: then the list goes on there.
func (r *changeReader) readPage(ctx context.Context, l *walkedList, w *changeWalk) error {
	if !r.may() {
		return nil
	}
	news, next, err := l.read(ctx, l.next)
	if err != nil {
		return err
	}
	for l.last == 0 && l.next > 1 && (len(news) == 0 || news[0].at.UnixMilli() < l.bound) && r.may() {
		l.next--
		if news, next, err = l.read(ctx, l.next); err != nil {
			return err
		}
	}
	l.last, l.next = l.next, next
	if len(news) == 0 {
		l.next = 0
	}
	for _, n := range news {
		at := n.at.UnixMilli()
		l.bound = min(l.bound, at)
		if at <= l.low {
			l.next = 0
			break
		}
		toldThen := w.At != 0 && (at > w.At || at == w.At && slices.Contains(w.Same, n.key()))
		if n.kind != "" && at <= w.Until && !toldThen && !slices.Contains(w.Told, n.subjectID()) {
			n.page = l.last
			l.rest = append(l.rest, n)
		}
	}
	return nil
}

// key identifies an entry of a list.
func (n changeNews) key() int64 {
	if n.entry != nil {
		return -n.event
	}
	return n.item.ID
}

// subjectID returns the item that a change is shown on.
func (n changeNews) subjectID() int64 {
	if parent := n.item.Parent; parent != nil && (n.kind == lookup.CommentKind.Kind || n.kind == lookup.AnswerKind.Kind) {
		return parent.ID
	}
	return n.hint.item
}

// comesAgain reports whether an older entry can be about the same item.
func (n changeNews) comesAgain() bool {
	return n.subjectID() != n.item.ID || n.item.CommentsCount > 0
}

// settle moves the walk on past the first n of its news. It returns whether more follows. A walk
// whose answers are empty twice is given up.
func (r *changeReader) settle(n int, empty bool) (more, givenUp bool) {
	if len(r.stages) == 0 {
		return r.state.Walk != nil, false
	}
	w, ended := r.stages[0].walk, false
	for _, s := range r.stages {
		told := s.news[:min(n, len(s.news))]
		n -= len(told)
		s.walk.Told = w.Told
		w = s.after(told)
		if ended = len(told) == len(s.news) && s.ended(); !ended {
			break
		}
		if ended = w.Last; !ended {
			w = w.timeline()
		}
	}
	if givenUp = !ended && empty && w.Empty; !ended && !givenUp {
		w.Empty = empty
		r.state.Walk = &w
		return true, false
	}
	r.state.Walk, r.state.Listed = nil, max(r.state.Listed, w.Until)
	if w.Trash {
		r.state.Trashed = w.Until
	}
	return false, givenUp
}

// after returns the walk after a part of the stage's news was told.
func (s *walkStage) after(told []changeNews) changeWalk {
	w := s.walk
	passed := map[int64]bool{}
	if len(told) > 0 {
		if at := told[len(told)-1].at.UnixMilli(); at != w.At {
			w.At, w.Same = at, nil
		}
	}
	w.Same, w.Told = slices.Clone(w.Same), slices.Clone(w.Told)
	for _, n := range told {
		if n.at.UnixMilli() == w.At {
			w.Same = append(w.Same, n.key())
		}
		if id := n.subjectID(); n.comesAgain() && !passed[id] && len(w.Told) < mostPassed {
			w.Told, passed[id] = append(w.Told, id), true
		}
	}
	w.Lists = nil
	for _, l := range s.lists {
		page, bound := l.next, l.bound
		if page != 0 && l.last != 0 {
			page = l.last // read again, so that it shows whether items have moved
		}
		for _, n := range l.rest {
			at := n.at.UnixMilli()
			if at < w.At || len(told) == 0 || at == w.At && !slices.Contains(w.Same, n.key()) {
				page, bound = n.page, at
				break
			}
		}
		w.Lists = append(w.Lists, int64(page), w.Until-bound)
	}
	return w
}

// happened returns what happened to an item of a list, as far as the item itself says it.
func (n changeNews) happened() (all []changeNews) {
	say := func(what string, by int64, at time.Time) {
		n.what, n.by, n.when = what, by, at
		all = append(all, n)
	}
	since := time.UnixMilli(n.since)
	words := map[string][2]string{lookup.CommentKind.Kind: {"commented", "comment edited"}, lookup.AnswerKind.Kind: {"answered", "changed"}}[n.kind]
	switch {
	case n.entry != nil:
		return []changeNews{n}
	case n.trashed:
		say("trashed", 0, n.at)
		return all
	case n.item.CreatedAt.After(since):
		say(cmp.Or(words[0], "created"), n.item.Creator.ID, n.item.CreatedAt)
	}
	if n.item.Completed && n.item.CompletedAt().After(since) {
		var by int64
		if n.item.Completion != nil {
			by = n.item.Completion.Creator.ID
		}
		say("completed", by, n.item.CompletedAt())
	}
	if len(all) == 0 {
		say(cmp.Or(words[1], "changed"), 0, n.at)
	}
	return all
}
