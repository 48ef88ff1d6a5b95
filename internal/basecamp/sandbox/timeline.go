package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type timelineJSON struct {
	ID                int64          `json:"id"`
	CreatedAt         stamp          `json:"created_at"`
	Kind              string         `json:"kind"`
	ParentRecordingID int64          `json:"parent_recording_id,omitempty"`
	URL               string         `json:"url,omitempty"`
	AppURL            string         `json:"app_url,omitempty"`
	Creator           personJSON     `json:"creator"`
	Action            string         `json:"action"`
	Target            *string        `json:"target"`
	Title             string         `json:"title"`
	SummaryExcerpt    *string        `json:"summary_excerpt"`
	AvatarsSample     []string       `json:"avatars_sample"`
	Bucket            timelineBucket `json:"bucket"`
	Data              map[string]any `json:"data,omitempty"`
	Attachments       []inlineJSON   `json:"attachments"`
}

type timelineBucket struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	URL    string `json:"url"`
	AppURL string `json:"app_url"`
}

// timelineEvents maps the events on the timeline, by kind of recording and action, to their names
// and verbs.
var timelineEvents = map[string]struct{ kind, verb string }{
	"Message created":               {"message_created", "posted a message"},
	"Comment created":               {"comment_created", "commented"},
	"Todo created":                  {"todo_created", "added a to-do"},
	"Todo completed":                {"todo_completed", "checked off a to-do"},
	"Document created":              {"document_created", "started a document"},
	"Upload created":                {"upload_created", "uploaded a file"},
	"Schedule::Entry created":       {"schedule_entry_created", "added an event"},
	"Schedule::Entry rescheduled":   {"schedule_entry_rescheduled", "rescheduled an event"},
	"Question created":              {"question_created", "started a check-in"},
	"Question::Answer created":      {"question_answer_created", "answered a check-in"},
	"Kanban::Card created":          {"kanban_card_created", "added a card"},
	"Kanban::Card completed":        {"kanban_card_completed", "finished a card"},
	"Inbox::Forward created":        {"inbox_forward_created", "forwarded an email"},
	"Chat::Lines::Text created":     {"chat_transcript_rollup", "chatted"},
	"Chat::Lines::RichText created": {"chat_transcript_rollup", "chatted"},
	"Chat::Lines::Upload created":   {"chat_transcript_rollup", "chatted"},
}

// projectOf returns the project of an event.
func (e *event) projectOf() *project {
	if e.recording == nil {
		return e.project
	}
	return e.recording.bucket
}

// timeline returns the events that the caller may see, the latest first. For a chat, it contains
// only the last line of each day.
func (c *call) timeline(keep func(*event) bool) []*event {
	events := filter(c.account.events, func(e *event) bool {
		r := e.recording
		_, known := timelineEvents[string(r.kind)+" "+e.action]
		return known && !r.bucket.circle && r.bucket.status == active && r.effective() != trashed && c.sees(r) && keep(e)
	})
	events = append(events, filter(c.account.accesses, func(e *event) bool {
		return e.project.status == active && slices.Contains(e.project.people, c.me) && keep(e)
	})...)
	slices.SortStableFunc(events, func(a, b *event) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.id, a.id)) })
	rolled := map[string]bool{}
	return filter(events, func(e *event) bool {
		if e.recording == nil || !slices.Contains(lineKinds, e.recording.kind) {
			return true
		}
		day := fmt.Sprint(e.recording.parent.id, e.at.Format("20060102"))
		first := !rolled[day]
		rolled[day] = true
		return first
	})
}

func (c *call) happening(e *event) timelineJSON {
	if e.recording == nil {
		return c.accessChange(e)
	}
	r := e.recording
	say := timelineEvents[string(r.kind)+" "+e.action]
	about := r.title
	if slices.Contains([]kind{kindTodo, kindComment, kindAnswer, kindTextLine, kindRichLine, kindUploadLine}, r.kind) {
		about = r.parent.headline()
	}
	excerpt := strings.ReplaceAll(plain(r.body), "\n", " ")
	if r.kind == kindTodo {
		excerpt = r.title
	}
	view := timelineJSON{
		ID:             e.id,
		CreatedAt:      stamp(e.at),
		Kind:           say.kind,
		URL:            c.url("%s.json", r.place()),
		AppURL:         c.appURL("%s", r.anchor()),
		Creator:        c.person(e.by),
		Action:         e.by.short() + " " + say.verb,
		Target:         orNull(about),
		Title:          fmt.Sprintf("%s %s: %s", e.by.short(), say.verb, about),
		SummaryExcerpt: orNull(shorten(excerpt, 200)),
		AvatarsSample:  []string{},
		Bucket:         c.timelineBucket(r.bucket),
		Attachments:    []inlineJSON{},
	}
	if r.parent != nil {
		view.ParentRecordingID = r.parent.id
	}
	if r.entry != nil {
		view.Data = map[string]any{
			"all_day": r.entry.allDay, "starts_at": r.entry.moment(r.entry.starts), "ends_at": r.entry.moment(r.entry.ends),
		}
	}
	return view
}

func (c *call) timelineBucket(p *project) timelineBucket {
	return timelineBucket{p.id, p.name, c.url("/projects/%d.json", p.id), c.appURL("/projects/%d", p.id)}
}

// accessChange returns a change of project membership. It has no URL of its own.
func (c *call) accessChange(e *event) timelineJSON {
	what := e.by.short() + " changed who can access this project"
	return timelineJSON{
		ID: e.id, CreatedAt: stamp(e.at), Kind: "project_access_changed", Creator: c.person(e.by), Action: what, Title: what,
		SummaryExcerpt: orNull(e.action), AvatarsSample: []string{}, Bucket: c.timelineBucket(e.project), Attachments: []inlineJSON{},
	}
}

func listProgress(c *call) reply {
	return page(c, c.timeline(func(*event) bool { return true }), c.happening)
}

func listProjectTimeline(c *call, p *project) reply {
	return page(c, c.timeline(func(e *event) bool { return e.projectOf() == p }), c.happening)
}

func listPersonTimeline(c *call, p *person) reply {
	r := page(c, c.timeline(func(e *event) bool { return e.by == p }), c.happening)
	r.body = map[string]any{"person": c.person(p), "events": r.body}
	return r
}
