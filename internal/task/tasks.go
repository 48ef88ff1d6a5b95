package task

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// Tasks is what people do with their tasks. Errors are faults: INVALID_INPUT, NOT_FOUND, and UPSTREAM_ERROR when the Store
// could not be reached.
type Tasks struct {
	store Store
	now   func() time.Time
}

// New gives the tasks of a Store. Their time is now, or the real one for nil.
func New(store Store, now func() time.Time) *Tasks {
	if now == nil {
		now = time.Now
	}
	return &Tasks{store: store, now: now}
}

// Add makes a task. When the Store could not be reached it may have been made all the same, and the fault says so.
func (t *Tasks) Add(ctx context.Context, title, description string) (Task, error) {
	title, err := titleOf(title, TitleRequired)
	if err != nil {
		return Task{}, err
	}
	if err := checkDescription(description); err != nil {
		return Task{}, err
	}
	subject, err := caller(ctx)
	if err != nil {
		return Task{}, err
	}
	at := t.time()
	added := Task{ID: newID(at), Title: title, Description: description, CreatedAt: at, UpdatedAt: at}
	err = t.store.AddTask(ctx, subject, added, most)
	if errors.Is(err, ErrFull) {
		return Task{}, fault.New(fault.LimitReached, tooMany, most)
	}
	if err != nil {
		f := unreachable(ctx, err, ", and the task may have been added: look at the list before adding it again")
		f.Retryable, f.MayHaveHappened = false, true
		return Task{}, f
	}
	return added, nil
}

// Query asks for a part of a list: up to Limit tasks of a status, behind what Cursor continues if there is one.
type Query struct {
	Status Status
	Limit  int
	Cursor string
}

// Page is a part of a list, newest first. Total counts the whole list; More tells whether any of it follows. Whoever shows
// only the first few of Tasks shortens it and sets More.
type Page struct {
	Tasks []Task
	Total int
	More  bool

	subject string
	status  Status
}

// Cursor is what continues the list behind the page's last task, "" when none follows.
func (p Page) Cursor() string {
	if !p.More || len(p.Tasks) == 0 {
		return ""
	}
	return cursor(p.subject, p.status, uuid.MustParse(p.Tasks[len(p.Tasks)-1].ID))
}

// List gives the caller's tasks. INVALID_INPUT for a cursor that is not of this very list.
func (t *Tasks) List(ctx context.Context, q Query) (Page, error) {
	subject, err := caller(ctx)
	if err != nil {
		return Page{}, err
	}
	before, err := behind(q.Cursor, subject, q.Status)
	if err != nil {
		return Page{}, err
	}
	found, total, err := t.store.Tasks(ctx, subject, Filter{Status: q.Status, Before: before, Limit: q.Limit + 1})
	if err != nil {
		return Page{}, unreachable(ctx, err, "; try again in a moment")
	}
	shown := min(len(found), q.Limit)
	return Page{Tasks: found[:shown], Total: total, More: shown < len(found), subject: subject, status: q.Status}, nil
}

// Complete completes a task. One that is completed keeps the time it was completed first.
func (t *Tasks) Complete(ctx context.Context, id string) (Task, error) {
	return t.change(ctx, id, Change{Completed: new(true)})
}

// Reopen takes a completion back, also of a task that is open.
func (t *Tasks) Reopen(ctx context.Context, id string) (Task, error) {
	return t.change(ctx, id, Change{Completed: new(false)})
}

// Update replaces the title, the description or both; an empty description takes it away.
func (t *Tasks) Update(ctx context.Context, id string, title, description *string) (Task, error) {
	if _, err := idOf(id); err != nil {
		return Task{}, err
	}
	if title == nil && description == nil {
		return Task{}, fault.New(fault.InvalidInput, nothingToChange)
	}
	if title != nil {
		kept, err := titleOf(*title, titleEmpty)
		if err != nil {
			return Task{}, err
		}
		title = &kept
	}
	if description != nil {
		if err := checkDescription(*description); err != nil {
			return Task{}, err
		}
	}
	return t.change(ctx, id, Change{Title: title, Description: description})
}

// Delete removes a task for good and gives what it was.
func (t *Tasks) Delete(ctx context.Context, id string) (Task, error) {
	return t.one(ctx, id, t.store.DeleteTask)
}

func (t *Tasks) change(ctx context.Context, id string, c Change) (Task, error) {
	c.At = t.time()
	return t.one(ctx, id, func(ctx context.Context, subject, id string) (Task, error) {
		return t.store.ChangeTask(ctx, subject, id, c)
	})
}

// one does something to the caller's task of an id.
func (t *Tasks) one(ctx context.Context, id string, do func(ctx context.Context, subject, id string) (Task, error)) (Task, error) {
	id, err := idOf(id)
	if err != nil {
		return Task{}, err
	}
	subject, err := caller(ctx)
	if err != nil {
		return Task{}, err
	}
	done, err := do(ctx, subject, id)
	if errors.Is(err, ErrNotFound) {
		f := fault.New(fault.NotFound, notFound)
		f.Resource = &fault.Resource{Type: "task", ID: id}
		return Task{}, f
	}
	if err != nil {
		return Task{}, unreachable(ctx, err, "; try again in a moment")
	}
	return done, nil
}

func (t *Tasks) time() time.Time { return t.now().UTC().Truncate(time.Microsecond) }

// errNobody is a defect of ours: nothing gets here without a caller.
var errNobody = errors.New("tasks of nobody")

func caller(ctx context.Context) (subject string, err error) {
	c, ok := identity.From(ctx)
	if !ok || c.Subject == "" {
		return "", errNobody
	}
	return c.Subject, nil
}

// unreachable says that the Store was, under the id that the log has the cause under.
func unreachable(ctx context.Context, cause error, advice string) *fault.Error {
	f := fault.New(fault.UpstreamError, "your tasks cannot be reached right now%s", advice).Because(cause)
	if id := identity.RequestID(ctx); id != "" {
		f.Message += " (if this goes on, report request " + id + ")"
	}
	return f
}
