package operations

// boardRows are about the columns of card tables.
var boardRows = []Row{
	{
		Name: "add_column", Does: "Adds a column to a card table", Covers: "CreateCardColumn", Page: "card_table_columns",
		Method: "POST", Path: "card_tables/{board}/columns", Says: "add a column", Makes: "Kanban::Column", Undo: trash, Words: "create kanban board lane",
		Args: []Arg{inProject, board, {Name: "title", Need: true, Max: 250}, {Name: "description", Max: 2000}},
	},
	{
		Name: "update_column", Does: "Renames a column of a card table, or changes its description", Covers: "UpdateCardColumn", Page: "card_table_columns",
		Method: "PUT", Path: "card_tables/columns/{column}", Before: "card_tables/columns/{column}", Says: "change a column", Undo: restores("title", "description"), Words: "rename kanban board lane",
		Args: []Arg{itsProject, whichBoard, column, {Name: "title", Max: 250}, {Name: "description", Max: 2000}},
	},
	{
		Name: "move_column", Does: "Moves a column of a card table; position counts without Triage, Not now and Done", Covers: "MoveCardColumn", Page: "card_table_columns",
		Method: "POST", Path: "card_tables/{board}/moves", Says: "move a column", Undo: cannot("Basecamp does not say where a column was"), TakenBackBy: "move_column", Words: "reorder kanban board lane",
		Args: []Arg{inProject, {Name: "board", Kind: Tool, Of: "kanban_board", To: "{board} target_id"}, {Name: "column", Kind: Column, To: "source_id", Need: true}, {Name: "position", Kind: Number, Min: 1, Need: true}},
	},
	{
		Name: "set_column_color", Does: "Colors a column of a card table", Covers: "SetCardColumnColor", Page: "card_table_columns",
		Method: "PUT", Path: "card_tables/columns/{column}/color", Before: "card_tables/columns/{column}", Says: "colour a column", Undo: restores("color"), Words: "colour kanban board",
		Args: []Arg{itsProject, whichBoard, column, {Name: "color", Need: true, Of: colors}},
	},
	{
		Name: "add_on_hold", Does: "Adds an On hold section to a column", Covers: "EnableCardColumnOnHold", Page: "card_table_columns",
		Method: "POST", Idempotent: true, Path: "card_tables/columns/{column}/on_hold", Args: []Arg{itsProject, whichBoard, column}, Says: "add an on-hold section to a column", Sets: on("on_hold"), Undo: reverse(""), Words: "kanban board pause",
	},
	{
		Name: "remove_on_hold", Does: "Removes the On hold section of a column", Covers: "DisableCardColumnOnHold", Page: "card_table_columns",
		Method: "DELETE", Path: "card_tables/columns/{column}/on_hold", Args: []Arg{itsProject, whichBoard, column}, Says: "remove the on-hold section of a column", Sets: off("on_hold"), Undo: cannot("the cards of the section were moved"), TakenBackBy: "add_on_hold", Words: "kanban board",
	},
	{
		Name: "watch_column", Does: "Starts to watch a column: Basecamp tells you of its cards", Covers: "SubscribeToCardColumn", Page: "card_table_columns",
		Method: "POST", Idempotent: true, Path: "card_tables/lists/{column}/subscription", Args: []Arg{itsProject, whichBoard, column}, Says: "watch a column", Sets: on("subscribed"), Undo: cannot("Basecamp does not say who watches a column"), TakenBackBy: "unwatch_column", Words: "subscribe follow kanban board",
	},
	{
		Name: "unwatch_column", Does: "Stops watching a column", Covers: "UnsubscribeFromCardColumn", Page: "card_table_columns",
		Method: "DELETE", Path: "card_tables/lists/{column}/subscription", Args: []Arg{itsProject, whichBoard, column}, Says: "stop watching a column", Sets: off("subscribed"), Undo: cannot("Basecamp does not say who watches a column"), TakenBackBy: "watch_column", Words: "unsubscribe kanban board",
	},
	{
		Name: "list_wormholes", Does: "Lists the wormholes of a card table, which send cards to another one", Covers: "GetCardTable", Page: "card_table_wormholes",
		Path: "card_tables/{board}", Items: "wormholes", Args: []Arg{inProject, board}, Words: "kanban board link portal",
	},
	{
		Name: "add_wormhole", Does: "Adds a wormhole to a card table: cards put into it go to a column of another one", Covers: "CreateWormhole", Page: "card_table_wormholes",
		Method: "POST", Path: "buckets/{project}/card_tables/{board}/wormholes", TakenBackBy: "delete_wormhole", Words: "send cards to another board create kanban board link portal",
		Args: []Arg{inProject, board, wormholeTo},
	},
	{
		Name: "update_wormhole", Does: "Sends the cards of a wormhole to another column", Covers: "UpdateWormhole", Page: "card_table_wormholes",
		Method: "PUT", Path: "buckets/{project}/card_tables/wormholes/{wormhole}", TakenBackBy: "update_wormhole", Words: "kanban board link portal",
		Args: []Arg{inProject, wormhole, wormholeTo},
	},
	{
		Name: "delete_wormhole", Does: "Deletes a wormhole of a card table", Covers: "DeleteWormhole", Page: "card_table_wormholes",
		Method: "DELETE", Path: "buckets/{project}/card_tables/wormholes/{wormhole}", TakenBackBy: "add_wormhole", Words: "remove kanban board link portal",
		Args: []Arg{inProject, wormhole},
	},
	{
		Name: "list_not_now_cards", Does: "Lists the cards in Not now of all card tables, by project", Covers: "GetEverythingNotNowCards", Page: "everything",
		Path: "cards/not_now", Place: AcrossProjects, Items: ".", Args: []Arg{{Name: "assignees", Kind: People, To: "?assignee_ids[]"}}, Words: "kanban board later",
	},
}

const colors = "white|red|orange|yellow|green|blue|aqua|purple|gray|pink|brown"

var (
	board      = Arg{Name: "board", Kind: Tool, Of: "kanban_board", To: "{board}"}
	whichBoard = Arg{Name: "board", Kind: Tool, Of: "kanban_board", To: "-"}
	column     = Arg{Name: "column", Kind: Column, To: "{column}", Need: true}
	wormhole   = Arg{Name: "wormhole", Kind: ID, To: "{wormhole}", Need: true, About: "of list_wormholes"}
	wormholeTo = Arg{Name: "to_column", Kind: ID, To: "destination_recording_id", Need: true, About: "id of a column of another board"}
)
