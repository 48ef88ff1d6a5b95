package basecamptools

import (
	"fmt"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
)

// namedItem is an item that a read by title makes the resolver remember.
type namedItem struct {
	upstream, title         string
	kind                    string // the type in references
	reader, read, inProject string // the tool that reads it, and its arguments
	changer, changed, field string // the tool that changes it, and its arguments: the item and its title
}

var namedItems = []namedItem{
	{"Todo", "Print the serial number plates", "todo", "get_todo", "todo_id", "project_id", "update_work", "items", "title"},
	{"Kanban::Card", "Matt clear coat", "card", "get_item", "item", "project", "update_work", "items", "title"},
	{"Message", "Rejected: the cup holder", "message", "get_message", "message_id", "project_id", "edit_text", "item", "title"},
	{"Document", "Assembly handbook", "document", "get_document", "document_id", "project_id", "edit_text", "item", "title"},
}

func (n namedItem) id(d *toolEnv) int64 { return d.sandbox.FindIn(launch, n.upstream, n.title) }

// learn reads the item by its title.
func (n namedItem) learn(d *toolEnv) lookup.Head {
	d.Helper()
	return call[lookup.Head](d, n.reader, args{n.read: n.title, n.inProject: launch})
}

// renamed returns the arguments that rename an item. ref is an id or a title.
func (n namedItem) renamed(ref any, title string) args {
	return n.change(ref, n.field, title)
}

// change returns the arguments that change an item.
func (n namedItem) change(ref any, field, value string) args {
	if n.changed == "items" {
		return args{"items": []args{{"item": fmt.Sprint(n.kind, ":", ref), field: value}}, "project": launch}
	}
	return args{n.changed: fmt.Sprint(n.kind, ":", ref), field: value, "project": launch}
}

// ways are what can happen to a remembered item.
var ways = map[string]func(d *toolEnv, n namedItem, id int64){
	"renamed": func(d *toolEnv, n namedItem, id int64) {
		call[any](d, n.changer, n.renamed(id, "Another name"))
	},
	"trashed": func(d *toolEnv, n namedItem, id int64) {
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("%s:%d", n.kind, id)}, "status": lookup.Trashed})
	},
	"archived": func(d *toolEnv, n namedItem, id int64) {
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprintf("%s:%d", n.kind, id)}, "status": lookup.Archived})
	},
}

// The other user's change does not reach the caller's cache. The change is by id, so that it does
// not look up titles either.
func TestMemory_ChangesNoItemThatHasLostItsTitleOrStatus(t *testing.T) {
	for _, n := range namedItems {
		for way, happen := range ways {
			for _, who := range []string{"Ines Albrecht", "Noémie Laurent"} {
				t.Run(n.kind+" "+way+" by "+who, func(t *testing.T) {
					at(t, func(d *toolEnv) {
						id := n.id(d)
						n.learn(d)
						happen(d.as(who), n, id)
						d.refuses(fault.NotFound, n.changer, n.renamed(n.title, "Wrong"), n.changed)
						d.refuses(fault.NotFound, "create_comment", args{"item": n.kind + ":" + n.title, "project": launch, "body": "Wrong."}, "item")
					})
				})
			}
		}
	}
}

// The cache still holds the item that had the title before.
func TestMemory_FindsTheItemThatHasTheTitleNow(t *testing.T) {
	at(t, func(d *toolEnv) {
		for n, title := range map[namedItem]string{
			namedItems[0]: "Proofread the German product page",
			namedItems[1]: "Deck rails: second weld pass underneath",
		} {
			old, other, colleague := n.id(d), d.sandbox.Find(n.upstream, title), d.as("Noémie Laurent")
			n.learn(d)
			call[any](colleague, n.changer, n.renamed(old, "Another name"))
			call[any](colleague, n.changer, n.renamed(other, n.title))
			if got := call[work.ChangedWork](d, n.changer, n.change(n.title, "due_on", "2026-12-04")).Results[0].Item; got.ID != other {
				d.Errorf("%s: changed %d, want %d", n.kind, got.ID, other)
			}
		}
	})
}

func TestMemory_OfTwoNamesakesIsReadAgainBeforeAChange(t *testing.T) {
	at(t, func(d *toolEnv) {
		n, colleague := namedItems[0], d.as("Noémie Laurent")
		id, twin := n.id(d), d.sandbox.Find("Todo", "Proofread the German product page")
		call[any](colleague, n.changer, n.renamed(twin, n.title))
		in := n.renamed(n.title, "Print the plates")
		d.refuses(fault.Ambiguous, n.reader, args{n.read: n.title, n.inProject: launch})
		call[any](colleague, n.changer, n.renamed(twin, "Proofread"))
		if got := call[work.ChangedWork](d, n.changer, in).Results[0].Item; got.ID != id {
			d.Errorf("changed %d, want %d", got.ID, id)
		}
	})
}

func TestMemory_OfTitlesEndsWithTheCallersOwnWrite(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, n := range namedItems {
			id := n.id(d)
			n.learn(d)
			call[any](d, n.changer, n.renamed(id, "Another name"))
			d.fails(fault.NotFound, n.reader, args{n.read: n.title, n.inProject: launch})
		}
	})
}

func TestMemory_CostsAChangeNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		n := namedItems[3]
		id := n.id(d)
		n.learn(d)
		byID := d.asked(func() { call[any](d, n.changer, n.renamed(id, n.title+" 2")) })
		call[any](d, n.changer, n.renamed(id, n.title))
		n.learn(d)
		byTitle := d.asked(func() { call[any](d, n.changer, n.renamed(n.title, n.title+" 2")) })
		if len(byTitle) != len(byID) { // the read that confirms the title is the one that the change merges with
			d.Errorf("by id %v, by title %v", byID, byTitle)
		}
	})
}

// A project's name, an open item and people are remembered only while they are so.
func TestMemory_Ends(t *testing.T) {
	const plates = "Print the serial number plates"
	const rename = `PUT /projects/{project:Winter Kit}.json {"name":"Summer Kit"}`
	renamed := func(next row) row {
		next.before, next.fails = []string{rename}, fault.NotFound
		return next
	}
	write := args{"project": "Winter Kit", "subject": "x", "body": "x"}
	shows := renamed(row{fact: "when an item shows another", in: args{"items": []string{"todolist:What goes into the box"}, "project": "Winter Kit", "status": lookup.Trashed}})
	shows.then = []row{{tool: "create_message", in: write, fails: fault.NotFound, says: says{"project"}}}
	hello := args{"to": "{project:Cargo Bike Launch}", "text": "Hello", "mentions": "Priya"}
	cases(t, "set_item_status", nil,
		row{fact: "a project that has lost its name does not change", tool: "get_project_tools", in: args{"project_id": "Winter Kit"}, then: []row{renamed(row{in: args{"items": []string{"project:Winter Kit"}, "status": lookup.Trashed}})}},
		row{fact: "the name of a project ends", tool: "get_project_tools", in: args{"project_id": "Winter Kit"}, then: []row{shows}},
		row{fact: "after a write of the caller, the name of a project is read again", tool: "get_project_tools", in: args{"project_id": "Winter Kit"}, then: []row{
			{tool: "post_chat_line", in: args{"to": launch, "text": "Hello"}}, renamed(row{tool: "create_message", in: write}), {tool: "create_message", in: args{"project": "Summer Kit", "subject": "x", "body": "x"}}}},
		row{fact: "an open item is not trusted once it is completed", tool: "get_todo", in: args{"todo_id": plates, "project_id": launch}, then: []row{
			{before: []string{"POST /todos/{Todo:" + plates + "}/completion.json", `POST /todolists/{Todolist:Launch checklist}/todos.json {"content":"` + plates + `"}`},
				tool: "set_completed", in: args{"item": "todo:" + plates, "project": launch, "completed": true}, fails: fault.Ambiguous, holds: holds{"data.candidates.#": 2}}}},
		row{fact: "people end with the caller's own write", tool: "post_chat_line", in: hello, then: []row{{tool: "post_chat_line", in: hello, requests: 2}}},
	)
}
