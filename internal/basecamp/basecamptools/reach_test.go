package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
)

// menus returns the number of unread notifications of everyone in the company, by name.
func (d *toolEnv) menus() map[string]int {
	d.Helper()
	counts := map[string]int{}
	for _, p := range d.sandbox.People() {
		menu := decode[struct {
			Unreads []struct {
				Count int `json:"unread_count"`
			}
		}](d, d.ask(p.Token, http.MethodGet, "/my/readings.json", "", ""))
		for _, item := range menu.Unreads {
			counts[p.Name] += item.Count
		}
	}
	return counts
}

// newlyNotified returns the names of the people who have a new notification after work.
func (d *toolEnv) newlyNotified(work func()) (names []string) {
	d.Helper()
	before := d.menus()
	work()
	for name, count := range d.menus() {
		if count > before[name] {
			names = append(names, name)
		}
	}
	return names
}

// reaches calls a tool. It compares whom the answer names with whom the call should reach, and with
// the people who have a new notification in Basecamp.
func (d *toolEnv) reaches(tool string, in args, mentioned, notified string) lookup.Reach {
	d.Helper()
	var got lookup.Reach
	told := d.newlyNotified(func() { got = call[lookup.Reach](d, tool, in) })
	listed := func(names string) []string {
		return sorted(strings.FieldsFunc(names, func(r rune) bool { return r == ',' }))
	}
	if got.Mentioned == nil || got.Notified == nil {
		d.Errorf("%s %v: mentioned or notified is missing", tool, in)
	}
	for what, names := range map[string][2][]string{
		"mentioned": {listed(mentioned), sorted(got.Mentioned)}, "notified": {listed(notified), sorted(got.Notified)}, "in Basecamp": {listed(notified), sorted(told)},
	} {
		if !slices.Equal(names[0], names[1]) {
			d.Errorf("%s %v: %s is %q, want %q", tool, in, what, names[1], names[0])
		}
	}
	return got
}

const twoColleagues = "Hanna Koivisto,Mateusz Wójcik"

func TestWritesOfText_SayWhomTheyMentionAndNotify(t *testing.T) {
	for tool, arguments := range proseArguments {
		if tool == "create_comment" || tool == "answer_checkin" { // they reach followers too
			continue
		}
		for _, argument := range arguments {
			unlimited(t, func(d *toolEnv) {
				got := d.reaches(tool, withProse(d, tool, argument, "Ask @Mateusz, @ines and @Hanna Koivisto's team about @media, see [it](todo:7), not `[it](todo:8)` or [it](isbn:9)."), "Ines Albrecht,"+twoColleagues, twoColleagues)
				if diff := cmp.Diff(lookup.Literal{NotMentioned: []string{"@media"}, NotLinked: []string{"todo:7"}}, got.Literal); diff != "" {
					d.Errorf("%s %s: %s", tool, argument, diff)
				}
			})
		}
	}
}

// withProse returns a typical call of a tool with text in an argument.
func withProse(d *toolEnv, tool, argument, text string) args {
	in := maps.Clone(typical(d)[tool])
	delete(in, "append")
	if argument == "replace" {
		in["find"] = "bike zero"
	}
	if tool == "create_todos" {
		in["todos"] = []args{{"content": "Order labels", argument: text}}
		return in
	}
	in[argument] = text
	return in
}

// followersOf returns the names of the people who follow an item, without the caller.
func followersOf(d *toolEnv, item int64) string {
	var all []string
	for _, p := range upstream[record](d, fmt.Sprintf("/recordings/%d/subscription.json", item))["subscribers"].([]any) {
		if name := p.(record)["name"].(string); name != "Ines Albrecht" && name != "Parcel Relay" { // an integration
			all = append(all, name)
		}
	}
	return strings.Join(all, ",")
}

func TestCreateComment_SaysWhichFollowersItNotifies(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		vote := d.sandbox.FindIn(launch, "Message", colourVote)
		item := fmt.Sprintf("message:%d", vote)
		followers := followersOf(d, vote)
		d.reaches("create_comment", args{"item": item, "body": "Moss."}, "", followers)
		d.reaches("create_comment", args{"item": item, "body": "Moss, @Mateusz."}, "Mateusz Wójcik", followers)
		film := d.sandbox.FindIn(launch, "Upload", "frame-front.png")
		d.reaches("create_comment", args{"item": fmt.Sprintf("upload:%d", film), "body": "Sharp, @Dele."}, "Dele Adeyemi", strings.TrimLeft(followersOf(d, film)+",Dele Adeyemi", ","))
		comment := commentsOn(d, vote)[0]["app_url"].(string)
		d.reaches("create_comment", args{"item": comment, "body": "Moss."}, "", followers)
		d.sandbox.Inject(sandbox.Fault{Method: http.MethodGet, PathPrefix: fmt.Sprintf("/recordings/%d/subscription", vote), Status: 500})
		got := call[parts.NewComment](d, "create_comment", args{"item": item, "body": "Moss, @Mateusz."})
		if !slices.Equal(got.Notified, []string{"Mateusz Wójcik"}) || len(got.LeftOut) != 1 || !strings.HasPrefix(got.LeftOut[0], "notified: ") {
			d.Errorf("without the followers: %v, %v", got.Notified, got.LeftOut)
		}
	})
}

func TestAnswerCheckin_SaysWhichFollowersItNotifies(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		question := d.sandbox.FindIn(launch, "Question", daily)
		d.reaches("answer_checkin", args{"question": question, "body": "Bells.", "date": "1999-12-31"}, "", followersOf(d, question))
	})
}

func TestCreateMessage_SaysWhomItNotifies(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		in := func(more args) args {
			more["project"], more["subject"] = launch, "Jig"
			if more["body"] == nil {
				more["body"] = "It is free."
			}
			return more
		}
		var everyone []string
		for _, p := range upstream[[]record](d, fmt.Sprintf("/projects/%d/people.json", d.sandbox.ProjectID(launch))) {
			if p["name"] != "Ines Albrecht" && p["personable_type"] == "User" {
				everyone = append(everyone, p["name"].(string))
			}
		}
		for _, none := range []any{nil, "none", []string{}, []string{"None"}} {
			d.reaches("create_message", in(args{"notify": none}), "", "")
		}
		for _, named := range []any{[]string{"Jonas", "me"}, []any{d.sandbox.Person("Jonas Brandt").ID}} {
			d.reaches("create_message", in(args{"notify": named, "body": "@Hanna, @Jonas"}), "Hanna Koivisto,Jonas Brandt", "Hanna Koivisto,Jonas Brandt")
		}
		for _, all := range []any{"everyone", []any{"Everyone"}} {
			d.reaches("create_message", in(args{"notify": all}), "", strings.Join(everyone, ","))
		}
		d.reaches("create_message", in(args{"notify": "everyone", "draft": true, "body": "@Hanna"}), "Hanna Koivisto", "")
	})
}

func TestEditText_OfAMessagePublishingADraftReachesItsFollowersAndAllItMentions(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		draft := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Jig 2", "body": "@Hanna, look.", "draft": true, "notify": "Jonas"})
		d.reaches("edit_text", args{"message": draft.ID, "append": "And @Dele."}, "Dele Adeyemi", "")
		d.reaches("edit_text", args{"message": draft.ID, "publish": true}, "Dele Adeyemi,Hanna Koivisto", "Dele Adeyemi,Hanna Koivisto,Jonas Brandt")
		d.reaches("edit_text", args{"message": draft.ID, "append": "Now, @Dele and @Priya."}, "Priya Raman", "Priya Raman")
		d.reaches("edit_text", args{"message": draft.ID, "pin": true}, "", "")
		page := call[files.WrittenDocument](d, "create_document", args{"project": launch, "title": "Jig 3", "body": "@Hanna, look.", "draft": true})
		d.reaches("edit_text", args{"document": page.ID, "publish": true}, "Hanna Koivisto", "Hanna Koivisto")
	})
}

func TestWrites_NotifyAssigneesAndParticipantsOnlyIfAsked(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		todos := func(notify bool) args {
			return args{"project": launch, "list": "Launch checklist", "todos": []args{
				{"content": "Order labels", "assignees": []string{"Jonas", "me"}, "notify": notify},
				{"content": "Stick labels", "assignees": []string{"Jonas", "Priya"}, "notify": notify, "notes": "@Hanna, @Jonas: look."},
			}}
		}
		d.reaches("create_todos", todos(true), "Hanna Koivisto,Jonas Brandt", "Hanna Koivisto,Jonas Brandt,Priya Raman")
		d.reaches("create_todos", todos(false), "Hanna Koivisto,Jonas Brandt", "Hanna Koivisto,Jonas Brandt")
		todo := d.sandbox.Find("Todo", "Print the serial number plates")
		d.reaches("update_work", args{"items": thoseItems(fmt.Sprint("todo:", todo)), "add_assignees": "Jonas"}, "", "")
		meeting := args{"project": launch, "summary": "Jig talk", "starts_at": "2026-12-01T10:00", "participants": []string{"Jonas", "me"}}
		d.reaches("create_schedule_entry", meeting, "", "")
		meeting["notify"], meeting["summary"] = true, "Jig talk 2"
		d.reaches("create_schedule_entry", meeting, "", "Jonas Brandt")
		entry := d.sandbox.FindIn(launch, "Schedule::Entry", "Jig talk")
		d.reaches("update_schedule_entry", args{"entry": entry, "notes": "@Hanna"}, "Hanna Koivisto", "Hanna Koivisto")
		d.reaches("update_schedule_entry", args{"entry": entry, "participants": []string{"Priya", "me"}, "notify": true}, "", "Priya Raman")
		d.reaches("create_card", args{"project": launch, "board": frame, "title": "Bell", "assignees": "Jonas"}, "", "")
	})
}

func TestCreateMessage_DoesNotCountClientsWhoCannotSeeIt(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		const shared = "Rijnstad Couriers Fleet"
		got := call[lookup.Reach](d, "create_message", args{"project": shared, "subject": "Jig", "body": "Free, @Lieke.", "notify": "everyone"})
		if !slices.Contains(got.Mentioned, "Lieke van der Meer") || slices.Contains(got.Notified, "Lieke van der Meer") || len(got.Notified) < 5 {
			d.Errorf("got %+v", got)
		}
	})
}
