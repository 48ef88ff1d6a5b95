package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

// cardsMade creates cards in a column of a board, and returns their references.
func cardsMade(d *toolEnv, column string, n int) (refs []string) {
	for i := range n {
		made := call[changedCard](d, "create_card", args{"project": launch, "board": "Frame design", "column": column, "title": fmt.Sprintf("Lug %d", i)})
		refs = append(refs, fmt.Sprintf("card:%d", made.ID))
	}
	return refs
}

func TestMoveCard_MovesSeveralInOneCallAndKeepsTheirOrder(t *testing.T) {
	at(t, func(d *toolEnv) {
		cards := cardsMade(d, "Next", 6)
		in := args{"cards": cards, "project": launch, "column": "Done"}
		asked := d.asked(func() {
			got := call[movedCards](d, "move_card", in)
			if got.Done != 6 || got.Failed != 0 || len(got.Results) != 6 {
				d.Errorf("%+v", got)
			}
			for i, r := range got.Results {
				if !r.OK || !r.Item.Moved || !r.Item.Completed || r.Item.Title != fmt.Sprintf("Lug %d", i) || r.Item.Column.Name != "Done" || r.Item.From.Name != "Next" {
					d.Errorf("%d: %+v", i, r.Item)
				}
			}
		})
		if len(changes(asked)) != 6 {
			d.Errorf("%v", changes(asked))
		}
		shown := call[board](d, "get_board", args{"project": launch, "board": "Frame design", "column": "Done"})
		var top []string
		for _, c := range shown.Columns[0].Cards[:6] {
			top = append(top, fmt.Sprintf("card:%d", c.ID))
		}
		if !slices.Equal(top, cards) {
			d.Errorf("the top of the column is %v, want %v", top, cards)
		}
		if again := d.written(func() {
			if got := call[movedCards](d, "move_card", in); got.Done != 6 || got.Results[0].Item.Moved {
				d.Errorf("again: %+v", got.Results[0].Item)
			}
		}); len(again) > 0 {
			d.Errorf("again: %v", again)
		}
	})
}

func TestMoveCard_OfSeveralWritesNothingIfOneCannotBeMoved(t *testing.T) {
	at(t, func(d *toolEnv) {
		cards := cardsMade(d, "Next", 2)
		for _, c := range []struct {
			in   args
			code fault.Code
			says string
		}{
			{args{"cards": []string{}}, fault.InvalidInput, "at least one card"},
			{args{"cards": cards, "card": cards[0]}, fault.InvalidInput, "not both"},
			{args{}, fault.InvalidInput, "card: is required, or cards"},
			{args{"cards": []string{cards[0], "No such lug"}}, fault.NotFound, "cards[1]: "},
			{args{"cards": []string{cards[0], strings.TrimPrefix(cards[0], "card:")}}, fault.InvalidInput, "is the same item as cards[0]"},
			{args{"cards": cards, "column": "Paint"}, fault.NotFound, "column: "},
			{args{"cards": []any{cards[0], d.sandbox.FindIn(launchProject, "Todo", "Print the serial number plates")}}, fault.InvalidInput, "cards[1]"},
		} {
			in := args{"project": launch, "column": "Done"}
			maps.Copy(in, c.in)
			if written := d.written(func() { d.fails(c.code, "move_card", in, c.says) }); len(written) > 0 {
				d.Errorf("%v: %v", c.in, written)
			}
		}
	})
}
