package operations

// adminRows are for administrators.
var adminRows = []Row{
	{
		Name: "rename_account", Does: "Renames the account; takes its owner", Covers: "UpdateAccountName", Page: "account", Admin: true,
		Method: "PUT", Path: "account/name", Before: "account", Args: []Arg{name}, TakenBackBy: "rename_account",
	},
	{Name: "remove_account_logo", Does: "Removes the logo of the account", Covers: "RemoveAccountLogo", Page: "account", Admin: true, Method: "DELETE", Path: "account/logo", TakenBackBy: Final},
	{
		Name: "invite_people", Does: "Invites new people to a project by e-mail", Covers: "UpdateProjectAccess", Page: "people", Admin: true, Tells: "the new people",
		Method: "PUT", Path: "projects/{project}/people/users", Args: []Arg{inProject, {Name: "people", Kind: Invitations, To: "create", Need: true}}, Named: Names{"grant": "add_people", "revoke": "remove_people"}, Says: "change who is on a project", Undo: members("grant", "revoke", "", "projects/{id}/people"), TakenBackBy: "change_project", Words: "add colleague",
	},
	{
		Name: "set_client_people", Does: "Adds clients to a project, or removes them; invites new ones by e-mail", Covers: "UpdateProjectClientAccess", Page: "sdk", Admin: true, Tells: "new clients",
		Method: "PUT", Path: "projects/{project}/people/client_users", TakenBackBy: "set_client_people", Words: "access invite",
		Args: []Arg{inProject, {Name: "add", Kind: People, To: "grant", Of: "account"}, {Name: "remove", Kind: People, To: "revoke"}, {Name: "invite", Kind: Invitations, To: "create"}},
	},
	{Name: "enable_clients", Does: "Lets a project have clients", Covers: "EnableProjectClients", Page: "sdk", Admin: true, Method: "POST", Path: "projects/{project}/client_enablement", Args: []Arg{inProject}, TakenBackBy: "disable_clients", Words: "access"},
	{Name: "disable_clients", Does: "Ends the access of all clients to a project", Covers: "DisableProjectClients", Page: "sdk", Admin: true, Method: "DELETE", Path: "projects/{project}/client_enablement", Args: []Arg{inProject}, TakenBackBy: "enable_clients", Words: "access"},

	{
		Name: "add_tool", Does: "Adds a tool, such as a chat or a card table, to a project", Covers: "CreateTool", Page: "tools", Admin: true,
		Method: "POST", Path: "buckets/{project}/dock/tools", Says: "add a tool to a project", Makes: "other", Undo: cannot("a tool is removed in the settings of the project"), TakenBackBy: "trash_tool", Words: "dock create board chat schedule",
		Args: []Arg{inProject, {Name: "tool_type", Need: true, Of: "Message::Board|Todoset|Vault|Schedule|Chat::Transcript|Kanban::Board|Questionnaire|Inbox"}, {Name: "title", Max: 250}, clients},
	},
	{Name: "rename_tool", Does: "Renames a tool of a project", Covers: "UpdateTool GetTool", Page: "tools", Admin: true, Method: "PUT", Path: "dock/tools/{tool}", Before: "dock/tools/{tool}", Args: []Arg{inProject, dockTool, {Name: "title", Need: true, Max: 250}}, TakenBackBy: "rename_tool", Words: "dock"},
	{Name: "enable_tool", Does: "Switches a tool of a project on", Covers: "EnableTool", Page: "tools", Admin: true, Method: "POST", Path: "buckets/{project}/recordings/{tool}/position", Args: []Arg{inProject, dockTool}, Says: "enable a tool of a project", Sets: on("enabled"), Undo: reverse("dock/tools/{id}"), Words: "dock"},
	{Name: "disable_tool", Does: "Switches a tool of a project off; what is in it stays", Covers: "DisableTool", Page: "tools", Admin: true, Method: "DELETE", Path: "buckets/{project}/recordings/{tool}/position", Args: []Arg{inProject, dockTool}, Says: "disable a tool of a project", Sets: off("enabled"), Undo: reverse("dock/tools/{id}"), Words: "dock hide"},
	{Name: "move_tool", Does: "Moves a tool of a project to another place", Covers: "RepositionTool", Page: "tools", Admin: true, Method: "PUT", Path: "buckets/{project}/recordings/{tool}/position", Args: []Arg{inProject, dockTool, {Name: "position", Kind: Number, Min: 1, Need: true}}, Says: "move a tool of a project", Undo: &Undo{Fields: []string{"position"}, Reads: "dock/tools/{id}"}, Words: "dock reorder"},
	{Name: "trash_tool", Does: "Moves a tool of a project and all in it to the trash", Covers: "DeleteTool", Page: "tools", Admin: true, Method: "DELETE", Path: "dock/tools/{tool}", Args: []Arg{inProject, dockTool}, TakenBackBy: "Basecamp's trash", Words: "dock delete remove"},

	{Name: "list_webhooks", Does: "Lists the webhooks of a project", Covers: "ListWebhooks", Page: "webhooks", Admin: true, Path: "buckets/{project}/webhooks", Items: ".", Args: []Arg{inProject}},
	{Name: "get_webhook", Does: "Reads a webhook with its latest deliveries", Covers: "GetWebhook", Page: "webhooks", Admin: true, Path: "webhooks/{webhook}", Args: []Arg{webhook}},
	{
		Name: "add_webhook", Does: "Sends what happens in a project to a URL", Covers: "CreateWebhook", Page: "webhooks", Admin: true,
		Method: "POST", Path: "buckets/{project}/webhooks", Args: []Arg{inProject, {Name: "payload_url", Need: true, Max: 2000, About: "https"}, {Name: "event_types", Kind: Texts, To: "types", About: "such as Todo; default: all"}}, Says: "add a webhook", Makes: "other", Undo: cannot("a webhook is removed in the settings of the project"), TakenBackBy: "delete_webhook", Words: "create",
	},
	{
		Name: "update_webhook", Does: "Changes a webhook", Covers: "UpdateWebhook", Page: "webhooks", Admin: true,
		Method: "PUT", Path: "webhooks/{webhook}", Before: "webhooks/{webhook}", ReplacesAll: true, TakenBackBy: "update_webhook", Words: "pause",
		Args: []Arg{webhook, {Name: "payload_url", Max: 2000}, {Name: "event_types", Kind: Texts, To: "types"}, {Name: "active", Kind: Flag}},
	},
	{Name: "delete_webhook", Does: "Deletes a webhook", Covers: "DeleteWebhook", Page: "webhooks", Admin: true, Method: "DELETE", Path: "webhooks/{webhook}", Args: []Arg{webhook}, TakenBackBy: "add_webhook"},

	{Name: "list_chatbots", Does: "Lists the chatbots of the account", Covers: "ListChatbots", Page: "chatbots", Admin: true, Path: "buckets/{project}/chats/{chat}/integrations", Items: ".", Args: []Arg{inProject, chat}, Words: "integrations bots"},
	{Name: "get_chatbot", Does: "Reads a chatbot", Covers: "GetChatbot", Page: "chatbots", Admin: true, Path: "buckets/{project}/chats/{chat}/integrations/{chatbot}", Args: []Arg{inProject, chat, chatbot}, Words: "integration bot"},
	{
		Name: "add_chatbot", Does: "Adds a chatbot to the account", Covers: "CreateChatbot", Page: "chatbots", Admin: true, TakenBackBy: "delete_chatbot", Words: "integration bot create",
		Method: "POST", Path: "buckets/{project}/chats/{chat}/integrations", Args: []Arg{inProject, chat, {Name: "service_name", Need: true, Max: 100}, {Name: "command_url", Max: 2000, About: "https"}},
	},
	{
		Name: "update_chatbot", Does: "Changes a chatbot, for the whole account", Covers: "UpdateChatbot", Page: "chatbots", Admin: true, TakenBackBy: "update_chatbot", Words: "integration bot",
		Method: "PUT", Path: "buckets/{project}/chats/{chat}/integrations/{chatbot}", Before: "buckets/{project}/chats/{chat}/integrations/{chatbot}", ReplacesAll: true,
		Args: []Arg{inProject, chat, chatbot, {Name: "service_name", Max: 100}, {Name: "command_url", Max: 2000}},
	},
	{Name: "delete_chatbot", Does: "Deletes a chatbot from the whole account", Covers: "DeleteChatbot", Page: "chatbots", Admin: true, Method: "DELETE", Path: "buckets/{project}/chats/{chat}/integrations/{chatbot}", Args: []Arg{inProject, chat, chatbot}, TakenBackBy: Final, Words: "integration bot"},

	{Name: "delete_needle", Does: "Deletes a needle of a gauge for good", Covers: "DestroyGaugeNeedle", Page: "gauges", Admin: true, Method: "DELETE", Path: "gauge_needles/{needle}", Args: []Arg{needle}, TakenBackBy: Final},
	{Name: "delete_time_entry", Does: "Deletes a timesheet entry for good", Covers: "DestroyTimesheetEntry", Page: "timesheets", Admin: true, Method: "DELETE", Path: "timesheet_entries/{entry}", Args: []Arg{timeEntry}, TakenBackBy: Final, Words: "hours"},
	{Name: "delete_marker", Does: "Deletes a marker of the Lineup for good", Covers: "DeleteLineupMarker", Page: "lineup_markers", Admin: true, Method: "DELETE", Path: "lineup/markers/{marker}", Args: []Arg{marker}, TakenBackBy: Final, Words: "milestone"},
	{Name: "delete_message_type", Does: "Deletes a category of messages for good", Covers: "DeleteMessageType", Page: "message_types", Admin: true, Method: "DELETE", Path: "buckets/{project}/categories/{category}", Args: []Arg{inProject, category}, TakenBackBy: Final, Words: "category"},
	{Name: "delete_chat_line", Does: "Deletes a line of a chat for good", Covers: "DeleteCampfireLine", Page: "campfires", Admin: true, Method: "DELETE", Path: "chats/{chat}/lines/{line}", Args: []Arg{inProject, chat, {Name: "line", Kind: ID, To: "{line}", Need: true}}, Says: "delete a chat line permanently", Undo: cannot("it was deleted permanently"), TakenBackBy: Final, Words: "campfire message remove"},
}

var (
	dockTool = Arg{Name: "tool", Kind: Tool, To: "{tool}", Need: true, About: "title or id"}
	webhook  = Arg{Name: "webhook", Kind: ID, To: "{webhook}", Need: true, About: "of list_webhooks"}
	chatbot  = Arg{Name: "chatbot", Kind: Named, Of: "list_chatbots", To: "{chatbot}", Need: true}
)
