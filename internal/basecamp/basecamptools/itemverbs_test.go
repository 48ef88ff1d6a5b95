package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestSetReminder_SetsMovesAndEndsAReminder(t *testing.T) {
	at(t, func(d *toolEnv) {
		card := fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand))
		shown := func() (days []string) {
			for _, n := range call[struct{ Items []notification }](d, "get_notifications", args{"section": "bubbles"}).Items {
				if n.RemindOn != nil {
					days = append(days, n.Title+" "+*n.RemindOn)
				}
			}
			return days
		}
		for _, x := range []struct{ on, is, was string }{
			{"2000-01-20", "2000-01-20", ""}, {"thursday", "2000-01-06", "2000-01-20"}, {"today", "2000-01-01", "2000-01-06"}, {"none", "", "2000-01-01"}, {"none", "", ""},
		} {
			got := call[reminder](d, "set_reminder", args{"item": card, "on": x.on})
			if text(got.On) != x.is || text(got.Previous.On) != x.was || got.Title != kickstand || got.URL == "" {
				d.Errorf("%s: on %q, previous %q", x.on, text(got.On), text(got.Previous.On))
			}
			var want []string
			if x.is != "" {
				want = []string{kickstand + " " + x.is}
			}
			if days := shown(); !slices.Equal(days, want) {
				d.Errorf("%s: notifications show %v", x.on, days)
			}
		}
	})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestSetReminder_RefusesTimesAndThePast(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := fmt.Sprint("todo:", d.sandbox.Find("Todo", photographer))
		for _, on := range []string{"tomorrow 9:30", "17:00", "2000-01-20T09:00"} {
			d.refuses(fault.InvalidInput, "set_reminder", args{"item": todo, "on": on}, "on", "no time of day")
		}
		d.refuses(fault.InvalidInput, "set_reminder", args{"item": todo, "on": "yesterday"}, "on", "past")
		d.refuses(fault.InvalidInput, "set_reminder", args{"item": todo, "on": "soon"}, "on")
		d.refuses(fault.NotFound, "set_reminder", args{"item": "todo:17", "on": "friday"})
		d.refuses(fault.InvalidInput, "set_reminder", args{"item": fmt.Sprint("project:", d.sandbox.ProjectID(launch)), "on": "friday"}, "item")
	})
}

// upNext returns the titles of the caller's priorities, and their subtasks with priority, in order.
func upNext(d *toolEnv) (titles []string) {
	for _, p := range upstream[struct{ Priorities []record }](d, "/my/assignments.json").Priorities {
		titles = append(titles, p["content"].(string))
	}
	return titles
}

func TestSetUpNext_AddsPlacesAndRemoves(t *testing.T) {
	at(t, func(d *toolEnv) {
		before := upNext(d)
		if len(before) != 2 {
			d.Fatal(before)
		}
		var own []string
		for _, p := range upstream[struct {
			NonPriorities []record `json:"non_priorities"`
		}](d, "/my/assignments.json").NonPriorities {
			own = append(own, p["content"].(string))
		}
		a, b, c := own[0], own[1], own[2]
		for _, x := range []struct {
			in   args
			want []string
		}{
			{args{"items": []string{a}}, append(slices.Clone(before), a)},
			{args{"items": a, "position": 1}, []string{a, before[0], before[1]}},
			{args{"items": []string{b, c, a}, "position": 2}, []string{before[0], b, c, a, before[1]}},
			{args{"items": []string{b, before[1]}, "position": 4}, []string{before[0], c, a, b, before[1]}},
			{args{"items": []string{a, b, c}, "remove": true}, before},
			{args{"items": []string{a}, "remove": true}, before},
		} {
			got := call[record](d, "set_up_next", x.in)
			if now := upNext(d); !slices.Equal(now, x.want) || got["failed"].(float64) != 0 {
				d.Errorf("%v: %v, want %v", x.in, now, x.want)
			}
		}
		again := call[record](d, "set_up_next", args{"items": []string{before[0]}, "position": 2})["results"].([]any)[0].(map[string]any)["item"].(map[string]any)
		if again["position"].(float64) != 2 || again["previous"].(map[string]any)["position"].(float64) != 1 {
			d.Errorf("got %v", again)
		}
		for _, x := range []struct {
			in    args
			words []string
		}{
			{args{"items": []string{a, a}}, []string{"items[1]", "same item"}},
			{args{"items": []string{a}, "position": 4}, []string{"position", "between 1 and 3"}},
			{args{"items": []string{a}, "position": 2, "remove": true}, []string{"position"}},
			{args{"items": []string{}}, []string{"items"}},
		} {
			d.refuses(fault.InvalidInput, "set_up_next", x.in, x.words...)
		}
		d.refuses(fault.NotFound, "set_up_next", args{"items": []string{a, photographer + "?"}}, "items[1]", "assigned to the user")
	})
}

func TestSetUpNext_TakesASubtaskByItself(t *testing.T) {
	at(t, func(d *toolEnv) {
		card := d.sandbox.Find("Kanban::Card", kickstand)
		step := d.make(fmt.Sprintf("/recordings/%d/subtasks.json", card), fmt.Sprintf(`{"title":"Measure twice","assignee_ids":[%d]}`, d.sandbox.Person("Ines Albrecht").ID))
		call[any](d, "set_up_next", args{"items": []string{fmt.Sprint("subtask:", step)}, "position": 1})
		first := upstream[struct{ Priorities []record }](d, "/my/assignments.json").Priorities[0]
		if first["priority_recording_id"].(float64) != float64(step) || first["content"] != kickstand {
			d.Errorf("first is %v", first)
		}
		call[any](d, "set_up_next", args{"items": []string{"Measure twice"}, "remove": true})
		if now := upNext(d); slices.Contains(now, kickstand) {
			d.Errorf("%v", now)
		}
	})
}

func TestBoost_IsMadeOnceShownAndTakenBack(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := fmt.Sprint("message:", d.sandbox.Find("Message", colourVote))
		author := call[message](d, "get_message", args{"message_id": id}).Author.Name
		sam := d.as("Sam Okafor")
		for i, x := range []struct {
			in      args
			changed bool
			texts   string
		}{
			{args{}, true, "👍"}, {args{}, false, "👍"}, {args{"text": "Hooray"}, true, "👍 Hooray"},
			{args{"text": "Hooray", "remove": true}, true, "👍"}, {args{"remove": true}, true, ""}, {args{"remove": true}, false, ""},
		} {
			x.in["item"] = id
			got := call[boosted](sam, "boost", x.in)
			var texts []string
			for _, b := range got.Boosts {
				texts = append(texts, b.Text)
			}
			told := got.Changed && x.in["remove"] == nil
			if got.Changed != x.changed || strings.Join(texts, " ") != x.texts || told != slices.Equal(got.Notified, []string{author}) {
				d.Errorf("%d: %+v", i, got)
			}
		}
		call[boosted](sam, "boost", args{"item": id})
		call[boosted](d, "boost", args{"item": id, "text": "🚲"})
		if got := call[boosted](d, "boost", args{"item": id, "remove": true}); len(got.Boosts) != 1 || got.Boosts[0].By.Name != "Sam Okafor" {
			d.Errorf("took back %+v", got)
		}
		for tool, in := range map[string]args{"get_message": {"message_id": id}, "get_item": {"url": id}} {
			if answer := d.answer(tool, in); !strings.Contains(answer, `"boosts":[{"text":"👍"`) {
				d.Errorf("%s: %s", tool, answer)
			}
		}
		d.refuses(fault.InvalidInput, "boost", args{"item": fmt.Sprint("folder:", d.sandbox.ToolID(launch, "vault"))}, "item", "no boosts")
		d.fails(fault.InvalidInput, "boost", args{"item": id, "text": "Seventeen letters"}, "text", "16")
		d.sandbox.Inject(sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Status: 422, Body: `{"error":"Boosts are closed here."}`})
		f := d.fails(fault.InvalidInput, "boost", args{"item": id, "text": "x"})
		if !strings.Contains(fmt.Sprint(f.Data), "Boosts are closed here.") {
			d.Errorf("%+v", f)
		}
	})
}

// An item without boosts costs no request for them.
func TestBoosts_AreReadOnlyOfWhatHasSome(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := d.sandbox.Find("Todo", photographer)
		look := func() []string { return d.asked(func() { call[any](d, "get_todo", args{"todo_id": todo}) }) }
		boostReads := func() int {
			return len(slices.DeleteFunc(look(), func(r string) bool { return !strings.Contains(r, "boosts") }))
		}
		if n := boostReads(); n != 0 {
			d.Errorf("%d reads", n)
		}
		call[any](d, "boost", args{"item": fmt.Sprint("todo:", todo)})
		if n := boostReads(); n != 1 {
			d.Errorf("%d reads", n)
		}
	})
}

func TestSetSubscription_SubscribesAndUnsubscribes(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		priya := d.as("Priya Raman")
		comment := upstream[[]record](d, fmt.Sprintf("/projects/recordings.json?type=Comment&bucket=%d", d.sandbox.ProjectID(launch)))[0]
		parent := int64(comment["parent"].(record)["id"].(float64))
		for _, c := range []struct {
			item string
			id   int64
			asks int
		}{
			{fmt.Sprintf("card:%d", id), id, 2},
			{d.url("card_tables/cards", id), id, 2},
			{comment["app_url"].(string), parent, 2},
			{fmt.Sprintf("comment:%.0f", comment["id"]), parent, 2},
		} {
			for _, want := range []bool{true, false, true} {
				var got struct {
					On     operationOn
					Result *lookup.Ref
				}
				requests := d.asked(func() {
					got = call[struct {
						On     operationOn
						Result *lookup.Ref
					}](priya, "change_basecamp", args{"operation": map[bool]string{true: "follow", false: "unfollow"}[want], "item": c.item})
				})
				if got.On.ID != c.id || got.On.Type == "" || got.On.Type == "comment" || c.id == id && got.On.Type != "card" || (got.Result != nil) != want || len(requests) != c.asks {
					d.Errorf("%s: %+v after %v", c.item, got, requests)
				}
				told := false
				for _, s := range upstream[struct{ Subscribers []struct{ Name string } }](d, fmt.Sprintf("/recordings/%d/subscription.json", c.id)).Subscribers {
					told = told || s.Name == "Priya Raman"
				}
				if told != want {
					d.Errorf("%s: Priya is notified: %v", c.item, told)
				}
			}
		}
	})
}

func TestSetSubscription_RefusesOtherKindsAndWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		d.refuses(fault.InvalidInput, "change_basecamp", args{"operation": "follow", "item": "project:" + launch}, "todo")
		d.refuses(fault.Ambiguous, "change_basecamp", args{"operation": "follow", "item": "Matt clear"}, "only part of a title")
		d.refuses(fault.NotFound, "change_basecamp", args{"operation": "follow", "item": "comment:17"})
		d.fails(fault.NotFound, "change_basecamp", args{"operation": "follow", "item": fmt.Sprintf("card:%d", id), "project": "Company HQ"})
		d.sandbox.Inject(sandbox.Fault{Status: 500, Method: "POST"})
		if f := d.fails(fault.UpstreamError, "change_basecamp", args{"operation": "follow", "item": fmt.Sprintf("card:%d", id)}); !f.Retryable {
			d.Errorf("a repeated call: %+v", f)
		}
	})
}
