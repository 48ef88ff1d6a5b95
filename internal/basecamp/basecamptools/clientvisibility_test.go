package basecamptools

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// shownToClients are calls that make what is visible by itself.
var shownToClients = map[string]args{
	"create_message":        {"subject": "Hello", "body": "Text."},
	"create_todolist":       {"name": "Hand-over"},
	"create_document":       {"title": "Plan", "body": "Text."},
	"upload_file":           {"filename": "a.txt", "content": "Hello."},
	"create_schedule_entry": {"summary": "Talk", "starts_at": "2026-12-01T10:00"},
}

func TestVisibleToClients_ShowsWhatIsMadeOrHidesIt(t *testing.T) {
	for tool, in := range shownToClients {
		unlimited(t, func(d *toolEnv) {
			for _, visible := range []any{true, false, nil} {
				in := clone(in)
				in["project"], in["visible_to_clients"] = fleet, visible
				var want any
				if visible == true {
					want = []any{lieke}
				}
				if got := call[record](d, tool, in); !cmp.Equal(want, got["clients_see"]) || got["left_out"] != nil {
					d.Errorf("%s, %v: %v, left out %v", tool, visible, got["clients_see"], got["left_out"])
				}
			}
			in := clone(in)
			in["project"], in["visible_to_clients"] = launch, true
			if sent := d.written(func() { d.fails(fault.InvalidInput, tool, in, "visible_to_clients", "no clients") }); len(sent) > 0 {
				d.Errorf("%s, without clients: sent %v", tool, sent)
			}
		})
	}
}

func TestVisibleToClients_IsRefusedForWhatInheritsIt(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		x := d.room(true)
		for tool, in := range map[string]args{
			"create_document": {"project": fleet, "folder": x.deep, "title": "Plan", "body": "Text."},
			"upload_file":     {"project": fleet, "folder": "Room folder", "filename": "a.txt", "content": "Hello."},
			"create_todolist": {"project": fleet, "group_of": x.list, "name": "Group"},
		} {
			for _, visible := range []bool{true, false} {
				in["visible_to_clients"] = visible
				if sent := d.written(func() { d.fails(fault.InvalidInput, tool, in, "visible_to_clients", "Room") }); len(sent) > 0 {
					d.Errorf("%s: sent %v", tool, sent)
				}
			}
		}
		d.fails(fault.InvalidInput, "upload_file", args{"item": fmt.Sprint("todo:", x.todo), "filename": "a.txt", "content": "Hello.", "visible_to_clients": true}, "comment")
		d.fails(fault.InvalidInput, "upload_file", args{"replaces": x.upload, "content": "Hello.", "visible_to_clients": true}, "new version")
	})
}

func TestUpdateWork_ShowsToClientsWhatDecidesItself(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		x := d.room(false)
		root := fmt.Sprint("document:", call[files.WrittenDocument](d, "create_document", args{"project": fleet, "title": "Loose", "body": "Text."}).ID)
		items := []string{fmt.Sprint("todolist:", x.list), fmt.Sprint("message:", x.message), fmt.Sprint("schedule_entry:", x.entry), fmt.Sprint("question:", x.question), fmt.Sprint("folder:", x.folder), root}
		for _, visible := range []bool{true, false} {
			got := call[record](d, "update_work", args{"items": thoseItems(items...), "visible_to_clients": visible})
			if got["done"] != float64(len(items)) || visible != cmp.Equal(got["clients_see"], any([]any{lieke})) {
				d.Errorf("%v: %v", visible, got)
			}
			for _, r := range got["results"].([]any) {
				r := r.(record)
				if item := r["item"].(record); item["visible_to_clients"] != visible && r["changed"] == true || r["changed"] == true && r["previous"].(record)["visible_to_clients"] != !visible {
					d.Errorf("%v: %v", visible, r)
				}
			}
		}
		if again := d.written(func() {
			call[work.ChangedWork](d, "update_work", args{"items": thoseItems(items...), "visible_to_clients": false})
		}); len(again) > 0 {
			d.Errorf("again: %v", again)
		}
	})
}

func TestUpdateWork_NamesWhatDecidesWhetherClientsSeeAnItem(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		x := d.room(false)
		for item, by := range map[string]string{
			fmt.Sprint("todo:", x.todo): "the to-do list ", fmt.Sprint("todolist:", x.group): "the to-do list ", fmt.Sprint("card:", x.card): "the board ",
			fmt.Sprint("subtask:", x.subtask): "inherits this from the ", fmt.Sprint("document:", x.document): "the folder ", fmt.Sprint("folder:", x.deep): "the folder ",
		} {
			d.refuses(fault.InvalidInput, "update_work", args{"items": thoseItems(item, fmt.Sprint("message:", x.message)), "visible_to_clients": true}, "visible_to_clients", by, "which decides")
		}
		d.refuses(fault.InvalidInput, "update_work", one(fmt.Sprint("message:", x.message), args{"title": "x"}), "items[0].title")
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Status: http.StatusForbidden})
		d.fails(fault.PermissionDenied, "update_work", one(fmt.Sprint("message:", x.message), args{"visible_to_clients": true}))
	})
}
