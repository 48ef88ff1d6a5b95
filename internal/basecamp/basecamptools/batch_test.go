package basecamptools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func TestEach_ReturnsTheOutcomeOfEachEntry(t *testing.T) {
	outcomes, failed, err := listing.Each(context.Background(), "todos", []int{1, 2, 3}, func(_ context.Context, n int) (int, error) {
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
	outcomes, failed, err := listing.Each(context.Background(), "todos", []int{1, 2, 3, 4}, func(_ context.Context, n int) (int, error) {
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
	_, _, err := listing.Each(context.Background(), "todos", []int{1, 2}, func(_ context.Context, n int) (int, error) {
		f := fault.New(fault.UpstreamError, "no answer to %d", n)
		f.MayHaveHappened, f.Retryable = n == 2, n == 1
		return 0, f
	})
	f := fault.From(err)
	if f.Code != fault.UpstreamError || !f.MayHaveHappened || f.Retryable || len(f.Validation) != 2 || f.Validation[1].Path != "todos[1]" {
		t.Errorf("got %+v", f)
	}
	_, _, err = listing.Each(context.Background(), "todos", []int{1}, func(context.Context, int) (int, error) { return 0, errors.New("a defect") })
	if f := fault.From(err); f.Code != fault.InternalError || strings.Contains(f.Message, "defect") {
		t.Errorf("got %+v", f)
	}
}

func TestEach_StartsNoEntryWithoutEnoughTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		outcomes, failed, err := listing.Each(ctx, "todos", []int{1, 2, 3, 4}, func(ctx context.Context, n int) (int, error) {
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
	planned, err := listing.Plan(context.Background(), "todos", []int{1, 6}, plan)
	if err != nil || len(planned) != 2 || planned[1] != 6 {
		t.Errorf("%v, %v", planned, err)
	}
	_, err = listing.Plan(context.Background(), "todos", []int{1, 2, 3, 4, 5}, plan)
	f := fault.From(err)
	want := `todos[1].content: is wrong; todos[1].due_on: is wrong too; todos[2]: found nothing; todos[3]: Basecamp has no todo 4; ` +
		`todos[4].assignees[0]: "Sam" matches 2 people: 7 "Sam Okafor", 8 "Sam Lind" (Sales) (nothing was written)`
	if f.Code != fault.InvalidInput || f.Message != want || len(f.Validation) != 5 || f.Validation[2].Code != "not_found" {
		t.Errorf("got %+v", f)
	}
	_, err = listing.Plan(context.Background(), "todos", []int{1, 5}, plan)
	if f := fault.From(err); f.Code != fault.Ambiguous || len(f.Candidates) != 2 || f.Message != `todos[1].assignees[0]: "Sam" matches 2 people (nothing was written)` {
		t.Errorf("got %+v", f)
	}
	_, err = listing.Plan(context.Background(), "todos", []int{3, 4}, plan)
	if f := fault.From(err); f.Code != fault.NotFound || len(f.Validation) != 2 {
		t.Errorf("got %+v", f)
	}
}

func TestPlan_StopsAtAFailureOfTheProvider(t *testing.T) {
	tried := 0
	_, err := listing.Plan(context.Background(), "todos", []int{1, 2, 3}, func(context.Context, string, int) (int, error) {
		tried++
		return 0, fault.New(fault.RateLimited, "slow down")
	})
	if f := fault.From(err); f.Code != fault.RateLimited || !f.Retryable || f.Message != "slow down (nothing was written)" || tried != 1 {
		t.Errorf("tried %d, got %+v", tried, f)
	}
}

func TestWrites_NameEveryPersonWhoIsNotOnTheProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		two := []string{"Zelda", "me", "Zora"}
		todo := d.sandbox.Find("Todo", photographer)
		for _, x := range []struct {
			tool, argument string
			in             args
		}{
			{"create_message", "notify", args{"project": launch, "subject": "x", "body": "x"}},
			{"create_message", "mentions", args{"project": launch, "subject": "x", "body": "x"}},
			{"create_schedule_entry", "participants", args{"project": launch, "summary": "x", "starts_at": "2031-05-20T10:00"}},
			{"create_card", "assignees", args{"project": launch, "board": "Frame design", "title": "x"}},
			{"update_todo", "assignees", args{"todo": todo}},
			{"update_todo", "add_assignees", args{"todo": todo}},
			{"update_todo", "remove_assignees", args{"todo": todo}},
			{"mark_notifications_read", "ids", args{}},
		} {
			x.in[x.argument] = two
			code := fault.InvalidInput
			if x.argument == "ids" {
				x.in["ids"], code = []any{17, 18}, fault.NotFound
				d.problems(d.refuses(code, x.tool, x.in), "ids[0]", "ids[1]")
				continue
			}
			d.problems(d.refuses(code, x.tool, x.in), x.argument+"[0]", x.argument+"[2]")
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
	})
}

func TestCreateCard_NamesEveryProblem(t *testing.T) {
	at(t, func(d *toolEnv) {
		f := d.refuses(fault.InvalidInput, "create_card", args{"project": launch, "board": "Frame design", "title": " ", "due_on": "soon", "assignees": "Zelda",
			"steps": []args{{"title": "Cut"}, {"title": " "}, {"title": "File", "due_on": "later"}}})
		d.problems(f, "title", "assignees[0]", "steps[1].title", "steps[2].due_on", "due_on")
	})
}
