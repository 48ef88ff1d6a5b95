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
			where := fmt.Sprintf("%s: %s %q", date, r.kind, r.headline())
			switch {
			case r.created.After(r.updated) || r.updated.After(now):
				t.Errorf("%s: created %s, updated %s", where, r.created, r.updated)
			case r.parent != nil && r.created.Before(r.parent.created):
				t.Errorf("%s is older than %s", where, r.parent.title)
			case r.completed() && (r.task.completion.at.Before(r.created) || r.task.completion.at.After(now)):
				t.Errorf("%s: completed %s, created %s", where, r.task.completion.at, r.created)
			case r.task != nil && r.task.startsOn > r.task.dueOn && r.task.dueOn != "":
				t.Errorf("%s starts after it is due", where)
			case !slices.Contains(r.bucket.people, r.creator):
				t.Errorf("%s is by %s, who is not on the project", where, r.creator.name)
			}
			if r.task != nil {
				for _, p := range r.task.assignees {
					if !slices.Contains(r.bucket.people, p) {
						t.Errorf("%s is assigned to %s, who is not on %s", where, p.name, r.bucket.name)
					}
				}
			}
		}
		for _, e := range s.main.events {
			if e.at.After(now) || e.at.Before(e.recording.created) {
				t.Errorf("%s: event %s of %q at %s", date, e.action, e.recording.title, e.at)
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
			all = append(all, fmt.Sprint(id, r.kind, r.headline(), r.updated, r.body))
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
		count[r.kind]++
		if r.kind == kindMessage && r.bucket.name == launch && r.status == active {
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
			if r.title == title && (len(r.body) < length || len(r.body) > length+15_000) {
				t.Errorf("%s has %d bytes", title, len(r.body))
			}
		}
	}
}

func TestSeed_EveryTextIsUnique(t *testing.T) {
	seen := map[string]string{}
	for _, r := range newSandbox(t).main.recordings {
		text := plain(r.body)
		if len(text) < 40 || r.kind == kindUpload {
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
		if strings.Contains(r.body, "{@") || strings.Contains(r.body, "{file:") || strings.Contains(r.title, " | ") {
			t.Errorf("%s: %.200s", r.headline(), r.body)
		}
	}
}

func TestSeed_BodiesStayUnchangedWhenWrittenAgain(t *testing.T) {
	s := newSandbox(t)
	for _, r := range s.main.recordings {
		if r.kind == kindTextLine {
			continue
		}
		if again := s.richText(s.main, r.body); again != r.body {
			t.Errorf("%s: %s", r.headline(), cmp.Diff(r.body, again))
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
