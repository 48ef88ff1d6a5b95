package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestPostChatLine_ToPeople(t *testing.T) {
	to := func(to any, with ...string) row {
		return row{fact: fmt.Sprint(to), in: args{"to": to}, holds: holds{"ping.people.*.name": with, "notified": with, "id": some, "ping.url": some}, then: []row{
			{tool: "get_item", in: args{"url": "ping:{.ping.id}"}, holds: holds{"item.items.0.content": "Psst."}}}}
	}
	refused := func(fact string, code fault.Code, to any, words ...string) row {
		return row{fact: fact, in: args{"to": to}, fails: code, says: words}
	}
	const hanna, tomas = "Hanna Koivisto", "Tomás Herrera"
	reply := row{fact: "a ping is named by its people", in: args{"to": "ping:Sam Okafor, Tomás", "text": "@Tomás, **eight**.", "mentions": "Tomás"}, holds: holds{"mentioned.#": 1, "clients_see": nil}, then: []row{
		{as: "Sam Okafor", tool: "boost", in: args{"item": "{2.url}"}, holds: holds{"notified": []string{"Ines Albrecht"}, "left_out": nil}},
		{as: "Sam Okafor", tool: "get_item", in: args{"url": "{2.url}"}},
		{as: "Sam Okafor", in: args{"to": "{4.item.url}", "text": "Nine."}, holds: holds{"ping.id": "{2.ping.id}"}},
		{tool: "get_item", in: args{"url": "ping:Tomás"}, fails: fault.NotFound, holds: holds{"data.nearest.*.name": []string{"Sam Okafor, Tomás Herrera"}}}}}
	three := to([]string{"Tomás", "Sam Okafor", "Tomas"}, "Sam Okafor", tomas)
	three.then = append(three.then, reply)
	cases(t, "post_chat_line", args{"text": "Psst."},
		to("Hanna", hanna), to([]string{"hanna koivisto"}, hanna), to("person:Priya", "Priya Raman"), to("{person:Hanna Koivisto}", hanna), to([]any{"Sam Okafor", "{person:Priya Raman}"}, "Sam Okafor", "Priya Raman"), three,
		row{fact: "the ping with exactly these people is found", each: []args{{"to": "Aoife"}, {"to": []string{"Aoife", "Priya"}}, {"to": "aoife brennan"}}, then: []row{
			{tool: "GET /circles.json", holds: holds{"#": 4}}}},
		refused("one does not ping oneself", fault.InvalidInput, "me", "to: is the user"), refused("nor beside others", fault.InvalidInput, []string{"Hanna", "Ines"}, "to[1]: is the user"),
		refused("clients cannot be pinged", fault.InvalidInput, "Lieke", "Lieke van der Meer", "cannot be pinged"), refused("each who cannot is named", fault.InvalidInput, []string{"Hanna", "Lieke", "Parcel Relay"}, "to[1]", "to[2]"),
		refused("there are at most 20", fault.InvalidInput, numbered(50, "Hanna %d"), "to", "20"), refused("one is required", fault.InvalidInput, []string{}, "to"),
		refused("a name must fit one person", fault.Ambiguous, "Sam", "to"), refused("the person must exist", fault.NotFound, "Zelda", "no person and no project", "Zelda"),
		refused("several are people", fault.NotFound, []string{"Hanna", launch}, "to[1]"), refused("the ID must exist", fault.NotFound, 17, "17"),
		refused("the ping must exist", fault.NotFound, "ping:Priya", "no ping", "post_chat_line starts one"), refused("one with others does not count", fault.NotFound, "ping:Tomás", "no ping"),
		row{fact: "whom it mentions is in the ping", in: args{"to": "Hanna", "mentions": "Priya"}, fails: fault.NotFound, says: says{"mentions[0]", "in the ping"}},
		invalid("in its text too", args{"to": "Hanna", "text": "Ask @Priya"}, "in the ping"),
		// A private line must not reach a team because a project has the person's name.
		row{fact: "a name may be one of a person and a project", before: []string{`POST /projects.json {"name":"Hanna"}`}, in: args{"to": "Hanna"}, fails: fault.Ambiguous, says: says{"person:ID", "project:ID"},
			holds: holds{"data.candidates.#": 2, "data.candidates.0.type": "person", "data.candidates.1.id": "{project:Hanna}"}, then: []row{{in: args{"to": hanna}, holds: holds{"ping": some}}}},
		row{fact: "a whole name too", before: []string{`POST /projects.json {"name":"hanna koivisto"}`}, in: args{"to": hanna}, fails: fault.Ambiguous, says: says{"person:ID"}},
	)
}

// Basecamp leaves people out of a ping without saying so.
func TestPostChatLine_SendsNothingToOtherPeopleThanNamed(t *testing.T) {
	at(t, func(d *toolEnv) {
		lieke, hanna := d.sandbox.Person("Lieke van der Meer").ID, d.sandbox.Person("Hanna Koivisto").ID
		d.sandbox.Inject(sandbox.Fault{
			Method: "GET", PathPrefix: "/circles/people", Status: 200, Header: http.Header{"Content-Type": {"application/json"}},
			Body: fmt.Sprintf(`[{"id":%d,"name":"Lieke van der Meer"},{"id":%d,"name":"Hanna Koivisto"}]`, lieke, hanna),
		})
		written := d.written(func() {
			d.fails(fault.PermissionDenied, "post_chat_line", args{"to": []string{"Hanna", "Lieke"}, "text": "x"}, "left out", "Lieke van der Meer", "nothing was sent")
			d.fails(fault.InvalidInput, "post_chat_line", args{"to": "Lieke", "text": "x"}, "nothing was sent")
		})
		if slices.ContainsFunc(written, func(r string) bool { return strings.Contains(r, "/lines") }) {
			d.Errorf("requests: %v", written)
		}
	})
}

func TestPing_IsReadFromItsNewestLineBack(t *testing.T) {
	const prototype = "Before I ask in the open: may I show the prototype to my sister?"
	cases(t, "get_item", args{"url": "ping:Hanna"},
		row{fact: "two pages at a time", setup: func(d *toolEnv) {
			for i := range 60 {
				call[any](d.as("Hanna Koivisto"), "post_chat_line", args{"to": "Ines", "text": fmt.Sprint("Line ", i)})
				time.Sleep(20 * time.Second)
			}
		}, holds: holds{"item.items.#": 45, "item.items.0.content": "Line 59", "item.next_cursor": some, "item.people.0.name": "Hanna Koivisto"}, then: []row{
			{in: args{"url": "{0.item.url}", "cursor": "{0.item.next_cursor}"}, holds: holds{"item.items.#": 20, "item.items.0.content": "Line 14", "item.items.19.content": prototype, "item.has_more": nil}},
			{in: args{"url": nil, "item": checklist, "project": launch, "cursor": "{0.item.next_cursor}"}, fails: fault.InvalidInput, says: says{"cursor: continues only a ping"}},
			{as: "Priya Raman", in: args{"url": "{0.item.url}"}, fails: fault.NotFound, says: says{"ping"}},
			{as: "Lieke van der Meer", each: []args{{"url": "ping:Ines"}, {"url": "{0.item.url}"}}, fails: fault.PermissionDenied, says: says{"cannot use pings"}}}},
	)
}
