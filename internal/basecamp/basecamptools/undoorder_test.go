package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
)

// Cards and to-dos that were moved come back in their order, or undo says that they did not.
func TestUndo_PutsItemsBackInTheirOrder(t *testing.T) {
	for _, x := range []struct {
		what   string
		with   args
		each   bool // one call for each
		except bool
	}{
		{what: "away", with: args{"column": "Done", "list": "Launch checklist"}},
		{what: "away, in several calls", with: args{"column": "Done", "list": "Launch checklist"}, each: true},
		{what: "away, and changed so slowly that they are read again", with: args{"column": "Done", "list": "Launch checklist", "add_assignees": []string{"Hanna Koivisto"}}},
		{what: "to the top", with: args{"position": 1}},
		{what: "to the end", with: args{"position": 5}},
		{what: "away, while the others leave", with: args{"column": "Done", "list": "Launch checklist"}, except: true},
	} {
		for kind, others := range map[string]string{"card": "list", "todo": "column"} {
			t.Run(x.what+" "+kind, func(t *testing.T) {
				undoing(t, func(d *toolEnv) {
					path := fmt.Sprintf("/todolists/%d/todos.json", d.sandbox.FindIn(launch, "Todolist", "Parking lot"))
					for i := range 5 {
						d.make(path, fmt.Sprintf(`{"content":"To-do %d of five"}`, i))
					}
					if kind == "card" {
						card := d.sandbox.Find("Kanban::Card", "Chain guard for people with trousers")
						path = fmt.Sprintf("/card_tables/lists/%d/cards.json", upstream[struct{ Parent made }](d, fmt.Sprintf("/card_tables/cards/%d.json", card)).Parent.ID)
					}
					order := func() []int64 {
						return ids(upstream[[]made](d, path), func(m made) int64 { return m.ID })
					}
					with, before := maps.Clone(x.with), order()
					delete(with, others)
					d.sandbox.Inject(sandbox.Fault{Delay: 700 * time.Millisecond})
					var refs []string
					for _, id := range before[1:4] {
						refs = append(refs, fmt.Sprintf("%s:%d", kind, id))
					}
					calls := 1
					if with["items"] = thoseItems(refs...); x.each {
						calls = len(refs)
					}
					for i := range calls {
						if x.each {
							with["items"] = thoseItems(refs[i])
						}
						call[map[string]any](d, "update_work", with)
					}
					for _, other := range order() {
						if x.except {
							d.meanwhile(http.MethodPut, fmt.Sprintf("/recordings/%d/status/trashed.json", other), "")
						}
					}
					u := call[undone](d, "undo", args{"last": calls})
					for _, one := range u.Undone {
						if except := slices.Equal(one.Except, []string{"position"}); one.Result != "undone" || except != x.except || len(one.Except) > 1 {
							t.Errorf("%+v", one)
						}
					}
					if now := order(); !x.except && !slices.Equal(now, before) {
						t.Errorf("%v\nbefore %v\nnow    %v", u, before, now)
					}
				})
			})
		}
	}
}

// Moves, drafts, completions and undo read the item by its flat route, once before they write.
func TestUndo_ReadsAnItemOnce(t *testing.T) {
	undoing(t, func(d *toolEnv) {
		todo, card := fmt.Sprint("todo:", d.sandbox.Find("Todo", "Print the serial number plates")), fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", "Rear light where the lift button is"))
		document := fmt.Sprint("document:", call[made](d, "create_document", args{"project": launch, "title": "Draft", "body": "Text", "draft": true}).ID)
		call[changed](d, "change_basecamp", operation("create_folder", args{"project": launch, "title": "Packing"}))
		for _, use := range []toolUse{
			{"update_work", args{"items": thoseItems(todo), "list": "Parking lot"}},
			{"update_work", args{"items": thoseItems(todo), "position": 1}},
			{"update_work", args{"items": thoseItems(card), "column": "Done"}},
			{"update_work", args{"items": thoseItems(document), "folder": "Packing"}},
			{"set_completed", args{"item": card, "completed": true}},
			{"set_completed", args{"item": todo, "completed": true}},
			{"edit_text", args{"item": document, "publish": true}},
			{"edit_text", args{"item": document, "title": "Bells"}},
		} {
			for _, use := range []toolUse{use, {"undo", args{"last": 1}}} {
				asked := d.asked(func() { d.raw(use.tool, use.in) })
				reads := asked[:max(0, slices.IndexFunc(asked, func(line string) bool { return !strings.HasPrefix(line, "GET ") }))]
				if slices.ContainsFunc(reads, func(line string) bool { return strings.HasPrefix(line, "GET /buckets/") }) || len(reads) > len(slices.Compact(slices.Sorted(slices.Values(reads)))) {
					t.Errorf("%v: %q", use, asked)
				}
			}
		}
	})
}
