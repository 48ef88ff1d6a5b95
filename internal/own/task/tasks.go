package task

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// Tasks holds the operations on a person's tasks. Its errors are faults: INVALID_INPUT, NOT_FOUND,
// and UPSTREAM_ERROR if the Store could not be reached.
type Tasks struct {
	store Store
	now   func() time.Time
}

// New returns the tasks of a Store. Their clock is now; nil means the real time.
func New(store Store, now func() time.Time) *Tasks {
	if now == nil {
		now = time.Now
	}
	return &Tasks{store: planned{store}, now: now}
}

// Add creates a task, due on a day (YYYY-MM-DD) or, if empty, on none. If the Store could not be
// reached, the fault says that the task may exist.
func (t *Tasks) Add(ctx context.Context, title, description, dueOn string) (Task, error) {
	title, err := titleOf(title, TitleRequired)
	if err != nil {
		return Task{}, err
	}
	if err := checkDescription(description); err != nil {
		return Task{}, err
	}
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Task{}, err
	}
	at := t.time()
	added := Task{ID: newID(at), Title: title, Description: description, DueOn: dueOn, CreatedAt: at, UpdatedAt: at}
	err = t.store.AddTask(ctx, subject, added, Most)
	if earlier, ok := errors.AsType[*ExistingError](err); ok {
		return earlier.Task, nil
	}
	if errors.Is(err, ErrFull) {
		return Task{}, fault.New(fault.LimitReached, tooMany, Most)
	}
	if err != nil {
		f := unreachable(ctx, err, ", and the task may have been added: look at the list before adding it again")
		if _, unsent := errors.AsType[*fault.Error](err); !unsent {
			f.Retryable, f.MayHaveHappened = false, true
		}
		return Task{}, f
	}
	return added, nil
}

// Query selects a part of a list: up to Limit tasks with a status, after the position of Cursor.
type Query struct {
	Status Status
	DueOn  string // only tasks of this day, YYYY-MM-DD; may be empty
	// Done has the IDs of open tasks that count as completed; may be nil.
	Done   map[string]bool
	Limit  int
	Cursor string
}

// Page is a part of a list, newest first. Total counts the whole list; More says whether tasks
// follow. A caller that shows only the first few Tasks shortens the slice and sets More.
type Page struct {
	Tasks []Task
	Total int
	More  bool

	subject string
	of      string // what the query selects
}

// Cursor returns the cursor for the page that follows, or "" if none follows.
func (p Page) Cursor() string {
	if !p.More || len(p.Tasks) == 0 {
		return ""
	}
	return cursor(p.subject, p.of, uuid.MustParse(p.Tasks[len(p.Tasks)-1].ID))
}

// List returns the caller's tasks. A cursor of a different list returns INVALID_INPUT.
func (t *Tasks) List(ctx context.Context, q Query) (Page, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Page{}, err
	}
	before, err := parseCursor(q.Cursor, subject, q.of())
	if err != nil {
		return Page{}, err
	}
	found, total, err := t.selected(ctx, subject, q, before)
	if err != nil {
		return Page{}, unreachable(ctx, err, "; try again in a moment")
	}
	shown := min(len(found), q.Limit)
	return Page{Tasks: found[:shown], Total: total, More: shown < len(found), subject: subject, of: q.of()}, nil
}

// of returns what the query selects, the same for all parts of a list.
func (q Query) of() string { return string(q.Status) + "\x00" + q.DueOn }

// selected returns the tasks of a query after a position, and how many there are in all. A
// list by day, or of tasks that are done elsewhere, reads all of them.
func (t *Tasks) selected(ctx context.Context, subject string, q Query, before string) (found []Task, total int, err error) {
	if q.DueOn == "" && len(q.Done) == 0 {
		return t.store.Tasks(ctx, subject, Filter{Status: q.Status, Before: before, Limit: q.Limit + 1})
	}
	all, _, err := t.store.Tasks(ctx, subject, Filter{Status: All, Limit: Most})
	for _, task := range all {
		done := task.Completed() || q.Done[task.ID]
		if q.Status != All && done != (q.Status == Completed) || q.DueOn != "" && task.DueOn != q.DueOn {
			continue
		}
		total++
		if before == "" || task.ID < before {
			found = append(found, task)
		}
	}
	return found, total, err
}

// Get returns the task with an ID or a whole title.
func (t *Tasks) Get(ctx context.Context, id string) (Task, error) {
	return t.one(ctx, id, planned{t.store}.task)
}

// Complete completes a task. A completed task keeps its first completion time.
func (t *Tasks) Complete(ctx context.Context, id string) (Task, error) {
	return t.change(ctx, id, Change{Completed: new(true)})
}

// Reopen reopens a task. An open task stays as it is.
func (t *Tasks) Reopen(ctx context.Context, id string) (Task, error) {
	return t.change(ctx, id, Change{Completed: new(false)})
}

// Update replaces the title, the description and the day, or some of them. An empty description or
// day clears it.
func (t *Tasks) Update(ctx context.Context, id string, title, description, dueOn *string) (Task, error) {
	id, err := t.find(ctx, id)
	if err != nil {
		return Task{}, err
	}
	if title == nil && description == nil && dueOn == nil {
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
	return t.change(ctx, id, Change{Title: title, Description: description, DueOn: dueOn})
}

// Delete permanently removes a task and returns its last state.
func (t *Tasks) Delete(ctx context.Context, id string) (Task, error) {
	return t.one(ctx, id, t.store.DeleteTask)
}

// find returns the ID of the caller's task that a text names: its ID, or its whole title without
// regard to case. It reads the list only for a title.
func (t *Tasks) find(ctx context.Context, text string) (string, error) {
	if id, ok := idOf(strings.TrimPrefix(text, "task:")); ok {
		return id, nil
	}
	title := strings.TrimSpace(text)
	if title == "" {
		return "", malformed("")
	}
	subject, err := identity.Subject(ctx)
	if err != nil {
		return "", err
	}
	all, _, err := t.store.Tasks(ctx, subject, Filter{Status: All, Limit: Most})
	if err != nil {
		return "", unreachable(ctx, err, "; try again in a moment")
	}
	var found []string
	for _, task := range all {
		if strings.EqualFold(task.Title, title) {
			found = append(found, task.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", malformed("")
	case 1:
		return found[0], nil
	}
	const shown = 5
	return "", malformed("; several tasks have this title: " + strings.Join(found[:min(len(found), shown)], ", "))
}

func (t *Tasks) change(ctx context.Context, id string, c Change) (Task, error) {
	c.At = t.time()
	return t.one(ctx, id, func(ctx context.Context, subject, id string) (Task, error) {
		return t.store.ChangeTask(ctx, subject, id, c)
	})
}

// one applies an operation to the caller's task with this ID.
func (t *Tasks) one(ctx context.Context, id string, do func(ctx context.Context, subject, id string) (Task, error)) (Task, error) {
	id, err := t.find(ctx, id)
	if err != nil {
		return Task{}, err
	}
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Task{}, err
	}
	done, err := do(ctx, subject, id)
	if errors.Is(err, ErrNotFound) {
		f := fault.New(fault.NotFound, notFound)
		f.Resource = &fault.Resource{Type: "task", ID: id}
		f.Validation = []fault.Violation{{Path: "task_id", Message: Advice, Code: "not_found"}}
		return Task{}, f
	}
	if err != nil {
		return Task{}, unreachable(ctx, err, "; try again in a moment")
	}
	return done, nil
}

func (t *Tasks) time() time.Time { return t.now().UTC().Truncate(time.Microsecond) }

// unreachable returns the fault for a Store that could not be reached. It names the request ID,
// under which the log has the cause. A fault stays as it is: the Store was not asked.
func unreachable(ctx context.Context, cause error, advice string) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](cause); ok {
		return f
	}
	f := fault.New(fault.UpstreamError, "your tasks cannot be reached right now%s", advice).Because(cause)
	if id := identity.RequestID(ctx); id != "" {
		f.Message += " (if this goes on, report request " + id + ")"
	}
	return f
}

// cursor returns a token that continues a list after a task: the task's ID, and a checksum of the
// ID, the person and what the list selects. Adding or deleting tasks does not move the position,
// even if that task is deleted. The cursor is not signed: a forged one only names a position in the
// caller's own list.
func cursor(subject, of string, last uuid.UUID) string {
	sum := sha256.Sum256([]byte(subject + "\x00" + of + "\x00" + string(last[:])))
	return base64.RawURLEncoding.EncodeToString(append(last[:], sum[:8]...))
}

// parseCursor returns the ID of the task that a cursor continues after, or "" without a cursor.
func parseCursor(text, subject, of string) (string, error) {
	if text == "" {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(data) > len(uuid.Nil) {
		if last := uuid.UUID(data[:len(uuid.Nil)]); cursor(subject, of, last) == text {
			return last.String(), nil
		}
	}
	return "", fault.Invalid("cursor", "does not belong to this list; pass the same arguments as in the first call, or omit the cursor to start from the beginning")
}
