package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestReminders(t *testing.T) {
	const card = "card:" + kickstandID
	set := func(on, is string) row {
		return row{fact: on, in: operation("set_reminder", args{"item": card, "on": on}), holds: holds{"on.title": kickstand}, then: []row{
			{tool: "get_notifications", in: args{"section": "bubbles"}, holds: holds{"items.#": 1, "items.0.title": kickstand, "items.0.remind_on": is}}}}
	}
	thursday := set("thursday", "2000-01-06")
	thursday.says = says{"-> 2000-01-06"}
	cases(t, "change_basecamp", nil,
		row{fact: "it is set, moved and ended", in: operation("set_reminder", args{"item": card, "on": "2000-01-20"}), then: []row{
			set("2000-01-20", "2000-01-20"), thursday, set("today", "2000-01-01"),
			{in: operation("remove_reminder", args{"item": card}), then: []row{{tool: "get_notifications", in: args{"section": "bubbles"}, holds: holds{"items": nil}}}},
		}},
		row{fact: "it is on a whole day", each: []args{operation("set_reminder", args{"item": card, "on": "tomorrow 9:30"}), operation("set_reminder", args{"item": card, "on": "2000-01-20T09:00"}), operation("set_reminder", args{"item": card, "on": "soon"})},
			fails: fault.InvalidInput, says: says{"on"}},
		row{fact: "the item must exist", in: operation("set_reminder", args{"item": "todo:17", "on": "friday"}), fails: fault.NotFound},
		row{fact: "a project has none", in: operation("set_reminder", args{"item": "project:{project:Cargo Bike Launch}", "on": "friday"}), fails: fault.InvalidInput, says: says{"item"}},
	)
}

func TestUpNext(t *testing.T) {
	const step = "subtask:{Kanban::Step:Measure twice}"
	now := func(titles any) []row {
		return []row{{tool: "GET /my/assignments.json", holds: holds{"priorities.*.content": titles}}}
	}
	do := func(name string, in args, titles any) row {
		return row{fact: name, in: operation(name, in), then: now(titles)}
	}
	const first, second = "{0.priorities.0.content}", "{0.priorities.1.content}"
	cases(t, "change_basecamp", nil,
		row{fact: "a subtask stands for its card", before: says{"POST /recordings/" + kickstandID + `/subtasks.json {"title":"Measure twice","assignee_ids":[{person:Ines Albrecht}]}`},
			tool: "GET /my/assignments.json", holds: holds{"priorities.#": 2}, then: []row{
				do("set_up_next", args{"item": step}, says{first, second, kickstand}),
				do("move_up_next", args{"item": step, "position": 1}, says{kickstand, first, second}),
				do("remove_up_next", args{"item": step}, says{first, second}),
				do("move_up_next", args{"item": first, "position": 2}, says{second, first}),
				{in: operation("move_up_next", args{"item": first, "position": 40}), fails: fault.InvalidInput, says: says{"Position must be"}, writes: says{"POST /my/priority_moves.json"}},
			}},
	)
}

func TestBoost(t *testing.T) {
	const message = "message:" + voteID
	boosted := func(fact string, in args, changed bool, notified any, texts ...any) row {
		in["item"] = message
		return row{fact: fact, in: in, holds: holds{"changed": changed, "notified": notified, "boosts.*.text": append([]any{}, texts...)}}
	}
	author := says{"Hanna Koivisto"}
	cases(t, "boost", args{"item": message},
		row{fact: "it is made once, and taken back", as: "Sam Okafor", holds: holds{"changed": true}, then: []row{
			boosted("a second one is the same", args{}, false, nil, "👍"),
			boosted("unless it says something else", args{"text": "Hooray"}, true, author, "👍", "Hooray"),
			boosted("what it says is taken back", args{"text": "Hooray", "remove": true}, true, nil, "👍"),
			boosted("what is left is taken back", args{"remove": true}, true, nil),
			boosted("nothing is left", args{"remove": true}, false, nil),
			boosted("a new one notifies the author", args{}, true, author, "👍"),
			{as: "Ines Albrecht", in: args{"item": message, "text": "🚲"}},
			{fact: "a person takes back only an own one", as: "Ines Albrecht", in: args{"item": message, "remove": true}, holds: holds{"boosts.*.by.name": says{"Sam Okafor"}}},
			{fact: "it is shown with the item", tool: "get_message", in: args{"message_id": message}, says: says{`"boosts":[{"text":"👍"`}},
			{fact: "by any tool", tool: "get_item", in: args{"url": message}, says: says{`"boosts":[{"text":"👍"`}},
		}},
		row{fact: "it is read only of what has some", tool: "get_todo", in: args{"todo_id": "{Todo:" + photographer + "}"}, then: []row{
			{tool: "get_todo", in: args{"todo_id": "{Todo:" + photographer + "}"}, requests: 3},
			{in: args{"item": "todo:{Todo:" + photographer + "}"}},
			{tool: "get_todo", in: args{"todo_id": "{Todo:" + photographer + "}"}, requests: 4},
		}},
		row{fact: "a folder has none", in: args{"item": "folder:{tool:vault@Cargo Bike Launch}"}, fails: fault.InvalidInput, says: says{"item", "no boosts"}},
		row{fact: "it has at most 16 characters", in: args{"text": "Seventeen letters"}, writes: says{"POST /recordings/" + voteID + "/boosts.json"}, fails: fault.InvalidInput, says: says{"text", "16"}},
		row{fact: "Basecamp's reason is told", faults: faults{{Method: "POST", PathPrefix: "/recordings/", Status: 422, Body: `{"error":"Boosts are closed here."}`}}, in: args{"text": "x"},
			fails: fault.InvalidInput, writes: says{"POST /recordings/" + voteID + "/boosts.json"}, holds: holds{"data": has("Boosts are closed here.")}},
	)
}

func TestFollow(t *testing.T) {
	const coat, comments = "{Kanban::Card:Matt clear coat}", "GET /recordings/{Message:" + colourVote + inTheLaunch + "/comments.json"
	// turns follows, unfollows and follows an item, by two requests each.
	turns := func(item, id string) (rows []row) {
		for _, on := range []bool{true, false, true} {
			operation := map[bool]string{true: "follow", false: "unfollow"}[on]
			rows = append(rows, row{fact: operation, in: args{"operation": operation, "item": item}, requests: 2, holds: holds{"on.id": id, "on.type": some, "result.subscribed": on},
				then: []row{{tool: "GET /recordings/" + id + "/subscription.json", holds: holds{"subscribers.*.name": some}}}})
			if !on {
				rows[1].holds["result"] = nil
				delete(rows[1].holds, "result.subscribed")
				rows[1].then[0].misses = says{"Priya Raman"}
			} else {
				rows[len(rows)-1].then[0].says = says{"Priya Raman"}
			}
		}
		return rows
	}
	cases(t, "change_basecamp", nil,
		row{fact: "a card by its ID", as: "Priya Raman", tool: comments, then: turns("card:"+coat, coat)},
		row{fact: "a card by its address", as: "Priya Raman", tool: comments, then: turns(launchURL+"/card_tables/cards/"+coat, coat)},
		row{fact: "the item of a comment by the comment's address", as: "Priya Raman", tool: comments, then: turns("{0.0.app_url}", voteID)},
		row{fact: "the item of a comment by the comment's ID", as: "Priya Raman", tool: comments, then: turns("comment:{0.0.id}", voteID)},
		row{fact: "a project cannot be followed", in: args{"operation": "follow", "item": "project:" + launch}, fails: fault.InvalidInput, says: says{"todo"}},
		row{fact: "part of a title is not enough", in: args{"operation": "follow", "item": "Matt clear"}, fails: fault.Ambiguous, says: says{"only part of a title"}},
		row{fact: "the comment must exist", in: args{"operation": "follow", "item": "comment:17"}, fails: fault.NotFound},
		row{fact: "the item must be in the project", in: args{"operation": "follow", "item": "card:" + coat, "project": "Company HQ"}, fails: fault.NotFound},
		row{fact: "it can be repeated", faults: []sandbox.Fault{{Status: 500, Method: "POST"}}, in: args{"operation": "follow", "item": "card:" + coat}, fails: fault.UpstreamError,
			writes: says{"POST /recordings/" + coat + "/subscription.json"}, holds: holds{"retryable": true}},
	)
}
