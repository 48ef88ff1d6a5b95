package operations

// templateRows are about templates of projects, to-do lists and card tables.
var templateRows = []Row{
	{
		Name: "list_templates", Does: "Lists the templates of projects", Covers: "ListTemplates", Page: "templates",
		Path: "templates", Items: ".", Args: []Arg{{Name: "status", To: "?status", Of: "archived|trashed"}},
	},
	{Name: "get_template", Does: "Reads a template of a project", Covers: "GetTemplate", Page: "templates", Path: "templates/{template}", Args: []Arg{template}},
	{
		Name: "create_template", Does: "Creates an empty template of a project", Covers: "CreateTemplate", Page: "templates",
		Method: "POST", Path: "templates", Args: []Arg{name, {Name: "description", Max: 10_000}}, Undo: "trash_template", Words: "new",
	},
	{
		Name: "update_template", Does: "Renames a template of a project, or changes its description", Covers: "UpdateTemplate", Page: "templates",
		Method: "PUT", Path: "templates/{template}", Before: "templates/{template}", Whole: true, Undo: "update_template", Words: "rename",
		Args: []Arg{template, newName, {Name: "description", Max: 10_000}},
	},
	{
		Name: "trash_template", Does: "Moves a template of a project to the trash", Covers: "DeleteTemplate", Page: "templates",
		Method: "DELETE", Path: "templates/{template}", Args: []Arg{template}, Undo: "Basecamp's trash", Words: "delete remove",
	},
	{
		Name: "create_from_template", Does: "Creates a project from a template", Covers: "CreateProjectFromTemplate", Page: "templates",
		Method: "POST", Path: "templates/{template}/project_constructions", Undo: "set_item_status", Words: "new construct project",
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
		Method: "POST", Path: "template_library/todolists", Args: []Arg{name, {Name: "description", Kind: Markdown}}, Undo: "set_item_status", Words: "library new",
	},
	{Name: "list_board_templates", Does: "Lists the templates of card tables", Covers: "GetTemplateLibraryCardTables", Page: "card_table_templates", Path: "template_library/card_tables", Items: "card_tables", Words: "library kanban"},
	{
		Name: "create_board_template", Does: "Creates a template of a card table", Covers: "CreateTemplateLibraryCardTable", Page: "card_table_templates",
		Method: "POST", Path: "template_library/card_tables", Args: []Arg{name}, Undo: "set_item_status", Words: "library kanban new",
	},
	{
		Name: "use_list_template", Does: "Copies a template of a to-do list into a project", Covers: "CreateTemplateLibraryCopy", Page: "template_library",
		Method: "POST", Path: "template_library/copies", Undo: "set_item_status", Words: "library to-do list from template apply",
		Args: []Arg{
			{Name: "template", Kind: Named, Of: "list_list_templates", To: "template_recording_id", Need: true}, {Name: "project", Kind: Project, To: "destination_project_id", Need: true},
			{Name: "add_people", Kind: Flag, To: "adding_people_confirmed", About: "also gives its assignees access to the project"},
		},
		Then: "Basecamp copies it; get_template_copy {copy: id} says when it is done",
	},
	{
		Name: "use_board_template", Does: "Copies a template of a card table into a project", Covers: "CreateTemplateLibraryCopy", Page: "card_table_templates",
		Method: "POST", Path: "template_library/copies", Undo: "set_item_status", Words: "library kanban card table from template apply",
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
		Method: "POST", Path: "buckets/{project}/recordings/{item}/templatifications", Undo: "set_item_status", Words: "library templatify save as template",
		Args: []Arg{
			{Name: "item", Kind: Item, Of: "todolist", To: "{item}", Need: true}, narrow, {Name: "template_name", Max: 250},
			{Name: "copy_comments", Kind: Flag}, {Name: "copy_assignments", Kind: Flag},
		},
		Then: "get_templatification {item, templatification: id} says when it is done",
	},
	{
		Name: "make_board_template", Does: "Makes a template of a card table", Covers: "CreateTemplatification", Page: "templatifications",
		Method: "POST", Path: "buckets/{project}/recordings/{board}/templatifications", Undo: "set_item_status", Words: "library templatify save as template kanban",
		Args: []Arg{inProject, board, {Name: "template_name", Max: 250}, {Name: "copy_comments", Kind: Flag}, {Name: "copy_assignments", Kind: Flag}, {Name: "move_cards_to_triage", Kind: Flag}},
	},
	{
		Name: "get_templatification", Does: "Says whether a template made of a list or board is done", Covers: "GetTemplatification", Page: "templatifications",
		Path: "buckets/{project}/recordings/{item}/templatifications/{templatification}", Words: "library status",
		Args: []Arg{inProject, {Name: "item", Kind: ID, To: "{item}", Need: true, About: "the list or board"}, {Name: "templatification", Kind: ID, To: "{templatification}", Need: true}},
	},
}

var template = Arg{Name: "template", Kind: Named, Of: "list_templates", To: "{template}", Need: true}
