package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/listing"
	requests "basecamp-mcp/internal/upstream"
)

const (
	mostChangeRequests = 20 // that a call sends to Basecamp
	spareRequests      = 3  // that a walk leaves for names, and for what comments are on
	mostChanged        = 50 // items that an answer has
	maxLinePages       = 2  // of the lines of a chat
)

// changeReader reads what changed, for one call.
type changeReader struct {
	*resolver
	caller  identity.Caller
	state   changeState
	now     time.Time
	left    atomic.Int64 // requests that the call may still send
	polled  bool         // the answer has what the feed says
	glanced bool         // it has what the timeline says: nothing, or there is a walk
	lost    bool         // the lists must say what the feed does not
	walked  *changeWalk  // the walk that the answer has a part of
	stages  []*walkStage

	items   map[int64]basecamp.Changed // as they are now
	lines   map[int64]basecamp.ChatLine
	chats   map[int64][]basecamp.Recording // by bucket
	boosts  map[int64]basecamp.Boosted
	gone    map[int64]bool // the user may no longer see it
	unread  map[int64]bool // it could not be read, or the requests did not reach it
	people  map[int64]string
	me      basecamp.Person // if the filter needs it
	telling told            // what the feed says in this call
}

func (rs *resolver) newChangeReader(ctx context.Context, state changeState) *changeReader {
	caller, _ := identity.From(ctx)
	r := &changeReader{
		resolver: rs, caller: caller, state: state, now: rs.Now(),
		items: map[int64]basecamp.Changed{}, lines: map[int64]basecamp.ChatLine{}, chats: map[int64][]basecamp.Recording{}, boosts: map[int64]basecamp.Boosted{},
		gone: map[int64]bool{}, unread: map[int64]bool{}, people: map[int64]string{}, telling: told{},
	}
	spent, _ := requests.Spent(ctx)
	r.left.Store(int64(mostChangeRequests - spent))
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

// again reads the items of hints again, because an event is not a fact: by the lists of their type
// if there are several, otherwise one by one.
func (r *changeReader) again(ctx context.Context, hints []hint) error {
	var singles []hint
	lists := map[string][]hint{}
	var kinds []changeKind
	for _, h := range hints {
		_, known := r.items[h.item]
		_, boosted := r.boosts[h.boost]
		switch k := kindNamed(h.kind); {
		case known || boosted || h.kind == chatWord || r.gone[h.item]:
		case k.upstream == "":
			singles = append(singles, h)
		default:
			if lists[k.word] == nil {
				kinds = append(kinds, k)
			}
			lists[k.word] = append(lists[k.word], h)
		}
	}
	found, err := listing.InParallel(ctx, kinds, func(ctx context.Context, k changeKind) ([]basecamp.Changed, error) {
		return r.inList(ctx, k, lists[k.word])
	})
	if err != nil {
		return err
	}
	for _, item := range slices.Concat(found...) {
		r.items[item.ID] = item
	}
	for _, k := range kinds {
		for _, h := range lists[k.word] {
			if _, known := r.items[h.item]; !known {
				singles = append(singles, h)
			}
		}
	}
	if err := r.oneByOne(ctx, singles); err != nil {
		return err
	}
	return r.readLines(ctx, hints)
}

// inList looks for the items of hints in the list of their type. It stops where the list is older
// than the hints.
func (r *changeReader) inList(ctx context.Context, k changeKind, hints []hint) (found []basecamp.Changed, err error) {
	missing := map[int64]bool{}
	oldest := r.now
	for _, h := range hints {
		missing[h.item] = true
		if h.at.Before(oldest) {
			oldest = h.at
		}
	}
	for page := 1; page > 0 && len(missing) > 1 && r.may(); {
		p, err := r.BC.LastChanged(ctx, k.upstream, r.state.Filter.Project, "", page)
		if err != nil {
			return nil, err
		}
		for _, item := range p.Items {
			delete(missing, item.ID)
		}
		found = append(found, p.Items...)
		if page = p.Next; len(p.Items) == 0 || p.Items[len(p.Items)-1].UpdatedAt.Before(oldest.Add(-changeOverlap)) {
			break
		}
	}
	return found, nil
}

// oneByOne reads items that no list has, each once.
func (r *changeReader) oneByOne(ctx context.Context, hints []hint) error {
	slices.SortStableFunc(hints, func(a, b hint) int { return cmp.Compare(a.event, b.event) })
	var each []hint
	for _, h := range hints {
		if !slices.ContainsFunc(each, func(e hint) bool { return e.item == h.item && e.boost == h.boost }) {
			each = append(each, h)
		}
	}
	type read struct {
		item  basecamp.Changed
		boost basecamp.Boosted
		fail  *fault.Error
	}
	results, err := listing.InParallel(ctx, each, func(ctx context.Context, h hint) (v read, err error) {
		switch {
		case !r.may():
			v.fail = fault.New(fault.LimitReached, "the call has sent its requests")
			return v, nil
		case h.boost != 0:
			v.boost, err = r.BC.Boosted(ctx, h.boost)
		default:
			v.item, err = r.BC.Changed(ctx, h.kind, h.item)
		}
		if f, ok := lookup.Dispensable(err); ok && f.Code != fault.RateLimited {
			v.fail, err = f, nil
		}
		return v, err
	})
	for i, v := range results {
		key := cmp.Or(each[i].boost, each[i].item)
		switch {
		case v.fail != nil && noFeed(v.fail):
			r.gone[key] = true
		case v.fail != nil:
			r.unread[key] = true
		case each[i].boost != 0:
			r.boosts[key] = v.boost
		default:
			r.items[key] = v.item
		}
	}
	return err
}

// readLines reads the chat lines of the feed's hints. Which chat a line is in, only the chats say.
func (r *changeReader) readLines(ctx context.Context, hints []hint) error {
	byBucket := map[int64][]hint{}
	var buckets []int64
	for _, h := range hints {
		if h.kind != chatWord || r.lines[h.item].ID != 0 {
			continue
		}
		if byBucket[h.bucket] == nil {
			buckets = append(buckets, h.bucket)
		}
		byBucket[h.bucket] = append(byBucket[h.bucket], h)
	}
	if len(buckets) == 0 {
		return nil
	}
	if err := r.readChats(ctx, buckets); err != nil {
		return err
	}
	found, err := listing.InParallel(ctx, buckets, func(ctx context.Context, bucket int64) (someLines, error) {
		return r.linesIn(ctx, r.chats[bucket], byBucket[bucket])
	})
	if err != nil {
		return err
	}
	for i, bucket := range buckets {
		for _, line := range found[i].lines {
			r.lines[line.ID] = line
		}
		for _, h := range byBucket[bucket] {
			switch known := r.lines[h.item].ID != 0; {
			case known:
			case found[i].unread:
				r.unread[h.item] = true
			case !found[i].older: // deleted, or in a chat that the user may not see
				r.gone[h.item] = true
			}
		}
	}
	return nil
}

// someLines are lines of a chat. There may be older ones, or ones that the requests did not reach.
type someLines struct {
	lines         []basecamp.ChatLine
	older, unread bool
}

// readChats finds the chats in buckets. A bucket without one may be a ping.
func (r *changeReader) readChats(ctx context.Context, buckets []int64) error {
	for page := 1; page > 0 && r.state.Filter.wants(chatWord) && r.may(); {
		p, err := r.BC.Chats(ctx, page)
		if err != nil {
			return err
		}
		for _, chat := range p.Items {
			r.chats[chat.Bucket.ID] = append(r.chats[chat.Bucket.ID], chat.Recording)
		}
		page = p.Next
	}
	for _, bucket := range buckets {
		if len(r.chats[bucket]) > 0 || !r.state.Filter.wants(pingWord) || !r.may() {
			continue
		}
		ping, err := r.BC.Ping(ctx, bucket)
		if _, ok := lookup.Dispensable(err); err != nil && !ok {
			return err
		}
		if ping.Chat() != 0 {
			r.chats[bucket] = []basecamp.Recording{{ID: ping.Chat(), Title: ping.Title, AppURL: ping.AppURL, Bucket: basecamp.Bucket{ID: bucket, Type: "Circle"}}}
		}
	}
	return nil
}

// linesIn looks for the lines of hints in chats.
func (r *changeReader) linesIn(ctx context.Context, chats []basecamp.Recording, hints []hint) (some someLines, err error) {
	oldest := slices.MinFunc(hints, func(a, b hint) int { return a.at.Compare(b.at) }).at
	for _, chat := range chats {
		for page := 1; page > 0; {
			if page > maxLinePages {
				some.older = true
				break
			}
			if !r.may() {
				some.unread = true
				return some, nil
			}
			p, err := r.BC.ChatLines(ctx, chat.ID, page)
			if err != nil {
				return some, err
			}
			some.lines = append(some.lines, p.Items...)
			if page = p.Next; len(p.Items) == 0 || p.Items[len(p.Items)-1].CreatedAt.Before(oldest) {
				break
			}
		}
	}
	return some, nil
}
