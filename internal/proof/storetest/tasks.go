package storetest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/own/task"
)

var taskFacts = []fact[env]{
	{"tasks are returned as they were added, newest first in any order of adding", func(t *testing.T, s env) {
		subject, newest := newSubject(), newTasks(6)
		newest[2] = task.Task{ID: newest[2].ID, Title: "Oil the chains", CreatedAt: newest[2].CreatedAt, UpdatedAt: newest[2].UpdatedAt}
		for _, i := range []int{3, 0, 5, 1, 4, 2} {
			s.addTask(t, subject, newest[i])
		}
		s.wantTasks(t, subject, newest...)
	}},
	{"deleting returns a task once and removes it permanently", func(t *testing.T, s env) {
		subject, kept, gone := newSubject(), newTask(), newTask()
		s.addTask(t, subject, kept)
		s.addTask(t, subject, gone)
		deleted, err := s.DeleteTask(t.Context(), subject, gone.ID)
		must(t, err)
		wantSame(t, deleted, gone)
		_, err = s.DeleteTask(t.Context(), subject, gone.ID)
		wantErr(t, err, task.ErrNotFound)
		_, err = s.ChangeTask(t.Context(), subject, gone.ID, task.Change{Completed: new(true)})
		wantErr(t, err, task.ErrNotFound)
		s.wantTasks(t, subject, kept)
	}},
	{"of twenty who add at once, as many do as there is room for", func(t *testing.T, s env) {
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

// newTask returns a completed task with every field filled. Its position among others is random.
func newTask() task.Task {
	now := newClock().Now()
	return task.Task{
		ID: newID(), Title: unicode, Description: strings.Repeat("🚲", 2000), DueOn: "2026-11-30",
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

func (s env) addTask(t *testing.T, subject string, added task.Task) {
	t.Helper()
	must(t, s.AddTask(t.Context(), subject, added, 1000))
}

// wantTasks stops the test unless the person has exactly these tasks.
func (s env) wantTasks(t *testing.T, subject string, newestFirst ...task.Task) {
	t.Helper()
	found, total, err := s.Tasks(t.Context(), subject, task.Filter{Status: task.All, Limit: 100})
	must(t, err)
	wantSame(t, found, newestFirst)
	wantSame(t, total, len(newestFirst))
}
