package basecamptools

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/report/fault"
)

// However the items stand before, they end one below the other at the position.
func TestPositions_PutItemsOneBelowTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		column := make([]int, 1+r.IntN(9)) // numbers of its cards
		for i := range column {
			column[i] = i
		}
		var items, current []int
		for _, card := range r.Perm(len(column) + 3)[:1+r.IntN(4)] { // the last three come from elsewhere
			items = append(items, card)
			current = append(current, slices.Index(column, card)+1)
		}
		first := 1 + r.IntN(len(column)+2)
		want := slices.DeleteFunc(slices.Clone(column), func(card int) bool { return slices.Contains(items, card) })
		want = slices.Insert(want, min(first-1, len(want)), items...)
		for i, position := range work.Positions(current, first) {
			column = slices.DeleteFunc(column, func(card int) bool { return card == items[i] })
			column = slices.Insert(column, min(position-1, len(column)), items[i])
		}
		if !slices.Equal(column, want) {
			t.Fatalf("items %v from %v to %d: %v, want %v", items, current, first, column, want)
		}
	}
}

// order returns the titles in a column, in a list, or of the steps of a card.
func order(d *toolEnv, path string) (titles []string) {
	for _, item := range upstream[[]record](d, path) {
		titles = append(titles, item["title"].(string))
	}
	return titles
}

func TestUpdateWork_MovesSeveralItemsDownTogether(t *testing.T) {
	at(t, func(d *toolEnv) {
		var made []string
		list := call[todos.CreatedTodolist](d, "create_todolist", args{"project": launch, "name": "Short"}).ID
		for _, r := range call[todos.CreatedTodos](d, "create_todos", newTodos(nil, list, args{"content": "a"}, args{"content": "b"}, args{"content": "c"}, args{"content": "d"}, args{"content": "e"})).Results {
			made = append(made, fmt.Sprint("todo:", r.Item.ID))
		}
		column := columnNamed(columnsOf(d, frame), "Not now").ID
		var cards []string
		for _, title := range []string{"e", "d", "c", "b", "a"} { // each on top of the others
			cards = append([]string{fmt.Sprint("card:", call[work.WrittenCard](d, "create_card", args{"project": launch, "board": frame, "column": "Not now", "title": title}).ID)}, cards...)
		}
		call[work.ChangedWork](d, "update_work", args{"items": cards, "column": "Not now", "position": 1})
		var steps []string
		added := call[work.SubtasksAdded](d, "add_subtasks", args{"item": cards[0], "steps": []args{{"title": "a"}, {"title": "b"}, {"title": "c"}, {"title": "d"}, {"title": "e"}}})
		for _, r := range added.Results {
			steps = append(steps, fmt.Sprint("subtask:", r.Item.ID))
		}
		for path, items := range map[string][]string{
			fmt.Sprintf("/todolists/%d/todos.json", list): made, fmt.Sprintf("/card_tables/lists/%d/cards.json", column): cards,
			fmt.Sprintf("/recordings/%d/subtasks.json", idIn(d, cards[0])): steps,
		} {
			call[work.ChangedWork](d, "update_work", args{"items": []string{items[1], items[0], items[4]}, "position": 2})
			if got := strings.Join(order(d, path)[:5], ""); got != "cbaed" {
				d.Errorf("%s: %s", path, got)
			}
			call[work.ChangedWork](d, "update_work", args{"items": []args{{"item": items[3], "position": 1}, {"item": items[0], "position": 5}}})
			if got := strings.Join(order(d, path)[:5], ""); got != "dcbea" {
				d.Errorf("%s: %s", path, got)
			}
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
	})
}

func TestUpdateWork_Places(t *testing.T) {
	const set, followUps, box = "GET /todosets/{tool:todoset@Cargo Bike Launch}/todolists.json", "GET /todolists/{Todolist:Supplier follow-ups}/groups.json", "{Vault:Archive box}"
	const newBox = `POST /vaults/{tool:vault@Cargo Bike Launch}/vaults.json {"title":"Archive box"}`
	three := []string{"todo:{0.items.0.id}", "todo:{0.items.1.id}", "todo:{0.items.2.id}"}
	into := func(list string) []row {
		return []row{{in: args{"items": three, "list": list, "position": 2, "add_assignees": "me"}, holds: holds{"done": 3, "results.2.item.list.name": list}},
			{tool: "GET /todolists/{Todolist:" + list + "}/todos.json", holds: holds{"1.id": "{0.items.0.id}", "2.id": "{0.items.1.id}", "3.id": "{0.items.2.id}"}}}
	}
	filed := func(path string) row { return row{tool: "GET " + path, holds: holds{"parent.id": box}} }
	whole := args{"items": []string{documentItem, fileItem, "folder:" + frameID}, "project": launch, "folder": "Archive box"}
	cases(t, "update_work", args{"project": launch},
		row{fact: "to-dos move to other lists and groups, one below the other", tool: "list_todos", in: args{"project_id": launch, "todolist_id": checklist}, then: append(into("Test rides"), into("Electrics")...)},
		row{fact: "lists are sorted", tool: set, then: []row{
			{in: args{"items": []string{"todolist:{0.2.id}", "todolist:{0.0.id}"}, "position": 1}}, {tool: set, holds: holds{"0.id": "{0.2.id}", "1.id": "{0.0.id}", "2.id": "{0.1.id}"}}}},
		row{fact: "groups are sorted", tool: "create_todolist", in: args{"project": launch, "group_of": "Supplier follow-ups", "name": "New group"}, then: []row{
			{in: one("list:New group", args{"position": 1}), holds: holds{"results.0.item.position": 1, "results.0.previous.position": 5}}, {tool: followUps, holds: holds{"0.title": "New group"}}}},
		row{fact: "documents, files and folders are filed", before: []string{newBox}, in: whole, holds: holds{"done": 3, "results.*.item.folder.name": "Archive box", "results.*.previous.folder": some}, then: []row{
			filed("/documents/{Document:Assembly handbook}.json"), filed("/uploads/{Upload:launch-budget.csv@Cargo Bike Launch}.json"), filed("/vaults/" + frameID + ".json"), {fact: "once", in: whole, writes: []string{}},
			{in: one("folder:"+box, args{"folder": box}), fails: fault.InvalidInput, says: says{"items[0].folder", "is the folder that moves, or in it"}},
			{in: one("folder:"+box, args{"folder": frameID}), fails: fault.InvalidInput, says: says{"items[0].folder", "is the folder that moves, or in it"}},
			{in: one("folder:"+box, args{"folder": "{tool:vault@Winter Kit}"}), fails: fault.NotFound, says: says{"items[0].folder"}},
			{in: one("folder:"+frameID, args{"folder": "{tool:vault@Cargo Bike Launch}", "position": 1}), holds: holds{"results.0.item.folder.id": "{tool:vault@Cargo Bike Launch}"}}}},
	)
}
