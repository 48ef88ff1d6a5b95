package changes

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/listing"
	requests "basecamp-mcp/internal/wire/upstream"
)

// changePause is how long after a walk through the lists the next one is due. A poll in between
// begins one only if the timeline has a new entry.
const changePause = 10 * time.Minute

// The limits of a call.
const (
	MostRequests  = 25 // that a call sends to Basecamp
	spareRequests = 3  // that a walk leaves for what comments are on
	mostChanged   = 50 // items that an answer has
	readAtOnce    = 4  // lists, beside the project
)

// changeReader reads what changed, for one call.
type changeReader struct {
	*Resolver
	caller  identity.Caller
	state   changeState
	now     time.Time
	left    atomic.Int64 // requests that the call may still send
	glanced bool         // the answer has what the timeline says: nothing, or there is a walk
	walked  *changeWalk  // the walk that the answer has a part of
	stages  []*walkStage
	items   map[int64]basecamp.Changed // as they are now
}

func (rs *Resolver) newChangeReader(ctx context.Context, state changeState) *changeReader {
	caller, _ := identity.From(ctx)
	r := &changeReader{Resolver: rs, caller: caller, state: state, now: rs.Now(), items: map[int64]basecamp.Changed{}}
	spent, _ := requests.Spent(ctx)
	r.left.Store(int64(MostRequests - spent))
	return r
}

// may takes one of the requests that the call may still send, and reports whether there was one.
func (r *changeReader) may() bool {
	if r.left.Add(-1) >= 0 {
		return true
	}
	r.left.Add(1)
	return false
}

// inReach reports whether the connection may read what is in a bucket.
func (r *changeReader) inReach(bucket int64) bool {
	f := r.state.Filter
	return (f.Project == 0 || f.Project == bucket) && r.caller.Fence.In(r.caller.Account).Read.HasProject(bucket)
}

// beginDue begins a walk through the lists, back to where the last one began, if one is due.
func (r *changeReader) beginDue(ctx context.Context) error {
	trash := r.now.Sub(time.UnixMilli(r.state.Listed)) >= changePause
	if !trash {
		p, err := r.Overview.Timeline(r.state.Filter.Project, 0)(ctx, 1)
		if err != nil {
			return err
		}
		r.left.Add(-1)
		if r.glanced = true; r.newest(p.Items) <= r.state.After {
			return nil
		}
	}
	low := time.UnixMilli(r.state.Listed).Add(-changeOverlap)
	r.state.Walk = &changeWalk{Trash: trash, Low: low.UnixMilli(), Until: r.now.UnixMilli()}
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
		if len(f.wanted(func(k Kind) bool { return k.timeline != "" })) > 0 {
			all = append(all, r.timelineSource(w))
		}
		return all
	}
	for _, k := range f.wanted(func(k Kind) bool { return k.upstream != "" }) {
		all = append(all, r.listSource(k, "", w.Low))
	}
	if f.wants(lookup.PingKind) {
		all = append(all, changeSource{w.Low, r.readPings})
	}
	if w.Trash {
		for _, k := range f.wanted(func(k Kind) bool { return k.trashed }) {
			all = append(all, r.listSource(k, lookup.Trashed, time.UnixMilli(r.state.Trashed).Add(-changeOverlap).UnixMilli()))
		}
	}
	return all
}

// timelineSource returns the entries of the timeline that no list has.
func (r *changeReader) timelineSource(w changeWalk) changeSource {
	return changeSource{w.Low, func(ctx context.Context, page int) (news []changeNews, next int, err error) {
		p, err := r.Overview.Timeline(r.state.Filter.Project, 0)(ctx, page)
		if page == 1 {
			r.state.After = max(r.state.After, r.newest(p.Items))
		}
		for _, e := range p.Items {
			news = append(news, r.newsOfTimeline(e))
		}
		return news, p.Next, err
	}}
}

// newsOfTimeline returns an entry of a timeline, without a kind if it is not asked for, or a list
// has it.
func (r *changeReader) newsOfTimeline(e basecamp.Happening) changeNews {
	n := changeNews{
		at: e.CreatedAt, kind: projectWord, id: e.Bucket.ID, key: -e.ID, bucket: e.Bucket, title: e.Target, url: cmp.Or(e.AppURL, e.Bucket.AppURL),
		words: richtext.Plain(e.Excerpt),
	}
	what := "people changed"
	link, err := basecamp.ParseLink(e.AppURL)
	if err == nil && link.Type != projectWord+"s" {
		i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.timeline == e.Kind })
		if i < 0 {
			return changeNews{at: e.CreatedAt}
		}
		n.kind, n.id, what = Kinds()[i].Word, link.ID, "created"
		if n.kind == lookup.Chat.Kind {
			n.id, n.wrote, what = link.Within, link.ID, "chatted"
		}
	} else if n.words = ""; e.Kind != "project_access_changed" {
		what = e.Kind[strings.LastIndexByte(e.Kind, '_')+1:]
	}
	n.says = []deed{{what: what, by: e.Creator, when: e.CreatedAt}}
	if !r.state.Filter.wants(n.kind) || !r.inReach(e.Bucket.ID) || r.state.Told.knows(n.key, n.at) {
		n.kind = ""
	}
	return n
}

// readPings reads the pings, each with its last line.
func (r *changeReader) readPings(ctx context.Context, _ int) (news []changeNews, next int, err error) {
	pings, err := basecamp.Pings.All(ctx, r.BC)
	if fault.Is(err, fault.PermissionDenied) { // the user cannot ping
		return nil, 0, nil
	}
	for _, p := range pings {
		n := changeNews{
			at: p.UpdatedAt, id: p.Chat(), key: p.Chat(), bucket: basecamp.Bucket{ID: p.ID, Type: "Circle"}, title: p.Title, url: p.AppURL,
			says: []deed{{what: "chatted", when: p.UpdatedAt}},
		}
		if at := p.UpdatedAt.UnixMilli(); at > r.walked.Low && at <= r.walked.Until && r.inReach(p.ID) && !r.state.Told.knows(n.key, n.at) {
			n.kind = lookup.PingKind
			if err := r.readLine(ctx, &n); err != nil {
				return nil, 0, err
			}
		}
		news = append(news, n)
	}
	return news, 0, err
}

// readLine reads the last line of a chat, if the requests suffice.
func (r *changeReader) readLine(ctx context.Context, n *changeNews) error {
	if !r.may() {
		return nil
	}
	lines, err := basecamp.LinesIn.Page(ctx, r.BC, 1, n.id)
	if err == nil && len(lines.Items) > 0 {
		line := lines.Items[0]
		n.wrote, n.says[0].by, n.words = line.ID, line.Creator, richtext.Plain(line.Content)
	}
	return err
}

// listSource returns the list of a kind by the last change.
func (r *changeReader) listSource(k Kind, status string, low int64) changeSource {
	return changeSource{low, func(ctx context.Context, page int) (news []changeNews, next int, err error) {
		p, err := basecamp.RecordingsIn[basecamp.Changed](k.upstream, r.state.Filter.Project, status, basecamp.Sorted("updated_at", "desc")).Page(ctx, r.BC, page)
		for _, item := range p.Items {
			n := changeNews{at: item.UpdatedAt, id: item.ID, key: item.ID, kind: k.Word, bucket: item.Bucket, item: item}
			if n.says = happened(k.Word, item, time.UnixMilli(low)); status == lookup.Trashed {
				n.says = []deed{{what: "trashed", when: n.at}}
			}
			if r.state.Told.knows(item.ID, item.UpdatedAt) || !r.inReach(item.Bucket.ID) {
				n.kind = ""
			}
			news = append(news, n)
		}
		return news, p.Next, err
	}}
}

// happened returns what happened to an item of a list since a time, as far as the item says it.
func happened(kind string, item basecamp.Changed, since time.Time) (all []deed) {
	words := map[string][2]string{lookup.CommentKind.Kind: {"commented", "comment edited"}, lookup.AnswerKind.Kind: {"answered", "changed"}}[kind]
	if item.CreatedAt.After(since) {
		all = append(all, deed{what: cmp.Or(words[0], "created"), by: item.Creator, when: item.CreatedAt})
	}
	if item.Completed && item.CompletedAt().After(since) {
		done := deed{what: "completed", when: item.CompletedAt()}
		if item.Completion != nil {
			done.by = item.Completion.Creator
		}
		all = append(all, done)
	}
	if len(all) == 0 {
		all = append(all, deed{what: cmp.Or(words[1], "changed"), when: item.UpdatedAt})
	}
	return all
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
		first := min(1, len(open)) // beside the first one, each list is read only if it was not
		open = append(open[:first], slices.DeleteFunc(open[first:], func(l *walkedList) bool { return l.last != 0 })...)
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
		toldThen := w.At != 0 && (at > w.At || at == w.At && w.Same.has(n.key))
		if n.kind != "" && at <= w.Until && !toldThen && !w.Told.has(n.subjectID()) {
			n.page = l.last
			l.rest = append(l.rest, n)
		}
	}
	return nil
}

// subjectID returns the item that a change is shown on.
func (n changeNews) subjectID() int64 {
	if parent := n.item.Parent; parent != nil && (n.kind == lookup.CommentKind.Kind || n.kind == lookup.AnswerKind.Kind) {
		return parent.ID
	}
	return n.id
}

// comesAgain reports whether an older entry can be about the same item.
func (n changeNews) comesAgain() bool {
	return n.subjectID() != n.key || n.item.CommentsCount > 0
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
func (s *walkStage) after(news []changeNews) changeWalk {
	w := s.walk
	if len(news) > 0 {
		if at := news[len(news)-1].at.UnixMilli(); at != w.At {
			w.At, w.Same = at, nil
		}
	}
	same, passed := told{}, told{}
	maps.Copy(same, w.Same)
	maps.Copy(passed, w.Told)
	for _, n := range news {
		if n.at.UnixMilli() == w.At {
			same[n.key] = 0
		}
		if n.comesAgain() && len(passed) < mostPassed {
			passed[n.subjectID()] = 0
		}
	}
	w.Same, w.Told = same, passed
	w.Lists = nil
	for _, l := range s.lists {
		page, bound := l.next, l.bound
		if page != 0 && l.last != 0 {
			page = l.last // read again, so that it shows whether items have moved
		}
		for _, n := range l.rest {
			at := n.at.UnixMilli()
			if at < w.At || len(news) == 0 || at == w.At && !w.Same.has(n.key) {
				page, bound = n.page, at
				break
			}
		}
		w.Lists = append(w.Lists, int64(page), w.Until-bound)
	}
	return w
}
