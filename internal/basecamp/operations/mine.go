package operations

// mineRows are about what belongs to the caller.
var mineRows = []Row{
	{
		Name: "bookmark", Does: "Bookmarks an item for you", Covers: "CreateBookmark", Page: "my_bookmarks",
		Method: "POST", Idempotent: true, Path: "recordings/{item}/bookmark", Args: []Arg{anyItem, itsProject}, Says: "bookmark", Sets: on("bookmarked"), Undo: reverse("recordings/{id}/bookmark"), Words: "save star favourite",
	},
	{
		Name: "unbookmark", Does: "Removes your bookmark of an item", Covers: "DeleteBookmark", Page: "my_bookmarks",
		Method: "DELETE", Path: "recordings/{item}/bookmark", Args: []Arg{anyItem, itsProject}, Says: "remove a bookmark", Sets: off("bookmarked"), Undo: reverse("recordings/{id}/bookmark"), Words: "unsave unstar delete",
	},
	{Name: "is_bookmarked", Does: "Says whether you have bookmarked an item", Covers: "GetBookmark", Page: "my_bookmarks", Path: "recordings/{item}/bookmark", Args: []Arg{anyItem, itsProject}},
	{Name: "list_bookmarks", Does: "Lists your bookmarks, the newest first", Covers: "ListMyBookmarks", Page: "my_bookmarks", Path: "my/bookmarks", Place: AcrossProjects, Items: ".", Words: "my bookmarks saved starred favourites"},
	{
		Name: "set_reminder", Does: "Shows you an item again in your notifications on a day", Covers: "CreateBubbleUp", Page: "bubble_ups",
		Method: "POST", Idempotent: true, Path: "recordings/{item}/bubble_up", Args: []Arg{anyItem, itsProject, {Name: "on", Kind: Date, To: "at", Need: true}}, Says: "set a reminder", Undo: reminder,
		Words: "remind me on Monday, tomorrow, bubble up",
	},
	{
		Name: "remove_reminder", Does: "Ends your reminder of an item", Covers: "DeleteBubbleUp", Page: "bubble_ups",
		Method: "DELETE", Path: "recordings/{item}/bubble_up", Args: []Arg{anyItem, itsProject}, Says: "remove a reminder", Undo: reminder, Words: "do not remind me, bubble up cancel",
	},
	{
		Name: "set_up_next", Does: "Puts an item that is assigned to you at the end of Up Next", Covers: "PrioritizeAssignment", Page: "my_assignments",
		Method: "POST", Idempotent: true, Path: "my/priorities", Place: OfBody, Args: []Arg{{Name: "item", Kind: Item, Of: ownWork, To: "id", Need: true}, itsProject}, Says: "put on Up Next", Undo: upNext,
		Words: "put a task on up next, priority", Then: "move_up_next gives it a position",
	},
	{
		Name: "move_up_next", Does: "Moves an item to another position of Up Next", Covers: "ReorderUpNext", Page: "my_assignments",
		Method: "POST", Path: "my/priority_moves", Place: OfBody, Says: "move on Up Next", Undo: upNext, Words: "reorder priorities, do this first",
		Args: []Arg{{Name: "item", Kind: Item, Of: ownWork, To: "source_id", Need: true}, itsProject, {Name: "position", Kind: Number, Need: true, Min: 1, Max: 1000, About: "from 1"}},
	},
	{
		Name: "remove_up_next", Does: "Takes an item off Up Next", Covers: "DeprioritizeAssignment", Page: "my_assignments",
		Method: "DELETE", Path: "my/priorities/{item}", Args: []Arg{{Name: "item", Kind: Item, Of: ownWork, To: "{item}", Need: true}, itsProject}, Says: "take off Up Next", Undo: upNext, Words: "not a priority any more",
	},
	{
		Name: "mark_notifications_read", Does: "Marks notifications as read", Covers: "MarkAsRead", Page: "my_notifications",
		Method: "PUT", Path: "my/unreads", Place: OfBody, Says: "mark notifications as read", Undo: cannot("Basecamp cannot mark a notification as unread"), TakenBackBy: Final, Words: "mark notifications as read",
		Args: []Arg{{Name: "ids", Kind: Notifications, To: "readables", Need: true, About: "of get_notifications, or all"}},
		Then: "Basecamp shows 100 unread ones at a time: repeat it if get_notifications still has some",
	},
	{Name: "list_drafts", Does: "Lists your drafts of messages, documents and files", Covers: "ListMyDrafts", Page: "drafts", Path: "my/drafts", Items: ".", Words: "my drafts unpublished"},
	{Name: "get_my_note", Does: "Reads your private note", Covers: "GetMyNote", Page: "my_notes", Path: "my/notes", Words: "my notes notebook notes scratchpad"},
	{
		Name: "set_my_note", Does: "Replaces the text of your private note", Covers: "UpdateMyNote", Page: "my_notes",
		Method: "PUT", Path: "my/notes", Before: "my/notes", TakenBackBy: "set_my_note", Words: "notebook notes scratchpad write",
		Args: []Arg{{Name: "text", Kind: Markdown, To: "note.content", Need: true}},
	},
	{
		Name: "add_to_my_note", Does: "Adds a text at the end of your private note", Covers: "UpdateMyNote", Page: "my_notes",
		Method: "PUT", Path: "my/notes", Before: "my/notes", TakenBackBy: "set_my_note", Words: "notebook notes scratchpad append jot",
		Args: []Arg{{Name: "text", Kind: Append, To: "note.content", Need: true}},
	},
	{Name: "get_out_of_office", Does: "Says whether a person is out of the office, and until when", Covers: "GetOutOfOffice", Page: "out_of_office", Path: "people/{person}/out_of_office", Args: []Arg{anyone}, Words: "who is out of office vacation holiday away"},
	{
		Name: "out_of_office", Does: "Says that you are out of the office; administrators can say it of others", Covers: "EnableOutOfOffice", Page: "out_of_office",
		Method: "POST", Path: "people/{person}/out_of_office", Before: "people/{person}/out_of_office", Says: "set out of office", Undo: cannot("the dates before are not known"), TakenBackBy: "end_out_of_office", Words: "vacation next week vacation holiday away set enable",
		Args: []Arg{anyone, {Name: "from", Kind: Date, To: "out_of_office.start_date", Need: true}, {Name: "to", Kind: Date, To: "out_of_office.end_date", Need: true}},
	},
	{
		Name: "end_out_of_office", Does: "Ends a person's time out of the office", Covers: "DisableOutOfOffice", Page: "out_of_office",
		Method: "DELETE", Path: "people/{person}/out_of_office", Args: []Arg{anyone}, Says: "end out of office", Undo: cannot("the dates before are not known"), TakenBackBy: "out_of_office", Words: "vacation holiday away back disable",
	},
	{Name: "get_my_preferences", Does: "Reads your time zone, first day of the week and time format", Covers: "GetMyPreferences", Page: "people", Path: "my/preferences", Place: OfAccount, Words: "settings"},
	{
		Name: "set_my_preferences", Does: "Changes your time zone, first day of the week or time format", Covers: "UpdateMyPreferences", Page: "people",
		Method: "PUT", Path: "my/preferences", Before: "my/preferences", TakenBackBy: "set_my_preferences", Words: "settings timezone clock",
		Args: []Arg{
			{Name: "time_zone_name", To: "person.time_zone_name", Max: 100, About: "such as London"},
			{Name: "first_week_day", To: "person.first_week_day", Of: "Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday"},
			{Name: "time_format", To: "person.time_format", Of: "twelve_hour|twenty_four_hour"},
		},
	},
	{
		Name: "update_my_profile", Does: "Changes your name, title, bio or location", Covers: "UpdateMyProfile", Page: "people",
		Method: "PUT", Path: "my/profile", Place: OfAccount, Before: "my/profile", TakenBackBy: "update_my_profile", Words: "rename me job",
		Args: []Arg{newName, {Name: "title", Max: 250}, {Name: "bio", Max: 1000}, {Name: "location", Max: 250}},
	},
	{Name: "get_person", Does: "Reads a person's profile", Covers: "GetPerson", Page: "people", Path: "people/{person}", Place: OfAccount, Args: []Arg{{Name: "person", Kind: Person, To: "{person}", Need: true}}, Words: "bio title company"},
	{Name: "list_pings", Does: "Lists your pings: the private chats with other people", Covers: "ListPings", Page: "sdk", Path: "circles", Place: OfPings, Items: ".", Words: "direct messages dm circles"},
	{Name: "list_home_folders", Does: "Lists the folders of projects on your home screen", Covers: "ListFolders", Page: "folders", Path: "stacks", Items: ".", Words: "stacks"},
	{Name: "get_home_folder", Does: "Reads a folder of projects on your home screen", Covers: "GetFolder", Page: "folders", Path: "stacks/{folder}", Args: []Arg{homeFolder}, Words: "stack"},
	{
		Name: "create_home_folder", Does: "Makes a folder of projects on your home screen, for you only", Covers: "CreateFolder", Page: "folders",
		Method: "POST", Path: "stacks", Args: []Arg{name, {Name: "projects", Kind: Projects, To: "project_ids"}}, TakenBackBy: "delete_home_folder", Words: "stack group",
	},
	{
		Name: "rename_home_folder", Does: "Renames a folder of projects on your home screen", Covers: "UpdateFolder", Page: "folders",
		Method: "PUT", Path: "stacks/{folder}", Before: "stacks/{folder}", Args: []Arg{homeFolder, name}, TakenBackBy: "rename_home_folder", Words: "stack",
	},
	{
		Name: "delete_home_folder", Does: "Deletes a folder of your home screen; its projects stay, but are no longer pinned there", Covers: "DeleteFolder", Page: "folders",
		Method: "DELETE", Path: "stacks/{folder}", Args: []Arg{homeFolder}, TakenBackBy: "create_home_folder", Words: "stack remove",
	},
	{Name: "get_calendar", Does: "Reads a calendar", Covers: "GetCalendar", Page: "calendars", Path: "calendars/{calendar}", Args: []Arg{calendar}},
	{
		Name: "set_calendar_color", Does: "Changes the color of a calendar", Covers: "UpdateCalendar", Page: "calendars",
		Method: "PUT", Path: "calendars/{calendar}", Before: "calendars/{calendar}", TakenBackBy: "set_calendar_color", Words: "colour",
		Args: []Arg{calendar, {Name: "color", To: "calendar.color", Need: true, Of: colors}},
	},
}

// ownWork are the kinds of items in Up Next.
const ownWork = "todo card subtask"

var (
	homeFolder = Arg{Name: "folder", Kind: Named, Of: "list_home_folders", To: "{folder}", Need: true}
	calendar   = Arg{Name: "calendar", Kind: ID, To: "{calendar}", Need: true}
)
