package basecamptools

import (
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
)

// fifty makes fifty to-dos in a list, and returns their references.
func (d *toolEnv) fifty() (items []string) {
	d.Helper()
	list := d.sandbox.FindIn(launch, "Todolist", "Parking lot")
	for i := range 50 {
		todo := decode[record](d, d.ask(d.ines(), "POST", fmt.Sprintf("/todolists/%d/todos.json", list), "application/json", fmt.Sprintf(`{"content":"To-do %d of fifty"}`, i)))
		items = append(items, fmt.Sprintf("todo:%.0f", todo["id"]))
		time.Sleep(time.Second)
	}
	return items
}

// A batch of fifty is done and undone within the time of a call, at the speed and the limits of
// Basecamp, and reads the items by the pages of their list.
func TestBatches_FinishFiftyAtTheSpeedOfBasecamp(t *testing.T) {
	for _, delay := range []time.Duration{60 * time.Millisecond, 110 * time.Millisecond} {
		for tool, in := range map[string]args{
			"update_work":     {"due_on": "2031-05-20"},
			"set_completed":   {"completed": true},
			"create_comment":  {"body": "Seen."},
			"set_item_status": {"status": "archived"},
		} {
			t.Run(fmt.Sprint(tool, delay), func(t *testing.T) {
				at(t, func(d *toolEnv) {
					d.keepUndo()
					items := d.fifty()
					if tool == "create_comment" || tool == "set_item_status" {
						items = items[:20] // the most that they take
					}
					if tool == "update_work" {
						in["items"] = thoseItems(items...)
					} else {
						in["items"] = items
					}
					d.sandbox.Inject(sandbox.Fault{Delay: delay})
					began := time.Now()
					done := struct{ Done, Changed int }{}
					asked := d.asked(func() { done = call[struct{ Done, Changed int }](d, tool, in) })
					took := time.Since(began)
					t.Logf("%d requests in %s", len(asked), took)
					if done.Done+done.Changed != len(items) || len(asked) > 80 || took > 24*time.Second {
						t.Errorf("%d requests in %s: %+v", len(asked), took, done)
					}
					time.Sleep(time.Minute)
					var back undone
					began = time.Now()
					asked = d.asked(func() { back = call[undone](d, "undo", args{"last": 1}) })
					took = time.Since(began)
					t.Logf("undo: %d requests in %s", len(asked), took)
					if len(back.Undone) != 1 || back.Undone[0].Result != "undone" || len(back.Undone[0].Writes) < len(items) || len(asked) > 80 || took > 24*time.Second {
						t.Errorf("undo: %d requests in %s: %+v", len(asked), took, back)
					}
				})
			})
		}
	}
}
