package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type getNotificationsInput struct {
	Section     string `json:"section,omitzero" jsonschema:"Section" limits:"enum=inbox|chats|pings|mentions|bubbles"`
	IncludeRead bool   `json:"include_read,omitzero" jsonschema:"Also read ones"`
	listing.ScrollInput
	accountInput
}

type notification struct {
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

func (n *notification) Trim(characters int) {
	listing.Trim(characters, &n.Truncated, &n.Excerpt, &n.Title)
}

func getNotifications(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_notifications",
		Title:       "Show notifications",
		Description: "Shows anything new for the caller: Basecamp notifications (Hey! menu), unread first; reminders.",
	}, func(ctx context.Context, in getNotificationsInput) (listing.Scroll[notification], error) {
		l := &listing.List[basecamp.Reading]{
			Of:      listing.Digest("notifications", in.Section, in.IncludeRead),
			ID:      func(r basecamp.Reading) int64 { return r.ID },
			Sources: []listing.Source[basecamp.Reading]{rs.readings(in.IncludeRead)},
		}
		switch in.Section {
		case "":
		case bubbles:
			l.Sources = []listing.Source[basecamp.Reading]{rs.bubbleUps}
		default:
			l.Keep = func(r basecamp.Reading) bool { return r.Section == in.Section }
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return listing.Scroll[notification]{}, err
		}
		zone, err := rs.reminderZone(ctx, found.Items)
		if err != nil {
			return listing.Scroll[notification]{}, err
		}
		return listing.Scrolled(listing.Answer(l, found, func(r basecamp.Reading) notification {
			v := viewReading(r)
			v.RemindOn = reminderDay(r, zone)
			return v
		})), nil
	})
}

// bubbles is the section of items that the caller has asked Basecamp to show again ("Bubble Up").
const bubbles = "bubbles"

// bubbleUps lists that section. It is empty where Basecamp answers that the section does not
// exist.
func (rs *resolver) bubbleUps(ctx context.Context, page int) (basecamp.Page[basecamp.Reading], error) {
	found, err := rs.BC.BubbleUps(ctx, page)
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
		all[i].Section = bubbles
	}
	return all
}

// newsFirst returns the unread readings, then those that bubble up and are not among the unread.
func newsFirst(menu basecamp.Readings) []basecamp.Reading {
	return slices.Concat(menu.Unread, slices.DeleteFunc(bubbled(menu.BubbleUps), isOneOf(menu.Unread)))
}

func isOneOf(others []basecamp.Reading) func(basecamp.Reading) bool {
	return func(r basecamp.Reading) bool {
		return slices.ContainsFunc(others, func(o basecamp.Reading) bool { return o.ID == r.ID })
	}
}

// readings lists the unread and bubbled-up readings, then the read ones if the caller wants them.
// Basecamp repeats the first two on every page of the read ones.
func (rs *resolver) readings(includeRead bool) listing.Source[basecamp.Reading] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Reading], error) {
		if page > 1 && !includeRead {
			return basecamp.Page[basecamp.Reading]{}, nil
		}
		menu, err := rs.BC.Readings(ctx, page)
		switch {
		case err != nil:
			return basecamp.Page[basecamp.Reading]{}, err
		case !includeRead:
			news := newsFirst(menu)
			return basecamp.Page[basecamp.Reading]{Items: news, Total: len(news)}, nil
		}
		menu.Read.Items = slices.DeleteFunc(slices.Clone(menu.Read.Items), isOneOf(menu.BubbleUps))
		if page == 1 {
			menu.Read.Items = slices.Concat(newsFirst(menu), menu.Read.Items)
		}
		menu.Read.Total = -1
		return menu.Read, nil
	}
}

func viewReading(r basecamp.Reading) notification {
	return notification{
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

type markNotificationsReadInput struct {
	IDs toolargs.Refs `json:"ids,omitzero" jsonschema:"This or all: from get_notifications" limits:"maxitems=100"`
	All bool          `json:"all,omitzero" jsonschema:"Every unread one"`
}

type markedRead struct {
	Marked      int  `json:"marked"`
	AlreadyRead int  `json:"already_read"`
	MoreUnread  bool `json:"more_unread"`
}

// maxRounds is how often one call marks a page of notifications (shownUnread) as read.
const maxRounds = 5

func markNotificationsRead(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "mark_notifications_read",
		Title:       "Mark notifications as read",
		Description: "Marks Basecamp notifications as read: those in ids, or all.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in markNotificationsReadInput) (markedRead, error) {
		switch {
		case in.All && len(in.IDs) > 0:
			return markedRead{}, fault.Invalid("all", "give either all or ids, not both")
		case in.All:
			return rs.markAllRead(ctx)
		case len(in.IDs) == 0:
			return markedRead{}, fault.Invalid("ids", "give at least one notification id, or set all to true")
		}
		return rs.markRead(ctx, in.IDs)
	})
}

// markRead finds every notification before it marks the first. Basecamp marks them by sgid;
// answers show ids instead, because an sgid is long and has no meaning to a reader.
func (rs *resolver) markRead(ctx context.Context, refs []toolargs.Ref) (markedRead, error) {
	menu, err := rs.BC.Readings(ctx, 1)
	if err != nil {
		return markedRead{}, err
	}
	var done markedRead
	var sgids []string
	unknown := make([]error, len(refs))
	for at, ref := range refs {
		is := func(r basecamp.Reading) bool { return ref.ID != 0 && r.ID == ref.ID }
		i := slices.IndexFunc(menu.Unread, is)
		switch {
		case i >= 0 && !slices.Contains(sgids, menu.Unread[i].SGID):
			sgids = append(sgids, menu.Unread[i].SGID)
		case i >= 0: // named twice
		case slices.ContainsFunc(menu.Read.Items, is), slices.ContainsFunc(menu.BubbleUps, is):
			done.AlreadyRead++
		default:
			unknown[at] = fault.New(fault.NotFound, "ids[%d]: no notification has the id %s; get_notifications returns the ids", at, plaintext.Word(ref.String()))
		}
	}
	if err := fault.All(unknown...); err != nil {
		return markedRead{}, err
	}
	if len(sgids) > 0 {
		if err := rs.BC.MarkRead(ctx, sgids); err != nil {
			return markedRead{}, err
		}
	}
	done.Marked, done.MoreUnread = len(sgids), len(menu.Unread) > len(sgids)
	return done, nil
}

// markAllRead marks page after page, at most maxRounds, until no notification is unread.
func (rs *resolver) markAllRead(ctx context.Context) (markedRead, error) {
	var done markedRead
	for range maxRounds {
		menu, err := rs.BC.Readings(ctx, 1)
		if err != nil {
			return done, someMarked(done, err)
		}
		if done.MoreUnread = len(menu.Unread) > 0; !done.MoreUnread {
			return done, nil
		}
		sgids := lookup.Mapped(menu.Unread, func(r basecamp.Reading) string { return r.SGID })
		if err := rs.BC.MarkRead(ctx, sgids); err != nil {
			return done, someMarked(done, err)
		}
		done.Marked += len(sgids)
		if done.MoreUnread = len(sgids) >= shownUnread; !done.MoreUnread {
			return done, nil
		}
	}
	return done, nil
}

// shownUnread is the largest number of unread notifications that Basecamp returns at once.
const shownUnread = 100

func someMarked(done markedRead, err error) error {
	if done.Marked == 0 {
		return err
	}
	return afterOthers(err, fmt.Sprintf("%d notifications were marked as read, then the call failed: ", done.Marked))
}
