package basecamptools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

const frame = "Frame design"

func columnNames(b work.Board) (names []string) {
	for _, c := range b.Columns {
		names = append(names, fmt.Sprintf("%s %s %s %d/%d", c.Type, c.Name, c.Color, len(c.Cards), c.CardsCount))
	}
	return names
}

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

func TestGetBoard_ShowsColumnsInOrderWithTheirCards(t *testing.T) {
	at(t, func(d *toolEnv) {
		b := columnsOf(d, frame)
		want := []string{
			"triage Triage  5/5", "not_now Not now  0/3", "column Next yellow 3/3", "column In progress blue 4/4",
			"column In review purple 2/2", "column Waiting for others  2/2", "done Done  0/8",
		}
		if diff := cmp.Diff(want, columnNames(b)); diff != "" {
			d.Error(diff)
		}
		if b.Type != "board" || b.Title != frame || b.Project.Name != launch || !strings.Contains(b.URL, "/card_tables/") {
			d.Errorf("got %+v", b)
		}
		if done := columnNamed(b, "Done"); !done.More || columnNamed(b, "Triage").More {
			d.Errorf("more: %v of Done, %v of Triage", done.More, columnNamed(b, "Triage").More)
		}
		card := columnNamed(b, "In progress").Cards[0]
		if card.Type != "card" || card.Title != "Kickstand plate, 8 mm back" || card.StepsDone != 1 || card.StepsTotal != 3 || card.CommentsCount != 1 ||
			card.Assignees[0].Name != "Noémie Laurent" || card.DueOn == nil || card.Completed || !strings.Contains(card.Content, "Heel clearance") {
			d.Errorf("got %+v", card)
		}
	})
}

func TestGetBoard_SendsOneRequestPerColumnShown(t *testing.T) {
	at(t, func(d *toolEnv) {
		read := func() { call[work.Board](d, "get_board", args{"project": launch, "board": frame}) }
		if cold := d.asked(read); len(cold) > 8 {
			d.Errorf("cold: %v", cold)
		}
		if warm := d.asked(read); len(warm) != 1+5 {
			d.Errorf("warm: %v", warm)
		}
		d.meanwhile("POST", fmt.Sprintf("/card_tables/%d/columns.json", columnsOf(d, frame).ID), `{"title":"Empty"}`)
		if warm := d.asked(read); len(warm) != 1+5 {
			d.Errorf("with an empty column: %v", warm)
		}
		one := d.asked(func() {
			call[work.Board](d, "get_board", args{"project": launch, "board": frame, "column": "Done", "assignee": "Noémie"})
		})
		if len(one) != 4 { // and who else is called so
			d.Errorf("one column: %v", one)
		}
	})
}

func TestGetBoard_ContinuesAColumnByCursor(t *testing.T) {
	at(t, func(d *toolEnv) {
		whole := columnNamed(columnsOf(d, frame), "Triage")
		first := columnNamed(call[work.Board](d, "get_board", args{"project": launch, "board": frame, "per_column": 2}), "Triage")
		titles, cursor := cardTitles(first), first.NextCursor
		for range 10 {
			if cursor == "" {
				break
			}
			in := args{"project": launch, "board": frame, "column": "triage", "per_column": 2, "cursor": cursor}
			next := call[work.Board](d, "get_board", in)
			if len(next.Columns) != 1 || next.Columns[0].More != (next.Columns[0].NextCursor != "") {
				d.Fatalf("got %+v", next)
			}
			titles, cursor = append(titles, cardTitles(next.Columns[0])...), next.Columns[0].NextCursor
		}
		if diff := cmp.Diff(cardTitles(whole), titles); diff != "" || !first.More {
			d.Errorf("more %v, %s", first.More, diff)
		}
		d.fails(fault.InvalidInput, "get_board", args{"project": launch, "board": frame, "cursor": first.NextCursor}, "cursor", "column")
		d.fails(fault.InvalidInput, "get_board", args{"project": launch, "board": frame, "column": "Next", "cursor": first.NextCursor}, "cursor", "other arguments")
		d.fails(fault.InvalidInput, "get_board", args{"project": launch, "board": frame, "per_column": 0}, "per_column")
	})
}

func TestGetBoard_AcceptsAColumnByIDNameOrURL(t *testing.T) {
	at(t, func(d *toolEnv) {
		done := columnNamed(columnsOf(d, frame), "Done")
		for _, reference := range []any{done.ID, fmt.Sprint(done.ID), "done", "DON", done.URL} {
			got := call[work.Board](d, "get_board", args{"project": launch, "board": frame, "column": reference})
			if len(got.Columns) != 1 || len(got.Columns[0].Cards) != 8 || !got.Columns[0].Cards[0].Completed || got.Columns[0].Cards[0].CompletedAt == nil {
				d.Errorf("%v: %+v", reference, columnNames(got))
			}
		}
		if f := d.fails(fault.Ambiguous, "get_board", args{"project": launch, "board": frame, "column": "In"}, "column"); len(f.Data.Candidates) < 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		d.fails(fault.InvalidInput, "get_board", args{"project": launch, "board": frame, "column": done.Cards}, "column")
		d.fails(fault.InvalidInput, "get_board", args{"project": launch, "board": frame, "column": columnsOf(d, frame).URL}, "must be the URL of a column")
	})
}

func TestGetBoard_AsksWhichOfSeveralCardTables(t *testing.T) {
	at(t, func(d *toolEnv) {
		if f := d.fails(fault.Ambiguous, "get_board", args{"project": launch}, "board", "2 card tables"); len(f.Data.Candidates) != 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		d.fails(fault.Ambiguous, "get_board", args{"project": launch, "column": "Testing"})
		testing := columnNamed(columnsOf(d, "Web shop"), "Testing")
		for _, reference := range []any{testing.ID, testing.URL} {
			if got := call[work.Board](d, "get_board", args{"project": launch, "column": reference}); got.Title != "Web shop" || got.Columns[0].Name != "Testing" {
				d.Errorf("%v: %+v", reference, got)
			}
		}
		if got := call[work.Board](d, "get_board", args{"project": launch, "board": columnsOf(d, "Web shop").URL}); got.Title != "Web shop" {
			d.Errorf("by URL: %q", got.Title)
		}
		d.fails(fault.NotFound, "get_board", args{"project": launch, "column": 12345}, "column", "12345")
		d.fails(fault.NotFound, "get_board", args{"project": launch, "board": frame, "column": testing.ID}, "column")
		if got := call[work.Board](d, "get_board", args{"project": "Workshop & Tools"}); got.Columns[1].Name == "" {
			d.Errorf("the only one: %+v", got)
		}
		d.fails(fault.ToolNotEnabled, "get_board", args{"project": "Photo Library"}, "Photo Library", "card table")
	})
}

func TestGetBoard_ShowsOnlyTheCardsOfAnAssignee(t *testing.T) {
	at(t, func(d *toolEnv) {
		b := call[work.Board](d, "get_board", args{"project": launch, "board": frame, "assignee": "Mateusz"})
		want := []string{"Deck rails: second weld pass underneath", "Cable guide, printed instead of welded"}
		var got []string
		for _, c := range b.Columns {
			got = append(got, cardTitles(c)...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			d.Error(diff)
		}
		d.fails(fault.NotFound, "get_board", args{"project": launch, "board": frame, "assignee": "Zelda"}, "assignee")
		in := args{"project": launch, "board": frame, "assignee": "Noémie", "per_column": 1}
		in["column"], in["cursor"] = "In progress", columnNamed(call[work.Board](d, "get_board", in), "In progress").NextCursor
		if got := cardTitles(call[work.Board](d, "get_board", in).Columns[0]); len(got) != 1 || got[0] == kickstand {
			d.Errorf("the second: %v", got)
		}
		delete(in, "assignee")
		d.fails(fault.InvalidInput, "get_board", in, "cursor", "other arguments")
	})
}

func TestGetBoard_MarksCardsOnHold(t *testing.T) {
	at(t, func(d *toolEnv) {
		doing := columnNamed(columnsOf(d, frame), "In progress")
		hold(d, doing.ID, "Seat for a rider of 1.52 m")
		got := columnNamed(columnsOf(d, frame), "In progress")
		last := got.Cards[len(got.Cards)-1]
		if got.OnHold == nil || *got.OnHold != 1 || got.CardsCount != 3 || len(got.Cards) != 4 || !last.OnHold || last.Title != "Seat for a rider of 1.52 m" || got.Cards[0].OnHold {
			d.Errorf("got %+v", got)
		}
		if next := columnNamed(columnsOf(d, frame), "Next"); next.OnHold != nil {
			d.Errorf("got %+v", next)
		}
	})
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

func TestGetBoard_FailsIfNoColumnCanBeRead(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/card_tables/lists/", Status: http.StatusForbidden})
		d.fails(fault.PermissionDenied, "get_board", args{"project": launch, "board": frame})
	})
}

func TestGetBoard_FailsIfTheCardTableOfTheColumnCannotBeRead(t *testing.T) {
	at(t, func(d *toolEnv) {
		tables := d.sandbox.ToolIDs(launch, "kanban_board")
		column := columnNamed(columnsOf(d, frame), "Next").ID
		d.sandbox.Inject(sandbox.Fault{PathPrefix: fmt.Sprintf("/card_tables/%d.json", tables[1]), Status: http.StatusForbidden})
		if got := call[work.Board](d, "get_board", args{"project": launch, "column": column}); got.ID != tables[0] {
			d.Errorf("got %+v", got)
		}
		d.sandbox.ClearFaults()
		d.sandbox.Inject(sandbox.Fault{PathPrefix: fmt.Sprintf("/card_tables/%d.json", tables[0]), Status: http.StatusForbidden})
		d.fails(fault.PermissionDenied, "get_board", args{"project": launch, "column": column})
	})
}

// A board has few columns, and the nearest name is often wrong: for "Doing" it is "Done".
func TestColumns_AreAllListedIfANameIsUnknown(t *testing.T) {
	at(t, func(d *toolEnv) {
		card := fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand))
		for tool, in := range map[string]args{
			"get_board": {"project": launch, "board": frame, "column": "Doing"}, "update_work": {"items": thoseItems(card), "column": "Doing"},
		} {
			f := d.fails(fault.NotFound, tool, in, `there are "Triage", "Not now", "Next", "In progress", "In review", "Waiting for others", "Done"`)
			if len(f.Data.Nearest) != 7 {
				d.Errorf("%s: nearest %v", tool, f.Data.Nearest)
			}
		}
		d.fails(fault.NotFound, "get_board", args{"project": launch, "board": "Paint"}, `there are "Frame design", "Web shop"`)
		d.fails(fault.NotFound, "create_message", args{"project": launch, "subject": "x", "body": "y", "category": "Rumour"}, `there are "`)
	})
}
