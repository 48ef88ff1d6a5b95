package basecamptools

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
)

const (
	mostFeedPages = 8 // of the feed in one call
	mostReentries = 3 // attempts to find a way back into the feed
)

// hint says that something about an item may have changed: an entry of the feed or of a timeline.
type hint struct {
	event  int64
	at     time.Time
	kind   string // what changed: todo, comment, chat, ...
	what   string // what happened
	bucket int64
	item   int64
	by     int64
	boost  int64
	entry  *basecamp.Happening // of a timeline; nil for the feed
}

// hasFeed reports whether the feed has any of the kinds that are asked for.
func (f changeFilter) hasFeed() bool {
	return len(f.wanted(func(k changeKind) bool { return k.feed != "" })) > 0
}

// feedQuery returns the query for a place in the feed. What the filter cannot say there is left out
// of the hints later; an empty list would select everything.
func (r *changeReader) feedQuery(place feedPlace) url.Values {
	query := url.Values{}
	switch {
	case place == "":
		query.Set("since", "now")
	case place[0] == 's':
		query.Set("since", string(place[1:]))
	default:
		query.Set("position", string(place[1:]))
	}
	f := r.state.Filter
	if r.state.Unnamed {
		return query
	}
	if f.Project != 0 {
		query.Set("buckets", strconv.FormatInt(f.Project, 10))
	}
	if len(f.Kinds) == 0 {
		return query
	}
	var types []string
	for name := range feedTypes() {
		if r.mayWant(feedKind(name)) {
			types = append(types, name)
		}
	}
	slices.Sort(types)
	query.Set("types", strings.Join(types, ","))
	return query
}

// mayWant reports whether changes of a kind may be asked for. Whether a chat line is in a ping,
// only its chat says.
func (r *changeReader) mayWant(kind string) bool {
	f := r.state.Filter
	return f.wants(kind) || kind == chatWord && f.wants(pingWord)
}

// fromFeed returns what the feed says, as the items are now, and whether it has more. A first call
// only enters the feed. Without a feed, the lists say everything.
func (r *changeReader) fromFeed(ctx context.Context, first bool) (news []changeNews, more bool, err error) {
	if !r.state.Filter.hasFeed() || !first && r.state.Feed == "" {
		return nil, false, nil
	}
	hints, more, err := r.pollFeed(ctx)
	if noFeed(err) {
		if r.state.Feed, r.state.After = "", 0; !first {
			r.lose()
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	r.polled = !first
	hints, cut := limited(hints)
	if err := r.again(ctx, hints); err != nil {
		return nil, false, err
	}
	for i, h := range hints {
		missing := r.unread[h.item] || h.boost != 0 && r.unread[h.boost]
		if missing && i > 0 { // the next call begins with it
			hints, cut = hints[:i], true
			break
		}
		if r.gone[h.item] && h.boost == 0 || r.gone[h.boost] {
			continue
		}
		news = append(news, changeNews{hint: h, item: r.items[h.item]})
		r.telling.note(h.item, h.at, true)
		if p := r.items[h.item].Parent; p != nil {
			r.telling.note(p.ID, h.at, true)
		}
	}
	if cut {
		r.cutFeed(hints[len(hints)-1].event)
	}
	return news, more || cut, nil
}

// limited returns the first hints, about as many items as an answer has, and whether it left some
// out.
func limited(hints []hint) ([]hint, bool) {
	items := map[int64]bool{}
	for i, h := range hints {
		if items[h.item] = true; len(items) > mostChanged {
			return hints[:i], true
		}
	}
	return hints, false
}

// cutFeed makes the next call go on after an event.
func (r *changeReader) cutFeed(last int64) {
	r.state.After, r.state.Feed = last, afterEvent(last)
}

func afterEvent(id int64) feedPlace { return feedPlace("s" + strconv.FormatInt(id, 10)) }

// pollFeed reads the events after the state's place, until there are enough or no more. It returns
// whether more follow.
func (r *changeReader) pollFeed(ctx context.Context) (hints []hint, more bool, err error) {
	place, after := r.state.Feed, r.state.After
	query := r.feedQuery(place)
	items := map[int64]bool{}
	for pages, refusals := 0, 0; pages < mostFeedPages; {
		page, err := r.BC.Feed(ctx, query)
		r.left.Add(-1)
		if err != nil {
			refusals++
			if query, place, err = r.reenter(err, refusals); err != nil {
				return nil, false, err
			}
			continue
		}
		pages++
		for _, e := range page.Events {
			if e.ID <= after { // it was told
				continue
			}
			after = e.ID
			if h, ok := r.hintOfFeed(e); ok {
				items[h.item] = true
				hints = append(hints, h)
			}
		}
		place = feedPlace("p" + page.Position)
		query, more = page.Next, page.Next != nil
		if !more || len(items) > mostChanged {
			break
		}
	}
	r.state.Feed, r.state.After, r.state.Polled = place, after, r.now.UnixMilli()
	return hints, more, nil
}

// reenter returns the query and the place with which the feed goes on after a refusal
// (event_feed.md, "Poll events"): after the last event that was told, or from now on.
func (r *changeReader) reenter(err error, tries int) (url.Values, feedPlace, error) {
	refusal, ok := errors.AsType[*basecamp.FeedRefusal](err)
	if !ok || tries > mostReentries {
		return nil, "", err
	}
	ended := refusal.Reason == basecamp.FeedPositionEnded
	switch {
	case ended, refusal.Reason == basecamp.BadFeedPosition, refusal.Reason == basecamp.OtherFeedFilter:
	case refusal.Reason == basecamp.BadFeedFilter && !r.state.Unnamed:
		r.state.Unnamed = true
	default:
		return nil, "", err
	}
	place := feedPlace("")
	if after := r.state.After; after != 0 && !ended {
		place = afterEvent(after)
	} else if r.state.Feed != "" {
		r.lose()
	}
	return r.feedQuery(place), place, nil
}

// lose makes the lists say what the feed has not said since it was read last.
func (r *changeReader) lose() {
	r.lost = true
	fed := time.UnixMilli(r.state.Polled).Add(-changeOverlap)
	r.begin(changeWalk{All: true, Fed: fed.UnixMilli()})
}

// hintOfFeed returns an event as a hint, and false if it is not asked for.
func (r *changeReader) hintOfFeed(e basecamp.FeedEvent) (hint, bool) {
	h := hint{event: e.ID, at: e.CreatedAt, kind: feedKind(e.Type), what: feedTypes()[e.Type], bucket: e.Bucket, item: e.Recording, by: e.Creator, boost: e.Details.Boost}
	if h.what == "" {
		h.what = "changed"
	}
	known := r.state.Told.knowsOfFeed(h.item, h.at)
	if h.boost != 0 {
		known = r.state.Told.knowsOfFeed(h.boost, h.at)
	}
	return h, h.kind != "" && r.mayWant(h.kind) && r.inReach(h.bucket) && !known
}

// noFeed reports whether an error means that this account or connection has no feed.
func noFeed(err error) bool {
	return fault.Is(err, fault.PermissionDenied) || fault.Is(err, fault.NotFound)
}

// changeKind is a kind of item that can change.
type changeKind struct {
	word     string // the value of the argument kinds, and the type of its items
	upstream string // its type in Basecamp's lists of items; "" without one
	feed     string // what the feed's types begin with; "" if the feed does not have it
	trashed  bool   // whether its trash is read
	timeline string // the kind of its entries in a timeline, if only that has it
}

const (
	chatWord    = "chat"
	pingWord    = "ping"
	boostWord   = "boost"
	projectWord = "project"
)

// changeKinds has all kinds, in the order in which their lists are read.
func changeKinds() []changeKind {
	return []changeKind{
		{lookup.TodoKind.Kind, lookup.TodoKind.Upstream, "todo.", true, ""},
		{lookup.CardKind.Kind, lookup.CardKind.Upstream, "card.", true, ""},
		{lookup.CommentKind.Kind, lookup.CommentKind.Upstream, "comment.", false, ""},
		{lookup.MessageKind.Kind, lookup.MessageKind.Upstream, "message.", true, ""},
		{lookup.AnswerKind.Kind, lookup.AnswerKind.Upstream, "question.answer.", false, ""},
		{lookup.DocumentKind.Kind, lookup.DocumentKind.Upstream, "", true, ""},
		{lookup.UploadKind.Kind, lookup.UploadKind.Upstream, "", true, ""},
		{lookup.ListKind.Kind, lookup.ListKind.Upstream, "", true, ""},
		{lookup.EntryKind.Kind, lookup.EntryKind.Upstream, "", false, ""},
		{lookup.SubtaskKind.Kind, lookup.SubtaskKind.Upstream, "", false, ""},
		{lookup.FolderKind.Kind, lookup.FolderKind.Upstream, "", false, ""},
		{lookup.QuestionKind.Kind, "", "question.", false, "question_created"},
		{chatWord, "", "chat.line.", false, "chat_transcript_rollup"},
		{pingWord, "", "chat.line.", false, ""},
		{boostWord, "", "boost.", false, ""},
		{lookup.ForwardKind.Kind, "", "", false, "inbox_forward_created"},
		{projectWord, "", "", false, "project_access_changed"},
	}
}

// reopens reports whether the lists say of a kind what the feed does not.
func (k changeKind) reopens() bool {
	return k.word == lookup.TodoKind.Kind || k.word == lookup.CardKind.Kind
}

// isFed reports whether the feed says all changes of a kind.
func (k changeKind) isFed() bool { return k.feed != "" && !k.reopens() }

func kindNamed(word string) changeKind {
	for _, k := range changeKinds() {
		if k.word == word {
			return k
		}
	}
	return changeKind{word: word}
}

// wants reports whether changes of a kind are asked for. Pings are only if they are named, or with
// mine.
func (f changeFilter) wants(kind string) bool {
	if len(f.Kinds) == 0 {
		return kind != pingWord || f.Mine
	}
	return slices.Contains(f.Kinds, kind)
}

// wanted returns the kinds that are asked for and pass a test.
func (f changeFilter) wanted(test func(changeKind) bool) (kinds []changeKind) {
	for _, k := range changeKinds() {
		if f.wants(k.word) && test(k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// feedKind returns the kind of a type of the feed, or "". Pings have the type of chat lines.
func feedKind(eventType string) string {
	for _, k := range changeKinds() {
		if k.feed != "" && strings.HasPrefix(eventType, k.feed) {
			return k.word
		}
	}
	return ""
}

// feedTypes has the types of the event feed that this server knows (event_feed.md, "Event types"),
// with what they say. A to-do's content is its name.
func feedTypes() map[string]string {
	return map[string]string{
		"comment.created": "commented", "comment.content_changed": "comment edited",
		"message.created": "created", "message.content_changed": "edited", "message.subject_changed": "renamed",
		"todo.created": "created", "todo.completed": "completed", "todo.moved": "moved", "todo.content_changed": "renamed",
		"todo.description_changed": "edited", "todo.scheduled": "dated", "todo.rescheduled": "dated", "todo.unscheduled": "undated",
		"todo.assignment_changed": "assigned",
		"card.created":            "created", "card.completed": "completed", "card.moved": "moved", "card.content_changed": "edited",
		"card.title_changed": "renamed", "card.due_on_changed": "dated", "card.assignment_changed": "assigned",
		"chat.line.created": "chatted", "boost.created": "boosted", "question.created": "created", "question.answer.created": "answered",
	}
}
