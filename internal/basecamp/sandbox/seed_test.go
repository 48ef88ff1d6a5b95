package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dates are difficult days in calendars: leap day, new year, clock changes, midnight on a Sunday.
var dates = []string{
	"2026-02-28T23:59:59Z", "2028-02-29T12:00:00Z", "2030-12-31T23:30:00Z", "2031-01-01T00:00:00Z", "2031-03-30T01:30:00Z",
	"2031-10-26T01:00:00Z", "2031-05-18T22:00:00Z", "2031-05-19T00:00:01Z",
}

// onDate returns a sandbox on a date, and the time at which it was made.
func onDate(t *testing.T, date string) (*Sandbox, time.Time) {
	t.Helper()
	now, err := time.Parse(time.RFC3339, date)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Now: func() time.Time { return now }, RateLimit: -1}), now
}

func TestSeed_TimesAreConsistentOnEveryDate(t *testing.T) {
	for _, date := range dates {
		s, now := onDate(t, date)
		for _, r := range s.main.recordings {
			where := fmt.Sprintf("%s: %s %q", date, r.Type, r.headline())
			switch {
			case r.CreatedAt.After(r.UpdatedAt) || r.UpdatedAt.After(now):
				t.Errorf("%s: created %s, updated %s", where, r.CreatedAt, r.UpdatedAt)
			case r.Parent != nil && r.CreatedAt.Before(r.Parent.CreatedAt):
				t.Errorf("%s is older than %s", where, r.Parent.Title)
			case r.completed() && (r.Completion.CreatedAt.Before(r.CreatedAt) || r.Completion.CreatedAt.After(now)):
				t.Errorf("%s: completed %s, created %s", where, r.Completion.CreatedAt, r.CreatedAt)
			case r.Type.isTask() && r.StartsOn > r.DueOn && r.DueOn != "":
				t.Errorf("%s starts after it is due", where)
			case !slices.Contains(r.Bucket.People, r.Creator):
				t.Errorf("%s is by %s, who is not on the project", where, r.Creator.Name)
			}
			if r.Type.isTask() {
				for _, p := range r.Assignees {
					if !slices.Contains(r.Bucket.People, p) {
						t.Errorf("%s is assigned to %s, who is not on %s", where, p.Name, r.Bucket.Name)
					}
				}
			}
		}
		for _, e := range s.main.events {
			if e.CreatedAt.After(now) || e.CreatedAt.Before(e.Recording.CreatedAt) {
				t.Errorf("%s: event %s of %q at %s", date, e.Action, e.Recording.Title, e.CreatedAt)
			}
		}
	}
}

func TestSeed_HasTasksOverdueAndDueTodayAndTomorrowOnEveryDate(t *testing.T) {
	for _, date := range dates {
		s, now := onDate(t, date)
		o := ines(t, s).get("/my/assignments.json").object()
		days := map[string]bool{}
		for _, a := range append(o.list("priorities"), o.list("non_priorities")...) {
			days[a.text("due_on")] = true
		}
		for _, ahead := range []int{-1, 0, 1} {
			if day := now.AddDate(0, 0, ahead).Format(time.DateOnly); !days[day] {
				t.Errorf("%s: no task is due on %s, only on %v", date, day, days)
			}
		}
	}
}

func TestSeed_IsTheSameEveryTime(t *testing.T) {
	ids := func() []string {
		s := newSandbox(t)
		var all []string
		for id, r := range s.main.recordings {
			all = append(all, fmt.Sprint(id, r.Type, r.headline(), r.UpdatedAt, r.Body))
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(ids(), ids()); diff != "" {
		t.Errorf("%.600s", diff)
	}
}

func TestSeed_HasTheDataThatTestsUse(t *testing.T) {
	s := newSandbox(t)
	count := map[kind]int{}
	posts := 0
	for id, r := range s.main.recordings {
		count[r.Type]++
		if r.Type == kindMessage && r.Bucket.Name == launch && r.Status == active {
			posts++
		}
		if id < 1e9 {
			t.Errorf("%d has fewer than ten digits", id)
		}
	}
	if count[kindTodo] < 350 || posts < 36 || count[kindCard] < 55 || count[kindComment] < 100 {
		t.Errorf("%d to-dos, %d posts, %d cards, %d comments", count[kindTodo], posts, count[kindCard], count[kindComment])
	}
	for title, length := range map[string]int{"Field diary: forty-six rides": 55_000, "Assembly handbook": 55_000} {
		for _, r := range s.main.recordings {
			if r.Title == title && (len(r.Body) < length || len(r.Body) > length+15_000) {
				t.Errorf("%s has %d bytes", title, len(r.Body))
			}
		}
	}
}

func TestSeed_EveryTextIsUnique(t *testing.T) {
	seen := map[string]string{}
	for _, r := range newSandbox(t).main.recordings {
		text := plain(r.Body)
		if len(text) < 40 || r.Type == kindUpload {
			continue
		}
		if other, twice := seen[text]; twice {
			t.Errorf("%q in %s and %s", text, other, r.headline())
		}
		seen[text] = r.headline()
	}
}

func TestSeed_HasNoUnreplacedMacros(t *testing.T) {
	for _, r := range newSandbox(t).main.recordings {
		if strings.Contains(r.Body, "{@") || strings.Contains(r.Body, "{file:") || strings.Contains(r.Title, " | ") {
			t.Errorf("%s: %.200s", r.headline(), r.Body)
		}
	}
}

func TestSeed_BodiesStayUnchangedWhenWrittenAgain(t *testing.T) {
	s := newSandbox(t)
	for _, r := range s.main.recordings {
		if r.Type == kindTextLine {
			continue
		}
		if again := s.richText(s.main, r.Body); again != r.Body {
			t.Errorf("%s: %s", r.headline(), cmp.Diff(r.Body, again))
		}
	}
}

// New takes 10 ms on an idle machine and must stay below 50 ms. The limit allows for -race and
// other load on the machine.
func TestNew_IsQuick(t *testing.T) {
	best := time.Hour
	for range 5 {
		began := time.Now()
		New(Options{})
		best = min(best, time.Since(began))
	}
	if best > time.Second {
		t.Errorf("took %s", best)
	}
}
