package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/report/fault"
)

const frame = "Frame design"

func columnNamed(b work.Board, name string) work.Column {
	return b.Columns[slices.IndexFunc(b.Columns, func(c work.Column) bool { return c.Name == name })]
}

func cardTitles(c work.Column) (titles []string) {
	for _, card := range c.Cards {
		titles = append(titles, card.Title)
	}
	return titles
}

// columnsOf returns the columns of a board of the launch project.
func columnsOf(d *toolEnv, title string) work.Board {
	d.Helper()
	return call[work.Board](d, "get_board", args{"project": launch, "board": title, "per_column": 50})
}

func TestGetBoard(t *testing.T) {
	const testing, cards = "{Kanban::Column:Testing@Cargo Bike Launch}", "columns.*.cards.*.title"
	cases(t, "get_board", args{"project": launch, "board": frame},
		row{fact: "columns are in order, with their cards and what they hold", in: args{"per_column": 50}, holds: holds{
			"type": "board", "title": frame, "project.name": launch, "url": has("/card_tables/"),
			"columns.*.name": []string{"Triage", "Not now", "Next", "In progress", "In review", "Waiting for others", "Done"},
			"columns.0.type": "triage", "columns.1.type": "not_now", "columns.2.type": "column", "columns.6.type": "done", "columns.3.color": "blue",
			"columns.0.cards.#": 5, "columns.0.cards_count": 5, "columns.0.more": nil, "columns.6.cards.#": 0, "columns.6.cards_count": 8, "columns.6.more": true,
			"columns.3.cards.0.title": kickstand, "columns.3.cards.0.steps_done": 1, "columns.3.cards.0.steps_total": 3, "columns.3.cards.0.comments_count": 1,
			"columns.3.cards.0.assignees.0.name": "Noémie Laurent", "columns.3.cards.0.due_on": some, "columns.3.cards.0.completed": nil, "columns.3.cards.0.content": has("Heel clearance"),
		}},
		row{fact: "each column shown is one request", requests: 8, then: []row{
			{requests: 6},
			{fact: "an empty column costs no request", before: []string{`POST /card_tables/{Kanban::Board:Frame design}/columns.json {"title":"Empty"}`}, requests: 6},
			{fact: "a column by name reads only its cards, and who else is called so", in: args{"column": "Done", "assignee": "Noémie"}, requests: 4},
		}},
		row{fact: "a column goes on by its cursor", in: args{"column": "triage", "per_column": 2}, holds: holds{"columns.0.more": true, "columns.0.cards.#": 2}, then: []row{
			{in: args{"column": "triage", "per_column": 2, "cursor": "{.columns.0.next_cursor}"}, holds: holds{"columns.#": 1, "columns.0.more": true, "columns.0.cards.#": 2}},
			{in: args{"column": "triage", "per_column": 2, "cursor": "{.columns.0.next_cursor}"}, holds: holds{"columns.0.more": nil, "columns.0.next_cursor": nil, "columns.0.cards.#": 1}},
			{in: args{"cursor": "{0.columns.0.next_cursor}"}, fails: fault.InvalidInput, says: says{"cursor", "column"}},
			{in: args{"column": "Next", "cursor": "{0.columns.0.next_cursor}"}, fails: fault.InvalidInput, says: says{"cursor", "other arguments"}},
		}},
		row{fact: "a page has a card", in: args{"per_column": 0}, fails: fault.InvalidInput, says: says{"per_column"}},
		row{fact: "a column is given by its name or its beginning", each: []args{{"column": "done"}, {"column": "DON"}},
			holds: holds{"columns.#": 1, "columns.0.cards.#": 8, "columns.0.cards.0.completed": true, "columns.0.cards.0.completed_at": some}, then: []row{
				{fact: "by its ID or URL", each: []args{{"column": "{0.columns.0.id}"}, {"column": "{0.columns.0.url}"}}, holds: holds{"columns.0.id": "{0.columns.0.id}"}},
				{fact: "a card is no column", in: args{"column": "{0.columns.0.cards.0.url}"}, fails: fault.InvalidInput, says: says{"column"}},
				{fact: "a board is no column", in: args{"column": "{0.url}"}, fails: fault.InvalidInput, says: says{"must be the URL of a column"}},
			}},
		row{fact: "a name must fit one column", in: args{"column": "In"}, fails: fault.Ambiguous, says: says{"column"}, holds: holds{"data.candidates.#": least(2)}},
		row{fact: "a name of no column tells them all", in: args{"column": "Doing"}, fails: fault.NotFound, holds: holds{"data.nearest.#": 7},
			says: says{`there are "Triage", "Not now", "Next", "In progress", "In review", "Waiting for others", "Done"`}},
		row{fact: "so does a move", tool: "update_work", in: args{"items": []args{{"item": "card:{Kanban::Card:Kickstand plate, 8 mm back}"}}, "column": "Doing"}, fails: fault.NotFound,
			holds: holds{"data.nearest.#": 7}},
		row{fact: "a name of no board tells them all", in: args{"board": "Paint"}, fails: fault.NotFound, says: says{`there are "Frame design", "Web shop"`}},
		row{fact: "a name of no category tells them all", tool: "create_message", in: args{"project": launch, "subject": "x", "body": "y", "category": "Rumour"}, fails: fault.NotFound, says: says{`there are "`}},
		row{fact: "the board is asked for among several", each: []args{{"board": nil}, {"board": nil, "column": "Testing"}}, fails: fault.Ambiguous, says: says{"board", "2 card tables"}, holds: holds{"data.candidates.#": 2}},
		row{fact: "a column tells its board", in: args{"board": "Web shop", "column": "Testing"}, holds: holds{"columns.0.name": "Testing"}, then: []row{
			{each: []args{{"board": nil, "column": "{0.columns.0.id}"}, {"board": nil, "column": "{0.columns.0.url}"}, {"board": "{0.url}"}}, holds: holds{"title": "Web shop"}},
			{fact: "and is not on another", in: args{"column": "{0.columns.0.id}"}, fails: fault.NotFound, says: says{"column"}},
		}},
		row{fact: "an unknown column", in: args{"board": nil, "column": 12345}, fails: fault.NotFound, says: says{"column", "12345"}},
		row{fact: "the only board needs no name", in: args{"project": "Workshop & Tools", "board": nil}, holds: holds{"columns.1.name": some}},
		row{fact: "a project without a card table", in: args{"project": "Photo Library", "board": nil}, fails: fault.ToolNotEnabled, says: says{"Photo Library", "card table"}},
		row{fact: "only cards of an assignee", in: args{"assignee": "Mateusz"}, holds: holds{cards: []any{"Deck rails: second weld pass underneath", "Cable guide, printed instead of welded"}}},
		row{fact: "an unknown assignee", in: args{"assignee": "Zelda"}, fails: fault.NotFound, says: says{"assignee"}},
		row{fact: "cards of an assignee go on by the cursor", in: args{"assignee": "Noémie", "per_column": 1, "column": "In progress"}, holds: holds{cards: []any{kickstand}}, then: []row{
			{in: args{"assignee": "Noémie", "per_column": 1, "column": "In progress", "cursor": "{0.columns.0.next_cursor}"}, holds: holds{cards: []any{"Deck rails: second weld pass underneath"}, "columns.0.cards.0.assignees": has("Noémie")}},
			{in: args{"per_column": 1, "column": "In progress", "cursor": "{0.columns.0.next_cursor}"}, fails: fault.InvalidInput, says: says{"cursor", "other arguments"}},
		}},
		row{fact: "cards on hold are marked", setup: func(d *toolEnv) {
			hold(d, columnNamed(columnsOf(d, frame), "In progress").ID, "Seat for a rider of 1.52 m")
		},
			in: args{"column": "In progress"}, holds: holds{"columns.0.on_hold_count": 1, "columns.0.cards_count": 3, "columns.0.cards.#": 4, "columns.0.cards.3.on_hold": true, "columns.0.cards.3.title": "Seat for a rider of 1.52 m", "columns.0.cards.0.on_hold": nil}},
		row{fact: "no column can be read", faults: faults{{PathPrefix: "/card_tables/lists/", Status: 403}}, fails: fault.PermissionDenied},
		row{fact: "the table of the column cannot be read", faults: faults{{PathPrefix: "/card_tables/{tool:kanban_board@Cargo Bike Launch}.json", Status: 403}},
			in: args{"board": nil, "column": "{Kanban::Column:Next@Cargo Bike Launch}"}, fails: fault.PermissionDenied},
		row{fact: "another table cannot be read", faults: faults{{PathPrefix: "/card_tables/{tool:kanban_board 1@Cargo Bike Launch}.json", Status: 403}},
			in: args{"board": nil, "column": "{Kanban::Column:Next@Cargo Bike Launch}"}, holds: holds{"title": frame}},
	)
}

// hold puts a card on hold in a column.
func hold(d *toolEnv, column int64, title string) {
	d.Helper()
	path := fmt.Sprintf("/card_tables/columns/%d", column)
	d.meanwhile("POST", path+"/on_hold.json", "")
	section := upstream[record](d, path+".json")["on_hold"].(record)["id"]
	d.meanwhile("POST", fmt.Sprintf("/card_tables/cards/%d/moves.json", d.sandbox.Find("Kanban::Card", title)), fmt.Sprintf(`{"column_id":%.0f}`, section))
}

func TestGetBoard_FitsManyLongCardsAndReachesAll(t *testing.T) {
	at(t, func(d *toolEnv) {
		text := strings.Repeat("Seven sentences on spokes. ", 100)
		for _, name := range []string{"Next", "In review"} {
			path := fmt.Sprintf("/card_tables/lists/%d/cards.json", columnNamed(columnsOf(d, frame), name).ID)
			for i := range 60 {
				d.meanwhile("POST", path, fmt.Sprintf(`{"title":"Spoke %d","content":"<div>%s</div>"}`, i, text))
			}
		}
		raw, _ := d.raw("get_board", args{"project": launch, "board": frame, "per_column": 50})
		var b work.Board
		if err := json.Unmarshal([]byte(raw), &b); err != nil || len(raw) > 50_000 {
			d.Fatalf("%v, %d bytes", err, len(raw))
		}
		for _, name := range []string{"Next", "In review"} {
			c := columnNamed(b, name)
			if len(c.Cards) < 15 || !c.More || !c.Cards[10].Truncated || len([]rune(c.Cards[10].Content)) > parts.MaxWritten+1 {
				d.Errorf("%s: %d cards, more %v", name, len(c.Cards), c.More)
			}
			seen := cardTitles(c)
			for cursor := c.NextCursor; cursor != ""; {
				next := call[work.Board](d, "get_board", args{"project": launch, "board": frame, "column": c.ID, "per_column": 50, "cursor": cursor}).Columns
				if len(next) != 1 || len(seen) > c.CardsCount {
					d.Fatalf("%s: %d columns after %d of %d cards", name, len(next), len(seen), c.CardsCount)
				}
				seen, cursor = append(seen, cardTitles(next[0])...), next[0].NextCursor
			}
			slices.Sort(seen)
			if n := len(seen); n != c.CardsCount || len(slices.Compact(seen)) != n {
				d.Errorf("%s: saw %d of %d cards", name, n, c.CardsCount)
			}
		}
	})
}
