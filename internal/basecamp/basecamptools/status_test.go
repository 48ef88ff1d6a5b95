package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// heldStatus returns an item's status in Basecamp.
func heldStatus(d *toolEnv, path string, id int64) any {
	d.Helper()
	return upstream[record](d, fmt.Sprintf("/%s/%d.json", path, id))["status"]
}

// oneOfEach returns one item of the launch project for every kind that Basecamp lists by type.
// The key is the kind's name in this server.
func (d *toolEnv) oneOfEach() map[string]int64 {
	d.Helper()
	all := map[string]int64{}
	for kind, upstreamType := range map[string]string{
		"message": "Message", "comment": "Comment", "todolist": "Todolist", "todo": "Todo", "subtask": "Kanban::Step", "document": "Document", "folder": "Vault",
		"upload": "Upload", "answer": "Question::Answer", "schedule_entry": "Schedule::Entry", "card": "Kanban::Card",
	} {
		found := upstream[[]struct{ ID int64 }](d, fmt.Sprintf("/projects/recordings.json?type=%s&bucket=%d", upstreamType, d.sandbox.ProjectID(launch)))
		all[kind] = found[len(found)-1].ID
		time.Sleep(time.Second) // synctest's clock
	}
	return all
}

var placesOf = map[string]string{
	"message": "messages", "comment": "comments", "todolist": "todolists", "todo": "todos", "subtask": "subtasks", "document": "documents", "folder": "vaults",
	"upload": "uploads", "answer": "question_answers", "schedule_entry": "schedule_entries", "card": "card_tables/cards",
}

func TestSetItemStatus_TrashesAndRestoresEveryKind(t *testing.T) {
	at(t, func(d *toolEnv) {
		kinds := d.oneOfEach()
		for kind, id := range kinds {
			if kind == "folder" || kind == "todolist" { // their contents change with them
				delete(kinds, kind)
				r := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("%s:%d", kind, id)}, "status": "trashed"})
				if r.Changed != 1 || heldStatus(d, placesOf[kind], id) != "trashed" {
					d.Errorf("%s: %+v", kind, r)
				}
				call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("%s:%d", kind, id)}, "status": "active"})
			}
		}
		names := slices.Sorted(maps.Keys(kinds))
		var items []string
		for _, kind := range names {
			items = append(items, fmt.Sprintf("%s:%d", kind, kinds[kind]))
		}
		for _, status := range []string{"trashed", "active"} {
			time.Sleep(10 * time.Second) // synctest's clock
			r := call[anyitem.StatusResults](d, "set_item_status", args{"items": items, "status": status})
			if r.Changed != len(items) || r.Failed != 0 || len(r.Results) != len(items) {
				d.Fatalf("%s: %+v", status, r)
			}
			for i, outcome := range r.Results {
				if got := outcome.Item; !outcome.OK || outcome.Index != i || got.ID != kinds[names[i]] || got.Type != names[i] || got.Title == "" ||
					got.Status != status || !got.Changed || got.URL == "" || got.Project.Name != launch {
					d.Errorf("%s: %+v", names[i], got)
				}
				if got := heldStatus(d, placesOf[names[i]], kinds[names[i]]); got != status {
					d.Errorf("%s is %v, not %s", names[i], got, status)
				}
			}
		}
	})
}

func TestSetItemStatus_TakesURLsIDsAndTitlesOfManyKindsAtOnce(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, card := d.sandbox.Find("Todo", "Call the insurer about demo rides"), d.sandbox.Find("Kanban::Card", "Matt clear coat")
		r := call[anyitem.StatusResults](d, "set_item_status", args{
			"items": []string{d.url("todos", todo), "card:Matt clear coat", "upload:torque-values.md"}, "project": launch, "status": "trashed",
		})
		if r.Changed != 3 || heldStatus(d, "todos", todo) != "trashed" || heldStatus(d, "card_tables/cards", card) != "trashed" {
			d.Errorf("got %+v", r)
		}
	})
}

func TestSetItemStatus_AURLThatScrollsToAPartMeansThePart(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := d.oneOfEach()
		for _, kind := range []string{"comment", "subtask"} {
			part := upstream[record](d, fmt.Sprintf("/%s/%d.json", placesOf[kind], items[kind]))
			parent := part["parent"].(record)
			r := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{part["app_url"].(string)}, "status": "trashed"})
			if got := r.Results[0].Item; got.Type != kind || got.ID != items[kind] {
				d.Errorf("%s resolved to %+v", part["app_url"], got)
			}
			if heldStatus(d, placesOf[kind], items[kind]) != "trashed" {
				d.Errorf("the %s still exists", kind)
			}
			for _, word := range []string{"todos", "card_tables/cards", "messages", "documents"} {
				if strings.Contains(parent["app_url"].(string), "/"+word+"/") && heldStatus(d, word, int64(parent["id"].(float64))) != "active" {
					d.Errorf("the parent of the %s was trashed too", kind)
				}
			}
		}
		mail := d.sandbox.Find("Inbox::Forward", "Offer: rims with a wider bed")
		reply := upstream[[]record](d, fmt.Sprintf("/inbox_forwards/%d/replies.json", mail))[0]
		r := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{reply["app_url"].(string)}, "status": "trashed"})
		if got := r.Results[0].Item; got.Type != "reply" || heldStatus(d, "inbox_forwards", mail) != "active" {
			d.Errorf("%s resolved to %+v", reply["app_url"], got)
		}
	})
}

func TestSetItemStatus_TrashesAChatLineByURL(t *testing.T) {
	at(t, func(d *toolEnv) {
		chat := d.sandbox.ToolID(launch, "chat")
		lines := upstream[[]record](d, fmt.Sprintf("/chats/%d/lines.json", chat))
		line, next := lines[0], lines[1]
		id := int64(line["id"].(float64))
		d.fails(fault.InvalidInput, "set_item_status", args{"items": []string{line["app_url"].(string)}, "status": "archived"}, "cannot be archived")
		r := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{line["app_url"].(string)}, "status": "trashed"})
		if got := r.Results[0].Item; got.Type != "chat_line" || got.ID != id || got.Status != "trashed" {
			d.Errorf("got %+v", got)
		}
		if left := upstream[[]record](d, fmt.Sprintf("/chats/%d/lines.json", chat)); left[0]["id"] == line["id"] {
			d.Error("the line still exists")
		}
		d.fails(fault.InvalidInput, "set_item_status", args{"items": []string{fmt.Sprintf("chat_line:%d", id)}, "status": "trashed"}, "no chat line", "give the url")
		r = call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("chat_line:%.0f", next["id"])}, "status": "trashed"})
		if got := r.Results[0].Item; got.Status != "trashed" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestSetItemStatus_OfAProjectIsSeenByTheNextCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.ProjectID("Winter Kit")
		url := fmt.Sprintf("https://app.basecamp.com/%d/projects/%d", d.sandbox.Account(), id)
		call[listing.Page[texts.MessageItem]](d, "list_messages", args{"project_id": "Winter Kit"}) // caches the project
		for _, c := range []struct{ item, status, request string }{
			{"project:Winter Kit", "archived", fmt.Sprintf("PUT /projects/%d/status/archived.json", id)},
			{url, "active", fmt.Sprintf("PUT /projects/%d/status/active.json", id)},
			{fmt.Sprintf("project:%d", id), "trashed", fmt.Sprintf("DELETE /projects/%d.json", id)},
		} {
			r, requests := costing[anyitem.StatusResults](d, "set_item_status", args{"items": []string{c.item}, "status": c.status, "confirm_title": "Winter Kit"})
			if got := writesIn(requests); !slices.Equal(got, []string{c.request}) {
				d.Errorf("%s: wrote %v", c.item, got)
			}
			if got := r.Results[0].Item; got.Type != "project" || got.Title != "Winter Kit" || heldStatus(d, "projects", id) != c.status {
				d.Errorf("%s: %+v", c.item, got)
			}
		}
		d.fails(fault.NotFound, "list_messages", args{"project_id": "Winter Kit"})
		if read := d.asked(func() { call[listing.Page[texts.MessageItem]](d, "list_messages", args{"project_id": id}) }); len(read) != 2 {
			d.Errorf("the project comes from the cache: %v", read)
		}
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{url}, "status": "active"})
		call[listing.Page[texts.MessageItem]](d, "list_messages", args{"project_id": "Winter Kit"})
	})
}

func TestSetItemStatus_FindsAProjectByItsName(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.ProjectID("Winter Kit")
		in := args{"items": []string{"winter kit"}, "status": "trashed", "confirm_title": "Winter Kit"}
		if r := call[anyitem.StatusResults](d, "set_item_status", in); r.Results[0].Item.ID != id || heldStatus(d, "projects", id) != "trashed" {
			d.Errorf("got %+v", r)
		}
		in["status"] = "active"
		if r := call[anyitem.StatusResults](d, "set_item_status", in); r.Changed != 1 || heldStatus(d, "projects", id) != "active" {
			d.Errorf("got %+v", r)
		}
		list := d.sandbox.TodolistID(launch, "Launch checklist")
		d.meanwhile("POST", fmt.Sprintf("/todolists/%d/todos.json", list), `{"content":"Winter Kit"}`)
		in["status"] = "archived"
		f := d.refuses(fault.Ambiguous, "set_item_status", in, "the name of a project and the title of an item")
		if len(f.Data.Candidates) != 2 || f.Data.Candidates[0].Type != "project" || f.Data.Candidates[1].Type != "todo" {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestSetItemStatus_PutsAProjectAwayOnlyWithItsNameAsConfirmation(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, status := range []string{"archived", "trashed"} {
			for _, confirm := range []string{"", "winter kit", "Cargo Bike Launch"} {
				d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{"Winter Kit"}, "status": status, "confirm_title": confirm},
					"confirm_title: ", `"Winter Kit" with 9 to-dos, 1 message, 1 document`)
			}
		}
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/projects/recordings", Status: 403})
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{"Winter Kit"}, "status": "trashed"}, `the whole project "Winter Kit", send`)
	})
}

func TestSetItemStatus_PutsSeveralProjectsAwayIfEachIsConfirmed(t *testing.T) {
	at(t, func(d *toolEnv) {
		twins := []int64{d.sandbox.ProjectID("Winter Kit"), d.make("/projects.json", `{"name":"Winter Kit"}`), d.make("/projects.json", `{"name":"Old Kit"}`)}
		var items []string
		for _, id := range twins {
			items = append(items, fmt.Sprintf("project:%d", id))
		}
		for _, status := range []string{"archived", "trashed"} {
			for _, confirm := range [][]string{nil, {"Winter Kit"}, {"Winter Kit", "Old Kit", "Other"}} {
				d.refuses(fault.InvalidInput, "set_item_status", args{"items": items, "status": status, "confirm_title": confirm}, `"Winter Kit"`, "confirm_title")
			}
			d.refuses(fault.InvalidInput, "set_item_status", args{"items": items, "status": status}, `"Winter Kit" with 9 to-dos`, `the name of each in confirm_title: ["Winter Kit", "Winter Kit", "Old Kit"]`)
		}
		call[anyitem.StatusResults](d, "set_item_status", args{"items": items[:1], "status": "archived", "confirm_title": "Winter Kit"})
		// The first one is archived already, so the call changes only the others.
		if r := call[anyitem.StatusResults](d, "set_item_status", args{"items": items, "status": "archived", "confirm_title": []string{"Old Kit", "Winter Kit"}}); r.Changed != 2 {
			d.Errorf("got %+v", r)
		}
		for _, id := range twins {
			if heldStatus(d, "projects", id) != "archived" {
				d.Errorf("project %d is not archived", id)
			}
		}
		call[anyitem.StatusResults](d, "set_item_status", args{"items": items, "status": "active"})
	})
}

func TestSetItemStatus_AsksAlsoForAProjectWhoseNameShowsNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		item := fmt.Sprintf("project:%d", d.make("/projects.json", `{"name":"\u200b\u2060"}`))
		for _, confirm := range []args{{}, {"confirm_title": ""}, {"confirm_title": "\u200b\u2060"}, {"confirm_title": " "}} {
			in := args{"items": []string{item}, "status": "trashed"}
			maps.Copy(in, confirm)
			d.refuses(fault.InvalidInput, "set_item_status", in, "send its name as confirm_title: \""+item+"\"")
		}
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{item}, "status": "trashed", "confirm_title": item})
	})
}

func TestSetItemStatus_OneInvalidItemMeansThatNoneIsChanged(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		items := []string{
			fmt.Sprintf("todo:%d", todo), "todo:17", fmt.Sprintf("card:%d", todo), "neither type nor URL", "todo:Call the insurer", "https://evil.example/1/todos/2", "",
			fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/%d", d.sandbox.Account(), d.sandbox.ProjectID("Company HQ"), todo),
		}
		f := d.refuses(fault.InvalidInput, "set_item_status", args{"items": items, "status": "trashed"}, "nothing was written")
		d.problems(f, "items[1]", "items[2]", "items[3]", "items[4]", "items[5]", "items[6]", "items[7]")
		if heldStatus(d, "todos", todo) != "active" {
			d.Error("the valid item was trashed")
		}
	})
}

func TestSetItemStatus_OneFailureOfBasecampDoesNotStopTheOthers(t *testing.T) {
	at(t, func(d *toolEnv) {
		first, second := d.sandbox.Find("Todo", "Call the insurer about demo rides"), d.sandbox.FindIn(launch, "Todo", photographer)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Status: http.StatusForbidden, Times: 1})
		r := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("todo:%d", first), fmt.Sprintf("todo:%d", second)}, "status": "trashed"})
		if r.Failed != 1 || r.Changed != 1 || r.Results[0].Error.Code != fault.PermissionDenied || !r.Results[1].OK {
			d.Errorf("got %+v", r)
		}
	})
}

func TestSetItemStatus_SkipsItemsThatHaveTheStatus(t *testing.T) {
	at(t, func(d *toolEnv) {
		item := fmt.Sprintf("todo:%d", d.sandbox.Find("Todo", "Call the insurer about demo rides"))
		requests := d.asked(func() {
			r := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{item}, "status": "active"})
			if r.Changed != 0 || r.Results[0].Item.Changed || r.Results[0].Item.Status != "active" {
				d.Errorf("got %+v", r)
			}
		})
		if len(requests) != 1 {
			d.Errorf("requests: %v", requests)
		}
	})
}

func TestSetItemStatus_NeitherPublishesNorArchivesADraft(t *testing.T) {
	at(t, func(d *toolEnv) {
		board := d.sandbox.ToolID(launch, "message_board")
		d.meanwhile("POST", fmt.Sprintf("/message_boards/%d/messages.json", board), `{"subject":"Not yet","content":"<div>Wait</div>"}`)
		id := d.sandbox.Find("Message", "Not yet")
		for _, status := range []string{"active", "archived"} {
			d.fails(fault.InvalidInput, "set_item_status", args{"items": []string{fmt.Sprintf("message:%d", id)}, "status": status}, "draft", "edit_text")
		}
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("message:%d", id)}, "status": "trashed"})
	})
}

func TestSetItemStatus_BadInputWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		item := fmt.Sprintf("todo:%d", todo)
		comment := fmt.Sprintf("comment:%d", d.oneOfEach()["comment"])
		twice := d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{item, d.url("todos", todo)}, "status": "trashed"}, "same item as items[0]")
		d.problems(twice, "items[1]")
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{"project:" + d.url("todos", todo)}, "status": "trashed"}, "the project's own URL")
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{}, "status": "trashed"}, "items")
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": make([]string, 21), "status": "trashed"}, "at most 20")
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{item}, "status": "deleted"}, "status")
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{item}}, "status")
		d.refuses(fault.NotFound, "set_item_status", args{"items": []string{item}, "status": "trashed", "project": "No such project"}, "project")
		d.refuses(fault.NotFound, "set_item_status", args{"items": []string{item}, "status": "trashed", "project": "Company HQ"}, "there is no to-do")
		d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{comment}, "status": "archived"}, "a comment cannot be archived")
	})
}

func TestSetItemStatus_OfTwentyTakesTwoRequestsEach(t *testing.T) {
	at(t, func(d *toolEnv) {
		var items []string
		todos := upstream[[]address](d, fmt.Sprintf("/projects/recordings.json?type=Todo&bucket=%d&page=3", d.sandbox.ProjectID(launch)))
		for _, todo := range todos[:20] {
			items = append(items, fmt.Sprintf("todo:%d", todo.ID))
		}
		time.Sleep(time.Minute) // synctest's clock, until the rate limit allows more requests
		requests := d.asked(func() {
			call[anyitem.StatusResults](d, "set_item_status", args{"items": items, "status": "archived", "project": launch})
		})
		if len(requests) > 42 || len(writesIn(requests)) != 20 { // 2 for the lists of projects
			d.Errorf("%d requests: %v", len(requests), requests)
		}
	})
}
