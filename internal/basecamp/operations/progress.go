package operations

// progressRows are about hill charts, gauges, timesheets and the Lineup.
var progressRows = []Row{
	{
		Name: "get_hill_chart", Does: "Shows the hill chart of a project: its to-do lists and how far they are", Covers: "GetHillChart", Page: "hill_charts",
		Path: "todosets/{todoset}/hill", Args: []Arg{inProject, todoset}, Words: "progress dots uphill",
	},
	{
		Name: "set_hill_chart", Does: "Puts to-do lists onto the hill chart of a project, or takes them off", Covers: "UpdateHillChartSettings", Page: "hill_charts",
		Method: "PUT", Path: "todosets/{todoset}/hills/settings", TakenBackBy: "set_hill_chart", Words: "track untrack progress dots",
		Args: []Arg{inProject, todoset, {Name: "track", Kind: Lists, To: "tracked"}, {Name: "untrack", Kind: Lists, To: "untracked"}},
	},
	{
		Name: "list_gauges", Does: "Lists the gauges of all projects, those at risk first", Covers: "ListGauges", Page: "gauges",
		Path: "reports/gauges", Place: AcrossProjects, Items: ".", Args: []Arg{{Name: "projects", Kind: Projects, To: "?bucket_ids"}}, Words: "mission control progress risk traffic light status",
	},
	{
		Name: "list_needles", Does: "Lists the needles of a project's gauge, the newest first", Covers: "ListGaugeNeedles", Page: "gauges",
		Path: "projects/{project}/gauge/needles", Items: ".", Args: []Arg{inProject}, Words: "gauge progress history",
	},
	{Name: "get_needle", Does: "Reads one needle of a gauge", Covers: "GetGaugeNeedle", Page: "gauges", Path: "gauge_needles/{needle}", Args: []Arg{needle}, Words: "gauge progress"},
	{
		Name: "post_needle", Does: "Moves the needle of a project's gauge: position, color, and a text", Covers: "CreateGaugeNeedle", Page: "gauges",
		Method: "POST", Path: "projects/{project}/gauge/needles", Tells: "those in notify, and whom the text mentions", Says: "post a needle", Makes: "other", Undo: cannot("a needle is removed on the page of the project"), TakenBackBy: "delete_needle", Words: "gauge progress update red yellow green status traffic light move",
		Args: []Arg{
			inProject, {Name: "position", Kind: Number, To: "gauge_needle.position", Need: true, Max: 100},
			{Name: "color", Of: "green|yellow|red", To: "gauge_needle.color"}, {Name: "text", Kind: Markdown, To: "gauge_needle.description"},
			{Name: "notify", Kind: Notice},
		},
	},
	{
		Name: "update_needle", Does: "Changes the text of a gauge's needle; position and color stay", Covers: "UpdateGaugeNeedle", Page: "gauges",
		Method: "PUT", Path: "gauge_needles/{needle}", Before: "gauge_needles/{needle}", TakenBackBy: "update_needle", Words: "gauge edit",
		Args: []Arg{needle, {Name: "text", Kind: Markdown, To: "gauge_needle.description", Need: true}},
	},
	{
		Name: "set_gauge", Does: "Switches the gauge of a project on or off; takes an administrator of the project", Covers: "ToggleGauge", Page: "gauges",
		Method: "PUT", Path: "projects/{project}/gauge", Args: []Arg{inProject, {Name: "enabled", Kind: Flag, To: "gauge.enabled", Need: true}}, TakenBackBy: "set_gauge", Words: "toggle enable disable",
	},
	{
		Name: "log_time", Does: "Logs hours on an item", Covers: "CreateTimesheetEntry", Page: "timesheets",
		Method: "POST", Path: "recordings/{item}/timesheet/entries", Says: "log time", Makes: "other", Undo: cannot("Basecamp deletes a time entry permanently; delete it on its page"), TakenBackBy: "delete_time_entry", Words: "log hours on a to-do, timesheet track hours book record worked spent",
		Args: []Arg{{Name: "item", Kind: Item, To: "{item}", Need: true, Of: "todo card message document upload schedule_entry"}, itsProject, hours, spentOn, description, forPerson},
	},
	{
		Name: "log_project_time", Does: "Logs hours on a project's timesheet itself", Covers: "CreateTimesheetEntry", Page: "timesheets",
		Method: "POST", Path: "recordings/{timesheet}/timesheet/entries", TakenBackBy: "delete_time_entry", Words: "track hours book record worked",
		Args: []Arg{{Name: "timesheet", Kind: ID, To: "{timesheet}", Need: true, About: "part_of of a project-level entry of list_project_time"}, hours, spentOn, description, forPerson},
	},
	{
		Name: "update_time_entry", Does: "Changes a timesheet entry", Covers: "UpdateTimesheetEntry", Page: "timesheets",
		Method: "PUT", Path: "timesheet_entries/{entry}", Before: "timesheet_entries/{entry}", TakenBackBy: "update_time_entry", Words: "correct logged hours timesheet hours correct",
		Args: []Arg{timeEntry, {Name: "hours", Kind: Hours}, {Name: "date", Kind: PastDate}, description, {Name: "person", Kind: Person, To: "person_id", Was: "person"}},
	},
	{Name: "get_time_entry", Does: "Reads a timesheet entry", Covers: "GetTimesheetEntry", Page: "timesheets", Path: "timesheet_entries/{entry}", Args: []Arg{timeEntry}, Words: "hours"},
	{
		Name: "list_time", Does: "Lists the hours logged on an item", Covers: "GetRecordingTimesheet", Page: "timesheets",
		Path: "recordings/{item}/timesheet", Items: ".", Args: []Arg{anyItem, itsProject, from, to, ofPerson}, Words: "hours logged on this to-do timesheet hours worked",
	},
	{
		Name: "list_project_time", Does: "Lists the hours logged in a project", Covers: "GetProjectTimesheet", Page: "timesheets",
		Path: "projects/{project}/timesheet", Items: ".", Args: []Arg{inProject, from, to, ofPerson}, Words: "timesheet hours worked",
	},
	{
		Name: "get_timesheet", Does: "Lists and adds up the hours logged in all projects, or in one, by default of the last month", Covers: "GetTimesheetReport", Page: "timesheets",
		Path: "reports/timesheet", Place: AcrossProjects, Items: ".", Sums: true, Together: "from to", Words: "report hours worked sum total by person",
		Args: []Arg{{Name: "from", Kind: PastDate, To: "?start_date"}, {Name: "to", Kind: PastDate, To: "?end_date"}, ofPerson, {Name: "project", Kind: Project, To: "?bucket_id"}},
	},
	{Name: "list_markers", Does: "Lists the markers of the Lineup", Covers: "ListLineupMarkers", Page: "lineup_markers", Path: "lineup/markers", Items: ".", Words: "milestones timeline dates"},
	{
		Name: "add_marker", Does: "Adds a marker to the Lineup, for the whole account", Covers: "CreateLineupMarker", Page: "lineup_markers",
		Method: "POST", Path: "lineup/markers", Args: []Arg{name, {Name: "date", Kind: Date, Need: true}}, TakenBackBy: "delete_marker", Words: "milestone in the lineup milestone timeline create",
	},
	{
		Name: "update_marker", Does: "Renames or moves a marker of the Lineup", Covers: "UpdateLineupMarker", Page: "lineup_markers",
		Method: "PUT", Path: "lineup/markers/{marker}", Args: []Arg{marker, newName, {Name: "date", Kind: Date}}, TakenBackBy: "update_marker", Words: "milestone timeline rename",
	},
}

var (
	todoset     = Arg{Name: "todoset", Kind: Tool, Of: "todoset", To: "{todoset}"}
	needle      = Arg{Name: "needle", Kind: ID, To: "{needle}", Need: true, About: "of list_needles"}
	hours       = Arg{Name: "hours", Kind: Hours, Need: true}
	spentOn     = Arg{Name: "date", Kind: PastDate, Default: "today"}
	description = Arg{Name: "description", Max: 2000}
	forPerson   = Arg{Name: "person", Kind: Person, To: "person_id", About: "default: you"}
	ofPerson    = Arg{Name: "person", Kind: Person, To: "?person_id"}
	timeEntry   = Arg{Name: "entry", Kind: ID, To: "{entry}", Need: true, About: "of list_time"}
	marker      = Arg{Name: "marker", Kind: Named, Of: "list_markers", To: "{marker}", Need: true}
)

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
	{Name: "list_all_messages", Does: "Lists the newest messages of all projects", Covers: "GetEverythingMessages", Page: "everything", Path: "messages", Place: AcrossProjects, Items: ".", Words: "posts everything"},
	{Name: "list_all_comments", Does: "Lists the newest comments of all projects", Covers: "GetEverythingComments", Page: "everything", Path: "comments", Place: AcrossProjects, Items: ".", Words: "everything"},
	{Name: "list_all_forwards", Does: "Lists the newest forwarded e-mails of all projects", Covers: "GetEverythingForwards", Page: "everything", Path: "forwards", Place: AcrossProjects, Items: ".", Words: "emails mail everything"},
	{Name: "list_assignable_people", Does: "Lists the people to whom to-dos can be assigned", Covers: "ListAssignablePeople", Page: "reports", Path: "reports/todos/assigned", Place: OfAccount, Items: ".", Words: "assignees"},
	{
		Name: "list_assigned_todos", Does: "Lists the open to-dos of a person, by project or date", Covers: "GetAssignedTodos", Page: "reports",
		Path: "reports/todos/assigned/{person}", Place: AcrossProjects, Items: "todos", Args: []Arg{anyone, {Name: "group_by", To: "?group_by", Of: "bucket|date"}}, Words: "assignments report",
	},
	{Name: "list_overdue_todos", Does: "Lists the overdue to-dos of all projects by how late they are", Covers: "GetOverdueTodos", Page: "reports", Path: "reports/todos/overdue", Place: AcrossProjects, Words: "late report"},
}

// clientRows are about the older way to work with clients, the Clientside.
var clientRows = []Row{
	{Name: "list_client_approvals", Does: "Lists what clients of a project were asked to approve", Covers: "ListClientApprovals", Page: "client_approvals", Path: "buckets/{project}/client/approvals", Items: ".", Args: []Arg{inProject, newest}, Words: "what was the client asked to approve clientside"},
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
