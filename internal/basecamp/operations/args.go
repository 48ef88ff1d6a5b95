package operations

// Arguments that many rows have.
var (
	inProject = Arg{Name: "project", Kind: Project, To: "{project}", Need: true}
	narrow    = Arg{Name: "project", Kind: Project, To: "-"} // finds what is named
	anyItem   = Arg{Name: "item", Kind: Item, To: "{item}", Need: true}
	anyone    = Arg{Name: "person", Kind: Person, To: "{person}", Default: "me"}
	name      = Arg{Name: "name", Need: true, Max: 250}
	newName   = Arg{Name: "name", Max: 250}
	from      = Arg{Name: "from", Kind: PastDate, To: "?from"}
	to        = Arg{Name: "to", Kind: PastDate, To: "?to"}
	clients   = Arg{Name: "visible_to_clients", Kind: Flag}
	newest    = Arg{Name: "sort", To: "?sort", Of: "created_at|updated_at"}
)
