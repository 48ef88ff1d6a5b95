package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/listing"
)

func happeningKey(h happening) string { return h.At.Format(time.RFC3339) + h.URL + h.What }

func keysOf(happenings []happening) []string {
	keys := make([]string, len(happenings))
	for i, h := range happenings {
		keys[i] = happeningKey(h)
	}
	return keys
}

func TestGetActivity_ListsTheLastWeekNewestFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		begin := time.Now().AddDate(0, 0, -7)
		week := all[happening](d, "get_activity", args{"detail": "full", "project": launch})
		if first := call[listing.Scroll[happening]](d, "get_activity", args{"detail": "full", "project": launch}); len(first.Items) != 15+30+50 || !first.HasMore || first.Total != nil {
			d.Errorf("%d at once, %v in all", len(first.Items), first.Total)
		}
		for _, h := range week {
			if h.Who.Name == "" || h.What == "" || h.Project.Name != launch || h.URL == "" || h.At.Before(begin) {
				d.Errorf("got %+v", h)
			}
		}
		if len(week) < 50 || !slices.IsSortedFunc(week, func(a, b happening) int { return b.At.Compare(a.At) }) {
			d.Errorf("%d events", len(week))
		}
		if !slices.ContainsFunc(week, func(h happening) bool { return h.Title == "Launch checklist" && h.Excerpt != "" }) {
			d.Error("no event of the to-dos")
		}
	})
}

func TestGetActivity_ReturnsExactlyTheRequestedPeriod(t *testing.T) {
	at(t, func(d *toolEnv) {
		month := all[happening](d, "get_activity", args{"detail": "full", "project": launch, "since": "last_30_days"})
		for _, since := range []string{"1999-12-26", "1999-12-29", "1999-12-30T12:00:00Z"} {
			begin, err := newResolver(d.client, time.Now).Since(identity.With(d.Context(), d.who), "since", since)
			if err != nil {
				d.Fatal(err)
			}
			want := lookup.Matching(month, func(h happening) bool { return !h.At.Before(begin) })
			for _, limit := range []int{6, 100} {
				got := all[happening](d, "get_activity", args{"detail": "full", "project": launch, "since": since, "limit": limit})
				if len(want) == 0 || !slices.Equal(keysOf(got), keysOf(want)) {
					d.Errorf("since %s, limit %d: %d events, want %d", since, limit, len(got), len(want))
				}
			}
		}
		if asked := d.asked(func() {
			call[listing.Scroll[happening]](d, "get_activity", args{"detail": "full", "project": launch, "since": "1999-12-31"})
		}); len(asked) != 2 { // and the lines of the chat
			d.Errorf("for a day: %v", asked)
		}
	})
}

func TestGetActivity_FiltersByPersonAndProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		everywhere := all[happening](d, "get_activity", args{"detail": "full", "person": "Noémie", "since": "1999-12-26"})
		here := all[happening](d, "get_activity", args{"detail": "full", "person": "Noémie", "project": launch, "since": "1999-12-26"})
		for _, h := range everywhere {
			if h.Who.Name != "Noémie Laurent" {
				d.Errorf("got %+v", h)
			}
		}
		want := lookup.Matching(everywhere, func(h happening) bool { return h.Project.Name == launch })
		if len(here) == 0 || !slices.Equal(keysOf(here), keysOf(want)) {
			d.Errorf("%d here, want %d", len(here), len(want))
		}
		if mine := all[happening](d, "get_activity", args{"detail": "full", "person": "me"}); len(mine) == 0 || mine[0].Who.Name != "Ines Albrecht" {
			d.Errorf("mine: %v", mine)
		}
		d.fails(fault.Ambiguous, "get_activity", args{"person": "Sam"}, "person")
		d.fails(fault.InvalidInput, "get_activity", args{"since": "2000-02-01"}, "since", "future")
	})
}

func TestGetActivity_SkipsNothingWhenEventsArriveBetweenCalls(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"detail": "full", "project": launch, "since": "1999-12-26", "limit": 10}
		want := keysOf(all[happening](d, "get_activity", in))[10:]
		first := call[listing.Scroll[happening]](d, "get_activity", in)
		for i := range 5 {
			d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", d.sandbox.Find("Todo", "Call the insurer about demo rides")), fmt.Sprintf(`{"content":"<div>%d</div>"}`, i))
		}
		in["cursor"] = *first.NextCursor
		if rest := keysOf(all[happening](d, "get_activity", in)); !slices.Equal(rest, want) {
			d.Errorf("%d follow, want %d", len(rest), len(want))
		}
	})
}

func TestGetActivity_ShowsOnlyWhatTheCallerCanSee(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("PUT", todoPath(d.sandbox.Find("Todo", "Call the insurer about demo rides")), `{"content":"Call the insurer"}`)
		for _, h := range all[happening](d.as("Lieke van der Meer"), "get_activity", args{"detail": "full", "since": "last_30_days"}) {
			if strings.Contains(h.Project.Name, launch) {
				d.Errorf("a client sees %+v", h)
			}
		}
	})
}

// The change of a project's people is an event without a page.
func TestGetActivity_LinksTheProjectForEventsWithoutAPage(t *testing.T) {
	at(t, func(d *toolEnv) {
		project := d.sandbox.ProjectID(launch)
		d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", project), fmt.Sprintf(`{"revoke":[%d]}`, d.sandbox.Person("Dele Adeyemi").ID))
		want := fmt.Sprintf("https://3.basecamp.com/%d/projects/%d", d.sandbox.Account(), project)
		for _, in := range []args{{"detail": "full"}, {"detail": "full", "project": launch}, {"detail": "full", "person": "me"}} {
			got := call[listing.Scroll[happening]](d, "get_activity", in).Items
			if len(got) == 0 || got[0].URL != want || got[0].Excerpt != "Dele Adeyemi was removed." {
				d.Errorf("%v: got %+v", in, got[:min(1, len(got))])
			}
			for _, h := range got {
				if h.URL == "" {
					d.Errorf("%v: no url: %+v", in, h)
				}
			}
		}
	})
}
