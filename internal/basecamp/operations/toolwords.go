package operations

// ToolWords are other words for what tools do that are no operations, for the search.
var ToolWords = map[string]string{
	"answer_checkin":        "answer a check-in",
	"boost":                 "give a thumbs up, like, reaction, emoji",
	"change_project":        "add people to the project, remove people from the project, members",
	"create_card":           "new card on a board",
	"create_comment":        "reply to a comment",
	"create_message":        "post a message, announce something, announcement",
	"create_schedule_entry": "schedule a meeting, new event, appointment",
	"create_todolist":       "new to-do list, copy a to-do list to another project",
	"create_todos":          "new to-do, add a to-do, new task for, tasks",
	"edit_text":             "pin a message, publish my draft, fix a typo, rewrite",
	"get_activity":          "activity of a person",
	"get_board":             "cards on the board, card table",
	"get_changes":           "what changed since",
	"get_file":              "show a picture, look at an image",
	"get_my_work":           "my assignments, my tasks, my to-dos",
	"get_upcoming":          "coming up, agenda",
	"list_campfire_lines":   "read the chat",
	"list_people":           "who is on the project, members, team",
	"list_work":             "overdue work everywhere, overdue to-dos",
	"post_chat_line":        "write in the chat, send a ping to, direct message",
	"set_completed":         "mark a to-do as done, tick off, complete",
	"set_item_status":       "trash a project, delete a to-do, delete a message, delete a card, remove, archive this list, archive a project",
	"update_work":           "reassign a to-do, move a card to another column, change the due date, assign",
	"upload_file":           "upload a file, attach a picture, attachment, image",
}
