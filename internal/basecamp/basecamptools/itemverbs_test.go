package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/operationtools"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestSetReminder_SetsMovesAndEndsAReminder(t *testing.T) {
	at(t, func(d *toolEnv) {
		card := fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand))
		for _, x := range []struct{ on, is string }{{"2000-01-20", "2000-01-20"}, {"thursday", "2000-01-06"}, {"today", "2000-01-01"}, {"", ""}} {
			do := operation("set_reminder", args{"item": card, "on": x.on})
			if x.on == "" {
				do = operation("remove_reminder", args{"item": card})
			}
			got := call[changed](d, "change_basecamp", do)
			if said := strings.Join(got.Understood, ""); got.On.Title != kickstand || x.is != x.on && !strings.Contains(said, "-> "+x.is) {
				d.Errorf("%s: %+v", x.on, got)
			}
			shown := ""
			for _, n := range call[struct{ Items []overview.Notification }](d, "get_notifications", args{"section": "bubbles"}).Items {
				shown += n.Title + " " + *n.RemindOn
			}
			if want := kickstand + " " + x.is; shown != want && (x.is != "" || shown != "") {
				d.Errorf("%s: notifications show %q", x.on, shown)
			}
		}
		for _, on := range []string{"tomorrow 9:30", "2000-01-20T09:00", "soon"} {
			d.refuses(fault.InvalidInput, "change_basecamp", operation("set_reminder", args{"item": card, "on": on}), "on")
		}
		d.refuses(fault.NotFound, "change_basecamp", operation("set_reminder", args{"item": "todo:17", "on": "friday"}))
		d.refuses(fault.InvalidInput, "change_basecamp", operation("set_reminder", args{"item": fmt.Sprint("project:", d.sandbox.ProjectID(launch)), "on": "friday"}), "item")
	})
}

// upNext returns the titles of the caller's priorities, and their subtasks with priority, in order.
func upNext(d *toolEnv) (titles []string) {
	for _, p := range upstream[struct{ Priorities []record }](d, "/my/assignments.json").Priorities {
		titles = append(titles, p["content"].(string))
	}
	return titles
}

func TestUpNext_TakesMovesAndRemovesItems(t *testing.T) {
	at(t, func(d *toolEnv) {
		before := upNext(d)
		card := d.sandbox.Find("Kanban::Card", kickstand)
		step := d.make(fmt.Sprintf("/recordings/%d/subtasks.json", card), fmt.Sprintf(`{"title":"Measure twice","assignee_ids":[%d]}`, d.sandbox.Person("Ines Albrecht").ID))
		for _, x := range []struct {
			name string
			in   args
			want []string
		}{
			{"set_up_next", args{"item": fmt.Sprint("subtask:", step)}, append(slices.Clone(before), kickstand)},
			{"move_up_next", args{"item": fmt.Sprint("subtask:", step), "position": 1}, append([]string{kickstand}, before...)},
			{"remove_up_next", args{"item": fmt.Sprint("subtask:", step)}, before},
			{"move_up_next", args{"item": before[0], "position": 2}, []string{before[1], before[0]}},
		} {
			call[changed](d, "change_basecamp", operation(x.name, x.in))
			if now := upNext(d); !slices.Equal(now, x.want) {
				d.Errorf("%s %v: %v, want %v", x.name, x.in, now, x.want)
			}
		}
		d.fails(fault.InvalidInput, "change_basecamp", operation("move_up_next", args{"item": before[0], "position": 40}), "Position must be")
	})
}

func TestBoost_IsMadeOnceShownAndTakenBack(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := fmt.Sprint("message:", d.sandbox.Find("Message", colourVote))
		author := call[texts.Message](d, "get_message", args{"message_id": id}).Author.Name
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
			got := call[parts.Boosted](sam, "boost", x.in)
			var texts []string
			for _, b := range got.Boosts {
				texts = append(texts, b.Text)
			}
			told := got.Changed && x.in["remove"] == nil
			if got.Changed != x.changed || strings.Join(texts, " ") != x.texts || told != slices.Equal(got.Notified, []string{author}) {
				d.Errorf("%d: %+v", i, got)
			}
		}
		call[parts.Boosted](sam, "boost", args{"item": id})
		call[parts.Boosted](d, "boost", args{"item": id, "text": "🚲"})
		if got := call[parts.Boosted](d, "boost", args{"item": id, "remove": true}); len(got.Boosts) != 1 || got.Boosts[0].By.Name != "Sam Okafor" {
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
					On     operationtools.OperationOn
					Result *lookup.Ref
				}
				requests := d.asked(func() {
					got = call[struct {
						On     operationtools.OperationOn
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
