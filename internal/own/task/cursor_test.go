package task_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/store/memory"
)

const notOfThisList = "cursor: does not belong to this list; pass the same arguments as in the first call, or omit the cursor to start from the beginning"

// walk pages through a list by its cursors, calls between after each page, and returns the titles.
func walk(t *testing.T, tasks *task.Tasks, q task.Query, between func()) (titles []string) {
	t.Helper()
	for range 100 {
		page, err := tasks.List(ines(t), q)
		if err != nil || page.More != (page.Cursor() != "") || len(page.Tasks) > q.Limit {
			t.Fatalf("%+v %v", page, err)
		}
		for _, listed := range page.Tasks {
			titles = append(titles, listed.Title)
		}
		if !page.More {
			return titles
		}
		q.Cursor = page.Cursor()
		between()
	}
	t.Fatal("no end after 100 pages")
	return nil
}

func TestList_ReturnsEveryTaskOnceForAnyPageSize(t *testing.T) {
	tasks := newTasks()
	of := map[task.Status][]string{}
	for i := range 13 {
		is, status := added(t, tasks, strconv.Itoa(i)), task.Pending
		if i%3 == 0 {
			if _, err := tasks.Complete(ines(t), is.ID); err != nil {
				t.Fatal(err)
			}
			status = task.Completed
		}
		of[status] = slices.Insert(of[status], 0, is.Title)
		of[task.All] = slices.Insert(of[task.All], 0, is.Title)
	}
	for status, want := range of {
		for limit := 1; limit <= 14; limit++ {
			got := walk(t, tasks, task.Query{Status: status, Limit: limit}, func() {})
			if !slices.Equal(got, want) {
				t.Errorf("%s by %d: %v, want %v", status, limit, got, want)
			}
		}
	}
}

func TestCursor_KeepsItsPositionWhileTasksAreAddedAndDeleted(t *testing.T) {
	tasks := newTasks()
	byTitle := map[string]string{}
	for i := range 9 {
		title := strconv.Itoa(i)
		byTitle[title] = added(t, tasks, title).ID
	}
	pages := 0
	got := walk(t, tasks, task.Query{Status: task.Pending, Limit: 3}, func() {
		pages++
		added(t, tasks, "later")
		// Complete or delete the last task shown, and delete a task of a later page.
		if pages == 1 {
			if _, err := tasks.Complete(ines(t), byTitle["6"]); err != nil {
				t.Fatal(err)
			}
			return
		}
		for _, title := range []string{"3", "1"} {
			if _, err := tasks.Delete(ines(t), byTitle[title]); err != nil {
				t.Fatal(err)
			}
		}
	})
	if want := []string{"8", "7", "6", "5", "4", "3", "2", "0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCursor_ContinuesAfterTheLastTaskShown(t *testing.T) {
	tasks := newTasks()
	for i := range 5 {
		added(t, tasks, strconv.Itoa(i))
	}
	page, err := tasks.List(ines(t), task.Query{Status: task.All, Limit: 5})
	if err != nil || page.Cursor() != "" {
		t.Fatal(page, err)
	}
	page.Tasks, page.More = page.Tasks[:2], true
	page, err = tasks.List(ines(t), task.Query{Status: task.All, Limit: 5, Cursor: page.Cursor()})
	if err != nil || len(page.Tasks) != 3 || page.Tasks[0].Title != "2" || page.Total != 5 {
		t.Error(page, err)
	}
}

func TestCursor_BelongsToOnePersonAndOneStatus(t *testing.T) {
	tasks, given := cursorOf(t, task.Pending)
	for _, status := range []task.Status{task.All, task.Completed} {
		_, err := tasks.List(ines(t), task.Query{Status: status, Limit: 1, Cursor: given})
		wantFault(t, err, fault.InvalidInput, notOfThisList)
	}
	_, err := tasks.List(as(t, "37s:2"), task.Query{Status: task.Pending, Limit: 1, Cursor: given})
	wantFault(t, err, fault.InvalidInput, notOfThisList)
}

func TestCursor_WithAnyLetterChangedIsInvalid(t *testing.T) {
	tasks, given := cursorOf(t, task.All)
	for i := range given {
		for _, letter := range "A_b\n=" {
			if forged := given[:i] + string(letter) + given[i+1:]; forged != given {
				_, err := tasks.List(ines(t), task.Query{Status: task.All, Limit: 1, Cursor: forged})
				wantFault(t, err, fault.InvalidInput, notOfThisList)
			}
		}
	}
}

func FuzzList_AcceptsOnlyItsOwnCursors(f *testing.F) {
	store := memory.New(nil) // the IDs are the same in every process of the fuzzer
	for _, id := range []string{unknown, "1" + unknown[1:]} {
		if err := store.AddTask(f.Context(), "37s:1007299144", task.Task{ID: id}, 2); err != nil {
			f.Fatal(err)
		}
	}
	tasks := task.New(store, nil)
	first, err := tasks.List(ines(f), task.Query{Status: task.All, Limit: 1})
	given := first.Cursor()
	if err != nil || given == "" {
		f.Fatal(first, err)
	}
	for _, seed := range []string{given, given + "=", given + "\n", given[1:], "\x00", "e30", unknown, strings.Repeat("A", 32), strings.Repeat("A", 500)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page, err := tasks.List(ines(t), task.Query{Status: task.All, Limit: 2, Cursor: text})
		switch text {
		case "", given:
			if err != nil {
				t.Error(err)
			}
		default:
			wantFault(t, err, fault.InvalidInput, notOfThisList)
			if page.Tasks != nil {
				t.Error(page)
			}
		}
	})
}

// cursorOf returns tasks, and a cursor after the first of two.
func cursorOf(t testing.TB, status task.Status) (*task.Tasks, string) {
	t.Helper()
	tasks := newTasks()
	added(t, tasks, "Oil the chains")
	added(t, tasks, "Ring the courier")
	page, err := tasks.List(ines(t), task.Query{Status: status, Limit: 1})
	if err != nil || !page.More {
		t.Fatal(page, err)
	}
	return tasks, page.Cursor()
}
