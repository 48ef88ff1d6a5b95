package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/fault"
)

// openWorkOf returns the number of open to-dos and cards of a person in the launch project.
func openWorkOf(d *toolEnv, name string) int {
	return len(all[work.TaskItem](d, "list_work", args{"assignee": name, "project": launch}))
}

func TestUpdateWork_OfAPersonChangesNothingUntilTheCountIsConfirmed(t *testing.T) {
	at(t, func(d *toolEnv) {
		const hanna = "Hanna Koivisto"
		count := openWorkOf(d, hanna)
		in := args{"of": args{"assignee": hanna, "project": launch}, "add_assignees": "Priya", "remove_assignees": hanna}
		var found work.FoundWork
		if written := d.written(func() { found = call[work.FoundWork](d, "update_work", in) }); len(written) > 0 || found.Count != count || count == 0 || len(found.First) != min(10, count) ||
			found.First[0].Title == "" || !strings.Contains(found.Confirm, fmt.Sprint("confirm_count ", count)) {
			d.Fatalf("wrote %v, %+v", written, found)
		}
		time.Sleep(time.Minute) // synctest's clock, for the rate limit
		in["confirm_count"] = count + 1
		d.refuses(fault.InvalidInput, "update_work", in, "confirm_count", fmt.Sprint("selects ", count, " items now"), "nothing was changed")
		in["confirm_count"] = count
		if got := call[work.ChangedWork](d, "update_work", in); got.Done != count || got.Failed > 0 {
			d.Errorf("%+v", got)
		}
		time.Sleep(time.Minute)
		if left := openWorkOf(d, hanna); left != 0 {
			d.Errorf("%d are left", left)
		}
		delete(in, "confirm_count")
		if found = call[work.FoundWork](d, "update_work", in); found.Count != 0 || !strings.Contains(found.Confirm, "no such open work") {
			d.Errorf("%+v", found)
		}
	})
}

func TestUpdateWork_OfAPersonNamesTheProjectThatTheNewAssigneeIsNotOn(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"of": args{"assignee": "Sam Lindqvist"}, "add_assignees": "Jonas"}
		in["confirm_count"] = call[work.FoundWork](d, "update_work", in).Count
		time.Sleep(time.Minute) // synctest's clock, for the rate limit
		refused := d.refuses(fault.InvalidInput, "update_work", in, "Dealer Network", "Leasing Partners", "change_project")
		for i, near := range refused.Data.Nearest {
			if slices.Contains(refused.Data.Nearest[:i], near) {
				d.Errorf("%s is told twice", near.Name)
			}
		}
	})
}

func TestUpdateWork_OfAPersonWithMuchWorkGoesOnWithTheRest(t *testing.T) {
	at(t, func(d *toolEnv) {
		for range 3 {
			made := slices.Repeat([]args{{"content": "Order labels", "assignees": "Mateusz"}}, 18)
			call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", made...))
			time.Sleep(time.Minute) // synctest's clock, for the rate limit
		}
		in := args{"of": args{"assignee": "Mateusz"}, "project": launch, "due_on": "2031-05-20"}
		if found := call[work.FoundWork](d, "update_work", in); found.Count <= len(found.First) || !strings.Contains(found.Confirm, "list_work") {
			d.Errorf("%+v", found)
		}
		in["confirm_count"] = openWorkOf(d, "Mateusz")
		time.Sleep(time.Minute)
		got := call[work.ChangedWork](d, "update_work", in)
		if got.Done+len(got.NotAttempted) != in["confirm_count"] || !strings.Contains(got.HowToGoOn, "items = ") {
			d.Fatalf("%+v", got)
		}
		time.Sleep(time.Minute)
		rest := call[work.ChangedWork](d, "update_work", args{"items": got.NotAttempted[:min(50, len(got.NotAttempted))], "due_on": "2031-05-20"})
		if rest.Failed > 0 || !rest.Results[0].Changed {
			d.Errorf("%+v", rest)
		}
	})
}

func TestUpdateWork_OfRefusesWhatItCannotSelect(t *testing.T) {
	at(t, func(d *toolEnv) {
		for word, in := range map[string]args{
			"nothing to change":       {"of": args{"assignee": "Priya"}},
			"of.assignee":             {"of": args{"project": launch}, "due_on": "today"},
			"of.assignee: found no":   {"of": args{"assignee": "Zelda"}, "due_on": "today"},
			"remove_assignees[0]":     {"of": args{"assignee": "Hanna Koivisto", "project": launch}, "remove_assignees": "Zelda"},
			"add_assignees[1]":        {"of": args{"assignee": "Priya"}, "add_assignees": []string{"Jonas", "Zelda"}},
			"not on the project":      {"of": args{"assignee": "Priya", "project": launch}, "assignees": "Sam Lindqvist"},
			"due_on":                  {"of": args{"assignee": "Priya"}, "due_on": "someday"},
			"project: found no":       {"of": args{"assignee": "Priya", "project": "Zork"}, "due_on": "today"},
			"give the project once":   {"of": args{"assignee": "Priya", "project": launch}, "project": "Winter Kit", "due_on": "today"},
			"must contain at least 1": {"due_on": "today"},
		} {
			word = strings.Replace(word, "least 1", "least one item", 1)
			written := d.written(func() {
				if text, isError := d.raw("update_work", in); !isError || !strings.Contains(text, word) {
					d.Errorf("%v: %s", in, text)
				}
			})
			if len(written) > 0 {
				d.Errorf("%v wrote %v", in, written)
			}
		}
	})
}
