package basecamptools

import (
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

func digits(id int64) string { return strconv.FormatInt(id, 10) }

// everyRead holds a call of every tool that reads across projects, and the path it reads.
var everyRead = []struct {
	tool string
	in   args
	path string
}{
	{"search", args{"query": "frame"}, "/search"},
	{"get_my_work", args{}, "/my/assignments"},
	{"list_work", args{}, "/todos/open"},
	{"get_activity", args{}, "/reports/progress"},
	{"get_upcoming", args{}, "/reports/schedules"},
	{"get_notifications", args{}, "/my/readings"},
	{"read_basecamp", operation("get_history", args{"item": "todo:9007199254743107"}), "/recordings"},
}

func TestReadsAcrossProjects_TakeAFixedNumberOfRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct {
		tool       string
		in         args
		cold, warm int
	}{
		{"search", args{"query": "frame", "limit": 10}, 3, 2},
		{"get_my_work", args{"scope": "overdue"}, 2, 1},
		{"get_my_work", args{"scope": "completed"}, 2, 1},
		{"get_my_work", args{"scope": []string{"overdue", "this_week"}}, 2, 1},
		{"get_my_work", args{"scope": []string{"overdue", "completed"}}, 3, 2},
		{"list_work", args{"kind": "todo", "limit": 10}, 1, 1},
		{"list_work", args{"state": "overdue"}, 2, 2},
		// Two pages of projects, the caller.
		{"list_work", args{"kind": "todo", "project": "Company HQ", "assignee": "me"}, 4, 1},
		{"get_activity", args{"limit": 10}, 6, 5}, // and the time zone, and the lines of four chats
		// The completed of two kinds on two pages of projects, the overdue of two kinds, what is
		// upcoming, two pages of messages, and the caller.
		{"get_report", args{}, 14, 9},
		{"get_activity", args{"person": "me", "limit": 10}, 5, 4},
		{"get_upcoming", args{"mine_only": true}, 2, 1},
		{"get_notifications", args{"include_read": true}, 1, 1},
		{"read_basecamp", operation("get_history", args{"item": "todo:9007199254743107"}), 2, 2},
	} {
		at(t, func(d *toolEnv) {
			read := func() { d.raw(test.tool, test.in) }
			if cold := d.asked(read); len(cold) != test.cold {
				d.Errorf("%s %v, cold: %v", test.tool, test.in, cold)
			}
			for range 5 {
				read()
			}
			if warm := d.asked(read); len(warm) != test.warm {
				d.Errorf("%s %v, warm: %v", test.tool, test.in, warm)
			}
		})
	}
}

func TestReadsAcrossProjects_HideWhatACallerMayNotSee(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, read := range everyRead {
			d.raw(read.tool, read.in)
			if text, _ := d.as(d.sandbox.Stranger().Name).raw(read.tool, read.in); strings.Contains(text, "Cargo Bike") || strings.Contains(text, "Ines") {
				d.Errorf("%s: %s", read.tool, text)
			}
		}
	})
}

func TestReadsAcrossProjects_AMissingProjectIsAnError(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, read := range everyRead[:5] {
			if read.tool == "get_my_work" {
				continue
			}
			in := clone(read.in)
			in["project"] = 4812999999
			d.fails(fault.NotFound, read.tool, in)
			in["project"] = "Cargo Bike Lunch"
			d.fails(fault.NotFound, read.tool, in, "project", "nearest", launch)
		}
	})
}

func TestReadsAcrossProjects_RefuseTheCursorOfOtherArguments(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, read := range everyRead {
			in := clone(read.in)
			in["cursor"] = "bm9uc2Vuc2U"
			d.fails(fault.InvalidInput, read.tool, in, "cursor")
		}
		first := call[listing.Scroll[overview.FoundItem]](d, "search", args{"query": "frame", "limit": 1})
		d.fails(fault.InvalidInput, "search", args{"query": "fork", "limit": 1, "cursor": *first.NextCursor}, "other arguments")
	})
}

func TestReadsAcrossProjects_StayWithinTheirSize(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, read := range everyRead {
			in := clone(read.in)
			in["limit"] = 100
			if text, _ := d.raw(read.tool, in); len(text) > 50_000 {
				d.Errorf("%s: %d bytes", read.tool, len(text))
			}
		}
	})
}
