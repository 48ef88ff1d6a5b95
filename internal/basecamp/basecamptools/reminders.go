package basecamptools

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/when"
)

// actedOn is an item in brief, in the answer of a tool that does something to it.
type actedOn struct {
	lookup.Head
	Title string `json:"title"`
	URL   string `json:"url"`
}

// itemToActOn finds and reads the item of such a tool. It may be of any kind but a project.
func (rs *resolver) itemToActOn(ctx context.Context, in lookup.ItemInput) (basecamp.Recording, actedOn, error) {
	t, err := rs.Thing(ctx, "item", in, lookup.ItemKinds[1:]...)
	if err != nil {
		return basecamp.Recording{}, actedOn{}, err
	}
	item, err := rs.itemToChange(ctx, t)
	return item, actedOn{lookup.Head{ID: item.ID, Type: t.Kind.Kind}, plaintext.Clean(item.Title), item.AppURL}, err
}

type setReminderInput struct {
	lookup.ItemInput
	On string `json:"on" jsonschema:"A day, or none"`
}

// reminder is an item with the day on which Basecamp reminds the caller of it. Previous has the day
// before the call.
type reminder struct {
	actedOn
	On       *string       `json:"on"`
	Previous *reminderDate `json:"previous,omitempty"`
	lookup.Gaps
}

type reminderDate struct {
	On *string `json:"on"`
}

func setReminder(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "set_reminder",
		Title:       "Remind the caller of an item",
		Description: "Reminds the caller of a Basecamp item on a day.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in setReminderInput) (reminder, error) {
		var on *string
		var at string
		var item basecamp.Recording
		var head actedOn
		var before []basecamp.Reading
		var v reminder
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) { on, at, err = rs.dayToRemind(ctx, in.On); return err },
			func(ctx context.Context) (err error) { item, head, err = rs.itemToActOn(ctx, in.ItemInput); return err },
			func(ctx context.Context) (err error) {
				v.Gaps, err = lookup.Extras(ctx, lookup.Into("previous", &before, func(ctx context.Context) ([]basecamp.Reading, error) {
					return listing.Everything(ctx, rs.BC.BubbleUps)
				}))
				return err
			},
		)
		if err != nil {
			return reminder{}, err
		}
		v.actedOn, v.On = head, on
		if v.LeftOut == nil {
			zone, err := rs.reminderZone(ctx, before)
			if err != nil {
				return reminder{}, err
			}
			v.Previous = &reminderDate{}
			if i := slices.IndexFunc(before, func(r basecamp.Reading) bool { return r.AppURL == item.AppURL }); i >= 0 {
				v.Previous.On = reminderDay(before[i], zone)
			}
		}
		return v, rs.BC.BubbleUp(ctx, item.ID, at)
	})
}

// dayToRemind reads the day of a reminder, and returns it as answers show it and as Basecamp takes
// it. Without one, it returns nil and "".
func (rs *resolver) dayToRemind(ctx context.Context, text string) (on *string, at string, err error) {
	if said, err := when.Parse(text); err == nil && said.HasTime() {
		return nil, "", rs.BadDay(ctx, "on", "Basecamp reminds on a day, and knows no time of day; give %s; got %s", lookup.DayForms, plaintext.Quote(text))
	}
	day, err := rs.DateOrNone(ctx, "on", text)
	if err != nil || day == "" {
		return nil, "", err
	}
	now, err := rs.Today(ctx)
	if err != nil {
		return nil, "", err
	}
	switch today := now.Format(time.DateOnly); {
	case day < today:
		return nil, "", rs.BadDay(ctx, "on", "must not be in the past, got %s", plaintext.Quote(text))
	case day == today:
		return &day, "today", nil
	}
	return &day, day, nil
}

// reminderZone returns the caller's time zone, in which the days of reminders are. It is nil if it
// cannot be read, or if no notification is such a reminder.
func (rs *resolver) reminderZone(ctx context.Context, of []basecamp.Reading) (*time.Location, error) {
	if !slices.ContainsFunc(of, func(r basecamp.Reading) bool { return !r.BubbleUpAt.IsZero() }) {
		return nil, nil
	}
	zone, err := rs.Zone(ctx)
	if _, ok := lookup.Dispensable(err); ok {
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
