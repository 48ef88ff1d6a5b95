package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
)

// activityExcerpt is the number of characters that a compact answer quotes.
const activityExcerpt = 100

// projectActivity is what happened in one project, the latest day first.
type projectActivity struct {
	Project lookup.ProjectRef `json:"project"`
	SeenBy  string            `json:"seen_by,omitempty"`
	Days    []dayActivity     `json:"days"`
}

// dayActivity is what happened on one day in the caller's time zone, the latest event first.
type dayActivity struct {
	Day   string          `json:"day"`
	Items []activityEvent `json:"items"`
}

// activityEvent is an entry of a timeline in a compact answer.
type activityEvent struct {
	At        string `json:"at"` // the time of day, 15:04
	Who       string `json:"who"`
	What      string `json:"what"`
	Title     string `json:"title,omitempty"`
	Excerpt   string `json:"excerpt,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	chatCount
	Item string `json:"item,omitempty"` // type:id; tools take it as a reference
	URL  string `json:"url,omitempty"`  // if Item cannot name it
}

// datedEvent is an event with its project and day.
type datedEvent struct {
	Project lookup.ProjectRef `json:"project"`
	Day     string            `json:"day"`
	activityEvent
}

// Trim shortens the texts. It is part of what [listing.Answer] needs.
func (e *datedEvent) Trim(characters int) {
	listing.Trim(characters, &e.Truncated, &e.Excerpt, &e.Title)
}

func viewEvent(h basecamp.Happening, zone *time.Location, count chatCount) datedEvent {
	at := h.CreatedAt.In(zone)
	v := datedEvent{
		Project: lookup.ViewBucket(h.Bucket),
		Day:     at.Format(time.DateOnly),
		activityEvent: activityEvent{
			Item:      itemOf(h),
			chatCount: count,
			At:        at.Format("15:04"),
			Who:       plaintext.Clean(h.Creator.Name),
			What:      verbOf(h),
			Title:     plaintext.Clean(h.Target),
			Excerpt:   lineOf(richtext.Plain(h.Excerpt), activityExcerpt),
		},
	}
	if v.Item == "" {
		v.URL = h.AppURL
	}
	return v
}

// verbOf returns what a person did, without the short form of the name that Basecamp puts first:
// "Ines A. added a to-do".
func verbOf(h basecamp.Happening) string {
	action := plaintext.Clean(h.Action)
	first, last, _ := strings.Cut(plaintext.Clean(h.Creator.Name), " ")
	verb, named := strings.CutPrefix(action, first+" ")
	if !named || last == "" {
		return verb
	}
	initial, rest, found := strings.Cut(verb, ". ")
	if !found || utf8.RuneCountInString(initial) != 1 {
		return action
	}
	return rest
}

// itemOf returns the reference to the item of an event, type:id, or "" if there is none.
func itemOf(h basecamp.Happening) string {
	link, err := basecamp.ParseLink(h.AppURL)
	switch {
	case err != nil, link.Type == "projects":
		return ""
	case link.Comment != 0 && h.Kind == "comment_created":
		return fmt.Sprintf("%s:%d", lookup.CommentKind.Kind, link.Comment)
	case link.Comment != 0: // a subtask or a reply
		return ""
	}
	for _, k := range lookup.ItemKinds {
		if slices.Contains(k.Links, link.Type) && k.Kind != lookup.LineKind.Kind { // a line is found only with its chat
			return fmt.Sprintf("%s:%d", k.Kind, link.ID)
		}
	}
	return ""
}

// byProjectAndDay groups events, and keeps their order. A project stands where its first event
// stands. seenBy says who sees it.
func byProjectAndDay(events []datedEvent, seenBy func(project int64) string) []projectActivity {
	projects := []projectActivity{}
	for _, e := range events {
		i := slices.IndexFunc(projects, func(p projectActivity) bool { return p.Project.ID == e.Project.ID })
		if i < 0 {
			i = len(projects)
			projects = append(projects, projectActivity{Project: e.Project, SeenBy: seenBy(e.Project.ID)})
		}
		p := &projects[i]
		if n := len(p.Days); n == 0 || p.Days[n-1].Day != e.Day {
			p.Days = append(p.Days, dayActivity{Day: e.Day})
		}
		day := &p.Days[len(p.Days)-1]
		day.Items = append(day.Items, e.activityEvent)
	}
	return projects
}
