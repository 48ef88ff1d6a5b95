package overview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
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
	parts.AccountInput
}

func (in getActivityInput) paging() listing.PageInput {
	return listing.PageInput{Limit: cmp.Or(in.Limit, listing.OverviewLimit), Cursor: in.Cursor, DetailInput: work.FullDetail}
}

// Happening is an entry of a timeline in full.
type Happening struct {
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

// Trim shortens the texts, as [listing.Answer] needs it.
func (h *Happening) Trim(characters int) {
	listing.Trim(characters, &h.Truncated, &h.Excerpt, &h.Title)
}

// Activity is the answer of get_activity: projects, or items in full detail.
type Activity struct {
	TimeZone   string            `json:"time_zone"`
	Since      string            `json:"since,omitempty"`
	Until      string            `json:"until,omitempty"` // the period ends before this time
	Projects   []projectActivity `json:"projects,omitzero"`
	Items      []Happening       `json:"items,omitzero"`
	HasMore    bool              `json:"has_more"`
	NextCursor *string           `json:"next_cursor"`
	listing.Gaps
}

// GetActivity returns the tool get_activity.
func GetActivity(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_activity",
		Title:       "What happened",
		Description: "Lists what people did in Basecamp, by project and day, newest first; by default in the last 7 days.",
		Words:       "activity of a person",
	}, func(ctx context.Context, in getActivityInput) (Activity, error) {
		zone := time.UTC
		asked, left, err := listing.Beside(ctx,
			func(context.Context) (activityAsked, error) { return rs.activityAsked(ctx, in) },
			rs.Calendar.ZoneInto(&zone))
		if err == nil { // the profile is known now, for a person who is "me"
			asked.person, err = rs.FilterPerson(ctx, "person", in.Person, asked.project)
		}
		if err != nil {
			return Activity{}, err
		}
		l := asked.list(rs, in)
		found, err := l.Collect(ctx, in.paging())
		if err := rs.VerifyProject(ctx, asked.project, err); err != nil {
			return Activity{}, err
		}
		var counts map[int64]chatCount
		uncounted, err := listing.Extras(ctx, listing.Into("numbers of chat lines", &counts, func(ctx context.Context) (map[int64]chatCount, error) {
			return asked.chatCounts(ctx, rs, found.Items, zone)
		}))
		if err != nil {
			return Activity{}, err
		}
		left.LeftOut = append(left.LeftOut, uncounted.LeftOut...)
		v := Activity{TimeZone: zone.String(), Since: listing.Understood(asked.period.From.In(zone)), Until: listing.Understood(asked.period.To), Gaps: left}
		if in.Detail == "full" {
			p := listing.Answer(l, found, func(h basecamp.Happening) Happening { return viewHappening(h, zone, counts[h.ID]) })
			v.Items, v.HasMore, v.NextCursor = p.Items, p.HasMore, p.NextCursor
			return v, nil
		}
		p := listing.Answer(l, found, func(h basecamp.Happening) DatedEvent { return viewEvent(h, zone, counts[h.ID]) })
		v.Projects, v.HasMore, v.NextCursor = byProjectAndDay(p.Items), p.HasMore, p.NextCursor
		return v, nil
	})
}

type activityAsked struct {
	period  lookup.Period
	project parts.ProjectFilter
	person  int64
}

func (rs *Resolver) activityAsked(ctx context.Context, in getActivityInput) (asked activityAsked, err error) {
	when := listing.Ahead(ctx, func(ctx context.Context) (lookup.Period, error) {
		return rs.Period(ctx, "since", "until", in.Since, in.Until, lookup.UsualPeriod)
	})
	var wrong error
	if asked.project, wrong = rs.FilterProject(ctx, in.Project); wrong == nil && in.Person.IsZero() {
		if page := in.paging().Starts(); page > 0 {
			first := rs.Timeline(asked.project.ID, 0)
			listing.ReadAhead(in.paging().Reusing(ctx), func(ctx context.Context) (basecamp.Page[basecamp.Happening], error) { return first(ctx, page) })
		}
	}
	asked.period, err = when()
	return asked, cmp.Or(wrong, err)
}

// list returns the timeline with a filter for what Basecamp does not select itself.
func (a activityAsked) list(rs *Resolver, in getActivityInput) *listing.List[basecamp.Happening] {
	l := &listing.List[basecamp.Happening]{
		Partial: true, // it ends at the beginning of the period
		Of:      listing.Digest("activity", a.project.ID, a.person, cmp.Or(in.Since, lookup.UsualPeriod), in.Until, in.Kinds),
		ID:      func(h basecamp.Happening) int64 { return h.ID },
		Sources: []listing.Source[basecamp.Happening]{rs.backTo(a.period.From, rs.Timeline(a.project.ID, a.person))},
	}
	elsewhere := a.project.ID != 0 && a.person != 0 // a person's timeline has all projects
	if elsewhere || !a.period.To.IsZero() || len(in.Kinds) > 0 {
		l.Keep = func(h basecamp.Happening) bool {
			return !(elsewhere && h.Bucket.ID != a.project.ID) && !a.period.IsOver(h.CreatedAt) &&
				(len(in.Kinds) == 0 || slices.Contains(in.Kinds, activityKind(h.Kind)))
		}
	}
	return l
}

// Timeline returns the timeline of the person if one is named, or of the project if one is named,
// or of the account. A project's timeline shows only the last speaker of a chat.
func (rs *Resolver) Timeline(project, person int64) listing.Source[basecamp.Happening] {
	switch {
	case person != 0:
		return basecamp.TimelineBy.Source(rs.BC, person)
	case project != 0:
		return basecamp.TimelineOf.Source(rs.BC, project)
	}
	return basecamp.Timeline.Source(rs.BC)
}

// backTo ends a timeline at begin.
func (rs *Resolver) backTo(begin time.Time, timeline listing.Source[basecamp.Happening]) listing.Source[basecamp.Happening] {
	return listing.BackTo(begin, rs.Now(), func(h basecamp.Happening) time.Time { return h.CreatedAt }, timeline)
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

func viewHappening(h basecamp.Happening, zone *time.Location, count chatCount) Happening {
	return Happening{
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
	Days    []DayActivity     `json:"days"`
}

// DayActivity is what happened on one day in the caller's time zone, the latest event first.
type DayActivity struct {
	Day   string          `json:"day"`
	Items []ActivityEvent `json:"items"`
}

// ActivityEvent is an entry of a timeline in a compact answer.
type ActivityEvent struct {
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

// DatedEvent is an event with its project and its day.
type DatedEvent struct {
	Project lookup.ProjectRef `json:"project"`
	Day     string            `json:"day"`
	ActivityEvent
}

// Trim shortens the texts. It is part of what [listing.Answer] needs.
func (e *DatedEvent) Trim(characters int) {
	listing.Trim(characters, &e.Truncated, &e.Excerpt, &e.Title)
}

func viewEvent(h basecamp.Happening, zone *time.Location, count chatCount) DatedEvent {
	at := h.CreatedAt.In(zone)
	v := DatedEvent{
		Project: lookup.ViewBucket(h.Bucket),
		Day:     at.Format(time.DateOnly),
		ActivityEvent: ActivityEvent{
			Item:      itemOf(h),
			chatCount: count,
			At:        at.Format("15:04"),
			Who:       plaintext.Clean(h.Creator.Name),
			What:      VerbOf(h),
			Title:     plaintext.Clean(h.Target),
			Excerpt:   parts.LineOf(richtext.Plain(h.Excerpt), activityExcerpt),
		},
	}
	if v.Item == "" {
		v.URL = h.AppURL
	}
	return v
}

// VerbOf returns what a person did, without the short form of the name that Basecamp puts first:
// "Ines A. added a to-do".
func VerbOf(h basecamp.Happening) string {
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
	at := lookup.KindAt(link).Kind
	switch {
	case err != nil, at == lookup.ProjectKind.Kind:
		return ""
	case link.Comment != 0 && h.Kind == "comment_created":
		return fmt.Sprintf("%s:%d", lookup.CommentKind.Kind, link.Comment)
	case link.Comment != 0, at == "": // a subtask or a reply
		return ""
	case at == lookup.LineKind.Kind: // it is found only with its chat
		return ""
	}
	return fmt.Sprintf("%s:%d", at, link.ID)
}

// byProjectAndDay groups events, and keeps their order. A project stands where its first event
// stands.
func byProjectAndDay(events []DatedEvent) []projectActivity {
	projects := []projectActivity{}
	for _, e := range events {
		i := slices.IndexFunc(projects, func(p projectActivity) bool { return p.Project.ID == e.Project.ID })
		if i < 0 {
			i = len(projects)
			projects = append(projects, projectActivity{Project: e.Project})
		}
		p := &projects[i]
		if n := len(p.Days); n == 0 || p.Days[n-1].Day != e.Day {
			p.Days = append(p.Days, DayActivity{Day: e.Day})
		}
		day := &p.Days[len(p.Days)-1]
		day.Items = append(day.Items, e.ActivityEvent)
	}
	return projects
}
