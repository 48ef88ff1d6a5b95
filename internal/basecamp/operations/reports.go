package operations

// reportRows are about everything in all projects.
var reportRows = []Row{
	{
		Name: "list_recordings", Does: "Lists all items of a type, by when they were made or changed", Covers: "ListRecordings", Page: "recordings",
		Path: "projects/recordings", Items: ".", Words: "everything archived trashed recently changed",
		Args: []Arg{
			{Name: "type", To: "?type", Need: true, Of: "Comment|Document|Kanban::Card|Kanban::Step|Message|Question::Answer|Schedule::Entry|Todo|Todolist|Upload|Vault"},
			{Name: "projects", Kind: Projects, To: "?bucket"}, {Name: "status", To: "?status", Of: "active|archived|trashed"}, newest, {Name: "direction", To: "?direction", Of: "desc|asc"},
		},
	},
	{Name: "list_all_messages", Does: "Lists the newest messages of all projects", Covers: "GetEverythingMessages", Page: "everything", Path: "messages", Items: ".", Words: "posts everything"},
	{Name: "list_all_comments", Does: "Lists the newest comments of all projects", Covers: "GetEverythingComments", Page: "everything", Path: "comments", Items: ".", Words: "everything"},
	{Name: "list_all_forwards", Does: "Lists the newest forwarded e-mails of all projects", Covers: "GetEverythingForwards", Page: "everything", Path: "forwards", Items: ".", Words: "emails mail everything"},
	{Name: "list_assignable_people", Does: "Lists the people to whom to-dos can be assigned", Covers: "ListAssignablePeople", Page: "reports", Path: "reports/todos/assigned", Items: ".", Words: "assignees"},
	{
		Name: "list_assigned_todos", Does: "Lists the open to-dos of a person, by project or date", Covers: "GetAssignedTodos", Page: "reports",
		Path: "reports/todos/assigned/{person}", Items: "todos", Args: []Arg{anyone, {Name: "group_by", To: "?group_by", Of: "bucket|date"}}, Words: "assignments report",
	},
	{Name: "list_overdue_todos", Does: "Lists the overdue to-dos of all projects by how late they are", Covers: "GetOverdueTodos", Page: "reports", Path: "reports/todos/overdue", Words: "late report"},
}
