package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/task"
)

func listTasks(ctx context.Context, t *Table) error {
	_, _, err := t.Tasks(ctx, "37s:1", task.Filter{Limit: 1})
	return err
}

func changeTask(ctx context.Context, t *Table) error {
	_, err := t.ChangeTask(ctx, "37s:1", "1", task.Change{Completed: new(true), At: noon})
	return err
}

func retitle(ctx context.Context, t *Table) error {
	_, err := t.ChangeTask(ctx, "37s:1", "1", task.Change{Title: new("Oil the chain"), At: noon})
	return err
}

func TestTasks_AreListedCompletelyWhateverTheirLength(t *testing.T) {
	const many = 160 // of 8 KB: more than one answer of DynamoDB holds
	client, table := integration(t)
	store := New(client, table, nil)
	for i := range many {
		added := task.Task{ID: fmt.Sprintf("%03d", i), Title: "Oil the chains", Description: strings.Repeat("🚲", 2000), CreatedAt: noon}
		if i%2 == 0 {
			added.CompletedAt = noon
		}
		if err := store.AddTask(t.Context(), "37s:1", added, 2000); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int{1, many / 2, many} {
		for status, want := range map[task.Status]int{task.All: many, task.Pending: many / 2, task.Completed: many / 2} {
			found, total, err := store.Tasks(t.Context(), "37s:1", task.Filter{Status: status, Limit: limit})
			if err != nil || len(found) != min(limit, want) || total != want {
				t.Errorf("%s: %d of %d tasks, %v", status, len(found), total, err)
			}
		}
	}
	found, total, err := store.Tasks(t.Context(), "37s:1", task.Filter{Status: task.All, Before: "003", Limit: many})
	if err != nil || len(found) != 3 || found[0].ID != "002" || total != many {
		t.Errorf("%d of %d tasks behind the first page, %v", len(found), total, err)
	}
}

func TestTasks_ReadsOnlyTheTasksThatItReturns(t *testing.T) {
	const next = `"LastEvaluatedKey": {"pk": {"S": "TK#37s:1"}, "sk": {"S": "1"}}}`
	count := says(200, `{"Item": {"pk": {"S": "TK##37s:1"}, "sk": {"S": "M"}, "tasks": {"N": "7"}, "completed": {"N": "3"}}}`)
	for status, want := range map[task.Status]int{task.All: 7, task.Pending: 4, task.Completed: 3} {
		f := answers(says(200, `{"Count": 0, `+next), says(200, `{"Count": 1, "Items": [`+taskItem+`], `+next), count)
		found, total, err := wired(f).Tasks(t.Context(), "37s:1", task.Filter{Status: status, Limit: 1})
		if err != nil || len(found) != 1 || total != want || len(f.calls) != 3 || f.calls[2].operation != "GetItem" {
			t.Fatal(found, total, err, len(f.calls))
		}
		if !f.calls[0].input.ConsistentRead || f.calls[1].input.ExclusiveStartKey["sk"].S != "1" || !f.calls[2].input.ConsistentRead {
			t.Errorf("%+v", f.calls)
		}
	}
}

func TestTasks_AreCountedWithoutTheTallyIfAllAreRead(t *testing.T) {
	three := says(200, `{"Count": 3, "Items": [`+taskItem+`, `+taskItem+`, `+taskItem+`]}`)
	for _, status := range []task.Status{task.All, task.Pending, task.Completed} {
		f := answers(three)
		found, total, err := wired(f).Tasks(t.Context(), "37s:1", task.Filter{Status: status, Limit: 2})
		if err != nil || len(found) != 2 || total != 3 || len(f.calls) != 1 {
			t.Errorf("%s: %d of %d tasks in %d requests, %v", status, len(found), total, len(f.calls), err)
		}
	}
}

// DynamoDB Local counts less than DynamoDB, which also charges 1 unit for a refused change.
func TestTasks_HaveLowCosts(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	store := New(client, table, nil)
	for i := range 20 {
		added := task.Task{ID: fmt.Sprintf("%02d", i), Title: "Oil the chains", Description: strings.Repeat("x", 100), CreatedAt: noon, UpdatedAt: noon}
		if err := store.AddTask(t.Context(), "37s:1", added, 2000); err != nil {
			t.Fatal(err)
		}
	}
	spent.reset()
	for _, operation := range []struct {
		name string
		do   func(context.Context, *Table) error
		most float64
	}{
		{"AddTask", everything["AddTask"], 2},
		{"Tasks, of 21", everything["Tasks"], 2},
		{"ChangeTask", everything["ChangeTask"], 4},
		{"ChangeTask, again", everything["ChangeTask"], 1},
		{"ChangeTask, of a title", retitle, 1},
		{"DeleteTask", everything["DeleteTask"], 3},
		{"DeleteTask, again", everything["DeleteTask"], 1},
	} {
		err := operation.do(t.Context(), store)
		units := spent.reset()
		t.Logf("%s: %v units", operation.name, units)
		if err != nil && !errors.Is(err, task.ErrNotFound) || units > operation.most {
			t.Errorf("%s: %v units, want %v at most; %v", operation.name, units, operation.most, err)
		}
	}
}

func TestTask_IsReadAsWrittenAndIsNeverRemovedByTheTable(t *testing.T) {
	full := task.Task{Title: "Oil the chains", Description: "All 40", CreatedAt: noon, UpdatedAt: noon.Add(1), CompletedAt: noon.Add(2)}
	wantRoundTrip(t, full, taskFields)
	it, err := taskFields(&full).item(taskKey("37s:1", "1"))
	if _, expiring := it["ttl"]; err != nil || expiring {
		t.Error(it, err)
	}
}

const taskItem = `{"pk": {"S": "TK#37s:1"}, "sk": {"S": "1"}, "title": {"S": "Oil the chains"}}`

// Another user's task has another key, so it costs the same as a task that does not exist.
func TestTask_ThatDoesNotExistTakesOneCall(t *testing.T) {
	for name, c := range map[string]struct {
		do        func(context.Context, *Table) error
		answer    http.HandlerFunc
		operation string
	}{
		"ChangeTask": {changeTask, done, "GetItem"},
		"retitle":    {retitle, refuses("ConditionalCheckFailedException"), "UpdateItem"},
		"DeleteTask": {everything["DeleteTask"], done, "GetItem"},
	} {
		f := answers(c.answer)
		if err := c.do(t.Context(), wired(f)); !errors.Is(err, task.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if len(f.calls) != 1 || f.calls[0].operation != c.operation {
			t.Errorf("%s: %+v", name, f.calls)
		}
	}
}

func TestChangeTask_WithoutAnEffectTakesOneCall(t *testing.T) {
	for _, c := range []struct {
		answer http.HandlerFunc
		change task.Change
	}{
		{says(400, `{"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "Item": `+taskItem+`}`), task.Change{Title: new("Oil the chains")}},
		{says(200, `{"Item": `+taskItem+`}`), task.Change{Completed: new(false)}},
	} {
		f := answers(c.answer)
		c.change.At = noon
		is, err := wired(f).ChangeTask(t.Context(), "37s:1", "1", c.change)
		if diff := cmp.Diff(task.Task{ID: "1", Title: "Oil the chains"}, is); err != nil || diff != "" || len(f.calls) != 1 {
			t.Error(diff, err, len(f.calls))
		}
	}
}

func TestTask_ThatAnotherCallDeletesIsNotFound(t *testing.T) {
	for _, name := range []string{"ChangeTask", "DeleteTask"} {
		table := tableOf(t, answers(says(200, `{"Item": `+taskItem+`}`), cancels(conditionFailed), done))
		if err := everything[name](t.Context(), table); !errors.Is(err, task.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTasks_InvalidOnesAreAFailure(t *testing.T) {
	for name, answer := range map[string]string{
		"ChangeTask": `{"Item": {"pk": {"S": "TK#37s:1"}, "sk": {"S": "1"}, "created": {"S": "yesterday"}}}`,
		"DeleteTask": `{"Item": {"pk": {"S": "TK#37s:1"}, "sk": {"S": "1"}, "title": {"N": "1"}}}`,
		"Tasks":      `{"Count": 1, "Items": [{"pk": {"S": "TK#37s:1"}}]}`,
	} {
		wantFailure(t, everything[name](t.Context(), tableOf(t, answers(says(200, answer)))), "unreadable item"+map[string]string{
			"ChangeTask": ": created", "DeleteTask": ": title",
		}[name])
	}
	wantFailure(t, retitle(t.Context(), tableOf(t, answers(done))), "unreadable item")
}

func operations(calls []call) (names []string) {
	for _, c := range calls {
		names = append(names, c.operation)
	}
	return names
}

func TestChangeTask_KnowsTheResultUnlessAnotherCallChangedTheTask(t *testing.T) {
	stored := says(200, `{"Item": `+taskItem+`}`)
	edited := says(200, `{"Item": {"pk": {"S": "TK#37s:1"}, "sk": {"S": "1"}, "title": {"S": "Oil both"}, "completed": {"S": "2026-01-01T12:00:00.000000000Z"}}}`)
	for _, c := range []struct {
		answers []http.HandlerFunc
		title   string
		want    []string
	}{
		{[]http.HandlerFunc{stored, done}, "Oil the chains", []string{"GetItem", "TransactWriteItems"}},
		{
			[]http.HandlerFunc{stored, cancels(conditionFailed, "None"), stored, done, edited}, "Oil both",
			[]string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems", "GetItem"},
		},
	} {
		f := answers(c.answers...)
		is, err := wired(f).ChangeTask(t.Context(), "37s:1", "1", task.Change{Completed: new(true), At: noon})
		if err != nil || is.Title != c.title || !is.Completed() {
			t.Error(is, err)
		}
		if diff := cmp.Diff(c.want, operations(f.calls)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAddTask_OfAFullUserIsOneRequest(t *testing.T) {
	f := answers(cancels("None", conditionFailed))
	if err := everything["AddTask"](t.Context(), wired(f)); !errors.Is(err, task.ErrFull) {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"TransactWriteItems"}, operations(f.calls)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
