package basecamp

import (
	"slices"
	"strconv"
	"strings"
)

type planRow struct {
	what  string // in words
	makes string // the type of the item that it makes, as Basecamp calls it; "other" for anything else
	sets  set    // what it changes besides the fields of its body
	undo  opposite
}

type namedRow struct {
	write string
	planRow
}

// set is a field with its new value; the zero value sets nothing.
type set struct {
	field string
	to    any
}

// in adds the field to others.
func (s set) in(f fields) {
	if s.field != "" {
		f[s.field] = s.to
	}
}

// planRows has what the writes of Basecamp's API do, by method and path with # for IDs. What it
// lacks is described by the words of the path. It is a list, because that costs a start nothing.
var planRows = []namedRow{
	{"POST attachments", planRow{what: "send a file", undo: nothing}},
	{"POST boosts/#", planRow{what: "boost", undo: cannot("a boost of a boost cannot be read")}},
	{"DELETE boosts/#", planRow{what: "take a boost back", undo: boostAgain}},
	{"POST buckets/#/categories", planRow{what: "add a message category", makes: "other", undo: cannot("Basecamp deletes a category permanently")}},
	{"POST buckets/#/dock/tools", planRow{what: "add a tool to a project", makes: "other", undo: cannot("a tool is removed in the settings of the project")}},
	{"POST buckets/#/webhooks", planRow{what: "add a webhook", makes: "other", undo: cannot("a webhook is removed in the settings of the project")}},
	{"POST card_tables/#/columns", planRow{what: "add a column", makes: OwnColumn, undo: trash}},
	{"POST card_tables/#/moves", planRow{what: "move a column", undo: cannot("Basecamp does not say where a column was")}},
	{"POST card_tables/cards/#/moves", planRow{what: "move a card", undo: same("column_id", "position")}},
	{"POST card_tables/columns/#/on_hold", planRow{what: "add an on-hold section to a column", sets: on("on_hold"), undo: toggle("DELETE card_tables/columns/#/on_hold", "")}},
	{"DELETE card_tables/columns/#/on_hold", planRow{what: "remove the on-hold section of a column", sets: off("on_hold"), undo: cannot("the cards of the section were moved")}},
	{"PUT card_tables/columns/#/color", planRow{what: "colour a column", undo: same("color")}},
	{"PUT card_tables/cards/#", planRow{what: "change a card", undo: same("title", "content", "due_on", "assignee_ids")}},
	{"PUT card_tables/columns/#", planRow{what: "change a column", undo: same("title", "description")}},
	{"POST card_tables/lists/#/cards", planRow{what: "create a card", makes: "Kanban::Card", undo: trash}},
	{"POST card_tables/lists/#/subscription", planRow{what: "watch a column", sets: on("subscribed"), undo: cannot("Basecamp does not say who watches a column")}},
	{"DELETE card_tables/lists/#/subscription", planRow{what: "stop watching a column", sets: off("subscribed"), undo: cannot("Basecamp does not say who watches a column")}},
	{"POST chats/#/lines", planRow{what: "post a chat line", makes: "Chat::Lines::Text", undo: cannot(chatsLast)}},
	{"PUT chats/#/lines/#", planRow{what: "change a chat line", undo: same("content")}},
	{"DELETE chats/#/lines/#", planRow{what: "delete a chat line permanently", undo: cannot(permanent)}},
	{"POST chats/#/uploads", planRow{what: "post a file in a chat", makes: "Chat::Lines::Upload", undo: cannot(chatsLast)}},
	{"POST circles", planRow{what: "start a ping, or find it", makes: "Circle", undo: cannot("a ping cannot be taken back")}},
	{"PUT comments/#", planRow{what: "change a comment", undo: same("content")}},
	{"PUT messages/#", planRow{what: "change a message", undo: same("subject", "content", "category_id")}},
	{"PUT documents/#", planRow{what: "change a document", undo: same("title", "content")}},
	{"POST message_boards/#/messages", planRow{what: "post a message", makes: "Message", undo: trash}},
	{"POST my/priorities", planRow{what: "put on Up Next", undo: upNext}},
	{"DELETE my/priorities/#", planRow{what: "take off Up Next", undo: upNext}},
	{"POST my/priority_moves", planRow{what: "move on Up Next", undo: upNext}},
	{"PUT my/unreads", planRow{what: "mark notifications as read", undo: cannot("Basecamp cannot mark a notification as unread")}},
	{"POST people/#/out_of_office", planRow{what: "set out of office", undo: cannot("the dates before are not known")}},
	{"DELETE people/#/out_of_office", planRow{what: "end out of office", undo: cannot("the dates before are not known")}},
	{"POST projects", planRow{what: "create a project", makes: "Project", undo: opposite{with: "DELETE projects/#", made: true}}},
	{"PUT projects/#", planRow{what: "change a project", undo: same("name", "description", scheduled)}},
	{"DELETE projects/#", planRow{what: "move a project to the trash", sets: status("trashed"), undo: toggle("PUT projects/#/status/", "")}},
	{"PUT projects/#/people/users", planRow{what: "change who is on a project", undo: roster("grant", "revoke", "", "projects/#/people")}},
	{"PUT projects/#/status/active", planRow{what: "restore a project", sets: status("active"), undo: toggle("PUT projects/#/status/", "")}},
	{"PUT projects/#/status/archived", planRow{what: "archive a project", sets: status("archived"), undo: toggle("PUT projects/#/status/", "")}},
	{"POST projects/#/gauge/needles", planRow{what: "post a needle", makes: "other", undo: cannot("a needle is removed on the page of the project")}},
	{"PUT question_answers/#", planRow{what: "change a check-in answer", undo: same("content", "group_on")}},
	{"POST questionnaires/#/questions", planRow{what: "add a check-in question", makes: "Question", undo: trash}},
	{"POST questions/#/answers", planRow{what: "answer a check-in", makes: "Question::Answer", undo: trash}},
	{"POST questions/#/pause", planRow{what: "pause a check-in", sets: on("paused"), undo: toggle("DELETE questions/#/pause", "")}},
	{"DELETE questions/#/pause", planRow{what: "resume a check-in", sets: off("paused"), undo: toggle("POST questions/#/pause", "")}},
	{"POST recordings/#/bookmark", planRow{what: "bookmark", sets: on("bookmarked"), undo: toggle("DELETE recordings/#/bookmark", "recordings/#/bookmark")}},
	{"DELETE recordings/#/bookmark", planRow{what: "remove a bookmark", sets: off("bookmarked"), undo: toggle("POST recordings/#/bookmark", "recordings/#/bookmark")}},
	{"POST recordings/#/boosts", planRow{what: "boost", makes: "Boost", undo: opposite{with: "DELETE boosts/#", reads: "boosts/#", made: true}}},
	{"POST recordings/#/events/#/boosts", planRow{what: "boost an event", makes: "Boost", undo: opposite{with: "DELETE boosts/#", reads: "boosts/#", made: true}}},
	{"POST recordings/#/bubble_up", planRow{what: "set a reminder", undo: reminder}},
	{"DELETE recordings/#/bubble_up", planRow{what: "remove a reminder", undo: reminder}},
	{"PUT recordings/#/client_visibility", planRow{what: "change whether clients see it", undo: same("visible_to_clients")}},
	{"POST recordings/#/comments", planRow{what: "comment", makes: "Comment", undo: trash}},
	{"POST recordings/#/filing", planRow{what: "move to a folder", undo: same("parent_id")}},
	{"POST recordings/#/pin", planRow{what: "pin a message", sets: on("pinned"), undo: cannot("Basecamp does not say whether a message was pinned")}},
	{"DELETE recordings/#/pin", planRow{what: "unpin a message", sets: off("pinned"), undo: cannot("Basecamp does not say whether a message was pinned")}},
	{"POST recordings/#/position", planRow{what: "enable a tool of a project", sets: on("enabled"), undo: toggle("DELETE recordings/#/position", "dock/tools/#")}},
	{"DELETE recordings/#/position", planRow{what: "disable a tool of a project", sets: off("enabled"), undo: toggle("POST recordings/#/position", "dock/tools/#")}},
	{"PUT recordings/#/position", planRow{what: "move a tool of a project", undo: opposite{fields: []string{"position"}, reads: "dock/tools/#"}}},
	{"PUT recordings/#/status/active", planRow{what: "restore", sets: status("active"), undo: toggle("PUT recordings/#/status/", "")}},
	{"PUT recordings/#/status/archived", planRow{what: "archive", sets: status("archived"), undo: toggle("PUT recordings/#/status/", "")}},
	{"PUT recordings/#/status/trashed", planRow{what: "move to the trash", sets: status("trashed"), undo: toggle("PUT recordings/#/status/", "")}},
	{"POST recordings/#/subscription", planRow{what: "subscribe", sets: on("subscribed"), undo: toggle("DELETE recordings/#/subscription", "recordings/#/subscription")}},
	{"DELETE recordings/#/subscription", planRow{what: "unsubscribe", sets: off("subscribed"), undo: toggle("POST recordings/#/subscription", "recordings/#/subscription")}},
	{"PUT recordings/#/subscription", planRow{what: "change the subscribers", undo: roster("subscriptions", "unsubscriptions", "subscribers", "recordings/#/subscription")}},
	{"POST recordings/#/subtasks", planRow{what: "add a subtask", makes: "Kanban::Step", undo: trashSubtask}},
	{"POST recordings/#/timesheet/entries", planRow{what: "log time", makes: "other", undo: cannot("Basecamp deletes a time entry permanently; delete it on its page")}},
	{"POST schedules/#/entries", planRow{what: "add a schedule entry", makes: "Schedule::Entry", undo: trash}},
	{"PUT schedule_entries/#", planRow{what: "change a schedule entry", undo: same("summary", "starts_at", "ends_at", "description", "participant_ids", "all_day")}},
	{"PUT subtasks/#", planRow{what: "change a subtask", undo: same("title", "due_on", "assignee_ids")}},
	{"DELETE subtasks/#", planRow{what: "move a subtask to the trash", sets: status("trashed"), undo: toggle("PUT recordings/#/status/", "")}},
	{"POST subtasks/#/completion", planRow{what: "complete a subtask", sets: on("completed"), undo: toggle("DELETE subtasks/#/completion", "")}},
	{"DELETE subtasks/#/completion", planRow{what: "reopen a subtask", sets: off("completed"), undo: toggle("POST subtasks/#/completion", "")}},
	{"PUT subtasks/#/position", planRow{what: "move a subtask", undo: same("position")}},
	{"POST templates/#/project_constructions", planRow{what: "create a project from a template", makes: "other", undo: cannot("Basecamp makes the project later; move it to the trash yourself")}},
	{"POST todolists/#/groups", planRow{what: "add a group to a to-do list", makes: "Todolist", undo: trash}},
	{"PUT todolists/#", planRow{what: "change a to-do list", undo: same("name", "description")}},
	{"PUT todolists/groups/#/position", planRow{what: "move a group", undo: same("position")}},
	{"POST todolists/#/todos", planRow{what: "create a to-do", makes: "Todo", undo: trash}},
	{"PUT todos/#", planRow{what: "change a to-do", undo: same("content", "description", "assignee_ids", "completion_subscriber_ids", "due_on", "starts_on")}},
	{"POST todos/#/completion", planRow{what: "complete a to-do", sets: on("completed"), undo: toggle("DELETE todos/#/completion", "")}},
	{"DELETE todos/#/completion", planRow{what: "reopen a to-do", sets: off("completed"), undo: toggle("POST todos/#/completion", "")}},
	{"PUT todos/#/position", planRow{what: "move a to-do", undo: same("parent_id", "position")}},
	{"POST todosets/#/todolists", planRow{what: "create a to-do list", makes: "Todolist", undo: trash}},
	{"POST todosets/#/todos", planRow{what: "create a to-do outside of lists", makes: "Todo", undo: trash}},
	{"PUT todosets/todolists/#/position", planRow{what: "move a to-do list", undo: same("position")}},
	{"POST uploads/#/versions", planRow{what: "upload a new version of a file", undo: cannot("Basecamp keeps the new version; the one before is in the history of the file")}},
	{"PUT uploads/#", planRow{what: "change a file", undo: same("description", "base_name")}},
	{"POST vaults/#/documents", planRow{what: "create a document", makes: "Document", undo: trash}},
	{"POST vaults/#/uploads", planRow{what: "upload a file", makes: "Upload", undo: trash}},
	{"POST vaults/#/vaults", planRow{what: "create a folder", makes: "Vault", undo: trash}},
	{"PUT vaults/#", planRow{what: "change a folder", undo: same("title")}},
}

func on(field string) set   { return set{field, true} }
func off(field string) set  { return set{field, false} }
func status(now string) set { return set{"status", now} }

// planRowOf returns the row of a method and a path, and the last ID in the path. Without a row, it
// returns one made of the words of the path.
func planRowOf(method, path string) (row planRow, target string) {
	parts := strings.Split(strings.TrimSuffix(path, ".json"), "/")
	noun := ""
	for i, part := range parts {
		if _, err := strconv.ParseInt(part, 10, 64); err == nil {
			parts[i], target = "#", part
		} else {
			noun = strings.ReplaceAll(strings.TrimSuffix(part, "s"), "_", " ")
		}
	}
	for _, shape := range []string{strings.Join(parts, "/"), strings.TrimPrefix(strings.Join(parts, "/"), "buckets/#/")} {
		if i := slices.IndexFunc(planRows, func(r namedRow) bool { return r.write == method+" "+shape }); i >= 0 {
			return planRows[i].planRow, target
		}
	}
	switch {
	case method == "POST" && parts[len(parts)-1] != "#":
		row = planRow{what: "add: " + noun, makes: "other", undo: unknownOpposite}
	case method == "DELETE":
		row = planRow{what: "remove: " + noun, undo: unknownOpposite}
	default:
		row = planRow{what: "change: " + noun, undo: unknownOpposite}
	}
	return row, target
}
