package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/report/fault"
)

func TestCreateMessage(t *testing.T) {
	post := []string{"POST /message_boards/{tool:message_board@Cargo Bike Launch}/messages.json"}
	bad := func(fact, words string, code fault.Code, in args) row {
		return row{fact: fact, in: in, fails: code, says: says{words}}
	}
	cases(t, "create_message", args{"project": launch, "subject": "Bells", "body": "Louder."},
		row{fact: "it is for everyone, and notifies no one by default", in: args{"subject": " Week 12 ", "body": "Frames are **on time**."}, requests: 3, writes: post, holds: holds{"type": "message", "subject": "Week 12", "status": "active", "project.name": launch,
			"author.name": "Ines Albrecht"}, then: []row{
			{tool: "GET /messages/{0.id}.json", holds: holds{"status": "active", "subject": "Week 12", "content": has("on time")}},
			{tool: "GET /recordings/{0.id}/subscription.json", holds: holds{"subscribers.*.name": []string{"Ines Albrecht"}}},
			{fact: "warm: its project", requests: 2, writes: post}}},
		row{fact: "a category is read by its name, and people at once", in: args{"project": "{project:Cargo Bike Launch}", "category": "pitch", "mentions": "Sam", "notify": "Priya"}, requests: 5, holds: holds{"category.name": "Pitch"}, then: []row{
			{tool: "GET /messages/{0.id}.json", holds: holds{"content": has("vnd.basecamp.mention")}}, {in: args{"category": "{0.category.id}"}, holds: holds{"category.name": "Pitch"}}}},
		row{fact: "of several boards one is named", before: []string{`POST /buckets/{project:Cargo Bike Launch}/dock/tools.json {"tool_type":"Message::Board","title":"Decisions"}`}, fails: fault.Ambiguous, says: says{"board:", "name one"}, then: []row{
			{in: args{"board": "decisions"}, writes: []string{"POST /message_boards/{tool:message_board 1@Cargo Bike Launch}/messages.json"}}}},
		bad("a subject is required", "subject: must not be blank", fault.InvalidInput, args{"subject": " "}),
		bad("a text is required", "body: must not be blank", fault.InvalidInput, args{"body": "\t"}),
		bad("the project must exist", "project", fault.NotFound, args{"project": "No such thing"}),
		bad("the project must have a message board", "message board", fault.ToolNotEnabled, args{"project": "Frame Testing Lab"}),
		bad("the board must exist", "board", fault.NotFound, args{"board": "Second board"}),
		bad("the nearest category is told", `"Announcement"`, fault.NotFound, args{"category": "An announcement"}),
		bad("the category must exist", "message type", fault.NotFound, args{"category": 5}),
		bad("everyone stands alone", "notify", fault.InvalidInput, args{"notify": []string{"everyone", "Priya"}}),
		bad("no one too", "notify", fault.InvalidInput, args{"notify": []string{"Priya", "none"}}),
		bad("whom it notifies must be on the project", `notify[1]: "Sam Lindqvist" is not on the project`, fault.InvalidInput, args{"notify": []string{"Priya", "Sam Lindqvist"}}),
		bad("whom it mentions too", `mentions[0]: "Sam Lindqvist" is not on the project`, fault.InvalidInput, args{"mentions": "Sam Lindqvist"}),
	)
}

func TestEditText_OfAMessage(t *testing.T) {
	const vote, weeks = "{Message:" + colourVote + "}", "{Message:Where we are, seven weeks before the launch}"
	const pin = "POST /recordings/" + vote + "/pin.json"
	bad := func(fact, words string, code fault.Code, in args) row {
		return row{fact: fact, in: in, fails: code, says: says{words}}
	}
	cases(t, "edit_text", args{"message": vote},
		row{fact: "a draft is published once", tool: "create_message", in: args{"project": launch, "subject": "Bells", "body": "Louder.", "draft": true, "notify": "Priya"}, holds: holds{"status": "drafted"}, then: []row{
			{in: args{"message": "{0.id}", "subject": "Bells!"}, holds: holds{"status": "drafted"}},
			{in: args{"message": "{0.url}", "publish": true}, holds: holds{"status": "active", "unchanged": nil, "title": "Bells!"}},
			{tool: "GET /messages/{0.id}.json", holds: holds{"status": "active"}}, {tool: "GET /recordings/{0.id}/subscription.json", holds: holds{"subscribers.#": 2}},
			{in: args{"message": "{0.url}", "publish": true}, requests: 1, writes: []string{}, holds: holds{"unchanged": true, "status": "active"}}}},
		row{fact: "nothing is written if nothing changes", in: args{"message": weeks, "subject": "Where we are, seven weeks before the launch", "category": "heartbeat", "publish": true, "find": "What worries me", "replace": "What worries me"},
			writes: []string{}, holds: holds{"unchanged": true, "category.name": "Heartbeat", "pinned": nil}},
		row{fact: "it is pinned", in: args{"pin": true}, requests: 2, writes: []string{pin}, holds: holds{"pinned": true, "unchanged": nil}, then: []row{
			{fact: "and unpinned", in: args{"pin": false}, requests: 2, writes: []string{"DELETE /recordings/" + vote + "/pin.json"}, holds: holds{"pinned": false}}}},
		row{fact: "it says what was done if the pin fails", faults: faults{{PathPrefix: "/recordings", Status: 429}}, in: args{"append": "Decided.", "pin": true}, fails: fault.RateLimited, says: says{"was changed", "only item and pin"},
			holds: holds{"retryable": nil}, writes: []string{"PUT /messages/" + vote + ".json", pin, pin, pin}, then: []row{
				{in: args{"pin": true}, fails: fault.RateLimited, holds: holds{"retryable": true}, writes: []string{pin, pin, pin}}}},
		row{fact: "a change is required", each: []args{{}, {"project": launch}, {"publish": false}}, fails: fault.InvalidInput, says: says{"category or pin"}},
		bad("a title is not empty", "title", fault.InvalidInput, args{"title": ""}),
		bad("a title is not blank", "title: must not be blank", fault.InvalidInput, args{"title": " "}),
		bad("mentions need a text", "need a text", fault.InvalidInput, args{"subject": "x", "mentions": "Priya"}),
		bad("a whole text has no edits", "give body alone", fault.InvalidInput, args{"body": "x", "find": "y", "replace": "z"}),
		bad("the category must exist", "message type", fault.NotFound, args{"category": "Unknown"}),
		bad("whom it mentions must be on the project", "not on the project", fault.InvalidInput, args{"append": "x", "mentions": "Sam Lindqvist"}),
		bad("part of a title is not enough", "only part of a title", fault.Ambiguous, args{"message": nil, "item": "Colour vote", "subject": "x"}),
		bad("the nearest titles are told", colourVote, fault.NotFound, args{"message": nil, "item": "Color vot", "project": launch, "subject": "x"}),
		bad("it must be in the project", "item: there is no message", fault.NotFound, args{"project": "Company HQ", "subject": "x"}),
		bad("to be pinned too", "in project", fault.NotFound, args{"pin": true, "project": "Company HQ"}),
	)
}

func TestEditText_OfAMessageChangesOnlyNamedFields(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Where we are, seven weeks before the launch")
		path := (&caseRun{toolEnv: d}).fill("/messages/{Message:Where we are, seven weeks before the launch}.json")
		for _, c := range []struct {
			with    args
			changed []string
		}{
			{args{"subject": "Where we are"}, []string{"subject", "title"}},
			{args{"append": "And the *bell*."}, []string{"content"}},
			{args{"find": "Good morning everyone", "replace": "Good evening"}, []string{"content"}},
			{args{"category": "FYI"}, []string{"category"}},
			{args{"category": "none"}, []string{"category"}},
			{args{"body": "All is well, @[Priya](person:3140027802).", "subject": "All is well", "drop": true}, []string{"content", "subject", "title"}},
		} {
			before := upstream[record](d, path)
			c.with["message"] = id
			if got := call[anyitem.EditedText](d, "edit_text", c.with); got.Unchanged || got.ID != id {
				d.Errorf("%v: %+v", c.with, got)
			}
			d.changedOnly(c.with, before, upstream[record](d, path), c.changed)
		}
	})
}
