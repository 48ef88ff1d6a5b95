package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	feedPage   = 100              // events on a page
	feedWindow = 1000             // events that one page looks at
	feedDelay  = 30 * time.Second // before an event is served
	mostFilter = 100              // ids of a filter
)

// feedTypes has the catalog of the event feed: for each type, the kind of recording and the action
// that it stands for. The types without an action are recorded where the change is made.
var feedTypes = map[string]string{
	"comment.created": "Comment created", "comment.content_changed": "Comment content_changed",
	"message.created": "Message created", "message.content_changed": "", "message.subject_changed": "",
	"todo.created": "Todo created", "todo.completed": "Todo completed", "todo.moved": "", "todo.content_changed": "",
	"todo.description_changed": "", "todo.scheduled": "", "todo.rescheduled": "", "todo.unscheduled": "", "todo.assignment_changed": "",
	"card.created": "Kanban::Card created", "card.completed": "Kanban::Card completed", "card.moved": "",
	"card.content_changed": "", "card.title_changed": "", "card.due_on_changed": "", "card.assignment_changed": "",
	"chat.line.created": "", "boost.created": "", "question.created": "Question created", "question.answer.created": "Question::Answer created",
}

// Feed says how the event feed is worse than usual, in ways that Basecamp documents.
type Feed struct {
	Late  time.Duration // transactions commit so long after they drew the id of their event
	Twice bool          // a page begins with the last event before it
	Gone  string        // a type that the catalog no longer has
}

// SetFeed changes how the event feed is from now on.
func (s *Sandbox) SetFeed(f Feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feed = f
}

// RaiseEpoch raises the beginning of the feed to the event with an id, or to the latest for 0.
func (s *Sandbox) RaiseEpoch(after int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.main.epoch = cmp.Or(after, s.lastEvent)
}

// Busy edits the open to-dos of a project in turn, each several times in a row, until the feed has
// n more events. It returns the id of the last one.
func (s *Sandbox) Busy(project string, n, inARow int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	todos := s.openTodos(project)
	for i := range n {
		r := todos[i/inARow%len(todos)]
		r.updated = s.now().UTC().Truncate(time.Millisecond)
		s.emit(r, r.creator, "todo.content_changed", r.updated, nil)
	}
	return s.lastEvent
}

// feedEvent is an entry of the event feed.
type feedEvent struct {
	id        int64
	eventType string
	recording *recording
	by        *person
	at        time.Time
	committed time.Time
	details   map[string]any
}

// emit adds an event to the feed.
func (s *Sandbox) emit(r *recording, by *person, eventType string, at time.Time, details map[string]any) {
	a := r.account()
	if a.epoch == 0 { // the seed is from before the feed existed
		return
	}
	s.lastEvent += 1 + s.lastEvent%3
	a.feed = append(a.feed, &feedEvent{s.lastEvent, eventType, r, by, at, at.Add(s.feed.Late), details})
}

// emitFor adds the event for an action on a recording, if the catalog has one.
func (s *Sandbox) emitFor(r *recording, by *person, action string, at time.Time) {
	if r.account().epoch == 0 {
		return // as in emit, but before every type is compared
	}
	if slices.Contains(lineKinds, r.kind) && action == "created" {
		s.emit(r, by, "chat.line.created", at, nil)
		return
	}
	for eventType, of := range feedTypes {
		if of == string(r.kind)+" "+action {
			s.emit(r, by, eventType, at, nil)
		}
	}
}

// emitEdits adds an event for each field that differs from before.
func (c *call) emitEdits(r *recording, before recording) {
	prefix := map[kind]string{kindTodo: "todo.", kindCard: "card.", kindMessage: "message."}[r.kind]
	if prefix == "" {
		return
	}
	title, body := "content_changed", "description_changed" // of a to-do
	switch r.kind {
	case kindCard:
		title, body = "title_changed", "content_changed"
	case kindMessage:
		title, body = "subject_changed", "content_changed"
	}
	emit := func(differs bool, what string) {
		if differs {
			c.s.emit(r, c.me, prefix+what, c.now(), nil)
		}
	}
	emit(r.title != before.title, title)
	emit(r.body != before.body, body)
	if r.task == nil {
		return
	}
	dated, was := r.task.dueOn+r.task.startsOn, before.task.dueOn+before.task.startsOn
	switch {
	case r.task.dueOn == before.task.dueOn && r.task.startsOn == before.task.startsOn:
	case r.kind == kindCard:
		emit(true, "due_on_changed")
	default:
		emit(was == "", "scheduled")
		emit(dated == "", "unscheduled")
		emit(was != "" && dated != "", "rescheduled")
	}
	emit(!slices.Equal(ids(r.task.assignees), ids(before.task.assignees)), "assignment_changed")
}

// copied returns the recording as it is now, to be compared later.
func (r *recording) copied() recording {
	before := *r
	if r.task != nil {
		task := *r.task
		before.task = &task
	}
	return before
}

type feedEventJSON struct {
	ID          int64          `json:"id"`
	Kind        string         `json:"kind"`
	Action      string         `json:"action"`
	CreatedAt   stamp          `json:"created_at"`
	EventType   string         `json:"event_type"`
	BucketID    int64          `json:"bucket_id"`
	CreatorID   int64          `json:"creator_id"`
	PerformedBy *int64         `json:"performed_by_id"`
	RecordingID int64          `json:"recording_id"`
	Details     map[string]any `json:"details,omitempty"`
}

func viewFeedEvent(e *feedEvent) feedEventJSON {
	action := e.eventType[strings.LastIndexByte(e.eventType, '.')+1:]
	return feedEventJSON{
		ID: e.id, Kind: strings.ReplaceAll(e.eventType, ".", "_"), Action: action, CreatedAt: stamp(e.at), EventType: e.eventType,
		BucketID: e.recording.bucket.id, CreatorID: e.by.id, RecordingID: e.recording.id, Details: e.details,
	}
}

type feedJSON struct {
	Events   []feedEventJSON `json:"events"`
	Position string          `json:"position"`
	Next     string          `json:"next,omitempty"`
}

// feedPosition is what a position means: after which event, and up to which one a walk goes.
type feedPosition struct {
	Account int64  `json:"a"`
	After   int64  `json:"e"`
	Head    int64  `json:"h,omitempty"` // of a walk that goes on
	Digest  string `json:"d"`
}

func (p feedPosition) text() string {
	data, _ := json.Marshal(p) // never fails for these types
	return base64.RawURLEncoding.EncodeToString(data) + "--" + positionSum(data)
}

func positionSum(data []byte) string {
	sum := sha256.Sum256(append([]byte("a position of the sandbox"), data...))
	return hex.EncodeToString(sum[:8])
}

func parsePosition(text string) (p feedPosition, ok bool) {
	body, sum, _ := strings.Cut(text, "--")
	data, err := base64.RawURLEncoding.DecodeString(body)
	return p, err == nil && sum == positionSum(data) && json.Unmarshal(data, &p) == nil
}

func refusedFeed(reason, message string) reply {
	return replyWith(http.StatusBadRequest, map[string]string{"error": message, "reason": reason})
}

// listFeed answers with a page of the event feed.
func listFeed(c *call) reply {
	f, problem := c.feedFilter()
	if problem != "" {
		return refusedFeed("invalid_filter", problem+". Fix the filters; a position reset won't help.")
	}
	head := c.newestEvent()
	at := feedPosition{Account: c.account.id, After: head, Digest: f.digest}
	since := cmp.Or(c.query.Get("since"), "now")
	switch text := c.query.Get("position"); {
	case text != "":
		var ok bool
		if at, ok = parsePosition(text); !ok || at.Account != c.account.id {
			return refusedFeed("invalid_position", "Unrecognized position. Resume with since=<id> or since=now.")
		}
		if at.Digest != f.digest {
			return replyWith(http.StatusConflict, map[string]string{
				"error": "The filters changed. Enter with since=.", "position_digest": at.Digest, "filters_digest": f.digest,
			})
		}
	case since == "0":
		at.After = c.account.epoch
	case since != "now":
		n, err := strconv.ParseInt(since, 10, 64)
		if err != nil {
			return refusedFeed("invalid_position", "Unrecognized position. Resume with since=<id> or since=now.")
		}
		at.After = n
	}
	if at.After < c.account.epoch {
		return replyWith(http.StatusGone, map[string]any{
			"error": "The position predates the feed.", "epoch_after_id": c.account.epoch,
			"resume": c.feedURL(url.Values{"since": {strconv.FormatInt(c.account.epoch, 10)}}),
		})
	}
	at.Head = cmp.Or(at.Head, head)
	return c.feedPage(at, f)
}

// newestEvent returns the id of the newest event that has been committed.
func (c *call) newestEvent() int64 {
	for _, e := range slices.Backward(c.account.feed) {
		if !e.committed.After(c.now()) {
			return max(e.id, c.account.epoch)
		}
	}
	return c.account.epoch
}

// feedPage answers with the events after a position. A page that is cut short by the delay has no
// next page, and neither has one that reaches the head at which the walk began.
func (c *call) feedPage(at feedPosition, f feedFilter) reply {
	feed := c.account.feed
	i, _ := slices.BinarySearchFunc(feed, at.After+1, func(e *feedEvent, id int64) int { return cmp.Compare(e.id, id) })
	body := feedJSON{Events: []feedEventJSON{}}
	if c.s.feed.Twice && i > 0 && c.servesEvent(feed[i-1], f) {
		body.Events = append(body.Events, viewFeedEvent(feed[i-1]))
	}
	young, looked := false, 0
	for ; i < len(feed) && feed[i].id <= at.Head && looked < feedWindow && len(body.Events) < feedPage; i++ {
		e := feed[i]
		if young = e.at.After(c.now().Add(-feedDelay)); young {
			break
		}
		looked++
		at.After = e.id
		if c.servesEvent(e, f) {
			body.Events = append(body.Events, viewFeedEvent(e))
		}
	}
	goesOn := !young && i < len(feed) && feed[i].id <= at.Head
	if goesOn {
		body.Next = c.feedURL(url.Values{"position": {at.text()}})
	}
	at.Head = 0
	body.Position = at.text()
	r := ok(body)
	r.header.Set("X-Feed-Position", body.Position)
	if goesOn {
		r.header.Set("Link", fmt.Sprintf(`<%s>; rel="next"`, body.Next))
	}
	return r
}

// servesEvent reports whether an event is served: it is committed, passes the filter, and the
// caller may read what it is about.
func (c *call) servesEvent(e *feedEvent, f feedFilter) bool {
	return !e.committed.After(c.now()) && e.eventType != c.s.feed.Gone && f.passes(e) && c.sees(e.recording)
}

// feedURL returns the address of the feed with the filters of the request.
func (c *call) feedURL(query url.Values) string {
	for _, name := range feedFilters {
		if v := c.query.Get(name); v != "" {
			query.Set(name, strings.ReplaceAll(v, "self", strconv.FormatInt(c.me.id, 10)))
		}
	}
	return c.url("/events.json?%s", query.Encode())
}

// OpenTodos returns the ids of a project's open to-dos.
func (s *Sandbox) OpenTodos(project string) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return apply(s.openTodos(project), func(r *recording) int64 { return r.id })
}

func (s *Sandbox) openTodos(project string) []*recording {
	var todos []*recording
	for _, r := range s.main.recordings {
		if r.kind == kindTodo && r.bucket == s.project(project) && open(r) && r.effective() == active {
			todos = append(todos, r)
		}
	}
	slices.SortFunc(todos, func(a, b *recording) int { return cmp.Compare(a.id, b.id) })
	return todos
}
