package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
)

// dayReader reads a person's day from all systems.
type dayReader struct {
	links    *hub.Hub
	tasks    *task.Tasks
	lists    *checklist.Lists
	basecamp *basecamptools.Wing
	github   func(hub.DayOf) hub.Source // nil: GitHub is not configured
}

type myDayInput struct {
	Date    string   `json:"date,omitzero" jsonschema:"Default today"`
	Since   string   `json:"since,omitzero" jsonschema:"Also what happened since"`
	Sources []string `json:"sources,omitzero" jsonschema:"Default all" limits:"enum=basecamp|github|tasks|checklists"`
	Account string   `json:"account,omitzero" jsonschema:"Id, name or all" limits:"maxlen=200"`
}

// daySections are the sections of a day, in their order.
var daySections = []string{"overdue", "today", "meetings", "reminders", "waiting_for_you", "in_progress", "tasks", "github", "since"}

type dayAnswer struct {
	Date          string       `json:"date"`
	TimeZone      string       `json:"time_zone"`
	Overdue       *hub.Section `json:"overdue,omitempty"`
	Today         *hub.Section `json:"today,omitempty"`
	Meetings      *hub.Section `json:"meetings,omitempty"`
	Reminders     *hub.Section `json:"reminders,omitempty"`
	WaitingForYou *hub.Section `json:"waiting_for_you,omitempty"`
	InProgress    *hub.Section `json:"in_progress,omitempty"`
	Tasks         *hub.Section `json:"tasks,omitempty"`
	GitHub        *hub.Section `json:"github,omitempty"`
	Since         *hub.Section `json:"since,omitempty"`
	Settle        []hub.Pair   `json:"settle,omitempty"`
	SettleCount   int          `json:"settle_count,omitempty"` // if not all are shown
	Coverage      []hub.Gap    `json:"coverage"`
}

// section returns where a section belongs.
func (v *dayAnswer) section(name string) **hub.Section {
	return map[string]**hub.Section{
		"overdue": &v.Overdue, "today": &v.Today, "meetings": &v.Meetings, "reminders": &v.Reminders, "waiting_for_you": &v.WaitingForYou,
		"in_progress": &v.InProgress, "tasks": &v.Tasks, "github": &v.GitHub, "since": &v.Since,
	}[name]
}

func myDay(r *dayReader) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "my_day",
		Title:       "My day",
		Description: "The caller's day, everywhere: due work, meetings, reminders, tasks, checklists, GitHub; linked things that differ.",
	}, r.read)
}

// settling is how many requests read linked things.
const settling = 8

func (r *dayReader) read(ctx context.Context, in myDayInput) (dayAnswer, error) {
	if len(in.Sources) == 0 {
		in.Sources = []string{"basecamp", "github", "tasks", "checklists"}
	}
	waits, cancel := context.WithTimeout(ctx, hub.Patience)
	defer cancel()
	d := r.asked(waits, in)
	linked := listing.Ahead(waits, r.linked)
	sources, err := r.sources(ctx, in, d, linked)
	if err != nil {
		return dayAnswer{}, err
	}
	sections, gaps := hub.ReadDay(waits, sources)
	begins, err := d.Begins(waits)
	switch {
	case fault.Is(err, fault.InvalidInput):
		return dayAnswer{}, err
	case err != nil:
		begins = time.Now().UTC()
	}
	if _, err := d.Since(waits); fault.Is(err, fault.InvalidInput) {
		return dayAnswer{}, err
	}
	known, _ := linked() // its error is a gap
	if known.seen == nil {
		known = linkedThings{map[hub.Ref][]hub.Link{}, map[hub.Ref]hub.Thing{}}
	}
	pairs := r.links.Unsettled(known.links, known.seen)
	slices.SortStableFunc(sections["overdue"], func(a, b hub.Item) int { return strings.Compare(a.DueOn, b.DueOn) })
	slices.SortStableFunc(sections["since"], func(a, b hub.Item) int { return strings.Compare(b.At, a.At) })
	hub.Merge(daySections, sections, known.links)
	v := dayAnswer{Date: begins.Format(time.DateOnly), TimeZone: begins.Location().String(), Settle: pairs, Coverage: gaps}
	v.fill(sections)
	return v, nil
}

// linkedThings are the caller's links, and the things that were read of them.
type linkedThings struct {
	links map[hub.Ref][]hub.Link
	seen  map[hub.Ref]hub.Thing
}

// linked reads the caller's links. Its error says what is missing.
func (r *dayReader) linked(ctx context.Context) (v linkedThings, err error) {
	if v.links, err = r.links.LinksOf(ctx, ""); err != nil {
		return linkedThings{}, err
	}
	v.seen, err = r.links.Seen(ctx, hub.Refs(v.links), settling)
	unread := 0
	for _, t := range v.seen {
		if t.State == hub.Unknown {
			unread++
		}
	}
	if err == nil && unread > 0 {
		err = fault.New(fault.LimitReached, "the state of %d linked things is not known, so settle lacks them", unread)
	}
	return v, err
}

// asked returns what a day is read for. Each time is worked out once, beside what the sources read.
func (r *dayReader) asked(waits context.Context, in myDayInput) hub.DayOf {
	begins := listing.Ahead(waits, func(ctx context.Context) (time.Time, error) { return r.basecamp.Day(ctx, "date", in.Date) })
	since := listing.Ahead(waits, func(ctx context.Context) (time.Time, error) {
		if in.Since == "" {
			return time.Time{}, nil
		}
		return r.basecamp.Since(ctx, "since", in.Since)
	})
	return hub.DayOf{
		Begins: func(context.Context) (time.Time, error) { return begins() },
		Since:  func(context.Context) (time.Time, error) { return since() },
	}
}

// sources returns what the call asks for.
func (r *dayReader) sources(ctx context.Context, in myDayInput, d hub.DayOf, linked func() (linkedThings, error)) (all []hub.Source, err error) {
	ofBasecamp, err := r.basecamp.DaySources(ctx, d, in.Account)
	if err != nil {
		return nil, err
	}
	for _, name := range in.Sources {
		switch name {
		case "basecamp":
			all = append(all, ofBasecamp...)
		case "github":
			if r.github != nil {
				all = append(all, r.github(d))
			}
		case "tasks":
			all = append(all, hub.Source{Name: "tasks", Read: func(ctx context.Context) (map[string][]hub.Item, error) { return r.ownTasks(ctx, d, linked) }})
		case "checklists":
			all = append(all, hub.Source{Name: "checklists", Read: func(ctx context.Context) (map[string][]hub.Item, error) { return r.checklists(ctx, d) }})
		}
	}
	return append(all, hub.Source{Name: "links", Read: func(context.Context) (map[string][]hub.Item, error) {
		_, err := linked()
		return nil, err
	}}), nil
}

// ownTasks returns the caller's open tasks. Without the caller's time zone, the day is that of UTC.
func (r *dayReader) ownTasks(ctx context.Context, d hub.DayOf, linked func() (linkedThings, error)) (map[string][]hub.Item, error) {
	open, err := r.tasks.List(ctx, task.Query{Status: task.Pending, Limit: task.Most})
	if err != nil {
		return nil, err
	}
	known, _ := linked() // its error is a gap of its own
	done := doneIn(known.seen, open.Tasks, func(t task.Task) []hub.Link { return known.links[taskRef(t)] })
	begins, err := d.Begins(ctx)
	if err != nil {
		begins = time.Now().UTC()
	}
	day, found := begins.Format(time.DateOnly), map[string][]hub.Item{}
	for _, t := range open.Tasks {
		if done[t.ID] {
			continue
		}
		item := hub.Item{Ref: taskRef(t).ID, Key: taskRef(t), Title: plaintext.Clean(t.Title), DueOn: t.DueOn}
		section := "tasks"
		switch {
		case t.DueOn != "" && t.DueOn < day:
			section = "overdue"
		case t.DueOn == day:
			section, item.DueOn = "today", ""
		}
		found[section] = append(found[section], item)
	}
	return found, nil
}

// checklists returns the caller's checklists that are not finished, of all sessions.
func (r *dayReader) checklists(ctx context.Context, d hub.DayOf) (map[string][]hub.Item, error) {
	heads, err := r.lists.Live(ctx)
	if err != nil {
		return nil, err
	}
	begins, _ := d.Begins(ctx) // without the caller's time zone, times are in UTC
	var items []hub.Item
	for _, h := range heads {
		if h.Summary.Completed == h.Summary.Total {
			continue
		}
		title := h.Doing
		if title == "" {
			title = "a checklist"
		}
		items = append(items, hub.Item{
			Ref: h.ID, Title: plaintext.Clean(title), Says: fmt.Sprintf("%d of %d done", h.Summary.Completed, h.Summary.Total), At: h.WrittenAt.In(begins.Location()).Format(hub.Minute),
		})
	}
	return map[string][]hub.Item{"in_progress": items}, nil
}

const (
	dayItems   = 10     // of a section
	dayWaiting = 5      // of those who wait for the caller
	dayBytes   = 10_000 // of an answer: 2,500 tokens
	dayTitle   = 120    // characters
)

// fill adds the sections, with as many items as fit.
func (v *dayAnswer) fill(sections map[string][]hub.Item) {
	for most := dayItems; most > 0; most-- {
		for _, name := range daySections {
			items := sections[name]
			if len(items) == 0 {
				continue
			}
			n := most
			if name == "waiting_for_you" {
				n = min(n, dayWaiting)
			}
			shown := section(items, n)
			*v.section(name) = &shown
		}
		if len(v.Settle) > most {
			v.SettleCount = max(v.SettleCount, len(v.Settle))
			v.Settle = v.Settle[:most]
		}
		if toolanswer.Size(v) <= dayBytes {
			return
		}
	}
}

func shortened(items []hub.Item) []hub.Item {
	short := make([]hub.Item, len(items))
	for i, item := range items {
		item.Title, _ = plaintext.Excerpt(item.Title, dayTitle)
		short[i] = item
	}
	return short
}
