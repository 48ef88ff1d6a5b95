package storetest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/task"
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
	{"a task belongs to one person", func(t *testing.T, s env) {
		subject, kept := newSubject(), newTask()
		s.addTask(t, subject, kept)
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			s.wantNoTask(t, other, kept.ID)
			s.wantTasks(t, other)
		}
		s.wantTasks(t, subject, kept)
	}},
	{"deleting returns a task once and removes it permanently", func(t *testing.T, s env) {
		subject, kept, gone := newSubject(), newTask(), newTask()
		s.addTask(t, subject, kept)
		s.addTask(t, subject, gone)
		deleted, err := s.DeleteTask(t.Context(), subject, gone.ID)
		must(t, err)
		wantSame(t, deleted, gone)
		s.wantNoTask(t, subject, gone.ID)
		s.wantTasks(t, subject, kept)
	}},
	{"a list contains the tasks of a status, and the total ignores the limit", func(t *testing.T, s env) {
		subject, newest := newSubject(), newTasks(9)
		of := map[task.Status][]task.Task{task.All: newest}
		for i := range newest {
			status := task.Completed
			if i%3 > 0 {
				newest[i].CompletedAt, status = time.Time{}, task.Pending
			}
			of[status] = append(of[status], newest[i])
			s.addTask(t, subject, newest[i])
		}
		for status, want := range of {
			for limit := 1; limit <= len(want)+1; limit++ {
				s.wantList(t, subject, task.Filter{Status: status, Limit: limit}, want[:min(limit, len(want))], len(want))
			}
		}
	}},
	{"a list continues after any task, even a deleted one", func(t *testing.T, s env) {
		subject, newest := newSubject(), newTasks(5)
		for _, added := range newest {
			s.addTask(t, subject, added)
		}
		for i, last := range newest {
			s.wantList(t, subject, task.Filter{Status: task.All, Before: last.ID, Limit: 2}, newest[i+1:min(i+3, 5)], 5)
		}
		_, err := s.DeleteTask(t.Context(), subject, newest[1].ID)
		must(t, err)
		s.wantList(t, subject, task.Filter{Status: task.All, Before: newest[1].ID, Limit: 2}, newest[2:4], 4)
	}},
	{"a change is stored, and one without effect keeps all times", func(t *testing.T, s env) {
		subject, before := newSubject(), newTask()
		s.addTask(t, subject, before)
		for _, c := range []task.Change{{Title: &before.Title}, {Completed: new(true)}, {Title: new("Ring the courier")}, {Completed: new(false)}} {
			c.At = before.UpdatedAt.Add(time.Hour)
			want := c.Apply(before)
			got, err := s.ChangeTask(t.Context(), subject, before.ID, c)
			must(t, err)
			wantSame(t, got, want)
			s.wantTasks(t, subject, want)
			before = want
		}
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
	s.wantList(t, subject, task.Filter{Status: task.All, Limit: 100}, newestFirst, len(newestFirst))
}

func (s env) wantList(t *testing.T, subject string, f task.Filter, want []task.Task, wantTotal int) {
	t.Helper()
	found, total, err := s.Tasks(t.Context(), subject, f)
	must(t, err)
	wantSame(t, found, want)
	if total != wantTotal {
		t.Fatalf("%d tasks in total, want %d", total, wantTotal)
	}
}

func (s env) wantNoTask(t *testing.T, subject, id string) {
	t.Helper()
	_, err := s.ChangeTask(t.Context(), subject, id, task.Change{Completed: new(true)})
	wantErr(t, err, task.ErrNotFound)
	_, err = s.DeleteTask(t.Context(), subject, id)
	wantErr(t, err, task.ErrNotFound)
}
