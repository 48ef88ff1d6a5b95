package operations

// projectRows are about projects, their places and whom they notify.
var projectRows = []Row{
	{
		Name: "create_project", Does: "Creates a project with you as its only member", Covers: "CreateProject", Page: "projects",
		Method: "POST", Path: "projects", Args: []Arg{name, {Name: "description", Max: 10_000}}, Says: "create a project", Makes: "Project", Undo: remove("DELETE projects/{id}", ""),
	},
	{Name: "list_recent_projects", Does: "Lists the projects that you opened last", Covers: "ListRecentProjects", Page: "sdk", Path: "my/recent_projects", Place: AcrossProjects, Items: "."},
	{
		Name: "record_project_visit", Does: "Puts a project first among those that you opened last", Covers: "RecordProjectVisit", Page: "sdk",
		Method: "POST", Path: "projects/{project}/recent_visit", Args: []Arg{inProject},
	},
	{
		Name: "set_project_access", Does: "Decides who may join a project: only invited people, all employees, or the team", Covers: "UpdateProject", Page: "projects",
		Method: "PUT", Path: "projects/{project}", Before: "projects/{project}", ReplacesAll: true, Words: "invite only private open admissions all-access join",
		Args: []Arg{inProject, {Name: "admissions", Of: "invite|employee|team", Need: true}, {Name: "name", To: "name"}, {Name: "description"}}, Named: Names{"start_date": "starts_on", "end_date": "ends_on"}, Says: "change a project", Undo: restores("name", "description", "schedule_attributes"), TakenBackBy: "set_project_access",
	},
	{
		Name: "remove_project_wallpaper", Does: "Removes the wallpaper of a project", Covers: "RemoveProjectWallpaper", Page: "sdk",
		Method: "DELETE", Path: "projects/{project}/wallpaper", Args: []Arg{inProject}, TakenBackBy: Final, Words: "background picture",
	},

	{
		Name: "follow", Does: "Subscribes you to an item: Basecamp tells you of new comments", Covers: "Subscribe", Page: "subscriptions",
		Method: "POST", Idempotent: true, Path: "recordings/{item}/subscription", Args: []Arg{discussed, itsProject}, Says: "subscribe", Sets: on("subscribed"), Undo: reverse("recordings/{id}/subscription"), Words: "subscribe watch notify me set_subscription",
	},
	{
		Name: "unfollow", Does: "Ends your subscription to an item", Covers: "Unsubscribe", Page: "subscriptions",
		Method: "DELETE", Path: "recordings/{item}/subscription", Args: []Arg{discussed, itsProject}, Says: "unsubscribe", Sets: off("subscribed"), Undo: reverse("recordings/{id}/subscription"), Words: "unsubscribe mute stop notifications",
	},
	{
		Name: "set_followers", Does: "Adds and removes people whom Basecamp tells of new comments on an item", Covers: "UpdateSubscription", Page: "subscriptions",
		Method: "PUT", Path: "recordings/{item}/subscription", Says: "change the subscribers", Undo: members("subscriptions", "unsubscriptions", "subscribers", "recordings/{id}/subscription"), Words: "notify others of new comments subscribe others subscribers people notified",
		Args: []Arg{discussed, itsProject, {Name: "add", Kind: People, To: "subscriptions"}, {Name: "remove", Kind: People, To: "unsubscriptions"}},
	},
	{
		Name: "list_followers", Does: "Lists the people whom Basecamp tells of new comments on an item", Covers: "GetSubscription", Page: "subscriptions",
		Path: "recordings/{item}/subscription", Items: "subscribers", Args: []Arg{discussed, itsProject}, Words: "who follows subscribers subscription who is notified",
	},
	{
		Name: "get_history", Does: "Lists who changed what in an item, and when, the newest first", Covers: "ListEvents", Page: "events",
		Path: "recordings/{item}/events", Items: ".", Events: true, Args: []Arg{anyItem, itsProject}, Words: "history of a card, who changed this, who moved, events log",
	},
	{
		Name: "list_event_boosts", Does: "Lists the boosts on an event of get_history", Covers: "ListEventBoosts", Page: "boosts",
		Path: "recordings/{item}/events/{event}/boosts", Items: ".", Args: []Arg{anyItem, itsProject, event}, Words: "thumbs up reactions emoji",
	},
	{
		Name: "boost_event", Does: "Boosts an event of get_history, such as a completion", Covers: "CreateEventBoost", Page: "boosts",
		Method: "POST", Path: "recordings/{item}/events/{event}/boosts", Tells: "the person who did it", Words: "thumbs up reaction emoji",
		Args: []Arg{anyItem, itsProject, event, {Name: "content", Need: true, Max: 16}}, Says: "boost an event", Makes: "Boost", Undo: remove("DELETE boosts/{id}", "boosts/{id}"),
	},
	{Name: "get_boost", Does: "Reads one boost", Covers: "GetBoost", Page: "boosts", Path: "boosts/{boost}", Args: []Arg{{Name: "boost", Kind: ID, To: "{boost}", Need: true}}},
	{
		Name: "spotlight", Does: "Puts an item into the spotlight of its project", Covers: "SpotlightRecording", Page: "sdk",
		Method: "POST", Path: "recordings/{item}/spotlight", Args: []Arg{anyItem, itsProject}, TakenBackBy: "unspotlight", Words: "highlight feature pin item",
	},
	{
		Name: "unspotlight", Does: "Takes an item out of the spotlight", Covers: "UnspotlightRecording", Page: "sdk",
		Method: "DELETE", Path: "recordings/{item}/spotlight", Args: []Arg{anyItem, itsProject}, TakenBackBy: "spotlight", Words: "unhighlight",
	},
	{
		Name: "list_message_types", Does: "Lists a project's categories of messages", Covers: "ListMessageTypes", Page: "message_types",
		Path: "buckets/{project}/categories", Items: ".", Args: []Arg{inProject}, Words: "category categories",
	},
	{
		Name: "get_message_type", Does: "Reads a category of messages", Covers: "GetMessageType", Page: "message_types",
		Path: "buckets/{project}/categories/{category}", Args: []Arg{inProject, category}, Words: "category",
	},
	{
		Name: "add_message_type", Does: "Adds a category of messages to a project", Covers: "CreateMessageType", Page: "message_types",
		Method: "POST", Path: "buckets/{project}/categories", Args: []Arg{inProject, {Name: "name", Need: true, Max: 100}, {Name: "icon", Need: true, Max: 8, About: "an emoji"}},
		Says: "add a message category", Makes: "other", Undo: cannot("Basecamp deletes a category permanently"), TakenBackBy: "delete_message_type", Words: "category create",
	},
	{
		Name: "update_message_type", Does: "Renames a category of messages, or changes its icon", Covers: "UpdateMessageType", Page: "message_types",
		Method: "PUT", Path: "buckets/{project}/categories/{category}", Before: "buckets/{project}/categories/{category}", ReplacesAll: true,
		Args: []Arg{inProject, category, {Name: "name", Max: 100}, {Name: "icon", Max: 8, About: "an emoji"}}, TakenBackBy: "update_message_type", Words: "rename category",
	},
	{
		Name: "list_forwards", Does: "Lists the e-mails forwarded into a project", Covers: "ListForwards", Page: "forwards",
		Path: "inboxes/{inbox}/inbox_forwards", Items: ".", Args: []Arg{inProject, {Name: "inbox", Kind: Tool, Of: "inbox", To: "{inbox}"}}, Words: "forwarded emails emails mail inbox",
	},
	{
		Name: "list_forward_replies", Does: "Lists the replies to a forwarded e-mail", Covers: "ListForwardReplies", Page: "inbox_replies",
		Path: "inbox_forwards/{item}/replies", Items: ".", Args: []Arg{{Name: "item", Kind: Item, Of: "forward", To: "{item}", Need: true}, itsProject}, Words: "emails mail answers",
	},
	{
		Name: "get_schedule_settings", Does: "Shows whether a project's schedule includes due dates", Covers: "GetSchedule", Page: "schedules",
		Path: "schedules/{schedule}", Args: []Arg{inProject, schedule}, Words: "calendar",
	},
	{
		Name: "set_schedule_settings", Does: "Decides whether a project's schedule includes the due dates of to-dos and cards", Covers: "UpdateScheduleSettings", Page: "schedules",
		Method: "PUT", Path: "schedules/{schedule}", Before: "schedules/{schedule}", TakenBackBy: "set_schedule_settings", Words: "calendar due dates",
		Args: []Arg{inProject, schedule, {Name: "include_due_assignments", Kind: Flag, To: "schedule.include_due_assignments", Need: true}},
	},
}

var (
	discussed = Arg{Name: "item", Kind: Item, To: "{item}", Need: true, Of: "message todo card document upload todolist schedule_entry question answer forward comment"}
	event     = Arg{Name: "event", Kind: ID, To: "{event}", Need: true, About: "of get_history"}
	category  = Arg{Name: "category", Kind: Named, Of: "list_message_types", To: "{category}", Need: true}
	schedule  = Arg{Name: "schedule", Kind: Tool, Of: "schedule", To: "{schedule}"}
)

// templateRows are about templates of projects, to-do lists and card tables.
var templateRows = []Row{
	{
		Name: "list_templates", Does: "Lists the templates of projects", Covers: "ListTemplates", Page: "templates",
		Path: "templates", Items: ".", Args: []Arg{{Name: "status", To: "?status", Of: "archived|trashed"}},
	},
	{Name: "get_template", Does: "Reads a template of a project", Covers: "GetTemplate", Page: "templates", Path: "templates/{template}", Args: []Arg{template}},
	{
		Name: "create_template", Does: "Creates an empty template of a project", Covers: "CreateTemplate", Page: "templates",
		Method: "POST", Path: "templates", Args: []Arg{name, {Name: "description", Max: 10_000}}, TakenBackBy: "trash_template", Words: "new project template new",
	},
	{
		Name: "update_template", Does: "Renames a template of a project, or changes its description", Covers: "UpdateTemplate", Page: "templates",
		Method: "PUT", Path: "templates/{template}", Before: "templates/{template}", ReplacesAll: true, TakenBackBy: "update_template", Words: "rename",
		Args: []Arg{template, newName, {Name: "description", Max: 10_000}},
	},
	{
		Name: "trash_template", Does: "Moves a template of a project to the trash", Covers: "DeleteTemplate", Page: "templates",
		Method: "DELETE", Path: "templates/{template}", Args: []Arg{template}, TakenBackBy: "Basecamp's trash", Words: "delete remove",
	},
	{
		Name: "create_from_template", Does: "Creates a project from a template", Covers: "CreateProjectFromTemplate", Page: "templates",
		Method: "POST", Path: "templates/{template}/project_constructions", Says: "create a project from a template", Makes: "other", Undo: cannot("Basecamp makes the project later; move it to the trash yourself"), TakenBackBy: "set_item_status", Words: "new project from a template, start a project from a template",
		Args: []Arg{template, {Name: "name", To: "project.name", Need: true, Max: 250}, {Name: "description", To: "project.description", Max: 10_000}},
		Then: "Basecamp builds the project; get_construction {template, construction: id} says when it is done",
	},
	{
		Name: "get_construction", Does: "Says whether a project from a template is done, and shows it", Covers: "GetProjectConstruction", Page: "templates",
		Path: "templates/{template}/project_constructions/{construction}", Args: []Arg{template, {Name: "construction", Kind: ID, To: "{construction}", Need: true}}, Words: "template status",
	},
	{Name: "list_list_templates", Does: "Lists the templates of to-do lists", Covers: "GetTemplateLibraryTodolists", Page: "template_library", Path: "template_library/todolists", Items: "todolists", Words: "library"},
	{
		Name: "create_list_template", Does: "Creates an empty template of a to-do list", Covers: "CreateTemplateLibraryTodolist", Page: "template_library",
		Method: "POST", Path: "template_library/todolists", Args: []Arg{name, {Name: "description", Kind: Markdown}}, TakenBackBy: "set_item_status", Words: "library new",
	},
	{Name: "list_board_templates", Does: "Lists the templates of card tables", Covers: "GetTemplateLibraryCardTables", Page: "card_table_templates", Path: "template_library/card_tables", Items: "card_tables", Words: "library kanban"},
	{
		Name: "create_board_template", Does: "Creates a template of a card table", Covers: "CreateTemplateLibraryCardTable", Page: "card_table_templates",
		Method: "POST", Path: "template_library/card_tables", Args: []Arg{name}, TakenBackBy: "set_item_status", Words: "library kanban new",
	},
	{
		Name: "use_list_template", Does: "Copies a template of a to-do list into a project", Covers: "CreateTemplateLibraryCopy", Page: "template_library",
		Method: "POST", Path: "template_library/copies", TakenBackBy: "set_item_status", Words: "library to-do list from template apply",
		Args: []Arg{
			{Name: "template", Kind: Named, Of: "list_list_templates", To: "template_recording_id", Need: true}, {Name: "project", Kind: Project, To: "destination_project_id", Need: true},
			{Name: "add_people", Kind: Flag, To: "adding_people_confirmed", About: "also gives its assignees access to the project"},
		},
		Then: "Basecamp copies it; get_template_copy {copy: id} says when it is done",
	},
	{
		Name: "use_board_template", Does: "Copies a template of a card table into a project", Covers: "CreateTemplateLibraryCopy", Page: "card_table_templates",
		Method: "POST", Path: "template_library/copies", TakenBackBy: "set_item_status", Words: "library kanban card table from template apply",
		Args: []Arg{
			{Name: "template", Kind: Named, Of: "list_board_templates", To: "template_recording_id", Need: true}, {Name: "project", Kind: Project, To: "destination_project_id", Need: true},
			{Name: "add_people", Kind: Flag, To: "adding_people_confirmed", About: "also gives its assignees access to the project"},
		},
		Then: "Basecamp copies it; get_template_copy {copy: id} says when it is done",
	},
	{
		Name: "get_template_copy", Does: "Says whether a copy of a template is done, and shows it", Covers: "GetTemplateLibraryCopy", Page: "template_library",
		Path: "template_library/copies/{copy}", Args: []Arg{{Name: "copy", Kind: ID, To: "{copy}", Need: true}}, Words: "library status",
	},
	{
		Name: "make_list_template", Does: "Makes a template of a to-do list", Covers: "CreateTemplatification", Page: "templatifications",
		Method: "POST", Path: "buckets/{project}/recordings/{item}/templatifications", TakenBackBy: "set_item_status", Words: "library templatify save as template",
		Args: []Arg{
			{Name: "item", Kind: Item, Of: "todolist", To: "{item}", Need: true}, itsProject, {Name: "template_name", Max: 250},
			{Name: "copy_comments", Kind: Flag}, {Name: "copy_assignments", Kind: Flag},
		},
		Then: "get_templatification {item, templatification: id} says when it is done",
	},
	{
		Name: "make_board_template", Does: "Makes a template of a card table", Covers: "CreateTemplatification", Page: "templatifications",
		Method: "POST", Path: "buckets/{project}/recordings/{board}/templatifications", TakenBackBy: "set_item_status", Words: "library templatify save as template kanban",
		Args: []Arg{inProject, board, {Name: "template_name", Max: 250}, {Name: "copy_comments", Kind: Flag}, {Name: "copy_assignments", Kind: Flag}, {Name: "move_cards_to_triage", Kind: Flag}},
	},
	{
		Name: "get_templatification", Does: "Says whether a template made of a list or board is done", Covers: "GetTemplatification", Page: "templatifications",
		Path: "buckets/{project}/recordings/{item}/templatifications/{templatification}", Words: "library status",
		Args: []Arg{inProject, {Name: "item", Kind: ID, To: "{item}", Need: true, About: "the list or board"}, {Name: "templatification", Kind: ID, To: "{templatification}", Need: true}},
	},
}

var template = Arg{Name: "template", Kind: Named, Of: "list_templates", To: "{template}", Need: true}
