package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
)

// Day returns the beginning of a day that a text names, in the caller's time zone; of today if it
// is empty.
func (w *Wing) Day(ctx context.Context, argument, text string) (time.Time, error) {
	today, err := w.rs.Today(ctx)
	if err != nil || text == "" {
		return today, err
	}
	day, err := w.rs.Day(ctx, argument, text, when.Ahead, lookup.DayForms)
	return when.Beginning(day, today.Location()), err
}

// Since returns the time that a text names, in the caller's time zone.
func (w *Wing) Since(ctx context.Context, argument, text string) (time.Time, error) {
	return w.rs.Since(ctx, argument, text)
}

// DaySources returns the parts of Basecamp that a day is read from, in the accounts that a call
// names; "" names all.
func (w *Wing) DaySources(ctx context.Context, d hub.DayOf, account string) ([]hub.Source, error) {
	sources := []hub.Source{
		{Name: "basecamp", Read: func(ctx context.Context) (map[string][]hub.Item, error) { return w.work(ctx, d) }},
		{Name: "schedule", Read: func(ctx context.Context) (map[string][]hub.Item, error) { return w.meetings(ctx, d) }},
		{Name: "notifications", Read: func(ctx context.Context) (map[string][]hub.Item, error) { return w.news(ctx, d) }},
		{Name: "waiting", Read: w.rs.Overview.WaitingForMe},
	}
	named, err := w.rs.Accounts.DayAccounts(ctx, account)
	if named == nil || err != nil {
		return sources, err
	}
	var all []hub.Source
	for _, a := range named {
		for _, s := range sources {
			all = append(all, hub.Source{Name: s.Name + " of " + a.Name, Read: accounts.InAccount(a, s.Read)})
		}
	}
	return all, nil
}

// work returns what is assigned to the caller and due up to the day.
func (w *Wing) work(ctx context.Context, d hub.DayOf) (map[string][]hub.Item, error) {
	assigned, err := w.rs.Overview.AssignedTasks(ctx, overview.ScopeSet{"all"})
	if err != nil {
		return nil, err
	}
	begins, err := d.Begins(ctx)
	if err != nil {
		return nil, err
	}
	day, found := begins.Format(time.DateOnly), map[string][]hub.Item{}
	slices.SortStableFunc(assigned, func(a, b overview.AssignedTask) int { return cmp.Compare(a.DueOn, b.DueOn) })
	for _, a := range assigned {
		key := parts.RefOf(lookup.TypeOf(a.Type), a.ID)
		item := hub.Item{
			Ref: key.ID, Key: key, Title: plaintext.Clean(a.Content), DueOn: a.DueOn, In: plaintext.Clean(a.Bucket.Name),
		}
		switch {
		case a.DueOn == "" || a.DueOn > day:
		case a.DueOn == day:
			item.DueOn = ""
			found["today"] = append(found["today"], item)
		default:
			found["overdue"] = append(found["overdue"], item)
		}
	}
	return found, nil
}

// meetings returns the caller's events of the day.
func (w *Wing) meetings(ctx context.Context, d hub.DayOf) (map[string][]hub.Item, error) {
	begins, err := d.Begins(ctx)
	if err != nil {
		return nil, err
	}
	window := calendar.Window{From: begins, To: when.After(begins, 1)}
	all, left, err := w.rs.Calendar.Upcoming(ctx, window, window, 0, true)
	if err != nil {
		return nil, err
	}
	found := map[string][]hub.Item{}
	for _, u := range all {
		if u.Type != lookup.EntryKind.Kind {
			continue
		}
		key := parts.RefOf(u.Type, u.ID)
		item := hub.Item{Ref: key.ID, Key: key, Title: u.Title, At: "all day", In: u.Project.Name}
		if !u.AllDay {
			item.At = u.Starts.Format("15:04")
			if day, end, _ := strings.Cut(u.EndsAt, "T"); day == u.Day && end > item.At {
				item.At += "–" + end[:len("15:04")]
			}
		}
		found["meetings"] = append(found["meetings"], item)
	}
	if left.LeftOut != nil {
		err = fault.New(fault.UpstreamError, "%s", strings.Join(left.LeftOut, "; "))
	}
	return found, err
}

// news returns the caller's reminders up to the day, and what happened since a time.
func (w *Wing) news(ctx context.Context, d hub.DayOf) (map[string][]hub.Item, error) {
	menu, err := w.rs.BC.Readings(ctx, 1)
	if err != nil {
		return nil, err
	}
	begins, err := d.Begins(ctx)
	if err != nil {
		return nil, err
	}
	since, err := d.Since(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string][]hub.Item{}
	for _, r := range menu.BubbleUps {
		if r.BubbleUpAt.Before(when.After(begins, 1)) {
			found["reminders"] = append(found["reminders"], itemOfReading(r))
		}
	}
	for _, r := range slices.Concat(menu.Unread, menu.Read.Items) {
		if !since.IsZero() && !r.UpdatedAt.Before(since) {
			item := itemOfReading(r)
			item.By, item.Says = plaintext.Clean(r.Creator.Name), parts.Saying(r.Excerpt)
			item.At = r.UpdatedAt.In(begins.Location()).Format(hub.Minute)
			found["since"] = append(found["since"], item)
		}
	}
	return found, nil
}

// itemOfReading returns a notification with the reference of what it is about, or with its URL.
func itemOfReading(r basecamp.Reading) hub.Item {
	item := hub.Item{Title: plaintext.Clean(r.Title), In: plaintext.Clean(r.BucketName), URL: r.AppURL}
	link, err := basecamp.ParseLink(r.AppURL)
	if err != nil || link.Comment != 0 {
		return item
	}
	if ref, ok := parts.RefOfLink(link); ok {
		item.Key, item.Ref, item.URL = ref, ref.ID, ""
	}
	return item
}
