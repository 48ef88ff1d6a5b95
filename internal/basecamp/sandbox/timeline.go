package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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

func (c *call) happening(e *event) view {
	if e.recording == nil {
		what := e.by.short() + " changed who can access this project"
		return c.news(e, "project_access_changed", what, what, nil, e.action)
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
	action := e.by.short() + " " + say.verb
	return c.news(e, say.kind, action, action+": "+about, orNull(about), shorten(excerpt, 200))
}

// news returns an event. A change of project membership has no URL and no data.
func (c *call) news(e *event, kind, action, title string, target any, excerpt string) view {
	var parent, place, page, data any = absent{}, absent{}, absent{}, absent{}
	if r := e.recording; r != nil {
		place, page = c.url("%s.json", r.place()), c.appURL("%s", r.anchor())
		if r.parent != nil {
			parent = r.parent.id
		}
		if r.entry != nil {
			data = view{
				{"all_day", r.entry.allDay}, {"ends_at", r.entry.moment(r.entry.ends)}, {"starts_at", r.entry.moment(r.entry.starts)},
			}
		}
	}
	p := e.projectOf()
	return view{
		{"id", e.id},
		{"created_at", e.at},
		{"kind", kind},
		{"parent_recording_id", parent},
		{"url", place},
		{"app_url", page},
		{"creator", c.person(e.by)},
		{"action", action},
		{"target", target},
		{"title", title},
		{"summary_excerpt", orNull(excerpt)},
		{"avatars_sample", []view{}},
		{"bucket", view{
			{"id", p.id}, {"name", p.name}, {"url", c.url("/projects/%d.json", p.id)}, {"app_url", c.appURL("/projects/%d", p.id)},
		}},
		{"data", data},
		{"attachments", []view{}},
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
	r.body = view{{"events", r.body}, {"person", c.person(p)}}
	return r
}
