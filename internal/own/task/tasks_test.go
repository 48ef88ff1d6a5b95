package task_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/wire/writeplan"
)

const unknown = "0190d0b2-0000-7000-8000-000000000000"

// clock moves on by a minute each time it is read.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Minute)
	return c.at
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 123_456_789, time.FixedZone("elsewhere", 2*60*60))

func newTasks() *task.Tasks { return task.New(memory.New(nil), (&clock{at: noon}).Now) }

func as(t testing.TB, subject string) context.Context {
	return identity.With(t.Context(), identity.Caller{Subject: subject})
}

func ines(t testing.TB) context.Context { return as(t, "37s:1007299144") }

// added adds a task for Ines Albrecht.
func added(t testing.TB, tasks *task.Tasks, title string) task.Task {
	t.Helper()
	is, err := tasks.Add(ines(t), title, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return is
}

func list(t testing.TB, tasks *task.Tasks, status task.Status) []task.Task {
	t.Helper()
	page, err := tasks.List(ines(t), task.Query{Status: status, Limit: 200})
	if err != nil || page.More || page.Total != len(page.Tasks) {
		t.Fatalf("%d of %d, more %v, %v", len(page.Tasks), page.Total, page.More, err)
	}
	return page.Tasks
}

// wantFault returns err as a fault, or stops the test.
func wantFault(t testing.TB, err error, code fault.Code, message string) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || f.Message != message {
		t.Fatalf("got %v, want %s: %s", err, code, message)
	}
	return f
}

func TestAdd_CreatesAnOpenTaskNow(t *testing.T) {
	tasks := newTasks()
	got, err := tasks.Add(ines(t), " \u00a0Oil the chains\u3000\n", " as they are ", "")
	at := noon.Add(time.Minute).UTC().Truncate(time.Microsecond)
	want := task.Task{ID: got.ID, Title: "Oil the chains", Description: " as they are ", CreatedAt: at, UpdatedAt: at}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if got.CreatedAt.Location() != time.UTC {
		t.Errorf("in %s", got.CreatedAt.Location())
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got.ID) {
		t.Errorf("id %s", got.ID)
	}
	if diff := cmp.Diff([]task.Task{want}, list(t, tasks, task.All)); diff != "" {
		t.Error(diff)
	}
}

func TestAdd_CountsCharacters(t *testing.T) {
	tasks := newTasks()
	for _, fine := range []struct{ title, description string }{
		{strings.Repeat("🚲", 255), strings.Repeat("🚲", 2000)},
		{"  " + strings.Repeat("x", 255) + "  ", ""},
		{"e\u0301", "\x00"},
	} {
		if _, err := tasks.Add(ines(t), fine.title, fine.description, ""); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []struct{ title, description, message string }{
		{"", "", "Task title is required"},
		{" \t\n\u00a0\u3000", strings.Repeat("x", 2001), "Task title is required"},
		{strings.Repeat("é", 256), strings.Repeat("x", 2001), "Task title must be 255 characters or less"},
		{"Oil the chains", strings.Repeat("é", 2001), "Task description must be 2000 characters or less"},
	} {
		_, err := tasks.Add(ines(t), bad.title, bad.description, "")
		wantFault(t, err, fault.InvalidInput, bad.message)
	}
	if n := len(list(t, tasks, task.All)); n != 3 {
		t.Errorf("%d tasks, want 3", n)
	}
}

func TestList_SortsByCreationToTheMicrosecond(t *testing.T) {
	at := noon
	tasks := task.New(memory.New(nil), func() time.Time { return at })
	var want []string
	for _, step := range append(slices.Repeat([]time.Duration{time.Microsecond}, 100), time.Millisecond, time.Hour) {
		at = at.Add(step)
		want = slices.Insert(want, 0, added(t, tasks, "Oil the chains").ID)
	}
	var got []string
	for _, listed := range list(t, tasks, task.All) {
		got = append(got, listed.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestComplete_KeepsTheFirstTimeUntilItIsReopened(t *testing.T) {
	tasks := newTasks()
	want := added(t, tasks, "Oil the chains")
	steps := []struct {
		do      func(context.Context, string) (task.Task, error)
		changes bool
	}{{tasks.Reopen, false}, {tasks.Complete, true}, {tasks.Complete, false}, {tasks.Reopen, true}, {tasks.Reopen, false}, {tasks.Complete, true}}
	for i, step := range steps {
		got, err := step.do(ines(t), strings.ToUpper(want.ID))
		if err != nil {
			t.Fatal(err)
		}
		if step.changes {
			if !got.UpdatedAt.After(want.UpdatedAt) || got.Completed() == want.Completed() || got.Completed() && !got.CompletedAt.Equal(got.UpdatedAt) {
				t.Fatalf("%d: %+v", i, got)
			}
			want.UpdatedAt, want.CompletedAt = got.UpdatedAt, got.CompletedAt
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d: %s", i, diff)
		}
	}
	if diff := cmp.Diff([]task.Task{want}, list(t, tasks, task.Completed)); diff != "" {
		t.Error(diff)
	}
}

func TestUpdate_ChangesOnlyTheGivenFields(t *testing.T) {
	tasks := newTasks()
	want, err := tasks.Add(ines(t), "Oil the chains", "All 40", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ title, description, dueOn *string }{
		{dueOn: new("2026-03-05")},
		{title: new("  Ring the courier ")},
		{title: new("Ring the courier")},
		{description: new("Before noon")},
		{description: new("")},
		{dueOn: new("")},
		{title: new("Ring the courier"), dueOn: new("2026-03-06")},
		{title: new("Oil the chains"), description: new("All 40")},
	} {
		got, err := tasks.Update(ines(t), want.ID, step.title, step.description, step.dueOn)
		if err != nil {
			t.Fatal(err)
		}
		before := want
		if step.title != nil {
			want.Title = strings.TrimSpace(*step.title)
		}
		if step.description != nil {
			want.Description = *step.description
		}
		if step.dueOn != nil {
			want.DueOn = *step.dueOn
		}
		if changed := want != before; changed != got.UpdatedAt.After(want.UpdatedAt) {
			t.Errorf("%+v: changed %v, at %s after %s", want, changed, got.UpdatedAt, want.UpdatedAt)
		}
		want.UpdatedAt = got.UpdatedAt
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// lookUps returns every operation on a single task.
func lookUps(tasks *task.Tasks) map[string]func(context.Context, string) (task.Task, error) {
	return map[string]func(context.Context, string) (task.Task, error){
		"complete": tasks.Complete,
		"reopen":   tasks.Reopen,
		"delete":   tasks.Delete,
		"update": func(ctx context.Context, id string) (task.Task, error) {
			return tasks.Update(ctx, id, new("Ring the courier"), nil, nil)
		},
	}
}

func TestTask_OfAnotherPersonIsNotFound(t *testing.T) {
	tasks := newTasks()
	hers := added(t, tasks, "Oil the chains")
	for name, do := range lookUps(tasks) {
		_, err := do(as(t, "37s:2"), hers.ID)
		theirs := *wantFault(t, err, fault.NotFound, "Task not found")
		_, err = do(as(t, "37s:2"), unknown)
		unknowns := *wantFault(t, err, fault.NotFound, "Task not found")
		theirs.Resource.ID = unknown
		if diff := cmp.Diff(fmt.Sprintf("%+v", *unknowns.Resource), fmt.Sprintf("%+v", *theirs.Resource)); diff != "" || theirs.Retryable {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if page, err := tasks.List(as(t, "37s:2"), task.Query{Status: task.All, Limit: 50}); err != nil || page.Total != 0 || len(page.Tasks) != 0 {
		t.Error(page, err)
	}
	if diff := cmp.Diff([]task.Task{hers}, list(t, tasks, task.All)); diff != "" {
		t.Error(diff)
	}
}

func TestTask_IDMustBeAUUID(t *testing.T) {
	tasks := newTasks()
	for name, do := range lookUps(tasks) {
		for _, bad := range []string{
			"", "1", "task", unknown + "0", unknown[1:], " " + unknown, strings.ReplaceAll(unknown, "-", ""), "{" + unknown + "}",
			"urn:uuid:" + unknown, "g" + unknown[1:], strings.Repeat("0", 36), "0190d0b2-0000-7000-8000-00000000000é",
		} {
			_, err := do(ines(t), bad)
			wantFault(t, err, fault.InvalidInput, "Invalid task_id format")
		}
		for _, fine := range []string{unknown, strings.ToUpper(unknown), "00000000-0000-0000-0000-000000000000", "16fd2706-8baf-433b-82eb-8c7fada847da"} {
			_, err := do(ines(t), fine)
			lower := strings.ToLower(fine)
			if f := wantFault(t, err, fault.NotFound, "Task not found"); f.Resource.ID != lower {
				t.Errorf("%s of %s: %+v", name, fine, f.Resource)
			}
		}
	}
}

func TestUpdate_ReportsTheFirstErrorBeforeItLooksForTheTask(t *testing.T) {
	tasks := newTasks()
	long := strings.Repeat("x", 2001)
	for _, step := range []struct {
		id                 string
		title, description *string
		message            string
	}{
		{"1", nil, nil, "Invalid task_id format"},
		{"1", &long, &long, "Invalid task_id format"},
		{unknown, nil, nil, "At least one of title or description must be provided"},
		{unknown, new(" "), &long, "Title cannot be empty"},
		{unknown, &long, &long, "Task title must be 255 characters or less"},
		{unknown, new(strings.Repeat("🚲", 256)), nil, "Task title must be 255 characters or less"},
		{unknown, new("Oil the chains"), &long, "Task description must be 2000 characters or less"},
	} {
		_, err := tasks.Update(ines(t), step.id, step.title, step.description, nil)
		wantFault(t, err, fault.InvalidInput, step.message)
	}
	_, err := tasks.Update(ines(t), unknown, new(strings.Repeat("🚲", 255)), new(strings.Repeat("🚲", 2000)), nil)
	wantFault(t, err, fault.NotFound, "Task not found")
}

func TestTasks_WithoutACallerAreADefect(t *testing.T) {
	tasks := newTasks()
	for _, ctx := range []context.Context{t.Context(), as(t, "")} {
		_, added := tasks.Add(ctx, "Oil the chains", "", "")
		_, listed := tasks.List(ctx, task.Query{Status: task.All, Limit: 50})
		_, completed := tasks.Complete(ctx, unknown)
		for _, err := range []error{added, listed, completed} {
			if f := fault.From(err); f.Code != fault.InternalError {
				t.Error(err)
			}
		}
	}
}

func TestTasks_AStoreOutOfReachIsReportedWithoutDetails(t *testing.T) {
	tasks := newTasks()
	ctx, cancel := context.WithCancel(identity.WithRequestID(ines(t), "r-7"))
	cancel()
	const again = "your tasks cannot be reached right now; try again in a moment (if this goes on, report request r-7)"
	for _, do := range lookUps(tasks) {
		_, err := do(ctx, unknown)
		wantUnreached(t, err, again, true)
	}
	_, err := tasks.List(ctx, task.Query{Status: task.All, Limit: 50})
	wantUnreached(t, err, again, true)
	// Repeating an add could create a second task.
	_, err = tasks.Add(ctx, "Oil the chains", "", "")
	wantUnreached(t, err, "your tasks cannot be reached right now, and the task may have been added: "+
		"look at the list before adding it again (if this goes on, report request r-7)", false)
}

func wantUnreached(t *testing.T, err error, message string, retryable bool) {
	t.Helper()
	f := wantFault(t, err, fault.UpstreamError, message)
	if f.Retryable != retryable || f.MayHaveHappened == retryable || !errors.Is(f, context.Canceled) {
		t.Errorf("%+v", f)
	}
}

func TestAdd_OfWhichNothingWasStoredHasNotHappened(t *testing.T) {
	down := fault.New(fault.UpstreamError, "nothing was written")
	ctx, _ := writeplan.WithJournal(ines(t), func(context.Context) error { return down })
	_, err := newTasks().Add(ctx, "Call the bank", "", "")
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.MayHaveHappened || !f.Retryable || f.Message != down.Message {
		t.Errorf("got %v", err)
	}
}

func TestAdd_EndsAtTwoThousandTasksAndNamesWhatToDelete(t *testing.T) {
	tasks := newTasks()
	var last task.Task
	for i := range 2000 {
		last = added(t, tasks, strconv.Itoa(i))
	}
	_, err := tasks.Add(ines(t), "One more", "", "")
	wantFault(t, err, fault.LimitReached, "You have 2000 tasks, which is the limit. Delete some with delete_task before adding more: "+
		"list_tasks with status completed lists those that are done.")
	if _, err := tasks.Add(as(t, "37s:2"), "Of another person", "", ""); err != nil {
		t.Error(err)
	}
	if _, err := tasks.Delete(ines(t), last.ID); err != nil {
		t.Fatal(err)
	}
	added(t, tasks, "One more")
}
