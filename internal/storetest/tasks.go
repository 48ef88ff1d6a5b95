package storetest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"basecamp-mcp/internal/task"
)

var keptTasks = []fact[task.Store]{
	{"a task is returned as it was added", func(t *testing.T, s task.Store) {
		subject, full := newSubject(), newTask()
		bare := task.Task{ID: newTaskID(), Title: "Oil the chains", CreatedAt: full.CreatedAt, UpdatedAt: full.UpdatedAt}
		addTask(t, s, subject, full)
		addTask(t, s, subject, bare)
		wantTasks(t, s, subject, bare, full)
	}},
	{"a task belongs to one person", func(t *testing.T, s task.Store) {
		subject, kept := newSubject(), newTask()
		addTask(t, s, subject, kept)
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			wantTasks(t, s, other)
			wantNoTask(t, s, other, kept.ID)
			wantTasks(t, s, other)
		}
		wantTasks(t, s, subject, kept)
	}},
	{"deleting returns a task once and removes it permanently", func(t *testing.T, s task.Store) {
		subject, kept, gone := newSubject(), newTask(), newTask()
		addTask(t, s, subject, kept)
		addTask(t, s, subject, gone)
		deleted, err := s.DeleteTask(t.Context(), subject, gone.ID)
		must(t, err)
		wantSame(t, deleted, gone)
		wantNoTask(t, s, subject, gone.ID)
		wantTasks(t, s, subject, kept)
	}},
}

var listedTasks = []fact[task.Store]{
	{"tasks are returned newest first in any order of adding", func(t *testing.T, s task.Store) {
		subject, newest := newSubject(), newTasks(6)
		for _, i := range []int{3, 0, 5, 1, 4, 2} {
			addTask(t, s, subject, newest[i])
		}
		wantTasks(t, s, subject, newest...)
	}},
	{"a list contains the tasks of a status, and the total ignores the limit", func(t *testing.T, s task.Store) {
		subject, newest := newSubject(), newTasks(9)
		of := map[task.Status][]task.Task{task.All: newest}
		for i := range newest {
			status := task.Completed
			if i%3 > 0 {
				newest[i].CompletedAt, status = time.Time{}, task.Pending
			}
			of[status] = append(of[status], newest[i])
			addTask(t, s, subject, newest[i])
		}
		for status, want := range of {
			for limit := 1; limit <= len(want)+1; limit++ {
				wantList(t, s, subject, task.Filter{Status: status, Limit: limit}, want[:min(limit, len(want))], len(want))
			}
		}
	}},
	{"a list continues after any task, even a deleted one", func(t *testing.T, s task.Store) {
		subject, newest := newSubject(), newTasks(5)
		for _, added := range newest {
			addTask(t, s, subject, added)
		}
		for i, last := range newest {
			f := task.Filter{Status: task.All, Before: last.ID, Limit: 2}
			wantList(t, s, subject, f, newest[i+1:min(i+3, 5)], 5)
		}
		_, err := s.DeleteTask(t.Context(), subject, newest[1].ID)
		must(t, err)
		wantList(t, s, subject, task.Filter{Status: task.All, Before: newest[1].ID, Limit: 2}, newest[2:4], 4)
	}},
}

var changedTasks = []fact[task.Store]{
	{"a change without effect keeps all times", func(t *testing.T, s task.Store) {
		for _, before := range taskStates() {
			subject, at := newSubject(), before.UpdatedAt.Add(time.Hour)
			addTask(t, s, subject, before)
			for _, c := range []task.Change{
				{Title: &before.Title, At: at},
				{Description: &before.Description, At: at},
				{DueOn: &before.DueOn, At: at},
				{Title: &before.Title, Description: &before.Description, Completed: new(before.Completed()), At: at},
				{Completed: new(before.Completed()), At: at},
			} {
				is, err := s.ChangeTask(t.Context(), subject, before.ID, c)
				must(t, err)
				wantSame(t, is, before)
				wantTasks(t, s, subject, before)
			}
		}
	}},
}

var rivalTasks = []fact[task.Store]{
	{"of twenty who add at once, as many do as there is room for", func(t *testing.T, s task.Store) {
		subject, newest, added := newSubject(), newTasks(rivals), 0
		for _, err := range together(func(i int) error { return s.AddTask(t.Context(), subject, newest[i], rivals/2) }) {
			if err == nil {
				added++
			} else {
				wantErr(t, err, task.ErrFull)
			}
		}
		found, total, err := s.Tasks(t.Context(), subject, task.Filter{Status: task.All, Limit: 1})
		must(t, err)
		if added != rivals/2 || total != added {
			t.Fatalf("%d added, %d in all, want %d", added, total, rivals/2)
		}
		_, err = s.DeleteTask(t.Context(), subject, found[0].ID)
		must(t, err)
		must(t, s.AddTask(t.Context(), subject, newTask(), rivals/2))
		wantErr(t, s.AddTask(t.Context(), subject, newTask(), rivals/2), task.ErrFull)
	}},
}

// newTaskID returns a random ID, so its position among others is random.
func newTaskID() string { return uuid.NewString() }

// newTask returns a completed task with every field filled.
func newTask() task.Task {
	now := newClock().Now()
	return task.Task{
		ID: newTaskID(), Title: unicode, Description: strings.Repeat("🚲", 2000), DueOn: "2026-11-30",
		CreatedAt: now, UpdatedAt: now.Add(time.Minute), CompletedAt: now.Add(time.Second),
	}
}

// newTasks returns n tasks, newest first.
func newTasks(n int) []task.Task {
	tasks := make([]task.Task, n)
	for i := range tasks {
		tasks[i] = newTask()
	}
	slices.SortFunc(tasks, func(a, b task.Task) int { return cmp.Compare(b.ID, a.ID) })
	return tasks
}

// taskStates returns tasks with every combination of completed and described.
func taskStates() []task.Task {
	states := []task.Task{newTask(), newTask(), newTask(), newTask()}
	states[1].Description, states[2].Description = "", ""
	states[1].DueOn = ""
	states[2].CompletedAt, states[3].CompletedAt = time.Time{}, time.Time{}
	return states
}

func retitled() task.Change { return task.Change{Title: new("Ring the courier"), At: time.Now()} }

func addTask(t *testing.T, s task.Store, subject string, added task.Task) {
	t.Helper()
	must(t, s.AddTask(t.Context(), subject, added, 1000))
}

// wantTasks stops the test unless the person has exactly these tasks.
func wantTasks(t *testing.T, s task.Store, subject string, newestFirst ...task.Task) {
	t.Helper()
	slices.SortFunc(newestFirst, func(a, b task.Task) int { return cmp.Compare(b.ID, a.ID) })
	wantList(t, s, subject, task.Filter{Status: task.All, Limit: 100}, newestFirst, len(newestFirst))
}

func wantList(t *testing.T, s task.Store, subject string, f task.Filter, want []task.Task, wantTotal int) {
	t.Helper()
	found, total, err := s.Tasks(t.Context(), subject, f)
	must(t, err)
	wantSame(t, found, want)
	if total != wantTotal {
		t.Fatalf("%d tasks in total, want %d", total, wantTotal)
	}
}

func wantNoTask(t *testing.T, s task.Store, subject, id string) {
	t.Helper()
	for _, c := range []task.Change{retitled(), {Description: new("")}, {Completed: new(true)}, {Completed: new(false)}} {
		_, err := s.ChangeTask(t.Context(), subject, id, c)
		wantErr(t, err, task.ErrNotFound)
	}
	_, err := s.DeleteTask(t.Context(), subject, id)
	wantErr(t, err, task.ErrNotFound)
}
