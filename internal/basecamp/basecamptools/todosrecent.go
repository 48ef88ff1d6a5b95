package basecamptools

import (
	"context"
	"maps"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/listing"
)

// projectLists are the lists of a to-do set with the groups by list. A project can have too many of
// them for a cursor, so a call that goes on with a cursor finds them in a cache.
type projectLists struct {
	lists  []basecamp.Todolist
	groups map[int64][]basecamp.Todolist
}

// count returns how many lists and groups there are.
func (known projectLists) count() int {
	count := len(known.lists)
	for _, groups := range known.groups {
		count += len(groups)
	}
	return count
}

// maxRecentLists is how long a call that goes on may rely on the lists of the call before.
const maxRecentLists = 30 * time.Second

// recentLists returns what an earlier call has read of a to-do set. The caller's writes drop it.
func (rs *resolver) recentLists(ctx context.Context, set int64) (projectLists, bool) {
	key, err := keyFor(ctx, rs, set)
	if err != nil {
		return projectLists{}, false
	}
	known, age, ok := rs.todoLists.get(key)
	return known, ok && age < maxRecentLists
}

func (rs *resolver) rememberLists(ctx context.Context, set int64, known projectLists) {
	if key, err := keyFor(ctx, rs, set); err == nil {
		rs.todoLists.put(key, known)
	}
}

// listsChanged reads the lists again, after the last one or after an error. It reports whether they
// are not the same any more: a new list may have to-dos. The next call then finds the new ones.
func (rs *resolver) listsChanged(ctx context.Context, asked *todosAsked) (bool, error) {
	lists, err := listing.Everything(ctx, rs.todolists(asked.set, active))
	if err != nil {
		return false, err
	}
	groups, err := rs.groupsOf(ctx, lists, active)
	if err != nil {
		return false, err
	}
	rs.rememberLists(ctx, asked.set, projectLists{lists, groups})
	sameIDs := func(a, b []basecamp.Todolist) bool { return slices.Equal(listIDs(a), listIDs(b)) }
	return !sameIDs(lists, asked.lists) || !maps.EqualFunc(groups, asked.recent.groups, sameIDs), nil
}
