package basecamptools

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
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
		reaching(t, func(d *toolEnv) {
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
	reaching(t, func(d *toolEnv) {
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
