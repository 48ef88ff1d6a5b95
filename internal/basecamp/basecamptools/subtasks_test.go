package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func stepTitles(d *toolEnv, path string) (titles []string) {
	d.Helper()
	for _, step := range upstream[record](d, path)["steps"].([]any) {
		titles = append(titles, step.(record)["title"].(string))
	}
	return titles
}

func TestAddSubtasks_ToATodoOrACardInOrder(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, card := d.sandbox.FindIn(launch, "Todo", photographer), d.sandbox.Find("Kanban::Card", kickstand)
		for _, x := range []struct {
			item, path string
			before     []string
		}{
			{fmt.Sprintf("todo:%d", todo), todoPath(todo), stepTitles(d, todoPath(todo))},
			{"card:" + kickstand, cardPath(card), stepTitles(d, cardPath(card))},
		} {
			got := call[work.SubtasksAdded](d, "add_subtasks", args{"item": x.item, "project": launch, "steps": []args{
				{"title": " Ask for a price ", "assignees": []string{"Noémie", "me"}, "due_on": "2031-05-30"}, {"title": "Order"}, {"title": "Fit"},
			}})
			if got.Created != 3 || got.Failed != 0 || len(got.Results) != 3 || got.Item.Title == "" || !strings.HasPrefix(x.item, got.Item.Type) || got.Item.URL == "" {
				d.Errorf("got %+v", got)
			}
			first := got.Results[0].Item
			if first.Title != "Ask for a price" || *first.DueOn != "2031-05-30" || len(first.Assignees) != 2 || first.Completed || got.Results[1].Item.DueOn != nil {
				d.Errorf("got %+v", first)
			}
			if diff := cmp.Diff(append(x.before, "Ask for a price", "Order", "Fit"), stepTitles(d, x.path)); diff != "" {
				d.Error(diff)
			}
		}
	})
}

func TestAddSubtasks_ToSeveralItems(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, card := d.sandbox.FindIn(launch, "Todo", photographer), d.sandbox.Find("Kanban::Card", kickstand)
		other := all[work.TaskItem](d, "list_work", args{"project": "Winter Kit", "kind": "todo"})[0].ID
		items := []string{fmt.Sprint("todo:", todo), fmt.Sprint("card:", card), fmt.Sprint("todo:", other)}
		paths := []string{todoPath(todo), cardPath(card), todoPath(other)}
		var want [][]string
		for _, path := range paths {
			want = append(want, append(stepTitles(d, path), "Check", "Sign"))
		}
		steps := []args{{"title": "Check", "assignees": "me"}, {"title": "Sign"}}
		got := call[work.SubtasksAdded](d, "add_subtasks", args{"items": items, "steps": steps})
		for i, path := range paths {
			if diff := cmp.Diff(want[i], stepTitles(d, path)); diff != "" {
				d.Error(diff)
			}
			if on := got.Results[2*i+1].Item; on.Title != "Sign" || fmt.Sprintf("%s:%d", on.On.Type, on.On.ID) != items[i] {
				d.Errorf("%+v, want it on %s", on, items[i])
			}
		}
		if got.Created != 6 || got.Item != nil || len(got.Results[0].Item.Assignees) != 1 {
			d.Errorf("got %+v", got)
		}
		d.refuses(fault.InvalidInput, "add_subtasks", args{"items": append(items, items[0]), "steps": steps}, "items[3]", "same item")
		d.refuses(fault.InvalidInput, "add_subtasks", args{"items": items, "item": items[0], "steps": steps}, "not both")
		d.refuses(fault.InvalidInput, "add_subtasks", args{"items": items, "steps": slices.Repeat(steps, 9)}, "18 steps", "50 subtasks")
		f := d.refuses(fault.InvalidInput, "add_subtasks", args{"items": []string{items[0], "message:1"}, "steps": []args{{"title": "Ask", "due_on": "soon"}}})
		d.problems(f, "items[1]", "steps[0].due_on")
	})
}

func TestAddSubtasks_OneInvalidStepMeansThatNoneIsAdded(t *testing.T) {
	at(t, func(d *toolEnv) {
		f := d.refuses(fault.InvalidInput, "add_subtasks", args{"item": "card:" + kickstand, "project": launch, "steps": []args{
			{"title": "Ask"}, {"title": " "}, {"title": "Order", "assignees": "Zelda"}, {"title": "Fit", "due_on": "soon"}, {"title": "Ride"},
		}}, "nothing was written")
		d.problems(f, "steps[1].title", "steps[2].assignees[0]", "steps[3].due_on")
	})
}

func TestAddSubtasks_OneFailureOfBasecampDoesNotStopTheOthers(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Delay: time.Millisecond, Times: 1})
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Status: http.StatusForbidden, Times: 1})
		got := call[work.SubtasksAdded](d, "add_subtasks", args{"item": "card:" + kickstand, "project": launch, "steps": []args{{"title": "Ask"}, {"title": "Order"}, {"title": "Ride"}}})
		if got.Created != 2 || got.Failed != 1 || !got.Results[2].OK || got.Results[1].Error.Code != fault.PermissionDenied {
			d.Errorf("got %+v", got)
		}
	})
}

func TestAddSubtasks_RefusesItemsWithoutSubtasks(t *testing.T) {
	at(t, func(d *toolEnv) {
		one := []args{{"title": "Ask"}}
		d.refuses(fault.InvalidInput, "add_subtasks", args{"item": "message:1", "steps": one}, "item", "todo or card")
		d.refuses(fault.InvalidInput, "add_subtasks", args{"item": "card:" + kickstand, "project": launch, "steps": []args{}}, "steps")
		d.refuses(fault.InvalidInput, "add_subtasks", args{"item": "card:" + kickstand, "project": launch}, "steps")
		d.refuses(fault.InvalidInput, "add_subtasks", args{"item": "card:" + kickstand, "project": launch, "steps": make([]args, 21)}, "steps")
		d.refuses(fault.Ambiguous, "add_subtasks", args{"item": "card:Kickstand", "steps": one}, "only part of a title")
		for kind, id := range map[string]int64{"todo": d.sandbox.FindIn(launch, "Todo", photographer), "card": d.sandbox.Find("Kanban::Card", kickstand)} {
			d.refuses(fault.NotFound, "add_subtasks", args{"item": kind + ":12345", "steps": one}, "12345")
			d.refuses(fault.NotFound, "add_subtasks", args{"item": fmt.Sprintf("%s:%d", kind, id), "project": "Company HQ", "steps": one}, "project")
		}
	})
}

func TestAddSubtasks_ReadsOnceForAnyNumber(t *testing.T) {
	at(t, func(d *toolEnv) {
		item := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", kickstand))
		three := []args{{"title": "a", "assignees": "Noémie"}, {"title": "b", "assignees": "Samo"}, {"title": "c", "assignees": "Noémie"}}
		add := func() { d.raw("add_subtasks", args{"item": item, "steps": three}) }
		if cold := d.asked(add); len(cold) > 1+2+3 { // the card, the people on the project and in the account
			d.Errorf("cold: %v", cold)
		}
	})
}

func TestShowSubtask_NamesItsParent(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		got, err := rs.Work.ShowSubtask(ctx, d.sandbox.Find("Kanban::Step", "Measure the heel"))
		if err != nil || got.Type != "subtask" || got.Title != "Measure the heel" || !got.Completed || got.CompletedAt == nil || got.Parent.Title != kickstand ||
			got.Parent.Type != "card" || len(got.Assignees) != 1 || got.Project.Name != launch || got.URL == "" {
			d.Errorf("%v, %+v", err, got)
		}
		if _, err := rs.Work.ShowSubtask(ctx, 12345); !fault.Is(err, fault.NotFound) {
			d.Error(err)
		}
	})
}
