package lookup

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
)

// ProjectLists are the lists of a to-do set with the groups by list. A project can have too many of
// them for a cursor, so a call that goes on with a cursor finds them in a cache.
type ProjectLists struct {
	Lists  []basecamp.Todolist
	Groups map[int64][]basecamp.Todolist
}

func (known ProjectLists) count() int {
	count := len(known.Lists)
	for _, groups := range known.Groups {
		count += len(groups)
	}
	return count
}

// maxRecentLists is how long a call that goes on may rely on the lists of the call before.
const maxRecentLists = 30 * time.Second

// RecentLists returns what an earlier call has read of a to-do set. The caller's writes drop it.
func (rs *Resolver) RecentLists(ctx context.Context, set int64) (ProjectLists, bool) {
	known, age, ok := rs.todoLists.get(ctx, set)
	return known, ok && age < maxRecentLists
}

// RememberLists caches the lists of a to-do set.
func (rs *Resolver) RememberLists(ctx context.Context, set int64, known ProjectLists) {
	rs.todoLists.put(ctx, set, known)
}
