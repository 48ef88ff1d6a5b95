package hub

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// Item is a line of a person's day.
type Item struct {
	Ref   string `json:"ref,omitempty"`
	Title string `json:"title"`
	URL   string `json:"url,omitempty"` // only without a ref
	DueOn string `json:"due_on,omitempty"`
	At    string `json:"at,omitempty"`
	In    string `json:"in,omitempty"` // its project or repository
	// Account is that of its project, if the connection has several.
	Account string   `json:"account,omitempty"`
	By      string   `json:"by,omitempty"`
	Says    string   `json:"says,omitempty"`
	Linked  []string `json:"linked,omitempty"`
	Answer  *Call    `json:"answer,omitempty"` // what answers it, without the text

	Key Ref `json:"-"` // zero if it cannot be linked
}

// Section is a part of a day: its first items, and how many were found. There may be others in what
// was not read, so without items there is no count.
type Section struct {
	Items []Item `json:"items"`
	Count int    `json:"count,omitempty"`
}

// DayOf is what a person's day is read for.
type DayOf struct {
	Begins func(context.Context) (time.Time, error) // in the person's time zone
	Since  func(context.Context) (time.Time, error) // zero: nothing is asked
}

// Source is something that a day is read from. It returns items by the names of sections.
type Source struct {
	Name string
	Read func(ctx context.Context) (map[string][]Item, error)
}

// Gap is a source that a day lacks.
type Gap struct {
	Source string     `json:"source"`
	Code   fault.Code `json:"error_code"`
	Reason string     `json:"reason"`
}

// Minute is the form of the time of an item, in the person's time zone.
const Minute = "2006-01-02 15:04"

// Patience is how long a day waits for its sources.
const Patience = 4 * time.Second

// ReadDay reads the sources at once. What is silent, not linked or forbidden is a gap, and fails
// nothing else. ctx ends the wait.
func ReadDay(ctx context.Context, sources []Source) (map[string][]Item, []Gap) {
	read := make([]map[string][]Item, len(sources))
	errs := make([]error, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		all.Go(func() { read[i], errs[i] = guarded(ctx, s.Read) })
	}
	all.Wait()
	sections, gaps := map[string][]Item{}, []Gap{}
	for i, s := range sources {
		if g := GapOf(ctx, s.Name, errs[i]); errs[i] != nil && !slices.Contains(gaps, g) {
			gaps = append(gaps, g)
		}
		for name, items := range read[i] {
			sections[name] = append(sections[name], items...)
		}
	}
	return sections, gaps
}

// guarded returns a panic of a source as an error: in a goroutine of its own, it would end the
// process.
func guarded[T any](ctx context.Context, read func(context.Context) (T, error)) (result T, err error) {
	defer fault.Recover(&err)
	return read(ctx)
}

// GapOf returns the gap of a source that failed. ctx is that of its read.
func GapOf(ctx context.Context, source string, err error) Gap {
	f := fault.From(err).Shown()
	g := Gap{source, f.Code, f.Message}
	if ctx.Err() != nil {
		g.Code, g.Reason = fault.UpstreamError, "it did not answer in time"
	}
	return g
}

// Merge leaves out what is linked to an item before it, in the order of the sections, and says so
// there. links are those of all things.
func Merge(order []string, sections map[string][]Item, links map[Ref][]Link) {
	type place struct {
		section string
		index   int
	}
	at := map[Ref]place{}
	for _, name := range order {
		kept := sections[name][:0:0]
		for _, item := range sections[name] {
			if item.Key == (Ref{}) {
				kept = append(kept, item)
				continue
			}
			if _, twice := at[item.Key]; twice {
				continue
			}
			first, linked := place{}, false
			for _, link := range links[item.Key] {
				if p, shown := at[link.To]; shown {
					first, linked = p, true
				}
				item.Linked = append(item.Linked, link.To.ID)
			}
			if linked {
				at[item.Key] = first
				continue
			}
			at[item.Key] = place{name, len(kept)}
			kept = append(kept, item)
		}
		sections[name] = kept
	}
}

// Pair is two linked things of which one is done and the other is not.
type Pair struct {
	Done   string `json:"done"`
	Open   string `json:"open"`
	Title  string `json:"title"`
	Settle Call   `json:"settle"`
}

// Unsettled returns the pairs whose sides differ, of those links for which the states of both sides
// are known. A task that follows what it is linked to does not differ from it once that is done. No
// call settles what only its users complete.
func (h *Hub) Unsettled(links map[Ref][]Link, seen map[Ref]Thing) (pairs []Pair) {
	for a, all := range links {
		for _, link := range all {
			s := h.side(link.To.Side)
			if seen[a].State != Done || seen[link.To].State != Open || s == nil || seen[link.To].ByHand || link.To.Side == TaskSide && !link.Alone {
				continue
			}
			pairs = append(pairs, Pair{a.ID, link.To.ID, seen[link.To].Title, s.CallToComplete(link.To.ID)})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Open+a.Done, b.Open+b.Done) })
	return pairs
}

// TaskSide is the name of the side of personal tasks, which follow what they are linked to.
const TaskSide = "task"

// Refs returns the things that have links, and those that they are linked to, each once.
func Refs(links map[Ref][]Link) (all []Ref) {
	for a, to := range links {
		if len(to) > 0 && a.Side != ChecklistSide {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b Ref) int { return strings.Compare(b.Side+b.ID, a.Side+a.ID) })
	return all
}

// News is a thing of another system that changed, as it is now. It has what fits into a line.
type News struct {
	At        string   `json:"at"` // of the last change
	Item      string   `json:"item"`
	Title     string   `json:"title"`
	What      string   `json:"what"`
	Who       string   `json:"who,omitempty"`
	Excerpt   string   `json:"excerpt,omitempty"`
	Board     string   `json:"board,omitempty"`
	Assignees []string `json:"assignees,omitempty"`
	Status    string   `json:"status,omitempty"` // if it is not open
	Outsider  bool     `json:"outsider,omitempty"`
}

// ChangesOf is what changes are read for.
type ChangesOf struct {
	Since         time.Time       // where a first reading begins
	Place         json.RawMessage // where the last one ended; nil for the first
	Mine          bool
	IncludeMe     bool // also what the connection wrote
	ExcludePerson bool
	Items, Bytes  int // that the answer has room for
}

// Changes is what changed, and the place where the next reading begins. What could not be read or
// has no room comes with that.
type Changes struct {
	News       []News
	Place      json.RawMessage
	More       bool
	Excluded   int
	NotCovered []string
	Failed     []FailedPart
}

// FailedPart is a part of a system that could not be read.
type FailedPart struct {
	Name string
	Err  error
}

// ReadChanges reads the changes of a system.
type ReadChanges func(ctx context.Context, of ChangesOf) Changes
