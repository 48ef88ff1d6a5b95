package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

// A board has few columns, and the nearest name is often wrong: for "Doing" it is "Done".
func TestColumns_AreAllListedIfANameIsUnknown(t *testing.T) {
	at(t, func(d *toolEnv) {
		all := []string{"Triage", "Not now", "Next", "In progress", "In review", "Waiting for others", "Done"}
		card := d.sandbox.Find("Kanban::Card", kickstand)
		for tool, in := range map[string]args{
			"get_board":   {"project": launch, "board": frame, "column": "Doing"},
			"update_work": {"items": thoseItems(fmt.Sprint("card:", card)), "column": "Doing"},
			"create_card": {"project": launch, "board": frame, "column": "Doing", "title": "Bell"},
		} {
			f := d.fails(fault.NotFound, tool, in, `found no column "Doing" that you can see; there are "`+strings.Join(all, `", "`)+`"`)
			var names []string
			for _, c := range f.Data.Nearest {
				names = append(names, c.Name)
			}
			if !slices.Equal(names, all) {
				d.Errorf("%s: nearest %v", tool, names)
			}
		}
		d.fails(fault.NotFound, "get_board", args{"project": launch, "board": "Paint"}, `there are "Frame design", "Web shop"`)
		d.fails(fault.NotFound, "create_message", args{"project": launch, "subject": "x", "body": "y", "category": "Rumour"}, `there are "`)
	})
}
