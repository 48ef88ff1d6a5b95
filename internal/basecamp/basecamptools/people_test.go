package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/report/fault"
)

func TestListPeople(t *testing.T) {
	cases(t, "list_people", args{"project": launch},
		row{fact: "the people on a project, with clients", in: args{"project": fleet, "limit": 2}, holds: holds{"items.#": 2, "total": 9, "items.*.type": "person", "items.*.name": some, "items.*.email": some, "items.*.company": some}, then: []row{
			{in: args{"project": fleet, "cursor": "{0.next_cursor}", "limit": 100}, holds: holds{"items.#": 7, "has_more": nil}, says: says{`"client":true`}},
			{fact: "a cursor is valid only for its arguments", in: args{"project": fleet, "query": "a", "cursor": "{0.next_cursor}"}, fails: fault.InvalidInput, says: says{"other arguments"}}}},
		row{fact: "the people in the account", in: args{"project": nil, "limit": 100}, holds: holds{"items.#": 14, "total": 14, "has_more": nil}},
		row{fact: "a part of a name in any case", in: args{"project": nil, "query": "sAm"}, holds: holds{"items.*.name": []string{"Sam Okafor", "Sam Lindqvist"}}},
		row{fact: "without accents", in: args{"query": "noemie"}, holds: holds{"items.*.name": []string{"Noémie Laurent"}}},
		row{fact: "no person has such a name", in: args{"query": "no such name"}, holds: holds{"items": nil}},
		row{fact: "addresses that Basecamp redacts are hidden", as: "Priya Raman", in: args{"limit": 100}, says: says{"priya@fernhillbikes.example"}, misses: []string{"•", "ines@fernhillbikes.example", "hanna@fernhillbikes.example"}},
		row{fact: "the project must exist", each: []args{{"project": "No such project"}, {"project": 17}}, fails: fault.NotFound, says: says{"project"}},
		invalid("a cursor is one of ours", args{"cursor": "x"}, "cursor"),
		row{fact: "people may be forbidden", faults: faults{{Status: 403, PathPrefix: "/people"}}, in: args{"project": nil}, fails: fault.PermissionDenied},
	)
}

// It is Saturday, 1 January 2000, midnight UTC.
func TestGetMe(t *testing.T) {
	account := args{"id": "{account}", "name": "Fernhill Bikes"}
	cases(t, "get_me", nil,
		row{fact: "it shows the caller's local time", as: "Priya Raman", holds: holds{"local_time": "2000-01-01T05:30:00+05:30", "weekday": "Saturday", "account": account}},
		row{fact: "which may be the day before", as: "Marguerite Osei", holds: holds{"local_time": "1999-12-31T19:00:00-05:00", "weekday": "Friday", "account": account}},
		row{fact: "it reads the profile each time", then: []row{
			{before: []string{`PUT /my/profile.json {"time_zone_name":"Asia/Tokyo"}`}, requests: 2, holds: holds{"time_zone": "Asia/Tokyo", "local_time": has("+09:00")}}}},
	)
}
