package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/operationtools"
	"basecamp-mcp/internal/basecamp/sandbox"
)

// change is an entry of a history, as a client reads it.
type change struct {
	ID        int64
	CreatedAt time.Time `json:"created_at"`
	Author    struct{ Name string }
	What      string
}

func history(d *toolEnv, item int64) []change {
	return all[change](d, "read_basecamp", operation("get_history", args{"item": fmt.Sprint("card:", item)}))
}

func actionsOf(changes []change) []string {
	all := make([]string, len(changes))
	for i, c := range changes {
		all[i] = c.What
	}
	return all
}

func TestGetHistory_DescribesChangesInWords(t *testing.T) {
	at(t, func(d *toolEnv) {
		card := d.sandbox.Find("Kanban::Card", "Kickstand plate, 8 mm back")
		done := columnOf(d, card, "Kanban::DoneColumn")
		path := fmt.Sprintf("/card_tables/cards/%d", card)
		mateusz, noemie := d.sandbox.Person("Mateusz Wójcik").ID, d.sandbox.Person("Noémie Laurent").ID
		d.meanwhile("PUT", path+".json", fmt.Sprintf(`{"assignee_ids":[%d,%d]}`, noemie, mateusz))
		d.meanwhile("PUT", path+".json", fmt.Sprintf(`{"assignee_ids":[%d]}`, d.sandbox.Person("Ines Albrecht").ID))
		d.meanwhile("PUT", path+".json", `{"due_on":"2000-02-01"}`)
		d.meanwhile("PUT", path+".json", `{"title":"Kickstand plate, 9 mm back"}`)
		d.meanwhile("POST", path+"/moves.json", fmt.Sprintf(`{"column_id":%d}`, done))
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/archived.json", card), "")
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/active.json", card), "")
		changes := history(d, card)
		want := []string{
			"restored it", "archived it", `moved it from "In progress" to "Done"`, "completed it", "changed the text", "changed the dates",
			"assigned Ines Albrecht, unassigned Noémie Laurent and Mateusz Wójcik", "assigned Mateusz Wójcik",
			`moved it from "Triage" to "In progress"`, "created it",
		}
		if got := actionsOf(changes); !slices.Equal(got, want) {
			d.Errorf("got %v\nwant %v", got, want)
		}
		if !slices.IsSortedFunc(changes, func(a, b change) int { return b.CreatedAt.Compare(a.CreatedAt) }) || changes[0].Author.Name != "Ines Albrecht" || changes[0].ID == 0 {
			d.Errorf("got %+v", changes)
		}
	})
}

func TestGetHistory_ShowsAMoveOutOfADeletedColumn(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", kickstand)
		from := columnNamed(columnsOf(d, frame), "In progress").ID
		d.update(fmt.Sprint("card:", id), args{"column": "Done"})
		d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: fmt.Sprintf("/card_tables/columns/%d", from), Status: 404})
		changes := actionsOf(history(d, id))
		if !slices.Contains(changes, `moved it to "Done"`) || !slices.Contains(changes, "moved it") {
			d.Errorf("got %v", changes)
		}
		if got := readCard(d, args{"card": id}); got.LastMove == nil || got.LastMove.To != "Done" || got.LastMove.From != "" {
			d.Errorf("last move %+v", got.LastMove)
		}
	})
}

// columnOf returns the column of a type on the card table of a card.
func columnOf(d *toolEnv, card int64, kind string) int64 {
	d.Helper()
	type parent struct {
		Parent struct{ ID int64 }
	}
	at := upstream[parent](d, fmt.Sprintf("/card_tables/cards/%d.json", card)).Parent.ID
	table := upstream[parent](d, fmt.Sprintf("/card_tables/columns/%d.json", at)).Parent.ID
	for _, c := range upstream[struct {
		Lists []struct {
			ID   int64
			Type string
		}
	}](d, fmt.Sprintf("/card_tables/%d.json", table)).Lists {
		if c.Type == kind {
			return c.ID
		}
	}
	d.Fatalf("no column of type %s", kind)
	return 0
}

func TestGetHistory_ShowsTheIDOfAPersonWhoHasLeft(t *testing.T) {
	if got := operationtools.AllNames([]int64{5, 6}, map[int64]string{5: "Dele Adeyemi"}); got != "Dele Adeyemi and a person (id 6)" {
		t.Errorf("got %q", got)
	}
}
