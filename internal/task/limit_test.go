package task_test

import (
	"strconv"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/task"
)

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
