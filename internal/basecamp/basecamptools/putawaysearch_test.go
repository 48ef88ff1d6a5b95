package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
)

func TestSearch_BringsBackWhatWasTrashedInTwoCalls(t *testing.T) {
	at(t, func(d *toolEnv) {
		var trashed []string
		for kind, title := range map[string]string{"todo": "Print the serial number plates", "card": "Matt clear coat", "document": "Assembly handbook", "upload": "launch-budget.csv", "message": "Rejected: the cup holder"} {
			types := map[string]string{"todo": "Todo", "card": "Kanban::Card", "document": "Document", "upload": "Upload", "message": "Message"}
			trashed = append(trashed, fmt.Sprintf("%s:%d", kind, d.sandbox.FindIn(launch, types[kind], title)))
		}
		time.Sleep(time.Hour)
		call[statusResults](d, "set_item_status", args{"items": trashed, "status": "trashed"})
		sent := d.asked(func() {
			found := call[foundList](d, "search", args{"status": "trashed", "project": d.sandbox.ProjectID(launch), "since": "today"})
			var items []string
			for _, f := range found.Items {
				items = append(items, fmt.Sprintf("%s:%d", f.Type, f.ID))
			}
			if slices.Sort(items); !slices.Equal(items, sorted(trashed)) {
				d.Errorf("found %v, want %v", items, trashed)
			}
			call[statusResults](d, "set_item_status", args{"items": items, "status": "active"})
		})
		lists := slices.DeleteFunc(sent, func(r string) bool { return !strings.Contains(r, "/projects/recordings.json") })
		if len(lists) != usualPutAway {
			d.Errorf("%d lists: %v", len(lists), lists)
		}
		if left := call[foundList](d, "search", args{"status": "trashed", "project": launch, "since": "today"}); len(left.Items) > 0 {
			d.Errorf("left are %+v", left.Items)
		}
	})
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

func TestSearch_ListsTheTrashNewestFirstByTypeTitleAndPage(t *testing.T) {
	at(t, func(d *toolEnv) {
		for i := range 20 {
			made := call[createdTodos](d, "create_todos", newTodos(launch, "Parking lot", args{"content": fmt.Sprintf("Tin %d", i)}))
			time.Sleep(time.Minute)
			call[statusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("todo:", made.Results[0].Item.ID)}, "status": "archived"})
		}
		list := call[todolistItem](d, "create_todolist", args{"project": launch, "name": "Empty tins"})
		call[statusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("todolist:", list.ID)}, "status": "archived"})
		found := all[foundItem](d, "search", args{"status": "archived", "query": "TIN ", "project": launch, "limit": 6})
		if len(found) != 20 || found[0].Title != "Tin 19" || found[19].Title != "Tin 0" {
			d.Errorf("found %d: %+v", len(found), found)
		}
		if lists := all[foundItem](d, "search", args{"status": "archived", "types": "todolist", "query": "tins"}); len(lists) != 1 || lists[0].ID != list.ID {
			d.Errorf("found %+v", lists)
		}
		if projects := all[foundItem](d, "search", args{"status": "trashed", "types": []string{"project"}}); len(projects) != 2 || projects[0].Type != "project" || projects[0].ID == 0 {
			d.Errorf("found %+v", projects)
		}
		if mine := all[foundItem](d, "search", args{"status": "archived", "creator": "Dele", "query": "tin", "project": launch}); len(mine) != 0 {
			d.Errorf("found %+v", mine)
		}
		d.fails(fault.InvalidInput, "search", args{"status": "trashed", "types": "chat"}, "types", "chat")
		d.fails(fault.InvalidInput, "search", args{"types": "project", "query": "x"}, "types")
		d.fails(fault.InvalidInput, "search", args{"query": " "}, "query", "status")
		d.fails(fault.InvalidInput, "search", args{"status": "deleted"}, "status")
	})
}
