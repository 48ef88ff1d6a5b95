package lookup

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
)

// maxRecentLists is how long a call that goes on may rely on the lists of the call before.
const maxRecentLists = 30 * time.Second

// RecentLists returns what an earlier call has read of a to-do set. The caller's writes drop it.
func (rs *Resolver) RecentLists(ctx context.Context, set int64) (basecamp.ProjectLists, bool) {
	known, age, ok := rs.todoLists.get(ctx, set)
	return known, ok && age < maxRecentLists
}

// RememberLists caches the lists of a to-do set.
func (rs *Resolver) RememberLists(ctx context.Context, set int64, known basecamp.ProjectLists) {
	rs.todoLists.put(ctx, set, known)
}
