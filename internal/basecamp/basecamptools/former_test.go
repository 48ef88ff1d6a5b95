package basecamptools

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Every call that a former tool took changes the same item as before.
func TestFormerTools_AreUnderstoodAsTheToolsThatReplaceThem(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, other := d.sandbox.Find("Todo", photographer), d.sandbox.FindIn(launch, "Todo", "Order cartons")
		card := d.sandbox.Find("Kanban::Card", kickstand)
		for i, x := range []struct {
			tool   string
			in     args
			items  []int64
			fields args // in Basecamp
		}{
			{"update_todo", args{"todo": todo, "content": "Content"}, []int64{todo}, args{"content": "Content"}},
			{"update_todo", args{"todo": fmt.Sprint(todo), "title": "Title"}, []int64{todo}, args{"content": "Title"}},
			{"update_todo", args{"todo_id": todo, "name": "Name"}, []int64{todo}, args{"content": "Name"}},
			{"update_todo", args{"todo": d.url("todos", todo), "text": "Text", "due_on": nil}, []int64{todo}, args{"content": "Text"}},
			{"update_todo", args{"todo": "[a link](" + d.url("todos", todo) + ")", "deadline": "2031-05-20"}, []int64{todo}, args{"due_on": "2031-05-20"}},
			{"update_todo", args{"todo": "Order cartons", "project": launch, "description": "Big ones", "assigned_to": nil}, []int64{other}, args{"description": "<div>Big ones</div>"}},
			{"update_todo", args{"todo": "todo:Text", "project_id": launch, "list": "Parking lot", "position": "2", "content": nil}, []int64{todo}, args{"position": 1.0}},
			{"update_todo", args{"todo": todo, "starts_on": "none", "mentions": "Priya", "notes": "Look."}, []int64{todo}, args{"starts_on": nil}},
			{"update_todos", args{"todos": []any{todo, "Order cartons"}, "project": launch, "due_on": "2031-06-01"}, []int64{todo, other}, args{"due_on": "2031-06-01"}},
			{"update_todos", args{"todos": fmt.Sprintf("[%d]", todo), "add_assignees": "me", "due_on": "2031-06-02"}, []int64{todo}, args{"due_on": "2031-06-02"}},
			{"update_todos", args{"todo": todo, "due_on": "2031-06-03"}, []int64{todo}, args{"due_on": "2031-06-03"}},
			{"update_card", args{"card": card, "title": "Plate", "body": "New"}, []int64{card}, args{"title": "Plate", "content": "<div>New</div>"}},
			{"update_card", args{"card": "Plate", "project": launch, "content": "Newer", "assignees": "none"}, []int64{card}, args{"content": "<div>Newer</div>"}},
			{"update_card", args{"card_id": card, "text": "Newest"}, []int64{card}, args{"content": "<div>Newest</div>"}},
			{"move_card", args{"card": fmt.Sprint("card:", card), "column": "In review", "position": 2}, []int64{card}, args{"position": 2.0}},
			{"move_card", args{"cards": []any{card}, "column": "Done"}, []int64{card}, args{"completed": true}},
			{"move_card", args{"cards": []any{fmt.Sprint(card), d.url("card_tables/cards", d.sandbox.Find("Kanban::Card", "Matt clear coat"))}, "column": "Next", "project": launch}, []int64{card}, args{"completed": false}},
		} {
			text, isError := d.raw(x.tool, x.in)
			if isError || !strings.Contains(text, x.tool+" -\\u003e update_work") && !strings.Contains(text, x.tool+" -> update_work") {
				d.Errorf("%d: %s %v: %s", i, x.tool, x.in, text)
				continue
			}
			for _, id := range x.items {
				path := todoPath(id)
				if id == card {
					path = cardPath(id)
				}
				now := upstream[record](d, path)
				for field, want := range x.fields {
					if now[field] != want {
						d.Errorf("%d: %s %v: %s is %v", i, x.tool, x.in, field, now[field])
					}
				}
			}
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
	})
}
