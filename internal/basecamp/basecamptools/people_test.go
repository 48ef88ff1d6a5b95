package basecamptools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func namesOf(people []projects.PersonItem) []string {
	var names []string
	for _, p := range people {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

func TestListPeople_ListsThePeopleOnAProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		people := all[projects.PersonItem](d, "list_people", args{"project": "Rijnstad Couriers Fleet", "limit": 2})
		if len(people) != 9 || distinct(ids(people, func(p projects.PersonItem) int64 { return p.ID })) != 9 {
			d.Errorf("%v", namesOf(people))
		}
		clients := 0
		for _, p := range people {
			if p.Type != "person" || p.Name == "" || p.Email == "" || p.Company == "" { // Ines is an administrator
				d.Errorf("got %+v", p)
			}
			if p.Client {
				clients++
			}
		}
		if clients != 1 {
			d.Errorf("%d clients", clients)
		}
		everybody := call[listing.Scroll[projects.PersonItem]](d, "list_people", args{"limit": 100})
		if len(everybody.Items) <= 9 || everybody.HasMore || everybody.Total == nil || *everybody.Total != len(everybody.Items) {
			d.Errorf("people in the account: %v", namesOf(everybody.Items))
		}
	})
}

func TestListPeople_FindsAPartOfANameInAnyCaseWithoutAccents(t *testing.T) {
	at(t, func(d *toolEnv) {
		if got := namesOf(all[projects.PersonItem](d, "list_people", args{"query": "sAm"})); len(got) != 2 {
			d.Errorf("Sam is %v", got)
		}
		if got := namesOf(all[projects.PersonItem](d, "list_people", args{"query": "noemie", "project": launch})); len(got) != 1 || !strings.HasPrefix(got[0], "Noémie") {
			d.Errorf("got %v", got)
		}
		if got := all[projects.PersonItem](d, "list_people", args{"query": "no such name"}); len(got) != 0 {
			d.Errorf("got %v", got)
		}
	})
}

func TestListPeople_HidesAddressesThatBasecampRedacts(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, p := range all[projects.PersonItem](d.as("Priya Raman"), "list_people", args{"project": launch}) {
			if (p.Email != "") != (p.Name == "Priya Raman") || strings.Contains(p.Email, "•") {
				d.Errorf("Priya sees %+v", p)
			}
		}
	})
}

func TestListPeople_ReportsBadInputAndFailures(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.NotFound, "list_people", args{"project": "No such project"}, "project")
		d.fails(fault.NotFound, "list_people", args{"project": 17})
		d.fails(fault.InvalidInput, "list_people", args{"cursor": "x"}, "cursor")
		first := call[listing.Scroll[projects.PersonItem]](d, "list_people", args{"limit": 2})
		d.fails(fault.InvalidInput, "list_people", args{"query": "a", "cursor": *first.NextCursor}, "other arguments")
		d.sandbox.Inject(sandbox.Fault{Status: 403, PathPrefix: "/people"})
		d.fails(fault.PermissionDenied, "list_people", args{})
	})
}

func TestGetMe_ShowsTheCallersLocalTime(t *testing.T) {
	at(t, func(d *toolEnv) { // it is Saturday, 1 January 2000, midnight UTC
		for who, want := range map[string][2]string{
			"Priya Raman":     {"2000-01-01T05:30:00+05:30", "Saturday"},
			"Marguerite Osei": {"1999-12-31T19:00:00-05:00", "Friday"},
		} {
			got := call[projects.Me](d.as(who), "get_me", args{})
			if got.LocalTime != want[0] || got.Weekday != want[1] || got.Account != (projects.AccountRef{ID: d.sandbox.Account(), Name: "Fernhill Bikes"}) {
				d.Errorf("%s: %+v", who, got)
			}
			if _, err := time.Parse(time.RFC3339, got.LocalTime); err != nil {
				d.Error(err)
			}
		}
	})
}

func TestGetMe_RefreshesTheCachedProfile(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[projects.Me](d, "get_me", args{})
		d.meanwhile("PUT", "/my/profile.json", `{"time_zone_name":"Asia/Tokyo"}`)
		if got := call[projects.Me](d, "get_me", args{}); got.TimeZone != "Asia/Tokyo" || !strings.HasSuffix(got.LocalTime, "+09:00") {
			d.Errorf("got %+v", got)
		}
		if got := d.asked(func() { call[projects.Me](d, "get_me", args{}) }); len(got) != 2 {
			d.Errorf("requests: %v", got)
		}
	})
}
