package jobs

import (
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/e2e/agent"
)

const (
	launch   = "Cargo Bike Launch"
	couriers = "Rijnstad Couriers Fleet"
)

func overdue(r *run) {
	got := r.all("list_work", with{"project": launch, "state": "overdue"})
	titles := field(got, "title")
	for _, todo := range r.lookAll("list_todos", with{"project_id": launch}) {
		late := todo.String("due_on") != "" && todo.String("due_on") < r.day(0)
		r.check(late == slices.Contains(titles, todo.String("title")), "%q is told wrongly", todo.String("title"))
	}
	r.check(slices.Contains(titles, "VAT number check"), "an overdue card is missing")
}

func people(r *run) {
	got := r.all("list_people", with{"project": couriers})
	var clients []string
	for _, person := range got {
		if person.String("client") == "true" {
			clients = append(clients, person.String("name"))
		}
	}
	r.check(len(got) == 9, "it has %d people", len(got))
	r.check(slices.Equal(clients, []string{"Lieke van der Meer"}), "clients: %v", clients)
}

func lastDays(r *run) {
	asked := with{"since": "3 days ago"}
	first := r.call("get_activity", asked)
	items := first.List("items")
	switch {
	case first.Failed:
		items = r.all("get_activity", with{"since": r.day(-3)})
	case first.String("next_cursor") != "":
		asked["cursor"] = first.String("next_cursor")
		items = append(items, r.all("get_activity", asked)...)
	}
	told := field(items, "url")
	r.check(len(told) > 50, "only %d things happened", len(told))
	for _, item := range r.lookAll("get_activity", with{"since": r.day(-3)}) {
		r.check(slices.Contains(told, item.String("url")), "%s is missing", item.String("url"))
	}
}

func week(r *run) {
	late := r.call("get_my_work", with{"scope": "overdue"})
	soon := r.call("get_my_work", with{"scope": "this_week"})
	coming := r.call("get_upcoming", with{"mine_only": true, "to": "sunday"})
	var titles, days []string
	for _, answer := range []agent.Answer{late, soon} {
		for _, group := range answer.List("groups") {
			titles = append(titles, field(group.List("items"), "title")...)
			days = append(days, field(group.List("items"), "due_on")...)
		}
	}
	r.check(slices.IsSorted(days), "not in order: %v", days)
	r.check(!coming.Failed, "no schedule")
	sunday := r.day((7 - int(r.now.Weekday())) % 7)
	for _, item := range r.lookAll("list_work", with{"assignee": "me"}) {
		due := item.String("due_on")
		if due != "" && due <= sunday && !slices.Contains(titles, item.String("title")) {
			r.fail("%q, due on %s, is missing", item.String("title"), due)
		}
	}
}

func personYesterday(r *run) {
	zone := r.call("get_me", nil).String("time_zone")
	location, err := time.LoadLocation(zone)
	r.check(err == nil && zone != "", "get_me tells no time zone")
	if err != nil {
		return
	}
	items := r.all("get_activity", with{"person": "Sam Okafor", "since": "yesterday"})
	var yesterday int
	for _, item := range items {
		at, err := time.Parse(time.RFC3339, item.String("at"))
		r.check(err == nil, "no time: %s", item.String("at"))
		if at.In(location).Format(time.DateOnly) == r.day(-1) {
			yesterday++
		}
	}
	r.check(yesterday > 0, "nothing was told of yesterday")
}

func image(r *run) {
	card := r.call("get_card", with{"item": "Cable exit at the head tube, sharper radius", "project": launch})
	address := card.String("content_attachments.0.download_url")
	if address == "" {
		address = card.String("content_attachments.0.url")
	}
	if address == "" {
		r.partly("get_card tells the picture's name, but no address of it")
		return
	}
	got := r.call("get_file", with{"item": address})
	if !got.Image {
		r.partly("get_file does not read a file inside a text")
	}
}

func keyword(r *run) {
	items := r.all("search", with{"query": "brake", "limit": 100})
	var titles []string
	for _, item := range items {
		titles = append(titles, item.String("title"))
	}
	for _, title := range []string{
		"Confirm brake supplier can deliver 120 sets before the first batch", "Notes from the call with the brake people",
		"Brakes: yes or no", "brake-prices.csv", "brake-letter-signed.pdf", "Brakes and wheels", "Who makes what",
	} {
		r.check(slices.Contains(titles, title), "%q is missing", title)
	}
}

func whoChanged(r *run) {
	r.as("samo", "update_todo", with{"todo": "Print the serial number plates", "project": launch, "due_on": r.day(9)})
	got := r.call("get_history", with{"item": "todo:Print the serial number plates", "project": launch})
	who := slices.Concat(got.People("items.0.who"), got.People("all_items.who"))
	r.check(slices.Equal(who, []string{"Sam Okafor"}), "the newest change is by %q", who)
}

// report collects what a weekly report needs: what was completed, what is overdue, what is coming,
// and what was written.
func report(r *run) {
	var told strings.Builder
	for _, question := range []struct {
		tool      string
		arguments with
	}{
		{"get_activity", with{"since": "last_7_days"}},
		{"list_work", with{"state": "completed", "limit": 100}},
		{"list_work", with{"state": "overdue", "limit": 100}},
		{"get_upcoming", with{"to": r.day(7)}},
	} {
		for range 20 {
			page := r.call(question.tool, question.arguments)
			told.WriteString(page.Text)
			if page.String("next_cursor") == "" {
				break
			}
			question.arguments["cursor"] = page.String("next_cursor")
		}
	}
	r.wantsReport(told.String())
}

// wantsReport checks that a text names what a report of the launch needs.
func (r *run) wantsReport(text string) {
	r.t.Helper()
	for _, todo := range r.lookAll("list_todos", with{"project_id": launch}) {
		if due := todo.String("due_on"); due != "" && due < r.day(0) {
			r.check(strings.Contains(text, todo.String("title")), "the overdue %q is missing", todo.String("title"))
		}
	}
	for _, todo := range r.lookAll("list_todos", with{"project_id": launch, "completed": true}) {
		if todo.String("completed_at") > r.day(-6) {
			r.check(strings.Contains(text, todo.String("title")), "the completed %q is missing", todo.String("title"))
		}
	}
	for _, title := range []string{"Test ride on the church square", "Where we are, seven weeks before the launch"} {
		r.check(strings.Contains(text, title), "%q is missing", title)
	}
}
