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
	name   string // the type of the feed; "" if it has none
	kind   string // what changed: todo, comment, chat, ...
	what   string // what happened
	bucket int64
	item   int64
	by     int64
	boost  int64
	entry  *basecamp.Happening // of a timeline; nil for the feed
}

// feedMark is where a page of the feed begins, and its last event.
type feedMark struct {
	place feedPlace
	last  int64
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
	if r.state.Unnamed {
		return query
	}
	f := r.state.Filter
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

// pollFeed reads the events after the state's place, until there are enough or no more. It returns
// whether more follow.
func (r *changeReader) pollFeed(ctx context.Context) (hints []hint, more bool, err error) {
	place, reentries, after := r.state.Feed, 0, r.state.After
	query := r.feedQuery(place)
	items := map[int64]bool{}
	for len(r.marks) < mostFeedPages {
		page, err := r.BC.Feed(ctx, query)
		r.left.Add(-1)
		if err != nil {
			reentries++
			if query, place, err = r.reenter(err, reentries); err != nil {
				return nil, false, err
			}
			continue
		}
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
		r.marks = append(r.marks, feedMark{place, after})
		place = feedPlace("p" + page.Position)
		query, more = page.Next, page.Next != nil
		if !more || len(items) > mostChanged {
			break
		}
	}
	r.state.Feed, r.state.After, r.state.Polled = place, after, r.now.UnixMilli()
	r.endGap(hints)
	return hints, more, nil
}

// reenter returns the query and the place with which the feed goes on after a refusal
// (event_feed.md, "Poll events"). What may be lost there is read by time.
func (r *changeReader) reenter(err error, tries int) (url.Values, feedPlace, error) {
	refusal, ok := errors.AsType[*basecamp.FeedRefusal](err)
	if !ok || tries > mostReentries {
		return nil, "", err
	}
	switch {
	case refusal.Reason == basecamp.FeedPositionEnded:
		r.gap()
		return refusal.Resume, feedPlace("s" + refusal.Resume.Get("since")), nil
	case refusal.Reason == basecamp.BadFeedFilter && !r.state.Unnamed:
		r.state.Unnamed = true
	case refusal.Reason != basecamp.BadFeedPosition && refusal.Reason != basecamp.OtherFeedFilter:
		return nil, "", err
	}
	if r.state.After == 0 {
		if r.state.Feed != "" {
			r.gap()
		}
		return r.feedQuery(""), "", nil
	}
	place := feedPlace("s" + strconv.FormatInt(r.state.After, 10))
	return r.feedQuery(place), place, nil
}

// gap makes the next reading of the lists include what the feed has not said since it was read
// last.
func (r *changeReader) gap() {
	w := &r.state.Readings[listReading]
	w.Ran, w.All, w.Read = 0, true, min(w.Read, r.state.Polled)
	r.gapped = true
}

// endGap ends that reading where the feed goes on.
func (r *changeReader) endGap(hints []hint) {
	if r.gapped && len(hints) > 0 {
		r.state.Readings[listReading].High = hints[0].at.UnixMilli()
		r.state.Readings[listReading].Until = r.now.UnixMilli()
	}
}

// cutFeed makes the next call go on after an event.
func (r *changeReader) cutFeed(last int64) {
	r.state.After = last
	for _, mark := range r.marks {
		if mark.last > last {
			r.state.Feed = mark.place
			return
		}
	}
}

// hintOfFeed returns an event as a hint, and false if it is not asked for.
func (r *changeReader) hintOfFeed(e basecamp.FeedEvent) (hint, bool) {
	h := hint{event: e.ID, at: e.CreatedAt, name: e.Type, kind: feedKind(e.Type), what: feedTypes()[e.Type], bucket: e.Bucket, item: e.Recording, by: e.Creator, boost: e.Details.Boost}
	if h.what == "" {
		h.what = "changed"
	}
	known := r.state.Told.knowsByTime(h.item, h.at)
	if h.boost != 0 {
		known = r.state.Told.knowsByTime(h.boost, h.at)
	}
	return h, h.kind != "" && r.mayWant(h.kind) && r.inReach(h.bucket) && !known
}

// noFeed reports whether an error means that this account or connection has no feed.
func noFeed(err error) bool {
	return fault.Is(err, fault.PermissionDenied) || fault.Is(err, fault.NotFound)
}

// hintOfTimeline returns an entry of a timeline as a hint, and false if it is not asked for.
func (r *changeReader) hintOfTimeline(e basecamp.Happening) (hint, bool) {
	h := hint{event: e.ID, at: e.CreatedAt, bucket: e.Bucket.ID, by: e.Creator.ID, entry: &e, kind: projectWord, item: e.Bucket.ID}
	link, err := basecamp.ParseLink(e.AppURL)
	switch ref, _, _ := strings.Cut(itemOf(e), ":"); {
	case err != nil || link.Type == projectWord+"s":
	case link.Type == "lines":
		h.kind, h.item = chatWord, link.Within
	case link.Comment != 0:
		h.kind, h.item = ref, link.Comment
	default:
		h.kind, h.item = ref, link.ID
	}
	said := timelineKinds()[e.Kind]
	if kind, what, ok := strings.Cut(said, " "); ok {
		h.kind, h.what = kind, what
	} else if said != "" {
		h.name, h.kind, h.what = said, feedKind(said), feedTypes()[said]
	} else {
		h.what = e.Kind[strings.LastIndexByte(e.Kind, '_')+1:]
	}
	known := r.state.Told.knows(-h.event, h.at) || h.kind != chatWord && h.kind != projectWord && r.state.Told.knows(h.item, h.at)
	return h, h.kind != "" && r.state.Filter.wants(h.kind) && r.inReach(h.bucket) && !known
}

// changeKind is a kind of item that can change.
type changeKind struct {
	word     string // the value of the argument kinds, and the type of its items
	upstream string // its type in Basecamp's lists of items; "" without one
	feed     string // what the feed's types begin with; "" if the feed does not have it
	trashed  bool   // whether its trash is read
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
		{lookup.TodoKind.Kind, lookup.TodoKind.Upstream, "todo.", true},
		{lookup.CardKind.Kind, lookup.CardKind.Upstream, "card.", true},
		{lookup.CommentKind.Kind, lookup.CommentKind.Upstream, "comment.", false},
		{lookup.MessageKind.Kind, lookup.MessageKind.Upstream, "message.", true},
		{lookup.AnswerKind.Kind, lookup.AnswerKind.Upstream, "question.answer.", false},
		{lookup.DocumentKind.Kind, lookup.DocumentKind.Upstream, "", true},
		{lookup.UploadKind.Kind, lookup.UploadKind.Upstream, "", true},
		{lookup.ListKind.Kind, lookup.ListKind.Upstream, "", true},
		{lookup.EntryKind.Kind, lookup.EntryKind.Upstream, "", false},
		{lookup.SubtaskKind.Kind, lookup.SubtaskKind.Upstream, "", false},
		{lookup.FolderKind.Kind, lookup.FolderKind.Upstream, "", false},
		{lookup.QuestionKind.Kind, "", "question.", false},
		{chatWord, "", "chat.line.", false},
		{pingWord, "", "chat.line.", false},
		{boostWord, "", "boost.", false},
		{lookup.ForwardKind.Kind, "", "", false},
		{projectWord, "", "", false},
	}
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

// timelineKinds has the kinds of entries of a timeline with the types of the feed that say the
// same, or a kind of item and what happened to it. Basecamp may add more.
func timelineKinds() map[string]string {
	return map[string]string{
		"message_created": "message.created", "comment_created": "comment.created", "todo_created": "todo.created",
		"todo_completed": "todo.completed", "kanban_card_created": "card.created", "kanban_card_completed": "card.completed",
		"question_created": "question.created", "question_answer_created": "question.answer.created", "chat_transcript_rollup": "chat.line.created",
		"document_created": "document created", "upload_created": "upload created", "schedule_entry_created": "schedule_entry created",
		"schedule_entry_rescheduled": "schedule_entry dated", "inbox_forward_created": "forward created",
		"project_access_changed": "project people changed",
	}
}
