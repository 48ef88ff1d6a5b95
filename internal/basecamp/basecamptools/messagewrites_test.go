package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func subscribers(d *toolEnv, id int64) (names []string) {
	s := upstream[struct{ Subscribers []struct{ Name string } }](d, fmt.Sprintf("/recordings/%d/subscription.json", id))
	for _, p := range s.Subscribers {
		names = append(names, p.Name)
	}
	return names
}

func TestCreateMessage_PostsForEveryoneAndNotifiesNoOneByDefault(t *testing.T) {
	at(t, func(d *toolEnv) {
		board := d.sandbox.ToolID(launch, "message_board")
		post := fmt.Sprintf("POST /message_boards/%d/messages.json", board)
		var got texts.WrittenMessage
		write := func() {
			got = call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": " Week 12 ", "body": "Frames are **on time**."})
		}
		if cold := d.asked(write); len(cold) > 3 || cold[len(cold)-1] != post {
			d.Errorf("cold: %v", cold)
		}
		d.asks(write, fmt.Sprintf("GET /projects/%d.json", d.sandbox.ProjectID(launch)), post)
		held := upstream[record](d, fmt.Sprintf("/messages/%d.json", got.ID))
		if got.Type != "message" || got.Subject != "Week 12" || got.Status != "active" || got.Project.Name != launch || got.Author.Name != "Ines Albrecht" ||
			held["status"] != "active" || held["subject"] != "Week 12" || !strings.Contains(held["content"].(string), "on time") {
			d.Errorf("got %+v, Basecamp holds %v", got, held)
		}
		if told := subscribers(d, got.ID); !slices.Equal(told, []string{"Ines Albrecht"}) {
			d.Errorf("notified: %v", told)
		}
	})
}

func TestCreateMessage_TakesACategoryByNameAndMentions(t *testing.T) {
	at(t, func(d *toolEnv) {
		project := d.sandbox.ProjectID(launch)
		got, asked := costing[texts.WrittenMessage](d, "create_message", args{"project": project, "subject": "Bells", "body": "Louder.", "category": "pitch", "mentions": "Sam", "notify": "Priya"})
		slices.Sort(asked)
		want := []string{
			fmt.Sprintf("GET /buckets/%d/categories.json", project), "GET /people.json", fmt.Sprintf("GET /projects/%d.json", project), fmt.Sprintf("GET /projects/%d/people.json", project),
			fmt.Sprintf("POST /message_boards/%d/messages.json", d.sandbox.ToolID(launch, "message_board")),
		}
		if !slices.Equal(asked, want) {
			d.Errorf("requests: %v", asked)
		}
		held := upstream[record](d, fmt.Sprintf("/messages/%d.json", got.ID))
		if got.Category == nil || got.Category.Name != "Pitch" || !strings.Contains(held["content"].(string), "vnd.basecamp.mention") {
			d.Errorf("got %+v, Basecamp holds %v", got, held["content"])
		}
		byID := call[texts.WrittenMessage](d, "create_message", args{"project": project, "subject": "Bells", "body": "x", "category": fmt.Sprint(got.Category.ID)})
		if byID.Category.Name != "Pitch" {
			d.Errorf("got %+v", byID.Category)
		}
	})
}

func TestCreateMessage_RefusesBadInputAndWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.refusesAll("create_message", args{"project": launch, "subject": "Bells", "body": "Louder."}, []refusedCall{
			{args{"subject": " "}, fault.InvalidInput, "subject: must not be blank"},
			{args{"body": "\t"}, fault.InvalidInput, "body: must not be blank"},
			{args{"project": "No such thing"}, fault.NotFound, "project"},
			{args{"project": "Frame Testing Lab"}, fault.ToolNotEnabled, "message board"},
			{args{"board": "Second board"}, fault.NotFound, "board"},
			{args{"category": "An announcement"}, fault.NotFound, `"Announcement"`},
			{args{"category": 5}, fault.NotFound, "message type"},
			{args{"notify": []string{"everyone", "Priya"}}, fault.InvalidInput, "notify"},
			{args{"notify": []string{"Priya", "none"}}, fault.InvalidInput, "notify"},
			{args{"notify": []string{"Priya", "Sam Lindqvist"}}, fault.InvalidInput, `notify[1]: "Sam Lindqvist" is not on the project`},
			{args{"mentions": "Sam Lindqvist"}, fault.InvalidInput, `mentions[0]: "Sam Lindqvist" is not on the project`},
		})
	})
}

func TestCreateMessage_OnOneOfSeveralBoardsNamesIt(t *testing.T) {
	at(t, func(d *toolEnv) {
		project := d.sandbox.ProjectID(launch)
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", project), `{"tool_type":"Message::Board","title":"Decisions"}`)
		in := args{"project": project, "subject": "Bells", "body": "Louder."}
		d.fails(fault.Ambiguous, "create_message", in, "board:", "name one")
		in["board"] = "decisions"
		got := call[texts.WrittenMessage](d, "create_message", in)
		if held := upstream[record](d, fmt.Sprintf("/messages/%d.json", got.ID)); held["parent"].(record)["title"] != "Decisions" {
			d.Errorf("the message is on %v", held["parent"])
		}
	})
}

func TestEditText_OfAMessagePublishesADraftOnce(t *testing.T) {
	at(t, func(d *toolEnv) {
		draft := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Bells", "body": "Louder.", "draft": true, "notify": "Priya"})
		if draft.Status != "drafted" {
			d.Fatalf("got %+v", draft)
		}
		if got := call[anyitem.EditedText](d, "edit_text", args{"message": draft.ID, "subject": "Bells!"}); got.Status != "drafted" {
			d.Errorf("an edit published it: %+v", got)
		}
		publish := args{"message": draft.URL, "publish": true}
		if got := call[anyitem.EditedText](d, "edit_text", publish); got.Status != "active" || got.Unchanged || got.Title != "Bells!" {
			d.Errorf("got %+v", got)
		}
		held := upstream[record](d, fmt.Sprintf("/messages/%d.json", draft.ID))
		if told := subscribers(d, draft.ID); held["status"] != "active" || len(told) != 2 {
			d.Errorf("Basecamp holds %v and notifies %v", held, told)
		}
		var again anyitem.EditedText
		d.asks(func() { again = call[anyitem.EditedText](d, "edit_text", publish) }, fmt.Sprintf("GET /messages/%d.json", draft.ID))
		if !again.Unchanged || again.Status != "active" {
			d.Errorf("got %+v", again)
		}
	})
}

func TestEditText_OfAMessageChangesOnlyNamedFields(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Where we are, seven weeks before the launch")
		path := fmt.Sprintf("/messages/%d.json", id)
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

func TestEditText_OfAMessageWritesNothingIfNothingChanges(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Where we are, seven weeks before the launch")
		got, asked := costing[anyitem.EditedText](d, "edit_text", args{"message": id, "subject": "Where we are, seven weeks before the launch",
			"category": "heartbeat", "publish": true, "find": "What worries me", "replace": "What worries me"})
		if !got.Unchanged || len(writesIn(asked)) > 0 || got.Category.Name != "Heartbeat" || got.Pinned != nil {
			d.Errorf("%+v after %v", got, asked)
		}
	})
}

func TestEditText_OfAMessagePinsAndUnpins(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", colourVote)
		get, pin := fmt.Sprintf("GET /messages/%d.json", id), fmt.Sprintf("/recordings/%d/pin.json", id)
		var got anyitem.EditedText
		d.asks(func() { got = call[anyitem.EditedText](d, "edit_text", args{"message": id, "pin": true}) }, get, "POST "+pin)
		if got.Pinned == nil || !*got.Pinned || got.Unchanged {
			d.Errorf("got %+v", got)
		}
		d.asks(func() { got = call[anyitem.EditedText](d, "edit_text", args{"message": id, "pin": false}) }, get, "DELETE "+pin)
		if got.Pinned == nil || *got.Pinned {
			d.Errorf("got %+v", got)
		}
	})
}

func TestEditText_OfAMessageSaysWhatWasDoneWhenThePinFails(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", colourVote)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/recordings", Status: 429})
		f := d.fails(fault.RateLimited, "edit_text", args{"message": id, "append": "Decided.", "pin": true}, "was changed", "only item and pin")
		if held := upstream[record](d, fmt.Sprintf("/messages/%d.json", id))["content"].(string); f.Retryable || !strings.Contains(held, "Decided.") {
			d.Errorf("%+v, Basecamp holds %s", f, held)
		}
		if f := d.fails(fault.RateLimited, "edit_text", args{"message": id, "pin": true}); !f.Retryable {
			d.Errorf("got %+v", f)
		}
	})
}

func TestEditText_OfAMessageRefusesBadInputAndWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", colourVote)
		d.refusesAll("edit_text", nil, []refusedCall{
			{args{"message": id}, fault.InvalidInput, "category or pin"},
			{args{"message": id, "project": launch}, fault.InvalidInput, "category or pin"},
			{args{"message": id, "publish": false}, fault.InvalidInput, "category or pin"},
			{args{"message": id, "title": ""}, fault.InvalidInput, "title"},
			{args{"message": id, "title": " "}, fault.InvalidInput, "title: must not be blank"},
			{args{"message": id, "subject": "x", "mentions": "Priya"}, fault.InvalidInput, "need a text"},
			{args{"message": id, "body": "x", "find": "y", "replace": "z"}, fault.InvalidInput, "give body alone"},
			{args{"message": id, "category": "Unknown"}, fault.NotFound, "message type"},
			{args{"message": id, "append": "x", "mentions": "Sam Lindqvist"}, fault.InvalidInput, "not on the project"},
			{args{"item": "Colour vote", "subject": "x"}, fault.Ambiguous, "only part of a title"},
			{args{"item": "Color vot", "project": launch, "subject": "x"}, fault.NotFound, colourVote},
			{args{"message": id, "project": "Company HQ", "subject": "x"}, fault.NotFound, "item: there is no message"},
			{args{"message": id, "pin": true, "project": "Company HQ"}, fault.NotFound, "in project"},
		})
	})
}
