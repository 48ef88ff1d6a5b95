package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

var timelineRoutes = []route{
	{"GET /projects/{id}/timeline", func(c *call, p *project) reply {
		return page(c, c.timeline(func(e *event) bool { return e.projectOf() == p }), "happening")
	}},
	{"GET /reports/progress", func(c *call) reply {
		return page(c, c.timeline(func(*event) bool { return true }), "happening")
	}},
	{"GET /reports/users/progress/{id}", func(c *call, p *Person) reply {
		r := page(c, c.timeline(func(e *event) bool { return e.Creator == p }), "happening")
		r.body = view{{"events", r.body}, {"person", c.person(p)}}
		return r
	}},
}

// A saying is what the timeline calls an event, and what it says that a person did.
type saying struct{ kind, verb string }

// timelineEvents maps the events on the timeline, by kind of recording and action, to their names
// and verbs.
var timelineEvents = map[string]saying{
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
	if e.Recording == nil {
		return e.Project
	}
	return e.Recording.Bucket
}

// timeline returns the events that the caller may see, the latest first. For a chat, it contains
// only the last line of each day.
func (c *call) timeline(keep func(*event) bool) []*event {
	events := filter(c.account.events, func(e *event) bool {
		r := e.Recording
		_, known := timelineEvents[string(r.Type)+" "+e.Action]
		return known && !r.Bucket.circle && r.Bucket.Status == active && r.effective() != trashed && c.sees(r) && keep(e)
	})
	events = append(events, filter(c.account.accesses, func(e *event) bool {
		return e.Project.Status == active && slices.Contains(e.Project.People, c.me) && keep(e)
	})...)
	slices.SortStableFunc(events, func(a, b *event) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
	rolled := map[string]bool{}
	return filter(events, func(e *event) bool {
		if e.Recording == nil || !slices.Contains(lineKinds, e.Recording.Type) {
			return true
		}
		day := fmt.Sprint(e.Recording.Parent.ID, e.CreatedAt.Format("20060102"))
		first := !rolled[day]
		rolled[day] = true
		return first
	})
}

// said returns the name and the verb of an event.
func (e *event) said() saying {
	if e.Recording == nil {
		return saying{"project_access_changed", "changed who can access this project"}
	}
	return timelineEvents[string(e.Recording.Type)+" "+e.Action]
}

func (e *event) did() string { return e.Creator.short() + " " + e.said().verb }

// target returns the title of what an event is about.
func (e *event) target() string {
	r := e.Recording
	switch {
	case r == nil:
		return ""
	case slices.Contains([]kind{kindTodo, kindComment, kindAnswer, kindTextLine, kindRichLine, kindUploadLine}, r.Type):
		return r.Parent.headline()
	}
	return r.Title
}

func (e *event) excerpt() string {
	r := e.Recording
	switch {
	case r == nil:
		return e.Action
	case r.Type == kindTodo:
		return shorten(r.Title, 200)
	}
	return shorten(strings.ReplaceAll(plain(r.Body), "\n", " "), 200)
}
