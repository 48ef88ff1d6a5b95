package basecamptools

import (
	"context"
	"fmt"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/listing"
)

type completions struct {
	listing.Applied[completedItem]
}

type completedItem struct {
	lookup.Head
	Title     string      `json:"title"`
	Completed bool        `json:"completed"`
	Changed   bool        `json:"changed"`
	List      *lookup.Ref `json:"list,omitempty"`
	Todoset   *lookup.Ref `json:"todoset,omitempty"`
	Column    *lookup.Ref `json:"column,omitempty"`
	Parent    *owner      `json:"parent,omitempty"`
}

// completeAll completes or reopens several items. It reads all of them before it changes the first.
func (rs *resolver) completeAll(ctx context.Context, in setCompletedInput) (setCompletedAnswer, error) {
	if len(in.Items) == 0 {
		return setCompletedAnswer{}, fault.Invalid("items", "must contain at least one item")
	}
	within, wrong := rs.SharedProject(ctx, in.Project)
	tables := rs.tablesOnce(ctx)
	planned, err := listing.Plan(ctx, wrong, "items", in.Items, func(ctx context.Context, path, item string) (completing, error) {
		t, err := rs.Thing(ctx, path, lookup.ItemInput{Item: item, Project: within}, completableKinds...)
		if err != nil {
			return completing{}, err
		}
		return rs.planCompletion(ctx, t, in.Completed, tables)
	})
	if err == nil {
		err = listing.Once("items", planned, completing.reference)
	}
	if err != nil {
		return setCompletedAnswer{}, err
	}
	beside := rs.Audience(ctx)
	for _, c := range planned {
		beside.KnowTable(c.table)
	}
	beside.Start(lookup.Mapped(planned, func(c completing) basecamp.Recording { return c.item })...)
	all := lookup.Reach{Notified: []string{}}
	results, err := listing.Apply(ctx, "items", planned, completing.reference, func(ctx context.Context, c completing) (completedItem, error) {
		v, err := applyCompletion(ctx, c)
		if err == nil {
			all.Add(c.reached(beside))
		}
		return v, err
	})
	v := setCompletedAnswer{nil, &completions{results}, all.Notified, all.ViewClients(), all.Gaps, everywhereAnswer{}}
	if err != nil {
		return v, err
	}
	var done []hub.Thing
	for _, r := range results.Results {
		if r.OK {
			done = append(done, planned[r.Index].thing(rs))
		}
	}
	v.everywhereAnswer, err = rs.finish(ctx, in.Everywhere, done...)
	return v, err
}

// reference returns a reference that means the same item in a later call.
func (c completing) reference() string { return fmt.Sprintf("%s:%d", c.then.Type, c.then.ID) }

// applyCompletion makes the change. It does not read the item again, because a batch has only
// seconds for all its requests.
func applyCompletion(ctx context.Context, c completing) (completedItem, error) {
	if c.then.Changed {
		if err := c.write(ctx); err != nil {
			return completedItem{}, err
		}
	}
	v := c.then
	return completedItem{v.Head, v.Title, v.Completed, v.Changed, v.List, v.Todoset, v.Column, v.Parent}, nil
}

// tablesOnce returns a function that reads the card tables of each project only once. They are read
// with the call's context, because several entries wait for them.
func (rs *resolver) tablesOnce(call context.Context) tablesOf {
	var mu sync.Mutex
	reads := map[int64]func() ([]basecamp.CardTable, error){}
	return func(_ context.Context, project int64) ([]basecamp.CardTable, error) {
		mu.Lock()
		read, known := reads[project]
		if !known {
			read = sync.OnceValues(func() ([]basecamp.CardTable, error) { return rs.readTables(call, project) })
			reads[project] = read
		}
		mu.Unlock()
		return read()
	}
}
