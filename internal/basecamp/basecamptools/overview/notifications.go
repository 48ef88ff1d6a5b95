package overview

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
)

type getNotificationsInput struct {
	Section     string `json:"section,omitzero" jsonschema:"Section" limits:"enum=inbox|chats|pings|mentions|bubbles"`
	IncludeRead bool   `json:"include_read,omitzero" jsonschema:"Also read ones"`
	listing.ScrollInput
	parts.AccountInput
}

// Notification is a notification of the caller.
type Notification struct {
	ID          int64      `json:"id"`
	Section     string     `json:"section"`
	Unread      bool       `json:"unread"`
	UnreadCount int        `json:"unread_count,omitempty"`
	Title       string     `json:"title"`
	Excerpt     string     `json:"excerpt,omitempty"`
	Truncated   bool       `json:"truncated,omitempty"`
	Author      lookup.Ref `json:"author"`
	Project     string     `json:"project"`
	URL         string     `json:"url" compact:"keep"`
	UpdatedAt   time.Time  `json:"updated_at" compact:"keep"`

	BubbleUpAt *time.Time `json:"bubble_up_at,omitempty"` // only if it bubbles up in the future
	RemindOn   *string    `json:"remind_on,omitempty"`    // its day
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (n *Notification) Trim(characters int) {
	listing.Trim(characters, &n.Truncated, &n.Excerpt, &n.Title)
}

// GetNotifications returns the tool get_notifications.
func GetNotifications(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_notifications",
		Title:       "Show notifications",
		Description: "Shows anything new for the caller: Basecamp notifications (Hey! menu), unread first; reminders.",
	}, func(ctx context.Context, in getNotificationsInput) (listing.Scroll[Notification], error) {
		l := &listing.List[basecamp.Reading]{
			Of:      listing.Digest("notifications", in.Section, in.IncludeRead),
			ID:      func(r basecamp.Reading) int64 { return r.ID },
			Sources: []listing.Source[basecamp.Reading]{rs.readings(in.IncludeRead)},
		}
		switch in.Section {
		case "":
		case Bubbles:
			l.Sources = []listing.Source[basecamp.Reading]{rs.bubbleUps}
		default:
			l.Keep = func(r basecamp.Reading) bool { return r.Section == in.Section }
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return listing.Scroll[Notification]{}, err
		}
		zone, err := rs.reminderZone(ctx, found.Items)
		if err != nil {
			return listing.Scroll[Notification]{}, err
		}
		return listing.Scrolled(listing.Answer(l, found, func(r basecamp.Reading) Notification {
			v := viewReading(r)
			v.RemindOn = reminderDay(r, zone)
			return v
		})), nil
	})
}

// Bubbles is the section of items that the caller has asked Basecamp to show again ("Bubble Up").
const Bubbles = "bubbles"

// bubbleUps lists that section. It is empty where Basecamp answers that the section does not
// exist.
func (rs *Resolver) bubbleUps(ctx context.Context, page int) (basecamp.Page[basecamp.Reading], error) {
	found, err := basecamp.BubbleUps.Page(ctx, rs.BC, page)
	if fault.Is(err, fault.NotFound) {
		return basecamp.Page[basecamp.Reading]{}, nil
	}
	found.Items = bubbled(found.Items)
	return found, err
}

// bubbled returns copies of readings with their section set to bubbles.
func bubbled(readings []basecamp.Reading) []basecamp.Reading {
	all := slices.Clone(readings)
	for i := range all {
		all[i].Section = Bubbles
	}
	return all
}

// NewsFirst returns the unread readings, then those that bubble up and are not among the unread.
func NewsFirst(menu basecamp.Readings) []basecamp.Reading {
	return slices.Concat(menu.Unread, slices.DeleteFunc(bubbled(menu.BubbleUps), isOneOf(menu.Unread)))
}

func isOneOf(others []basecamp.Reading) func(basecamp.Reading) bool {
	return func(r basecamp.Reading) bool {
		return slices.ContainsFunc(others, func(o basecamp.Reading) bool { return o.ID == r.ID })
	}
}

// readings lists the unread and bubbled-up readings, then the read ones if the caller wants them.
// Basecamp repeats the first two on every page of the read ones.
func (rs *Resolver) readings(includeRead bool) listing.Source[basecamp.Reading] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Reading], error) {
		if page > 1 && !includeRead {
			return basecamp.Page[basecamp.Reading]{}, nil
		}
		menu, err := rs.BC.Readings(ctx, page)
		switch {
		case err != nil:
			return basecamp.Page[basecamp.Reading]{}, err
		case !includeRead:
			news := NewsFirst(menu)
			return basecamp.Page[basecamp.Reading]{Items: news, Total: len(news)}, nil
		}
		menu.Read.Items = slices.DeleteFunc(slices.Clone(menu.Read.Items), isOneOf(menu.BubbleUps))
		if page == 1 {
			menu.Read.Items = slices.Concat(NewsFirst(menu), menu.Read.Items)
		}
		menu.Read.Total = -1
		return menu.Read, nil
	}
}

func viewReading(r basecamp.Reading) Notification {
	return Notification{
		ID:          r.ID,
		Section:     r.Section,
		Unread:      r.UnreadCount > 0,
		UnreadCount: r.UnreadCount,
		Title:       plaintext.Clean(r.Title),
		Excerpt:     richtext.Plain(r.Excerpt),
		Author:      lookup.ViewName(r.Creator),
		Project:     plaintext.Clean(r.BucketName),
		URL:         r.AppURL,
		UpdatedAt:   r.UpdatedAt.UTC(),
		BubbleUpAt:  lookup.OrNil(r.BubbleUpAt),
	}
}

// reminderZone returns the caller's time zone, in which the days of reminders are. It is nil if it
// cannot be read, or if no notification is such a reminder.
func (rs *Resolver) reminderZone(ctx context.Context, of []basecamp.Reading) (*time.Location, error) {
	if !slices.ContainsFunc(of, func(r basecamp.Reading) bool { return !r.BubbleUpAt.IsZero() }) {
		return nil, nil
	}
	zone, err := rs.Zone(ctx)
	if _, ok := listing.Dispensable(err); ok {
		return nil, nil
	}
	return zone, err
}

// reminderDay returns the day on which Basecamp will remind the caller of something, or nil.
func reminderDay(r basecamp.Reading, zone *time.Location) *string {
	if zone == nil || r.BubbleUpAt.IsZero() {
		return nil
	}
	day := r.BubbleUpAt.In(zone).Format(time.DateOnly)
	return &day
}
