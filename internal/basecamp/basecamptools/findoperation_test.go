package basecamptools

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/operationtools"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/tool/toolanswer"
)

// sought has what people of a team ask for, and the operation or the tool that must come first.
var sought = [][2]string{
	{"new project", "create_project"}, {"create a project for the spring fair", "create_project"}, {"add a project", "create_project"},
	{"start a project from our launch template", "create_from_template"}, {"new project from a template", "create_from_template"},
	{"who may join this project", "set_project_access"}, {"make the project invite only", "set_project_access"},
	{"which projects did I open last", "list_recent_projects"},
	{"follow this message", "follow"}, {"stop notifications for this thread", "unfollow"}, {"unsubscribe me from this", "unfollow"},
	{"who follows this card", "list_followers"}, {"notify Priya of comments on this", "set_followers"},
	{"highlight this to-do on the project page", "spotlight"},
	{"message categories", "list_message_types"}, {"add a category for messages", "add_message_type"}, {"rename a message category", "update_message_type"},
	{"forwarded emails", "list_forwards"}, {"show due dates in the schedule", "set_schedule_settings"},
	{"which templates do we have", "list_templates"}, {"new project template", "create_template"},
	{"save this list as a template", "make_list_template"}, {"save the board as a template", "make_board_template"}, {"use a to-do list template", "use_list_template"},
	{"add a column to the board", "add_column"}, {"rename a column", "update_column"}, {"move a column to the left", "move_column"},
	{"color of a column", "set_column_color"}, {"add an on hold section", "add_on_hold"}, {"watch a column", "watch_column"},
	{"send cards to another board with a wormhole", "add_wormhole"}, {"cards in not now", "list_not_now_cards"},
	{"new automatic check-in question", "create_checkin"}, {"ask everybody each Monday what they work on", "create_checkin"},
	{"pause the daily check-in", "pause_checkin"}, {"resume the check-in", "resume_checkin"}, {"reschedule the check-in to Fridays", "update_checkin"},
	{"who has answered the check-in", "list_checkin_people"}, {"stop asking me the check-in question", "set_checkin_notifications"},
	{"versions of a file", "list_file_versions"}, {"newest files of all projects", "list_all_files"}, {"link a figma file", "link_file"},
	{"add a google doc", "link_google_document"}, {"files in the chat", "list_chat_files"},
	{"bookmark this message", "bookmark"}, {"my bookmarks", "list_bookmarks"}, {"my drafts", "list_drafts"},
	{"what is in my notes", "get_my_note"}, {"add something to my note", "add_to_my_note"},
	{"I am on vacation next week", "out_of_office"}, {"who is out of office", "get_out_of_office"}, {"I am back from vacation", "end_out_of_office"},
	{"change my time zone", "set_my_preferences"}, {"change my job title", "update_my_profile"}, {"profile of a colleague", "get_person"},
	{"my pings", "list_pings"}, {"group projects on my home screen", "create_home_folder"},
	{"show the hill chart", "get_hill_chart"}, {"put the list on the hill chart", "set_hill_chart"},
	{"move the needle to yellow", "post_needle"}, {"which projects are at risk", "list_gauges"}, {"switch the gauge on", "set_gauge"},
	{"log two hours on a to-do", "log_time"}, {"hours worked last month by person", "get_timesheet"}, {"timesheet of the project", "list_project_time"},
	{"hours logged on this to-do", "list_time"}, {"correct my logged hours", "update_time_entry"}, {"milestone in the lineup", "add_marker"},
	{"newest comments of all projects", "list_all_comments"}, {"what was the client asked to approve", "list_client_approvals"},
	{"external links", "list_external_links"}, {"to whom can to-dos be assigned", "list_assignable_people"},

	{"add a to-do", "create_todos"}, {"new task for Hanna", "create_todos"}, {"my assignments", "get_my_work"}, {"my tasks for today", "get_my_work"},
	{"post a message", "create_message"}, {"announce something to the team", "create_message"}, {"write in the chat", "post_chat_line"}, {"send a ping to Sam", "post_chat_line"},
	{"upload a file", "upload_file"}, {"attach a picture to a card", "upload_file"}, {"write a document", "create_document"}, {"new folder", "create_folder"},
	{"mark a to-do as done", "set_completed"}, {"reassign a to-do", "update_work"}, {"move a card to another column", "update_work"}, {"change the due date", "update_work"},
	{"trash a project", "set_item_status"}, {"delete a to-do", "set_item_status"}, {"archive this list", "set_item_status"},
	{"schedule a meeting", "create_schedule_entry"}, {"what is coming up", "get_upcoming"}, {"search for a word", "search"},
	{"who is on the project", "list_people"}, {"add people to the project", "change_project"}, {"remind me of this on Monday", "set_reminder"},
	{"answer a check-in", "answer_checkin"}, {"weekly report", "get_report"}, {"what changed since yesterday", "get_changes"},
	{"reply to a comment", "create_comment"}, {"new to-do list", "create_todolist"}, {"copy a to-do list to another project", "create_todolist"},
	{"create a card", "create_card"}, {"add steps to a card", "add_subtasks"}, {"read the chat", "list_campfire_lines"},
	{"history of a card", "get_history"}, {"unread notifications", "get_notifications"}, {"mark notifications as read", "mark_notifications_read"},
	{"give a thumbs up", "boost"}, {"fix a typo in the document", "edit_text"}, {"pin a message", "edit_text"}, {"publish my draft", "edit_text"},
	{"activity of Hanna", "get_activity"}, {"put a task on up next", "set_up_next"}, {"overdue work everywhere", "list_work"},
	{"cards on the board", "get_board"}, {"show a picture", "get_file"},

	{"zzz", ""}, {"order a pizza", ""}, {"weather in Berlin", ""}, {"play some music", ""}, {"translate into French", ""},
}

func TestFindOperation_PutsWhatPeopleSayFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, phrase := range sought {
			found := call[operationtools.OperationsFound](d, "find_operation", args{"words": phrase[0]})
			first := ""
			if len(found.Operations) > 0 {
				first = cmp.Or(found.Operations[0].Operation, found.Operations[0].Tool)
			}
			if first != phrase[1] {
				var names []string
				for _, f := range found.Operations {
					names = append(names, cmp.Or(f.Operation, f.Tool))
				}
				d.Errorf("%s: found %v, want %s", phrase[0], names, phrase[1])
			}
			if strings.Contains(found.Hint, operations.Administrator) {
				d.Errorf("%s: %s", phrase[0], found.Hint)
			}
			if size := toolanswer.Size(found); size > 2500 { // about 650 tokens
				d.Errorf("%s: %d bytes", phrase[0], size)
			}
		}
	})
}

func TestFindOperation_FindsEachRowByItsName(t *testing.T) {
	at(t, func(d *toolEnv) {
		for row := range operations.All {
			found := call[operationtools.OperationsFound](d, "find_operation", args{"words": row.Name})
			if row.Admin == (len(found.Operations) > 0 && found.Operations[0].Operation == row.Name) || row.Admin != strings.Contains(found.Hint, row.Name+" is") {
				d.Errorf("%s: %+v", row.Name, found)
			}
		}
		reads := call[operationtools.OperationsFound](d, "find_operation", args{"words": "hill chart", "kind": "read"}).Operations
		if len(reads) == 0 || slices.ContainsFunc(reads, func(f operationtools.OperationFound) bool { return f.Operation != "" && f.Tool != operations.Reader }) {
			d.Errorf("got %+v", reads)
		}
	})
}

func TestOperations_SayWhatTheDemoLacks(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		t := d.TB
		lacking := 0
		for row := range operations.All {
			if time.Sleep(2 * time.Minute); row.Changes() { // in a world that no other call has changed
				d = newToolEnv(t, sandbox.Options{RateLimit: -1})
			}
			text, failed := d.raw(row.Runner(), args{"operation": row.Name, "arguments": usual(d, row)})
			byID := slices.ContainsFunc(row.Args, func(a operations.Arg) bool { return a.Kind == operations.ID || a.Kind == operations.Lists })
			switch {
			case strings.Contains(text, row.Name+": the demo has none"):
				lacking++
			case failed && !byID:
				d.Errorf("%s: %.300s", row.Name, text)
			}
		}
		if lacking == 0 {
			d.Error("the demo has everything: delete what says that it has not")
		}
	})
}
