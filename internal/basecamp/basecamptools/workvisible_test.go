package basecamptools

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestUpdateWork_ShowsToClientsWhatDecidesItself(t *testing.T) {
	reaching(t, func(d *toolEnv) {
		x := d.room(false)
		root := fmt.Sprint("document:", call[writtenDocument](d, "create_document", args{"project": fleet, "title": "Loose", "body": "Text."}).ID)
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
			call[changedWork](d, "update_work", args{"items": thoseItems(items...), "visible_to_clients": false})
		}); len(again) > 0 {
			d.Errorf("again: %v", again)
		}
	})
}

func TestUpdateWork_NamesWhatDecidesWhetherClientsSeeAnItem(t *testing.T) {
	reaching(t, func(d *toolEnv) {
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
