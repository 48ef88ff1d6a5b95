package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

type getNotificationsInput struct {
	Section     string `json:"section,omitzero" jsonschema:"Part of the menu" limits:"enum=inbox|chats|pings|mentions|bubbles"`
	IncludeRead bool   `json:"include_read,omitzero" jsonschema:"Also what has been read"`
	listing.ScrollInput
}

type notification struct {
	ID          int64     `json:"id"`
	Section     string    `json:"section"`
	Unread      bool      `json:"unread"`
	UnreadCount int       `json:"unread_count,omitempty"`
	Title       string    `json:"title"`
	Excerpt     string    `json:"excerpt,omitempty"`
	Truncated   bool      `json:"truncated,omitempty"`
	Author      ref       `json:"author"`
	Project     string    `json:"project"`
	URL         string    `json:"url"`
	UpdatedAt   time.Time `json:"updated_at"`

	BubbleUpAt *time.Time `json:"bubble_up_at,omitempty"` // of what is yet to bubble up
}

func (n *notification) Trim(characters int) {
	listing.Excerpt(&n.Excerpt, characters, &n.Truncated)
	listing.Excerpt(&n.Title, characters, &n.Truncated)
}

func getNotifications(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_notifications",
		Title:       "Read the notifications",
		Description: "Lists the caller's Basecamp notifications (the Hey! menu), unread ones first: what is new, by whom, where; get_by_url opens their url. Reading does not mark them as read.",
	}, func(ctx context.Context, in getNotificationsInput) (listing.Scroll[notification], error) {
		l := &listing.List[basecamp.Reading]{
			Of:      listing.Digest("notifications", in.Section, in.IncludeRead),
			ID:      func(r basecamp.Reading) int64 { return r.ID },
			Sources: []listing.Source[basecamp.Reading]{ws.readings(in.IncludeRead)},
		}
		switch in.Section {
		case "":
		case bubbles:
			l.Sources = []listing.Source[basecamp.Reading]{ws.bubbleUps}
		default:
			l.Keep = func(r basecamp.Reading) bool { return r.Section == in.Section }
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return listing.Scroll[notification]{}, err
		}
		return listing.Scrolled(listing.Answer(l, found, viewReading)), nil
	})
}

// bubbles is the section of what the caller keeps in sight.
const bubbles = "bubbles"

// bubbleUps lists that section. Where Basecamp knows nothing of it, it is empty.
func (ws *workspace) bubbleUps(ctx context.Context, page int) (basecamp.Page[basecamp.Reading], error) {
	found, err := ws.bc.BubbleUps(ctx, page)
	if fault.Is(err, fault.NotFound) {
		return basecamp.Page[basecamp.Reading]{}, nil
	}
	found.Items = bubbled(found.Items)
	return found, err
}

// bubbled are bubble-ups under the section they stand in.
func bubbled(readings []basecamp.Reading) []basecamp.Reading {
	all := slices.Clone(readings)
	for i := range all {
		all[i].Section = bubbles
	}
	return all
}

// newsFirst is what stands before all that has been read: what is unread, then what bubbles up and is not unread.
func newsFirst(menu basecamp.Readings) []basecamp.Reading {
	return slices.Concat(menu.Unread, slices.DeleteFunc(bubbled(menu.BubbleUps), isOneOf(menu.Unread)))
}

func isOneOf(others []basecamp.Reading) func(basecamp.Reading) bool {
	return func(r basecamp.Reading) bool {
		return slices.ContainsFunc(others, func(o basecamp.Reading) bool { return o.ID == r.ID })
	}
}

// readings lists what is unread and what bubbles up, which come with every page of the rest, and then the rest if it is wanted.
func (ws *workspace) readings(includeRead bool) listing.Source[basecamp.Reading] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Reading], error) {
		if page > 1 && !includeRead {
			return basecamp.Page[basecamp.Reading]{}, nil
		}
		menu, err := ws.bc.Readings(ctx, page)
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
		Excerpt:     plaintext.Clean(r.Excerpt),
		Author:      viewName(r.Creator),
		Project:     plaintext.Clean(r.BucketName),
		URL:         r.AppURL,
		UpdatedAt:   r.UpdatedAt.UTC(),
		BubbleUpAt:  orNil(r.BubbleUpAt),
	}
}

type markNotificationsReadInput struct {
	IDs mcptool.Refs `json:"ids,omitzero" jsonschema:"Notifications: ids from get_notifications" limits:"maxitems=100"`
	All bool         `json:"all,omitzero" jsonschema:"true instead of ids: everything that is unread"`
}

type markedRead struct {
	Marked      int  `json:"marked"`
	AlreadyRead int  `json:"already_read"`
	MoreUnread  bool `json:"more_unread"`
}

// maxRounds is how many times a hundred notifications one call marks as read.
const maxRounds = 5

func markNotificationsRead(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "mark_notifications_read",
		Title:       "Mark notifications as read",
		Description: "Marks Basecamp notifications of the caller as read, those named by ids, or all. more_unread means that others are left.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in markNotificationsReadInput) (markedRead, error) {
		switch {
		case in.All && len(in.IDs) > 0:
			return markedRead{}, fault.Invalid("all", "cannot be combined with ids")
		case in.All:
			return ws.markAllRead(ctx)
		case len(in.IDs) == 0:
			return markedRead{}, fault.Invalid("ids", "must name at least one notification, or all be true")
		}
		return ws.markRead(ctx, in.IDs)
	})
}

// markRead finds every notification before it marks one. It marks them by their sgids, which are long and mean nothing to anybody,
// so that callers are never shown them.
func (ws *workspace) markRead(ctx context.Context, refs []mcptool.Ref) (markedRead, error) {
	menu, err := ws.bc.Readings(ctx, 1)
	if err != nil {
		return markedRead{}, err
	}
	var done markedRead
	var sgids, unknown []string
	for _, ref := range refs {
		is := func(r basecamp.Reading) bool { return ref.ID != 0 && r.ID == ref.ID }
		i := slices.IndexFunc(menu.Unread, is)
		switch {
		case i >= 0 && !slices.Contains(sgids, menu.Unread[i].SGID):
			sgids = append(sgids, menu.Unread[i].SGID)
		case i >= 0: // named twice
		case slices.ContainsFunc(menu.Read.Items, is), slices.ContainsFunc(menu.BubbleUps, is):
			done.AlreadyRead++
		default:
			unknown = append(unknown, shorten(ref.String()))
		}
	}
	if len(unknown) > 0 {
		return markedRead{}, fault.New(fault.NotFound, "ids: there is no notification %s; get_notifications lists what there is", strings.Join(unknown, ", "))
	}
	if len(sgids) > 0 {
		if err := ws.bc.MarkRead(ctx, sgids); err != nil {
			return markedRead{}, err
		}
	}
	done.Marked, done.MoreUnread = len(sgids), len(menu.Unread) > len(sgids)
	return done, nil
}

// markAllRead goes on until nothing is unread: Basecamp shows a hundred at a time.
func (ws *workspace) markAllRead(ctx context.Context) (markedRead, error) {
	var done markedRead
	for range maxRounds {
		menu, err := ws.bc.Readings(ctx, 1)
		if err != nil {
			return done, someMarked(done, err)
		}
		if done.MoreUnread = len(menu.Unread) > 0; !done.MoreUnread {
			return done, nil
		}
		sgids := make([]string, len(menu.Unread))
		for i, r := range menu.Unread {
			sgids[i] = r.SGID
		}
		if err := ws.bc.MarkRead(ctx, sgids); err != nil {
			return done, someMarked(done, err)
		}
		done.Marked += len(sgids)
		if done.MoreUnread = len(sgids) >= shownUnread; !done.MoreUnread {
			return done, nil
		}
	}
	return done, nil
}

// shownUnread is how many unread notifications Basecamp shows at most.
const shownUnread = 100

// someMarked adds to a failure what has been done before it.
func someMarked(done markedRead, err error) error {
	if done.Marked == 0 {
		return err
	}
	f := *fault.From(err)
	f.Message = fmt.Sprintf("%d notifications were marked as read, then this happened: %s", done.Marked, f.Message)
	return &f
}
