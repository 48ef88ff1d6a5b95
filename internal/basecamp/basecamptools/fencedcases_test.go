package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

// outsideOf returns the fault of an answer about a place that the fence does not name.
func outsideOf(d *toolEnv, text string) failed {
	var f failed
	if err := json.Unmarshal([]byte(text), &f); err != nil || f.ErrorCode != fault.PermissionDenied || len(f.Data.Validation) == 0 || f.Data.Validation[0].Code != fence.Code {
		d.Errorf("answered %.400s", text)
	}
	return f
}

func TestFence_DoesNotSayWhetherAThingExists(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		held := d.heldTo(fence.Fence{Read: projectsOnly(d.sandbox.ProjectID(winterKit))})
		const nothing = 4899999999
		launch, todo := d.sandbox.ProjectID(launchProject), d.sandbox.Find("Todo", "Print the serial number plates")
		url := "https://3.basecamp.com/" + fmt.Sprint(d.sandbox.Account()) + "/buckets/%d/todos/%d"
		for _, pair := range [][2]toolUse{
			{{"get_item", args{"item": fmt.Sprint("todo:", todo)}}, {"get_item", args{"item": fmt.Sprint("todo:", nothing)}}},
			{{"get_item", args{"item": fmt.Sprint(todo)}}, {"get_item", args{"item": fmt.Sprint(nothing)}}},
			{{"get_item", args{"item": fmt.Sprintf(url, launch, todo)}}, {"get_item", args{"item": fmt.Sprintf(url, nothing, nothing)}}},
			{{"get_item", args{"item": "Print the serial number plates"}}, {"get_item", args{"item": "Print no serial number plates"}}},
			{{"get_todo", args{"todo_id": todo}}, {"get_todo", args{"todo_id": nothing}}},
			{{"list_comments", args{"item": fmt.Sprint("todo:", todo)}}, {"list_comments", args{"item": fmt.Sprint("todo:", nothing)}}},
			{{"list_todos", args{"project_id": launch}}, {"list_todos", args{"project_id": nothing}}},
			{{"list_todos", args{"project_id": launchProject}}, {"list_todos", args{"project_id": "Nothing"}}},
			{{"create_message", args{"project": launchProject, "subject": "A", "body": "B"}}, {"create_message", args{"project": "Nothing", "subject": "A", "body": "B"}}},
			{{"create_comment", args{"item": fmt.Sprint("todo:", todo), "body": "A"}}, {"create_comment", args{"item": fmt.Sprint("todo:", nothing), "body": "A"}}},
			{{"set_completed", args{"item": fmt.Sprint("todo:", todo), "completed": true}}, {"set_completed", args{"item": fmt.Sprint("todo:", nothing), "completed": true}}},
			{{"read_basecamp", args{"operation": "get_hill_chart", "arguments": args{"project": launch}}}, {"read_basecamp", args{"operation": "get_hill_chart", "arguments": args{"project": nothing}}}},
		} {
			there, _ := held.raw(pair[0].tool, pair[0].in)
			not, _ := held.raw(pair[1].tool, pair[1].in)
			outsideOf(d, there)
			if there != not {
				d.Errorf("%s %v: answered\n%s\nand for nothing\n%s", pair[0].tool, pair[0].in, there, not)
			}
		}
	})
}

func TestFence_HoldsPromptsResourcesAndCompletions(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		kit := projectsOnly(d.sandbox.ProjectID(winterKit))
		titles := append(titlesOutside(d, kit), launchProject)
		todo := d.sandbox.Find("Todo", "Print the serial number plates")
		complete := `{"ref":{"type":%q,%q:%q},"argument":{"name":"project","value":%q}}`
		for _, message := range []string{
			mcptest.Message("resources/read", `{"uri":"basecamp://projects/cargo"}`),
			mcptest.Message("resources/read", fmt.Sprintf(`{"uri":"basecamp://projects/%d"}`, d.sandbox.ProjectID(launchProject))),
			mcptest.Message("resources/read", fmt.Sprintf(`{"uri":"basecamp://todos/%d"}`, todo)),
			mcptest.Message("prompts/get", `{"name":"catch_up","arguments":{"project":"cargo"}}`),
			mcptest.Message("completion/complete", fmt.Sprintf(complete, "ref/prompt", "name", "catch_up", "c")),
			mcptest.Message("completion/complete", fmt.Sprintf(complete, "ref/resource", "uri", "basecamp://projects/{project}", "")),
		} {
			for _, who := range []*toolEnv{d, d.heldTo(fence.Fence{Read: kit})} {
				a.begin()
				answer := mcptest.Post(d.Context(), who.handler(), who.who, message, nil).Body.String()
				title := titleTold(titles, answer, nil)
				if held := who.who.Fence.Read != nil; held && (title != "" || len(a.outside(kit)) > 0) || !held && title == "" && len(a.outside(kit)) == 0 && !strings.Contains(message, "prompts/get") {
					d.Errorf("%s: held %v, told %q, asked %q; answered %.300s", message, held, title, a.outside(kit), answer)
				}
			}
		}
	})
}

// A batch with one entry outside writes nothing, and no file is sent or fetched for a place that is
// closed.
func TestFence_IsHeldBeforeTheFirstWriteOfACall(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		own := all[work.TaskItem](d, "list_work", args{"assignee": "me", "kind": "todo"})
		other := own[slices.IndexFunc(own, func(t work.TaskItem) bool { return t.Project.ID != own[0].Project.ID })]
		held := d.heldTo(fence.Fence{Write: projectsOnly(own[0].Project.ID)})
		inside, outside := fmt.Sprint("todo:", own[0].ID), fmt.Sprint("todo:", other.ID)
		public := "https://files.example/a.csv"
		for _, use := range []toolUse{
			{"set_completed", args{"items": []string{inside, outside}, "completed": true}},
			{"set_item_status", args{"items": []string{inside, outside}, "status": "archived"}},
			{"update_work", args{"items": []args{{"item": inside, "title": "A"}, {"item": outside, "title": "B"}}}},
			{"create_comment", args{"items": []string{inside, outside}, "body": "A"}},
			{"add_subtasks", args{"items": []string{inside, outside}, "steps": []args{{"title": "A"}}}},
			{"upload_file", args{"project": other.Project.ID, "filename": "a.txt", "content": "A"}},
			{"upload_file", args{"project": other.Project.ID, "source_url": public}},
			{"upload_file", args{"item": outside, "source_url": public}},
		} {
			a.begin()
			if text, isError := held.raw(use.tool, use.in); !isError || !strings.Contains(text, fence.Code) || len(a.writes) > 0 || len(a.public) > 0 {
				d.Errorf("%s %v: wrote %q, fetched %q; answered %.300s", use.tool, use.in, a.writes, a.public, text)
			}
		}
	})
}

func TestFence_ClosesWhatBelongsToNoProject(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		call[texts.PostedLine](d, "post_chat_line", args{"to": "Hanna", "text": "Psst."})
		kit := d.sandbox.ProjectID(winterKit)
		trashed := d.sandbox.ProjectID("Frame Testing Lab")
		d.meanwhile("DELETE", fmt.Sprintf("/projects/%d.json", trashed), "")
		personal := []toolUse{
			{"post_chat_line", args{"to": "Hanna", "text": "Psst."}},
			{"read_basecamp", args{"operation": "list_pings"}},
		}
		others := []toolUse{
			{"read_basecamp", args{"operation": "list_drafts"}}, {"read_basecamp", args{"operation": "get_my_note"}},
			{"change_basecamp", args{"operation": "set_my_note", "arguments": args{"text": "A"}}},
			{"change_basecamp", args{"operation": "create_project", "arguments": args{"name": "A"}}},
			{"read_basecamp", args{"operation": "list_templates"}},
		}
		for _, test := range []struct {
			fence  fence.Fence
			closed []toolUse
		}{
			{fence.Fence{Read: projectsOnly(kit)}, append(personal, others...)}, {fence.Fence{NoPings: true}, personal},
			{fence.Fence{Read: projectsOnly(trashed)}, append(usesInLaunch(d, 0)[1:2], others...)},
		} {
			for _, use := range test.closed {
				a.begin()
				text, _ := d.heldTo(test.fence).raw(use.tool, use.in)
				if closed := strings.Contains(text, fence.Code); !closed || len(a.about) > 0 {
					d.Errorf("%v: %s %v: asked %v; answered %.300s", test.fence, use.tool, use.in, a.about, text)
				}
			}
		}
		work := call[map[string]any](d.heldTo(fence.Fence{NoPings: true}), "get_notifications", args{})
		if strings.Contains(fmt.Sprint(work), "/circles/") {
			d.Errorf("notifications show a ping: %v", work)
		}
		d.who.Fence = fence.Fence{Read: projectsOnly(kit)}
		ctx := identity.WithOrigin(d.Context(), "https://mcp.fernhill.example")
		answer := mcptest.Post(ctx, d.handler(), d.who, mcptest.Message("tools/call", mcptest.ToolCall(d, "list_todos", args{"project_id": launchProject})), nil)
		if !strings.Contains(answer.Body.String(), "https://mcp.fernhill.example/account") {
			d.Errorf("the page is not named: %s", answer.Body)
		}
	})
}

func TestFence_UndoesNothingOutside(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		call[map[string]any](d, "create_todos", args{"project": launchProject, "list": "Launch checklist", "todos": []args{{"content": "Order labels for the crates"}}})
		kit := projectsOnly(d.sandbox.ProjectID(winterKit))
		for _, f := range []fence.Fence{{Read: kit}, {Write: kit}} {
			before := d.sandbox.World()
			text, _ := d.heldTo(f).raw("undo", args{"last": 1})
			if diff := differences(before, d.sandbox.World()); len(diff) > 0 || f.Read != nil && strings.Contains(text, "Order labels") {
				d.Errorf("%v: changed %s; answered %s", f, diff, text)
			}
		}
		listed := call[undone](d.heldTo(fence.Fence{Read: kit}), "undo", args{})
		if len(listed.Changes) > 0 || len(call[undone](d, "undo", args{}).Changes) == 0 {
			d.Errorf("got %+v", listed)
		}
	})
}
