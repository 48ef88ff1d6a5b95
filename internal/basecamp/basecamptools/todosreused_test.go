package basecamptools

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/listing"
)

// longList fills a list with 1,000 to-dos whose texts have some bytes each.
func longList(d *toolEnv, size int) args {
	list := d.sandbox.TodolistID(launchProject, "Launch checklist")
	for i := range 1000 {
		text := fmt.Sprintf("Rack %d. ", i) + strings.Repeat("Tighten the axle. ", size/18)
		d.meanwhile("POST", fmt.Sprintf("/todolists/%d/todos.json", list), fmt.Sprintf(`{"content":"Rack %d","description":"<div>%s</div>"}`, i, text))
	}
	return args{"project_id": d.sandbox.ProjectID(launchProject), "todolist_id": list, "limit": 100, "detail": "full"}
}

func TestListTodos_ReadsEachPageOfALongListOnce(t *testing.T) {
	// 13 pages, the list, its groups at the beginning and at the end, and who sees it. Long texts take
	// more calls.
	for size, most := range map[int]int{100: 18, 400: 18, 4000: 40} {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t, sandbox.Options{RateLimit: -1})
			in := longList(d, size)
			var shown []todoItem
			asked := d.asked(func() { shown = all[todoItem](d, "list_todos", in) })
			if len(shown) < 1000 || len(asked) > most {
				t.Errorf("texts of %d bytes: %d to-dos with %d requests, at most %d are allowed:\n%s", size, len(shown), len(asked), most, strings.Join(asked, "\n"))
			}
		})
	}
}

func TestListTodos_ACursorReusesAPageForAMomentAndUntilTheUserWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t, sandbox.Options{RateLimit: -1})
		in := longList(d, 400)
		first := next(in, call[listing.Page[todoItem]](d, "list_todos", in))
		reads := func(d *toolEnv) int {
			return len(d.asked(func() { call[listing.Page[todoItem]](d, "list_todos", first) }))
		}
		again := reads(d)
		if other := reads(d.as("Tomás Herrera")); other <= again {
			t.Errorf("another user's call sends %d requests, the user's %d", other, again)
		}
		time.Sleep(time.Second)
		call[any](d, "create_comment", args{"item": fmt.Sprintf("todolist:%d", in["todolist_id"]), "body": "Half of them are done."})
		time.Sleep(time.Second)
		if wrote := reads(d); wrote <= again {
			t.Errorf("after a write, the call sends %d requests, before it %d", wrote, again)
		}
		time.Sleep(31 * time.Second)
		if later := reads(d); later <= again {
			t.Errorf("after 31 s, the call sends %d requests, before it %d", later, again)
		}
	})
}
