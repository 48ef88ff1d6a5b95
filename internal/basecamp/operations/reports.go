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

// clientRows are about the older way to work with clients, the Clientside.
var clientRows = []Row{
	{Name: "list_client_approvals", Does: "Lists what clients of a project were asked to approve", Covers: "ListClientApprovals", Page: "client_approvals", Path: "buckets/{project}/client/approvals", Items: ".", Args: []Arg{inProject, newest}, Words: "clientside"},
	{Name: "get_client_approval", Does: "Reads what a client was asked to approve, with the answer", Covers: "GetClientApproval", Page: "client_approvals", Path: "client/approvals/{approval}", Args: []Arg{{Name: "approval", Kind: ID, To: "{approval}", Need: true}}, Words: "clientside"},
	{Name: "list_client_messages", Does: "Lists the correspondence with clients of a project", Covers: "ListClientCorrespondences", Page: "client_correspondences", Path: "buckets/{project}/client/correspondences", Items: ".", Args: []Arg{inProject, newest}, Words: "clientside correspondences"},
	{Name: "get_client_message", Does: "Reads a message to clients", Covers: "GetClientCorrespondence", Page: "client_correspondences", Path: "client/correspondences/{client_message}", Args: []Arg{{Name: "client_message", Kind: ID, To: "{client_message}", Need: true}}, Words: "clientside correspondence"},
	{Name: "list_client_replies", Does: "Lists the replies to a message or an approval of clients", Covers: "ListClientReplies", Page: "client_replies", Path: "buckets/{project}/client/recordings/{client_message}/replies", Items: ".", Args: []Arg{inProject, repliedTo}, Words: "clientside answers"},
	{
		Name: "get_client_reply", Does: "Reads one reply of clients", Covers: "GetClientReply", Page: "client_replies", Words: "clientside answer",
		Path: "buckets/{project}/client/recordings/{client_message}/replies/{reply}", Args: []Arg{inProject, repliedTo, {Name: "reply", Kind: ID, To: "{reply}", Need: true}},
	},
}

var repliedTo = Arg{Name: "client_message", Kind: ID, To: "{client_message}", Need: true, About: "id of the message or approval"}
