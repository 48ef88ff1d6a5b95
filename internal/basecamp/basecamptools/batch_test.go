package basecamptools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

func TestEach_ReturnsTheOutcomeOfEachEntry(t *testing.T) {
	outcomes, failed, err := listing.Each(context.Background(), "todos", []int{1, 2, 3}, listing.InOrder, func(_ context.Context, n int) (int, error) {
		if n == 2 {
			return 0, fault.Invalid("content", "is wrong")
		}
		return 10 * n, nil
	})
	if err != nil || failed != 1 || len(outcomes) != 3 {
		t.Fatalf("%v, %d failed, %v", outcomes, failed, err)
	}
	if !outcomes[0].OK || *outcomes[2].Item != 30 || outcomes[1].OK || outcomes[1].Error.Code != fault.InvalidInput || outcomes[1].Index != 1 {
		t.Errorf("got %+v", outcomes)
	}
}

func TestEach_StopsAfterARateLimit(t *testing.T) {
	tried := 0
	outcomes, failed, err := listing.Each(context.Background(), "todos", []int{1, 2, 3, 4}, listing.InOrder, func(_ context.Context, n int) (int, error) {
		if tried++; n == 2 {
			return 0, fault.New(fault.RateLimited, "slow down")
		}
		return n, nil
	})
	if err != nil || failed != 3 || tried != 2 {
		t.Fatalf("%d failed, %d tried, %v", failed, tried, err)
	}
	if e := outcomes[3].Error; e.Code != fault.RateLimited || !strings.HasPrefix(e.Message, "not tried") || e.MayHaveHappened {
		t.Errorf("got %+v", e)
	}
}

func TestEach_ReturnsAnErrorWithEveryMessageIfAllFail(t *testing.T) {
	_, _, err := listing.Each(context.Background(), "todos", []int{1, 2}, listing.InOrder, func(_ context.Context, n int) (int, error) {
		f := fault.New(fault.UpstreamError, "no answer to %d", n)
		f.MayHaveHappened, f.Retryable = n == 2, n == 1
		return 0, f
	})
	f := fault.From(err)
	if f.Code != fault.UpstreamError || !f.MayHaveHappened || f.Retryable || len(f.Validation) != 2 || f.Validation[1].Path != "todos[1]" {
		t.Errorf("got %+v", f)
	}
	_, _, err = listing.Each(context.Background(), "todos", []int{1}, listing.InOrder, func(context.Context, int) (int, error) { return 0, errors.New("a defect") })
	if f := fault.From(err); f.Code != fault.InternalError || strings.Contains(f.Message, "defect") {
		t.Errorf("got %+v", f)
	}
}

func TestEach_StartsNoEntryWithoutEnoughTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		outcomes, failed, err := listing.Each(ctx, "todos", []int{1, 2, 3, 4}, listing.InOrder, func(ctx context.Context, n int) (int, error) {
			select {
			case <-time.After(2 * time.Second):
				return n, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
		if err != nil || failed != 2 || outcomes[2].Error.Code != fault.UpstreamError || outcomes[2].Error.MayHaveHappened {
			t.Errorf("%d failed, %v: %+v", failed, err, outcomes[2].Error)
		}
	})
}

func TestPlan_NamesTheProblemsOfAllEntries(t *testing.T) {
	plan := func(_ context.Context, path string, n int) (int, error) {
		switch n {
		case 2:
			return 0, fault.All(fault.Invalid("content", "is wrong"), fault.Invalid("due_on", "is wrong too"))
		case 3:
			return 0, fault.New(fault.NotFound, "%s: found nothing", path)
		case 4:
			return 0, fault.New(fault.NotFound, "Basecamp has no todo 4")
		case 5:
			f := fault.New(fault.Ambiguous, `assignees[0]: "Sam" matches 2 people`)
			f.Candidates = []fault.Candidate{{ID: 7, Name: "Sam Okafor"}, {ID: 8, Name: "Sam Lind", Where: "Sales"}}
			return 0, f
		}
		return n, nil
	}
	planned, err := listing.Plan(context.Background(), nil, "todos", []int{1, 6}, plan)
	if err != nil || len(planned) != 2 || planned[1] != 6 {
		t.Errorf("%v, %v", planned, err)
	}
	_, err = listing.Plan(context.Background(), nil, "todos", []int{1, 2, 3, 4, 5}, plan)
	f := fault.From(err)
	const want = "todos[1].content: is wrong (and 4 more problems: see data.validation) (nothing was written)"
	last := fault.Violation{Path: "todos[4].assignees[0]", Message: `"Sam" matches 2 people: "Sam Okafor" (7), "Sam Lind" (8, "Sales")`, Code: "ambiguous"}
	if f.Code != fault.InvalidInput || f.Message != want || len(f.Validation) != 5 || f.Validation[2].Code != "not_found" || f.Validation[4] != last {
		t.Errorf("got %+v", f)
	}
	_, err = listing.Plan(context.Background(), nil, "todos", []int{1, 5}, plan)
	if f := fault.From(err); f.Code != fault.Ambiguous || len(f.Candidates) != 2 || f.Message != `todos[1].assignees[0]: "Sam" matches 2 people (nothing was written)` {
		t.Errorf("got %+v", f)
	}
	_, err = listing.Plan(context.Background(), nil, "todos", []int{3, 4}, plan)
	if f := fault.From(err); f.Code != fault.NotFound || len(f.Validation) != 2 {
		t.Errorf("got %+v", f)
	}
}

func TestPlan_StopsAtAFailureOfTheProvider(t *testing.T) {
	tried := 0
	_, err := listing.Plan(context.Background(), nil, "todos", []int{1, 2, 3}, func(context.Context, string, int) (int, error) {
		tried++
		return 0, fault.New(fault.RateLimited, "slow down")
	})
	if f := fault.From(err); f.Code != fault.RateLimited || !f.Retryable || f.Message != "slow down (nothing was written)" || tried != 1 {
		t.Errorf("tried %d, got %+v", tried, f)
	}
}

func TestWrites_NameEveryPersonWhoIsNotOnTheProject(t *testing.T) {
	unknown := func(tool, argument string, in args) row {
		in[argument] = []string{"Zelda", "me", "Zora"}
		return row{fact: tool + ", " + argument, tool: tool, in: in, fails: fault.NotFound, holds: holds{"data.validation.*.path": says{argument + "[0]", argument + "[2]"}}}
	}
	message, items := args{"project": launch, "subject": "x", "body": "x"}, args{"items": thoseItems(richItem)}
	cases(t, "", nil,
		unknown("create_message", "notify", clone(message)), unknown("create_message", "mentions", clone(message)),
		unknown("create_schedule_entry", "participants", args{"project": launch, "summary": "x", "starts_at": "2031-05-20T10:00"}), unknown("create_card", "assignees", args{"project": launch, "board": frame, "title": "x"}),
		unknown("update_work", "assignees", clone(items)), unknown("update_work", "add_assignees", clone(items)), unknown("update_work", "remove_assignees", clone(items)),
	)
}

func TestBatches_NameTheProblemsOfEntriesAndOfSharedArgumentsTogether(t *testing.T) {
	people := []string{"Zelda"}
	newTodos := []args{{"content": "x", "assignees": people}, {"content": "x", "notes": "x", "mentions": people, "due_on": "someday"}}
	of := func(code fault.Code, tool, what string, in args, paths ...string) row {
		return row{fact: tool + ", " + what, tool: tool, in: in, fails: code, says: says{"more problem"}, holds: holds{"data.validation.*.path": paths}}
	}
	cases(t, "", nil,
		of(fault.InvalidInput, "set_completed", "kinds", args{"project": "Zork", "items": []string{"todo:99", "banana:5"}, "completed": true}, "project", "items[0]", "items[1]"),
		of(fault.NotFound, "set_item_status", "project", args{"project": "Zork", "items": []string{"todo:99", "todo:98"}, "status": "trashed"}, "project", "items[0]", "items[1]"),
		of(fault.InvalidInput, "add_subtasks", "item", args{"item": "Zzyzx card", "steps": []args{{"title": "x", "assignees": people}, {"title": "x", "due_on": "someday"}}}, "item", "steps[0].assignees[0]", "steps[1].due_on"),
		of(fault.InvalidInput, "create_card", "column", args{"project": launch, "board": frame, "column": "Zork", "title": " ", "assignees": people, "steps": []args{{"title": "x", "due_on": "someday"}, {"title": " "}}},
			"column", "title", "assignees[0]", "steps[0].due_on", "steps[1].title"),
		of(fault.InvalidInput, "create_card", "project", args{"project": "Zork", "title": "x", "assignees": people, "due_on": "someday"}, "project", "assignees[0]", "due_on"),
		of(fault.InvalidInput, "create_todos", "list", args{"project": launch, "list": "Zork", "todos": newTodos}, "list", "todos[0].assignees[0]", "todos[1].due_on", "todos[1].mentions[0]"),
		of(fault.InvalidInput, "create_todos", "project", args{"project": "Zork", "todos": newTodos}, "project", "todos[0].assignees[0]", "todos[1].due_on", "todos[1].mentions[0]"),
		of(fault.NotFound, "update_work", "list", args{"items": thoseItems(richItem, "todo:99"), "list": "Zork", "add_assignees": people}, "items[1]", "add_assignees[0]", "list"),
		of(fault.InvalidInput, "update_work", "projects", args{"items": thoseItems("Sign off the final frame drawing, revision F", "Write down who decides what", "Price for the second year"), "add_assignees": "Sam Lindqvist"},
			"items[0].add_assignees[0]", "items[2].add_assignees[0]"),
		of(fault.InvalidInput, "update_work", "no item", args{"items": thoseItems("todo:98", "todo:99"), "project": launch, "list": "Zork", "due_on": "someday", "assignees": people}, "items[0]", "items[1]", "due_on", "assignees[0]", "list"),
		of(fault.NotFound, "update_work", "project", args{"items": thoseItems("todo:99"), "project": "Zork", "add_assignees": people}, "project", "items[0]", "add_assignees[0]"),
	)
}
