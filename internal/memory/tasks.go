package memory

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"basecamp-mcp/internal/task"
)

// Tasks is a task.Store without a limit of its own. It is safe for concurrent use.
type Tasks struct {
	mu     sync.Mutex
	people map[string]map[string]task.Task // by subject and id
}

var _ task.Store = (*Tasks)(nil)

// NewTasks returns an empty store.
func NewTasks() *Tasks { return &Tasks{people: map[string]map[string]task.Task{}} }

// AddTask stores a new task of a user, or returns ErrFull if the user has most tasks or more.
func (s *Tasks) AddTask(ctx context.Context, subject string, t task.Task, most int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.people[subject]) >= most {
		return task.ErrFull
	}
	if s.people[subject] == nil {
		s.people[subject] = map[string]task.Task{}
	}
	s.people[subject][t.ID] = t
	return nil
}

// Tasks returns the tasks that the filter selects, newest first, and how many it would select
// without its bounds.
func (s *Tasks) Tasks(ctx context.Context, subject string, f task.Filter) (found []task.Task, total int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.people[subject] {
		if !f.Status.Picks(t) {
			continue
		}
		total++
		if f.Before == "" || t.ID < f.Before {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b task.Task) int { return cmp.Compare(b.ID, a.ID) })
	return found[:min(len(found), f.Limit)], total, nil
}

// ChangeTask changes a task and returns the result, or ErrNotFound.
func (s *Tasks) ChangeTask(ctx context.Context, subject, id string, c task.Change) (task.Task, error) {
	if err := ctx.Err(); err != nil {
		return task.Task{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.people[subject][id]
	if !ok {
		return task.Task{}, task.ErrNotFound
	}
	t = c.Apply(t)
	s.people[subject][id] = t
	return t, nil
}

// DeleteTask removes a task and returns it, or ErrNotFound.
func (s *Tasks) DeleteTask(ctx context.Context, subject, id string) (task.Task, error) {
	if err := ctx.Err(); err != nil {
		return task.Task{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.people[subject][id]
	if !ok {
		return task.Task{}, task.ErrNotFound
	}
	delete(s.people[subject], id)
	return t, nil
}
