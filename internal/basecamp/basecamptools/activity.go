package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// getActivityInput has its own detail: the compact answer has another shape, not only fewer fields.
type getActivityInput struct {
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Person  toolargs.Ref `json:"person,omitzero" jsonschema:"Id, name or me"`
	Since   string       `json:"since,omitzero" jsonschema:"Day, time or span: friday, 3 days ago, last_7_days (default)"`
	Until   string       `json:"until,omitzero" jsonschema:"Last day or time"`
	Kinds   []string     `json:"kinds,omitzero" jsonschema:"Default all" limits:"enum=completed|added|posted|commented|uploaded|moved|answered|chatted|other"`
	Limit   int          `json:"limit,omitzero" jsonschema:"Default 100" limits:"min=1 max=100"`
	Cursor  string       `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
	Detail  string       `json:"detail,omitzero" jsonschema:"full: a flat list, every field" limits:"enum=compact|full"`
	accountInput
}

func (in getActivityInput) paging() listing.PageInput {
	return listing.PageInput{Limit: cmp.Or(in.Limit, listing.OverviewLimit), Cursor: in.Cursor, DetailInput: fullDetail}
}

// happening is an entry of a timeline in full.
type happening struct {
	At        time.Time  `json:"at"`
	Who       lookup.Ref `json:"who"`
	What      string     `json:"what"`
	Title     string     `json:"title,omitempty"`
	Excerpt   string     `json:"excerpt,omitempty"`
	Truncated bool       `json:"truncated,omitempty"`
	chatCount
	URL     string            `json:"url"`
	Project lookup.ProjectRef `json:"project"`
}

func (h *happening) Trim(characters int) {
	listing.Trim(characters, &h.Truncated, &h.Excerpt, &h.Title)
}

// activity is the answer of get_activity: projects, or items in full detail.
type activity struct {
	TimeZone   string            `json:"time_zone"`
	Since      string            `json:"since,omitempty"`
	Until      string            `json:"until,omitempty"` // the period ends before this time
	Projects   []projectActivity `json:"projects,omitzero"`
	Items      []happening       `json:"items,omitzero"`
	HasMore    bool              `json:"has_more"`
	NextCursor *string           `json:"next_cursor"`
	lookup.Gaps
}

func getActivity(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_activity",
		Title:       "What happened",
		Description: "Lists what people did in Basecamp, by project and day, newest first; by default in the last 7 days.",
	}, func(ctx context.Context, in getActivityInput) (activity, error) {
		zone := time.UTC
		asked, left, err := lookup.Beside(ctx,
			func(context.Context) (activityAsked, error) { return rs.activityAsked(ctx, in) },
			rs.zoneInto(&zone))
		if err == nil { // the profile is known now, for a person who is "me"
			asked.person, err = rs.filterPerson(ctx, "person", in.Person, asked.project)
		}
		if err != nil {
			return activity{}, err
		}
		l := asked.list(rs, in)
		found, err := l.Collect(ctx, in.paging())
		if err := rs.verifyProject(ctx, asked.project, err); err != nil {
			return activity{}, err
		}
		var counts map[int64]chatCount
		uncounted, err := lookup.Extras(ctx, lookup.Into("numbers of chat lines", &counts, func(ctx context.Context) (map[int64]chatCount, error) {
			return asked.chatCounts(ctx, rs, found.Items, zone)
		}))
		if err != nil {
			return activity{}, err
		}
		left.LeftOut = append(left.LeftOut, uncounted.LeftOut...)
		v := activity{TimeZone: zone.String(), Since: lookup.Understood(asked.period.From.In(zone)), Until: lookup.Understood(asked.period.To), Gaps: left}
		if in.Detail == "full" {
			p := listing.Answer(l, found, func(h basecamp.Happening) happening { return viewHappening(h, zone, counts[h.ID]) })
			v.Items, v.HasMore, v.NextCursor = p.Items, p.HasMore, p.NextCursor
			return v, nil
		}
		p := listing.Answer(l, found, func(h basecamp.Happening) datedEvent { return viewEvent(h, zone, counts[h.ID]) })
		v.Projects, v.HasMore, v.NextCursor = byProjectAndDay(p.Items), p.HasMore, p.NextCursor
		return v, nil
	})
}

type activityAsked struct {
	period  lookup.Period
	project projectFilter
	person  int64
}

func (rs *resolver) activityAsked(ctx context.Context, in getActivityInput) (asked activityAsked, err error) {
	when := listing.Ahead(ctx, func(ctx context.Context) (lookup.Period, error) {
		return rs.Period(ctx, "since", "until", in.Since, in.Until, lookup.UsualPeriod)
	})
	var wrong error
	if asked.project, wrong = rs.filterProject(ctx, in.Project); wrong == nil && in.Person.IsZero() {
		if page := in.paging().Starts(); page > 0 {
			first := rs.timeline(asked.project.id, 0)
			lookup.Ahead(in.paging().Reusing(ctx), func(ctx context.Context) (basecamp.Page[basecamp.Happening], error) { return first(ctx, page) })
		}
	}
	asked.period, err = when()
	return asked, cmp.Or(wrong, err)
}

// list returns the timeline with a filter for what Basecamp does not select itself.
func (a activityAsked) list(rs *resolver, in getActivityInput) *listing.List[basecamp.Happening] {
	l := &listing.List[basecamp.Happening]{
		Partial: true, // it ends at the beginning of the period
		Of:      listing.Digest("activity", a.project.id, a.person, cmp.Or(in.Since, lookup.UsualPeriod), in.Until, in.Kinds),
		ID:      func(h basecamp.Happening) int64 { return h.ID },
		Sources: []listing.Source[basecamp.Happening]{rs.backTo(a.period.From, rs.timeline(a.project.id, a.person))},
	}
	elsewhere := a.project.id != 0 && a.person != 0 // a person's timeline has all projects
	if elsewhere || !a.period.To.IsZero() || len(in.Kinds) > 0 {
		l.Keep = func(h basecamp.Happening) bool {
			return !(elsewhere && h.Bucket.ID != a.project.id) && !a.period.IsOver(h.CreatedAt) &&
				(len(in.Kinds) == 0 || slices.Contains(in.Kinds, activityKind(h.Kind)))
		}
	}
	return l
}

// timeline returns the timeline of the person if one is named, or of the project if one is named,
// or of the account. A project's timeline shows only the last speaker of a chat.
func (rs *resolver) timeline(project, person int64) listing.Source[basecamp.Happening] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Happening], error) {
		switch {
		case person != 0:
			return rs.BC.PersonTimeline(ctx, person, page)
		case project != 0:
			return rs.BC.ProjectTimeline(ctx, project, page)
		}
		return rs.BC.Timeline(ctx, page)
	}
}

// likely estimates how many items of a list, which goes back in time, begin after a time: as many
// in each hour as among the first ones. It returns total if that is known and less.
func likely(total, first int, now, oldest, begin time.Time) int {
	passed := now.Sub(oldest)
	if !oldest.After(begin) {
		return first
	}
	estimate := math.MaxInt32
	if begin.IsZero() {
		return total
	}
	if passed > 0 {
		estimate = int(min(float64(first)*float64(now.Sub(begin))/float64(passed), math.MaxInt32))
	}
	if total >= 0 {
		return min(total, estimate)
	}
	return estimate
}

// backTo ends a timeline, which goes back in time, at begin.
func (rs *resolver) backTo(begin time.Time, read listing.Source[basecamp.Happening]) listing.Source[basecamp.Happening] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Happening], error) {
		p, err := read(ctx, page)
		if n := len(p.Items); page == 1 && n > 0 {
			p.Likely = likely(p.Total, n, rs.Now(), p.Items[n-1].CreatedAt, begin)
		} else {
			p.Likely = 1 // read no page early: it may be older than begin
		}
		if i := slices.IndexFunc(p.Items, func(h basecamp.Happening) bool { return h.CreatedAt.Before(begin) }); i >= 0 {
			p.Items, p.Next = p.Items[:i], 0
		}
		return p, err
	}
}

// activityKind returns the word of get_activity for a kind of event. Basecamp documents the common
// kinds, and may add more (bc3-api, "Timeline", event kinds).
func activityKind(upstream string) string {
	switch upstream {
	case "message_created", "client_correspondence_created", "inbox_forward_created":
		return "posted"
	case "comment_created":
		return "commented"
	case "upload_created":
		return "uploaded"
	case "question_answer_created":
		return "answered"
	case "chat_transcript_rollup":
		return "chatted"
	}
	switch upstream[strings.LastIndexByte(upstream, '_')+1:] { // the verb
	case "completed":
		return "completed"
	case "created":
		return "added"
	case "moved", "rescheduled":
		return "moved"
	}
	return "other"
}

func viewHappening(h basecamp.Happening, zone *time.Location, count chatCount) happening {
	return happening{
		chatCount: count,
		At:        h.CreatedAt.In(zone),
		Who:       lookup.ViewName(h.Creator),
		What:      plaintext.Clean(h.Action),
		Title:     plaintext.Clean(h.Target),
		Excerpt:   richtext.Plain(h.Excerpt),
		URL:       cmp.Or(h.AppURL, h.Bucket.AppURL),
		Project:   lookup.ViewBucket(h.Bucket),
	}
}

// activityExcerpt is the number of characters that a compact answer quotes.
const activityExcerpt = 100

// projectActivity is what happened in one project, the latest day first.
type projectActivity struct {
	Project lookup.ProjectRef `json:"project"`
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
// stands.
func byProjectAndDay(events []datedEvent) []projectActivity {
	projects := []projectActivity{}
	for _, e := range events {
		i := slices.IndexFunc(projects, func(p projectActivity) bool { return p.Project.ID == e.Project.ID })
		if i < 0 {
			i = len(projects)
			projects = append(projects, projectActivity{Project: e.Project})
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
