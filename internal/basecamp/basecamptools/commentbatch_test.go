package basecamptools

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/fault"
)

func TestCreateComment_LeavesTheSameOnSeveralItems(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := cardsMade(d, "Next", 5)
		vote := d.sandbox.Find("Message", colourVote)
		reply := commentsOn(d, vote)[0]["app_url"].(string)
		items = append(items, reply, fmt.Sprintf("todo:%d", d.sandbox.FindIn(launchProject, "Todo", "Print the serial number plates")))
		got, asked := costing[parts.NewComments](d, "create_comment", args{"items": items, "body": "Postponed to **Monday**, @Hanna."})
		if got.Done != 7 || got.Failed != 0 || len(writesIn(asked)) != 7 {
			d.Fatalf("%+v: %v", got, writesIn(asked))
		}
		for i, r := range got.Results {
			if !r.OK || r.Item.ID == 0 || r.Item.URL == "" || !slices.Contains(r.Item.Mentioned, "Hanna Koivisto") {
				d.Errorf("%s: %+v", items[i], r)
			}
		}
		if on := got.Results[5].Item.Item; on == nil || on.ID != vote {
			d.Errorf("the reply is on %+v", on)
		}
		last := commentsOn(d, vote)
		if text := fmt.Sprint(last[len(last)-1]["content"]); text == "" {
			d.Error("the reply has no text")
		}
	})
}

func TestCreateComment_OnSeveralItemsWritesNothingIfOneIsWrong(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := cardsMade(d, "Next", 2)
		d.refusesAll("create_comment", args{"body": "Seen."}, []refusedCall{
			{args{"items": []string{}}, fault.InvalidInput, "at least one item"},
			{args{"items": items, "item": items[0]}, fault.InvalidInput, "not both"},
			{args{}, fault.InvalidInput, "item: is required, or items"},
			{args{"items": []string{items[0], "card:1"}}, fault.NotFound, "items[1]"},
			{args{"items": []string{items[0], items[1], items[0]}}, fault.InvalidInput, "items[2]: is the same item as items[0]"},
			{args{"items": []string{items[0], "chat_line:5"}}, fault.InvalidInput, "items[1]: chat lines have no comments"},
			{args{"items": items, "mentions": "Sam Lindqvist"}, fault.InvalidInput, "mentions"},
		})
	})
}

func TestCreateComment_OnSeveralItemsTellsWhoReadsEach(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		seen, hidden := d.room(true), d.room(false)
		items := []string{fmt.Sprintf("todo:%d", seen.todo), fmt.Sprintf("todo:%d", hidden.todo)}
		got := call[parts.NewComments](d, "create_comment", args{"items": items, "body": "Seen."})
		for i, want := range []any{[]any{lieke}, nil} {
			if item := got.Results[i].Item; !cmp.Equal(item.ClientsSee, want) || len(item.LeftOut) > 0 {
				d.Errorf("%s: clients_see %v, left out %v", items[i], item.ClientsSee, item.LeftOut)
			}
		}
	})
}
