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
	"basecamp-mcp/internal/fault"
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

func TestUpdateWork_MovesToDosToOtherListsAndGroups(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 3)
		for _, list := range []string{"Test rides", "Electrics"} {
			got := call[work.ChangedWork](d, "update_work", args{"items": items, "list": list, "position": 2, "add_assignees": "me"})
			if got.Done != 3 || got.Results[2].Item.List.Name != list {
				d.Fatalf("got %+v", got)
			}
			held := upstream[[]record](d, fmt.Sprintf("/todolists/%d/todos.json", d.sandbox.TodolistID(launch, list)))
			for i, item := range items {
				if id := int64(held[i+1]["id"].(float64)); id != idIn(d, item) {
					d.Errorf("%s: number %d is %d instead of %s", list, i+2, id, item)
				}
			}
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
	})
}

func TestUpdateWork_SortsListsAndGroups(t *testing.T) {
	at(t, func(d *toolEnv) {
		set := fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launch, "todoset"))
		before := order(d, set)
		call[work.ChangedWork](d, "update_work", args{"items": []string{"list:" + before[2], "list:" + before[0]}, "project": launch, "position": 1})
		if got := order(d, set); got[0] != before[2] || got[1] != before[0] || got[2] != before[1] {
			d.Errorf("%v became %v", before, got)
		}
		parent := d.sandbox.TodolistID(launch, "Supplier follow-ups")
		groups := fmt.Sprintf("/todolists/%d/groups.json", parent)
		call[todos.CreatedTodolist](d, "create_todolist", args{"project": launch, "group_of": parent, "name": "New group"})
		if got := d.update("list:New group", args{"project": launch, "position": 1}); got.Item.Position != 1 || got.Previous.Position != len(order(d, groups)) {
			d.Errorf("%+v was %+v", got.Item, got.Previous)
		}
		if got := order(d, groups); got[0] != "New group" {
			d.Errorf("groups %v", got)
		}
	})
}

func TestUpdateWork_FilesDocumentsFilesAndFolders(t *testing.T) {
	at(t, func(d *toolEnv) {
		root := d.sandbox.ToolID(launch, "vault")
		d.meanwhile("POST", fmt.Sprintf("/vaults/%d/vaults.json", root), `{"title":"Archive box"}`)
		box := d.sandbox.FindIn(launch, "Vault", "Archive box")
		frames := d.sandbox.FindIn(launch, "Vault", "Frame")
		got := call[work.ChangedWork](d, "update_work", args{"items": []string{"document:Assembly handbook", "upload:launch-budget.csv", "folder:Frame"}, "project": launch, "folder": "Archive box"})
		if got.Done != 3 || got.Results[0].Item.Folder.Name != "Archive box" || got.Results[0].Previous.Folder == nil {
			d.Fatalf("%+v", got)
		}
		for _, r := range got.Results {
			if parent := d.kept(fmt.Sprintf("%s:%d", r.Item.Type, r.Item.ID))["parent"].(record)["id"]; parent != float64(box) {
				d.Errorf("%s is in %v", r.Item.Title, parent)
			}
		}
		if again := d.written(func() { d.update("document:Assembly handbook", args{"project": launch, "folder": box}) }); len(again) > 0 {
			d.Errorf("again: %v", again)
		}
		elsewhere := d.sandbox.ToolID("Winter Kit", "vault")
		folder := fmt.Sprint("folder:", box)
		d.refuses(fault.InvalidInput, "update_work", one(folder, args{"folder": box}), "items[0].folder", "is the folder that moves, or in it")
		d.refuses(fault.InvalidInput, "update_work", one(folder, args{"folder": frames}), "items[0].folder", "is the folder that moves, or in it")
		d.refuses(fault.NotFound, "update_work", one(folder, args{"folder": elsewhere}), "items[0].folder")
		if got := d.update("folder:Frame", args{"project": launch, "folder": root, "position": 1}); got.Item.Folder.ID != root {
			d.Errorf("%+v", got.Item)
		}
	})
}
