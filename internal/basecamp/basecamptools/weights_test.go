package basecamptools

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"
)

// maxMedian is the maximum size of the median answer, in bytes.
const maxMedian = 6 << 10

// typical returns a call of each tool, as a model would make it in the launch project.
func typical(d *toolEnv) map[string]args {
	card := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", "Deck rails: second weld pass underneath"))
	todo := d.sandbox.Find("Todo", "Print the serial number plates")
	message := firstMessage(&worker{toolEnv: d})
	comment, _ := someComment(&worker{toolEnv: d})
	in := func(more args) args {
		more["project"] = launchProject
		return more
	}
	return map[string]args{
		"list_projects": {}, "get_project_tools": {"project_id": launchProject}, "get_me": {}, "list_people": in(args{}),
		"get_item": {"item": card}, "search": {"query": "brake"}, "get_my_work": {}, "list_work": in(args{}),
		"get_activity": in(args{}), "get_changes": in(args{}), "get_report": {}, "get_upcoming": in(args{}), "get_notifications": {},
		"list_messages": {"project_id": launchProject}, "get_message": {"message_id": message}, "list_comments": {"item": card},
		"list_todolists": {"project_id": launchProject}, "list_todos": {"project_id": launchProject, "todolist_id": "Launch checklist"},
		"get_todo": {"todo_id": todo}, "get_board": in(args{"board": "Frame design"}),
		"list_documents": {"project_id": launchProject}, "get_document": {"document_id": "Assembly handbook", "project_id": launchProject},
		"list_attachments": {"project_id": launchProject}, "get_file": in(args{"item": "launch-budget.csv"}),
		"list_campfire_lines": {"project_id": launchProject}, "list_checkins": in(args{}),
		"list_schedule_entries": in(args{}),

		"create_message": in(args{"subject": "Frame 19", "body": "It **passed**."}),
		"create_comment": {"item": card, "body": "Seen."}, "edit_text": {"item": comment, "append": "And done."},
		"create_todolist": in(args{"name": "After the launch"}),
		"create_todos":    in(args{"list": "Launch checklist", "todos": []args{{"content": "Order labels"}, {"content": "Stick labels"}}}),
		"update_work":     {"items": thoseItems(fmt.Sprint("todo:", todo)), "due_on": "friday"}, "set_completed": {"item": fmt.Sprint("todo:", todo), "completed": true},
		"create_card": in(args{"board": "Frame design", "title": "Bell bracket"}), "add_subtasks": {"item": card, "steps": []args{{"title": "Grind it flat"}}},
		"create_document":       in(args{"title": "How to pack", "body": "Carton first."}),
		"post_chat_line":        {"to": launchProject, "text": "The pallet is in."},
		"create_schedule_entry": in(args{"summary": "Brake review", "starts_at": "2026-12-01T10:00"}),
		"update_schedule_entry": in(args{"entry": "Photographer", "summary": "Photographer, both days"}),
		"answer_checkin":        in(args{"question": "What could make us late?", "body": "Brakes.", "date": "1999-12-27"}),
		"set_item_status":       {"items": []string{fmt.Sprint("todo:", d.sandbox.Find("Todo", "Proofread the German product page"))}, "status": "trashed"},

		"find_operation":      {"words": "move a column of the board"},
		"read_basecamp":       {"operation": "list_forwards", "arguments": args{"project": "Customer Care"}},
		"change_basecamp":     {"operation": "post_needle", "arguments": in(args{"position": 60, "text": "Brakes are **in**."})},
		"administer_basecamp": {"operation": "add_tool", "arguments": in(args{"tool_type": "Inbox", "title": "Suppliers"})},
		"change_project":      {"project": winterKit, "description": "Gloves, in June."},
		"boost":               {"item": message, "text": "🎉"},
		"upload_file":         in(args{"filename": "note.txt", "content_base64": base64.StdEncoding.EncodeToString([]byte("Hello."))}),
	}
}

type weight struct {
	tool  string
	bytes int
}

// results returns the size of a typical answer of every tool, largest first.
func results(t testing.TB, d *toolEnv) []weight {
	t.Helper()
	calls := typical(d)
	var weights []weight
	for _, tool := range ofBasecamp() {
		arguments, ok := calls[tool.Name]
		if !ok {
			t.Errorf("%s: no typical call; add one to typical in weights_test.go", tool.Name)
			continue
		}
		text, isError := d.raw(tool.Name, arguments)
		if isError {
			t.Errorf("%s %v: %s", tool.Name, arguments, text)
		}
		weights = append(weights, weight{tool.Name, len(text)})
	}
	slices.SortFunc(weights, func(a, b weight) int { return b.bytes - a.bytes })
	return weights
}

func TestAnswers_WeighSixKilobytesInTheMiddle(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		d.short = true
		weights := results(t, d)
		median := weights[len(weights)/2]
		t.Logf("median %d bytes (%s); the heaviest: %v", median.bytes, median.tool, weights[:5])
		if median.bytes > maxMedian {
			t.Errorf("the median answer takes %d bytes, of %d", median.bytes, maxMedian)
		}
	})
}
