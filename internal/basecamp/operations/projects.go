package operations

// projectRows are about projects, their places and whom they notify.
var projectRows = []Row{
	{
		Name: "create_project", Does: "Creates a project with you as its only member", Covers: "CreateProject", Page: "projects",
		Method: "POST", Path: "projects", Args: []Arg{name, {Name: "description", Max: 10_000}}, Undo: "set_item_status",
	},
	{Name: "list_recent_projects", Does: "Lists the projects that you opened last", Covers: "ListRecentProjects", Page: "sdk", Path: "my/recent_projects", Items: "."},
	{
		Name: "record_project_visit", Does: "Puts a project first among those that you opened last", Covers: "RecordProjectVisit", Page: "sdk",
		Method: "POST", Path: "projects/{project}/recent_visit", Args: []Arg{inProject},
	},
	{
		Name: "set_project_access", Does: "Decides who may join a project: only invited people, all employees, or the team", Covers: "UpdateProject", Page: "projects",
		Method: "PUT", Path: "projects/{project}", Before: "projects/{project}", Whole: true, Words: "invite only private open admissions all-access join",
		Args: []Arg{inProject, {Name: "admissions", Of: "invite|employee|team", Need: true}, {Name: "name", To: "name"}, {Name: "description"}}, Undo: "set_project_access",
	},
	{
		Name: "remove_project_wallpaper", Does: "Removes the wallpaper of a project", Covers: "RemoveProjectWallpaper", Page: "sdk",
		Method: "DELETE", Path: "projects/{project}/wallpaper", Args: []Arg{inProject}, Undo: Final, Words: "background picture",
	},

	{
		Name: "follow", Does: "Subscribes you to an item: Basecamp tells you of new comments", Covers: "Subscribe", Page: "subscriptions",
		Method: "POST", Again: true, Path: "recordings/{item}/subscription", Args: []Arg{discussed, narrow}, Undo: "unfollow", Words: "subscribe watch notify me set_subscription",
	},
	{
		Name: "unfollow", Does: "Ends your subscription to an item", Covers: "Unsubscribe", Page: "subscriptions",
		Method: "DELETE", Path: "recordings/{item}/subscription", Args: []Arg{discussed, narrow}, Undo: "follow", Words: "unsubscribe mute stop notifications",
	},
	{
		Name: "set_followers", Does: "Adds and removes people whom Basecamp tells of new comments on an item", Covers: "UpdateSubscription", Page: "subscriptions",
		Method: "PUT", Path: "recordings/{item}/subscription", Undo: "set_followers", Words: "subscribe others subscribers people notified",
		Args: []Arg{discussed, narrow, {Name: "add", Kind: People, To: "subscriptions"}, {Name: "remove", Kind: People, To: "unsubscriptions"}},
	},
	{
		Name: "list_followers", Does: "Lists the people whom Basecamp tells of new comments on an item", Covers: "GetSubscription", Page: "subscriptions",
		Path: "recordings/{item}/subscription", Items: "subscribers", Args: []Arg{discussed, narrow}, Words: "subscribers subscription who is notified",
	},
	{
		Name: "list_event_boosts", Does: "Lists the boosts on an event of get_history", Covers: "ListEventBoosts", Page: "boosts",
		Path: "recordings/{item}/events/{event}/boosts", Items: ".", Args: []Arg{anyItem, narrow, event}, Words: "thumbs up reactions emoji",
	},
	{
		Name: "boost_event", Does: "Boosts an event of get_history, such as a completion", Covers: "CreateEventBoost", Page: "boosts",
		Method: "POST", Path: "recordings/{item}/events/{event}/boosts", Tells: "the person who did it", Words: "thumbs up reaction emoji",
		Args: []Arg{anyItem, narrow, event, {Name: "content", Need: true, Max: 16}}, Undo: "boost",
	},
	{Name: "get_boost", Does: "Reads one boost", Covers: "GetBoost", Page: "boosts", Path: "boosts/{boost}", Args: []Arg{{Name: "boost", Kind: ID, To: "{boost}", Need: true}}},
	{
		Name: "spotlight", Does: "Puts an item into the spotlight of its project", Covers: "SpotlightRecording", Page: "sdk",
		Method: "POST", Path: "recordings/{item}/spotlight", Args: []Arg{anyItem, narrow}, Undo: "unspotlight", Words: "highlight feature pin item",
	},
	{
		Name: "unspotlight", Does: "Takes an item out of the spotlight", Covers: "UnspotlightRecording", Page: "sdk",
		Method: "DELETE", Path: "recordings/{item}/spotlight", Args: []Arg{anyItem, narrow}, Undo: "spotlight", Words: "unhighlight",
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
		Undo: "delete_message_type", Words: "category create",
	},
	{
		Name: "update_message_type", Does: "Renames a category of messages, or changes its icon", Covers: "UpdateMessageType", Page: "message_types",
		Method: "PUT", Path: "buckets/{project}/categories/{category}", Before: "buckets/{project}/categories/{category}", Whole: true,
		Args: []Arg{inProject, category, {Name: "name", Max: 100}, {Name: "icon", Max: 8, About: "an emoji"}}, Undo: "update_message_type", Words: "rename category",
	},
	{
		Name: "list_forwards", Does: "Lists the e-mails forwarded into a project", Covers: "ListForwards", Page: "forwards",
		Path: "inboxes/{inbox}/inbox_forwards", Items: ".", Args: []Arg{inProject, {Name: "inbox", Kind: Tool, Of: "inbox", To: "{inbox}"}}, Words: "emails mail inbox",
	},
	{
		Name: "list_forward_replies", Does: "Lists the replies to a forwarded e-mail", Covers: "ListForwardReplies", Page: "inbox_replies",
		Path: "inbox_forwards/{item}/replies", Items: ".", Args: []Arg{{Name: "item", Kind: Item, Of: "forward", To: "{item}", Need: true}, narrow}, Words: "emails mail answers",
	},
	{
		Name: "get_schedule_settings", Does: "Shows whether a project's schedule includes due dates", Covers: "GetSchedule", Page: "schedules",
		Path: "schedules/{schedule}", Args: []Arg{inProject, schedule}, Words: "calendar",
	},
	{
		Name: "set_schedule_settings", Does: "Decides whether a project's schedule includes the due dates of to-dos and cards", Covers: "UpdateScheduleSettings", Page: "schedules",
		Method: "PUT", Path: "schedules/{schedule}", Before: "schedules/{schedule}", Undo: "set_schedule_settings", Words: "calendar due dates",
		Args: []Arg{inProject, schedule, {Name: "include_due_assignments", Kind: Flag, To: "schedule.include_due_assignments", Need: true}},
	},
}

var (
	discussed = Arg{Name: "item", Kind: Item, To: "{item}", Need: true, Of: "message todo card document upload todolist schedule_entry question answer forward comment"}
	event     = Arg{Name: "event", Kind: ID, To: "{event}", Need: true, About: "of get_history"}
	category  = Arg{Name: "category", Kind: Named, Of: "list_message_types", To: "{category}", Need: true}
	schedule  = Arg{Name: "schedule", Kind: Tool, Of: "schedule", To: "{schedule}"}
)
