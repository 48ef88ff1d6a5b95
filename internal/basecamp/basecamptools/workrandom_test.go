package basecamptools

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/work"

	"github.com/google/go-cmp/cmp"
)

// randomWork returns changes of items of all kinds, each item once.
func randomWork(d *toolEnv, r *rand.Rand) []args {
	first := func(kind, path, title string) string {
		return fmt.Sprintf("%s:%d", kind, d.sandbox.FindIn(launch, path, title))
	}
	column := func(name string) string { return fmt.Sprint("column:", columnNamed(columnsOf(d, frame), name).ID) }
	vault := d.sandbox.ToolID(launch, "vault")
	people := []any{"none", []string{"me"}, []string{"Hanna", "Priya"}}
	days := []string{"none", "2031-05-20", "2031-06-01"}
	notes := []string{"", "New **notes**.", "One\n\nTwo"}
	one := func(list []string) string { return list[r.IntN(len(list))] }
	var items []args
	add := func(item string, changes ...args) {
		entry := args{"item": item}
		for _, change := range changes {
			for _, name := range slices.Sorted(maps.Keys(change)) {
				if r.IntN(2) == 0 {
					entry[name] = change[name]
				}
			}
		}
		if len(entry) == 1 {
			entry["title"] = "Only its title"
		}
		items = append(items, entry)
	}
	title := func() args { return args{"title": fmt.Sprint("Title ", r.IntN(1000))} }
	for _, todo := range openTodos(d, 3) {
		add(todo, title(), args{"due_on": one(days), "assignees": people[r.IntN(3)], "notes": one(notes), "completed": r.IntN(2) == 0}, args{"list": one([]string{"Parking lot", "Test rides", "Electrics"}), "position": 1 + r.IntN(4)})
	}
	for _, card := range []string{kickstand, weldPass, "Matt clear coat"} {
		move := args{"column": column(one([]string{"Next", "Done", "In review"})), "position": 1 + r.IntN(3)}
		if r.IntN(3) == 0 {
			move = args{"completed": r.IntN(2) == 0}
		}
		add(first("card", "Kanban::Card", card), title(), args{"due_on": one(days), "add_assignees": "me", "notes": one(notes)}, move)
	}
	add((&caseRun{toolEnv: d}).fill(stepItem), title(), args{"due_on": one(days), "assignees": people[r.IntN(3)], "position": 1 + r.IntN(3), "completed": r.IntN(2) == 0})
	add(fmt.Sprint("todolist:", d.sandbox.FindIn(launch, "Todolist", "Website texts")), title(), args{"notes": one(notes), "position": 1 + r.IntN(4)})
	add(fmt.Sprint("todolist:", d.sandbox.FindIn(launch, "Todolist", "Brakes and wheels")), title(), args{"position": 1 + r.IntN(3)})
	add(first("document", "Document", "Assembly handbook"), title(), args{"folder": vault, "position": 1 + r.IntN(3)})
	add(first("upload", "Upload", "launch-budget.csv"), title(), args{"notes": one(notes), "folder": vault})
	add(first("folder", "Vault", "Frame"), title(), args{"position": 1 + r.IntN(2)})
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items[:1+r.IntN(len(items))]
}

// state returns everything that a batch may change, without times and addresses with new IDs.
func state(d *toolEnv, items []args) map[string]any {
	all := map[string]any{}
	for _, entry := range items {
		item := entry["item"].(string)
		kept := d.kept(item)
		for _, name := range []string{"updated_at", "completion", "completed_at", "bookmark_url"} {
			delete(kept, name)
		}
		for _, step := range anyList(kept["steps"]) {
			delete(step.(record), "updated_at")
			delete(step.(record), "completed_at")
		}
		all[item] = kept
	}
	for _, list := range []string{"Launch checklist", "Parking lot", "Test rides", "Electrics"} {
		all[list] = order(d, fmt.Sprintf("/todolists/%d/todos.json", d.sandbox.FindIn(launch, "Todolist", list)))
	}
	for _, c := range columnsOf(d, frame).Columns {
		all["column "+c.Name] = order(d, fmt.Sprintf("/card_tables/lists/%d/cards.json", c.ID))
	}
	return all
}

func anyList(value any) []any {
	list, _ := value.([]any)
	return list
}

// One call changes what the calls for its items would, in order.
func TestUpdateWork_OfManyItemsEqualsTheCallsForEach(t *testing.T) {
	runs := uint64(10)
	if testing.Short() {
		runs = 5
	}
	for seed := range runs {
		results := make([]map[string]any, 2)
		var items []args
		for way := range results {
			unlimited(t, func(d *toolEnv) {
				items = randomWork(d, rand.New(rand.NewPCG(seed, 7)))
				if way == 0 {
					if got := call[work.ChangedWork](d, "update_work", args{"items": items}); got.Done != len(items) {
						t.Errorf("%d: %+v", seed, got)
					}
				} else {
					for _, entry := range items {
						call[work.ChangedWork](d, "update_work", args{"items": []args{entry}})
					}
				}
				results[way] = state(d, items)
			})
		}
		if diff := cmp.Diff(results[1], results[0]); diff != "" {
			t.Fatalf("%d: %v: %s", seed, items, diff)
		}
	}
}

// Items that share a place come one below the other, as single calls with rising positions put
// them.
func TestUpdateWork_OfItemsInOnePlaceEqualsCallsWithRisingPositions(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 11))
		first := 1 + r.IntN(3)
		results := make([]string, 2)
		for way := range results {
			unlimited(t, func(d *toolEnv) {
				todos := openTodos(d, 4)
				if way == 0 {
					call[work.ChangedWork](d, "update_work", args{"items": todos, "list": "Test rides", "position": first})
				} else {
					for i, todo := range todos {
						d.update(todo, args{"list": "Test rides", "position": first + i})
					}
				}
				results[way] = strings.Join(order(d, fmt.Sprintf("/todolists/%d/todos.json", d.sandbox.FindIn(launch, "Todolist", "Test rides"))), "; ")
			})
		}
		if results[0] != results[1] || slices.Contains(results, "") {
			t.Errorf("%d: %q, want %q", seed, results[0], results[1])
		}
	}
}
