package overview

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/listing"
)

// A timeline shows only the last line of a chat on a day. The lines are counted in the chat.
const (
	maxChatsCounted = 20  // chats whose lines one call counts: more than a part of an answer has
	maxLinesCounted = 45  // the newest lines of each that it reads: two pages
	maxLinesOfFew   = 195 // with a project, which has few chats: four pages
)

// chatCount is how many lines a chat has on the day of an entry that stands for all of them.
type chatCount struct {
	Lines   int `json:"lines,omitempty"`
	AtLeast int `json:"lines_at_least,omitempty"` // set instead of Lines if not all were read
	last    int64
}

// dayInChat is a chat on a day in the caller's time zone.
type dayInChat struct {
	chat int64
	day  string
}

// saidIn returns the chat and the day of an entry of a timeline, or false if it is not a chat's.
// line is the ID of the line that it shows, or 0.
func saidIn(h basecamp.Happening, zone *time.Location) (on dayInChat, line int64, ok bool) {
	link, err := basecamp.ParseLink(h.AppURL)
	if err != nil || activityKind(h.Kind) != "chatted" {
		return dayInChat{}, 0, false
	}
	on = dayInChat{link.ID, h.CreatedAt.In(zone).Format(time.DateOnly)}
	if link.Within != 0 {
		on.chat, line = link.Within, link.ID
	}
	return on, line, true
}

// chatCounts counts the lines of the chats in a part of a timeline. Its result is by the ID of the
// entry. Of several entries of a chat on one day, the one with the day's last line has the count,
// in whatever part it is.
func (a activityAsked) chatCounts(ctx context.Context, rs *Resolver, found []basecamp.Happening, zone *time.Location) (map[int64]chatCount, error) {
	type entry struct{ id, line int64 }
	counts, entries, days := map[int64]chatCount{}, map[dayInChat]entry{}, map[int64]string{}
	var chats []int64
	for _, h := range found {
		on, line, ok := saidIn(h, zone)
		if !ok || entries[on].id != 0 {
			continue
		}
		entries[on], days[on.chat] = entry{h.ID, line}, on.day // the days go back
		if !slices.Contains(chats, on.chat) {
			chats = append(chats, on.chat)
		}
	}
	said, err := listing.InParallel(ctx, chats[:min(maxChatsCounted, len(chats))], func(ctx context.Context, chat int64) (map[dayInChat]chatCount, error) {
		first, err := time.Parse(time.DateOnly, days[chat])
		if err != nil {
			return nil, err
		}
		return a.linesByDay(ctx, rs, chat, when.Beginning(first, zone))
	})
	for _, byDay := range said {
		for on, count := range byDay {
			if e := entries[on]; e.line == 0 || e.line == count.last {
				counts[e.id] = count
			}
		}
	}
	if err == nil && len(chats) > maxChatsCounted {
		err = fault.New(fault.LimitReached, "only those of the %d latest chats were counted; name a project", maxChatsCounted)
	}
	return counts, err
}

// linesByDay counts the lines of a chat since a day, of the period and the person that the call
// names.
func (a activityAsked) linesByDay(ctx context.Context, rs *Resolver, chat int64, since time.Time) (map[dayInChat]chatCount, error) {
	byDay := map[dayInChat]chatCount{}
	last := dayInChat{chat: chat}
	pages := listing.NewReader(basecamp.LinesIn.Source(rs.BC, chat))
	most := maxLinesCounted
	if a.project.ID != 0 {
		most = maxLinesOfFew
	}
	for page, read := 1, 0; read < most; {
		lines, err := pages.Read(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, line := range lines.Items {
			if line.CreatedAt.Before(since) {
				return byDay, nil
			}
			last.day = line.CreatedAt.In(since.Location()).Format(time.DateOnly)
			if a.period.Holds(line.CreatedAt) && (a.person == 0 || line.Creator.ID == a.person) {
				count := byDay[last]
				count.Lines, count.last = count.Lines+1, cmp.Or(count.last, line.ID)
				byDay[last] = count
			}
		}
		if n := len(lines.Items); n > 0 && page == 1 {
			lines.Likely = listing.Likely(lines.Total, n, rs.Now(), lines.Items[n-1].CreatedAt, since)
			pages.Foresee(ctx, page, lines, min(lines.Likely, most)-n)
		}
		read += len(lines.Items)
		if page = lines.Next; page == 0 {
			return byDay, nil
		}
	}
	byDay[last] = chatCount{AtLeast: byDay[last].Lines, last: byDay[last].last} // older lines of this day were not read
	return byDay, nil
}
