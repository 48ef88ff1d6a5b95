// Package operationtools finds and runs the rows of package operations.
package operationtools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Files *files.Resolver
	Texts *texts.Resolver
	Work  *work.Resolver
}

// OperationTools returns the tools that find and run operations. The first also finds the others.
func OperationTools(rs *Resolver, others []mcptool.Tool) []mcptool.Tool {
	rows := sync.OnceValue(func() []*operations.Row { return rowsOf(others) })
	return []mcptool.Tool{findOperation(rows), readBasecamp(rs, rows), changeBasecamp(rs, rows)}
}

type findOperationInput struct {
	Words string `json:"words" jsonschema:"Task" limits:"word maxlen=500"`
	Kind  string `json:"kind,omitzero" jsonschema:"Filter" limits:"enum=read|change"`
}

// OperationFound is an operation that find_operation found.
type OperationFound struct {
	Operation string `json:"operation,omitempty"` // empty for a tool that is called itself
	Tool      string `json:"tool"`
	Does      string `json:"does"`
	Arguments string `json:"arguments,omitempty"`
	Notifies  string `json:"notifies,omitempty"`
	Undo      string `json:"undo,omitempty"`
}

// OperationsFound lists the operations that find_operation found.
type OperationsFound struct {
	Operations []OperationFound `json:"operations"`
	Hint       string           `json:"hint"`
}

const mostFound = 5

// toolRows returns tools as rows.
type toolRows func() []*operations.Row

func findOperation(tools toolRows) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "find_operation",
		Title: "Find an operation",
		Description: "Finds the tool or operation for a task in Basecamp, such as a reminder, a history, log time, add a board column, pause a check-in, " +
			"hill charts, templates, bookmarks.",
	}, func(_ context.Context, in findOperationInput) (OperationsFound, error) {
		found := OperationsFound{Operations: []OperationFound{}, Hint: "* is required; pass these in arguments; what has no operation is a tool: call it itself"}
		ofKind := func(r *operations.Row) bool { return in.Kind == "" || r.Changes() == (in.Kind == "change") }
		rows := append(operations.Those(ofKind), lookup.Matching(tools(), ofKind)...)
		best := operations.Search(in.Words, 1, rows)
		for _, row := range operations.Search(in.Words, mostFound, lookup.Matching(rows, func(r *operations.Row) bool { return !r.Admin })) {
			hit := OperationFound{Operation: row.Name, Tool: row.Runner(), Does: row.Does, Arguments: row.Usage(), Notifies: row.Tells, Undo: row.TakenBack()}
			if slices.Contains(tools(), row) {
				hit = OperationFound{Tool: row.Name, Does: row.Does}
			}
			found.Operations = append(found.Operations, hit)
		}
		if len(found.Operations) == 0 {
			found.Hint = "nothing fits; use other words, or the tools whose names fit"
		}
		if len(best) > 0 && best[0].Admin {
			found.Hint = "the best match is not listed: " + howToCall(best[0])
		}
		return found, nil
	})
}

// rowsOf returns tools as rows, for the search.
func rowsOf(tools []mcptool.Tool) []*operations.Row {
	return lookup.Mapped(tools, func(t mcptool.Tool) *operations.Row {
		row := &operations.Row{Name: t.Name, Does: t.Description, Words: t.Title + " " + t.Words}
		if t.Effect != mcptool.Reads {
			row.Method = "POST"
		}
		return row
	})
}

// operationInput names an operation and its arguments.
type operationInput struct {
	Operation string                     `json:"operation" jsonschema:"Name"`
	Arguments map[string]json.RawMessage `json:"arguments,omitzero" jsonschema:"As find_operation says"`
	parts.AccountInput
}

type readBasecampInput struct {
	operationInput
	listing.ScrollInput
}

// operationRead is what an operation read. Without a list, it has one item. Of hours, it has the
// sum, also of those that other pages show.
type operationRead struct {
	Operation string        `json:"operation"`
	Hours     *float64      `json:"hours,omitempty"`
	ByPerson  []PersonHours `json:"by_person,omitempty"`
	listing.Scroll[operationItem]
	listing.Gaps
}

func readBasecamp(rs *Resolver, tools toolRows) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        operations.Reader,
		Title:       "Read with an operation",
		Description: "Runs an operation of find_operation that reads.",
		Operation:   namedFor(operations.Reader, tools),
		Invalid:     invalidOperation,
	}, func(ctx context.Context, in readBasecampInput) (operationRead, error) {
		row := operations.Find(in.Operation)
		read, err := rs.readOperation(ctx, row, in.Arguments, in.Paging())
		return read, refusedOperation(row, err)
	})
}

type operationDone struct {
	Operation string             `json:"operation"`
	On        *OperationOn       `json:"on,omitempty"`
	Result    operationItem      `json:"result,omitempty"`
	Previous  *toolanswer.Object `json:"previous,omitempty"`
	Next      string             `json:"next,omitempty"`
	lookup.Seen
	*lookup.Reach
}

// OperationOn is what an operation was about.
type OperationOn struct {
	ID    int64  `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
}

func changeBasecamp(rs *Resolver, tools toolRows) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        operations.Changer,
		Title:       "Change with an operation",
		Description: "Runs an operation of find_operation that writes or deletes.",
		Effect:      mcptool.Changes,
		Operation:   namedFor(operations.Changer, tools),
		Invalid:     invalidOperation,
	}, func(ctx context.Context, in operationInput) (operationDone, error) {
		row := operations.Find(in.Operation)
		done, err := rs.changeByOperation(ctx, row, in.Arguments)
		return done, refusedOperation(row, err)
	})
}

// administered is what an operation for administrators changed or read.
type administered struct {
	operationDone
	Items []operationItem `json:"items,omitempty"`
}

// AdministerBasecamp returns the tool of the operations.
func AdministerBasecamp(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  operations.Administrator,
		Title: "Administer Basecamp",
		Description: "Runs an operation for administrators of Basecamp: rename_account, remove_account_logo, invite_people, set_client_people, " +
			"enable/disable_clients, add/rename/enable/disable/move/trash_tool, list_webhooks, get/add/update/delete_webhook, list_chatbots, " +
			"get/add/update/delete_chatbot, delete_needle/time_entry/marker/message_type/chat_line. Called without arguments, it says what it takes.",
		Effect:    mcptool.Changes,
		Operation: namedFor(operations.Administrator, func() []*operations.Row { return nil }),
		Invalid:   invalidOperation,
	}, func(ctx context.Context, in operationInput) (administered, error) {
		row := operations.Find(in.Operation)
		if !row.Changes() {
			read, err := rs.readOperation(ctx, row, in.Arguments, listing.PageInput{Limit: mostAdministered})
			return administered{operationDone{Operation: row.Name}, read.Items}, refusedOperation(row, err)
		}
		done, err := rs.changeByOperation(ctx, row, in.Arguments)
		return administered{done, nil}, refusedOperation(row, err)
	})
}

// mostAdministered is the number of webhooks or chatbots in an answer. Basecamp does not page them.
const mostAdministered = 100

// namedFor returns a function that finds the operation that the arguments of a call name. It
// returns an error for an operation that does not exist, or that another tool runs.
func namedFor(runner string, tools toolRows) func(json.RawMessage) (string, []toolargs.Field, error) {
	return func(arguments json.RawMessage) (string, []toolargs.Field, error) {
		name, given := operationIn(arguments)
		if !given {
			return "", nil, nil
		}
		row := operations.Find(name)
		switch {
		case row == nil:
			return "", nil, unknownOperation(name, runner, tools())
		case row.Runner() != runner:
			return "", nil, fault.Invalid("operation", "%s", howToCall(row))
		}
		return row.Name, fieldsOf(row), nil
	}
}

// operationIn returns the operation that arguments name, and false if they name none. The schema
// refuses what is not a text or a number.
func operationIn(arguments json.RawMessage) (name string, given bool) {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &all) // the schema refuses what is not an object
	for _, argument := range []string{"operation", "op"} {
		var number json.Number
		switch value := all[argument]; {
		case value == nil || string(value) == "null":
		case json.Unmarshal(value, &name) == nil:
			return name, true
		case json.Unmarshal(value, &number) == nil:
			return number.String(), true
		}
	}
	return "", false
}

func unknownOperation(name, runner string, tools []*operations.Row) error {
	f := fault.Invalid("operation", "there is no operation %s", plaintext.Quote(name))
	if slices.ContainsFunc(tools, func(r *operations.Row) bool { return r.Name == name }) {
		f = fault.Invalid("operation", "%s is a tool, not an operation: call it itself, with its own arguments", name)
		f.Nearest = []fault.Candidate{{Type: "tool", Name: name}}
		return f
	}
	rows := append(operations.Those(func(r *operations.Row) bool { return r.Admin == (runner == operations.Administrator) }), tools...)
	for _, near := range operations.Nearest(name, naming.Distance, rows) {
		kind := "operation"
		if operations.Find(near) == nil {
			kind = "tool"
		}
		f.Nearest = append(f.Nearest, fault.Candidate{Type: kind, Name: near})
	}
	if len(f.Nearest) > 0 {
		f.Message += "; the nearest is the " + f.Nearest[0].Type + " " + f.Nearest[0].Name
	}
	f.Message += "; find_operation finds operations by words, and a tool is called by its own name"
	return f
}

func howToCall(row *operations.Row) string {
	with := "arguments {" + row.Usage() + "}"
	if len(row.Args) == 0 {
		with = "no arguments"
	}
	how := fmt.Sprintf("%s is an operation of %s: call it with operation and %s", row.Name, row.Runner(), with)
	if row.Admin {
		how += "; only deployments that list the toolset " + AdminToolset + " have it"
	}
	return how
}

// AdminToolset is the toolset with the operations for administrators.
const AdminToolset = "basecamp_admin"

// HowTo says how to do what a name says that no tool has, or returns "".
func HowTo(name string) string {
	if row := operations.Find(name); row != nil {
		return howToCall(row)
	}
	return ""
}

// invalidOperation adds to what is wrong with arguments which ones the operation takes.
func invalidOperation(arguments json.RawMessage, found []fault.Violation) *fault.Error {
	name, _ := operationIn(arguments)
	row := operations.Find(name)
	if row == nil || len(found) == 0 {
		return nil
	}
	f := fault.InvalidInputs(found...)
	f.Message += fmt.Sprintf("; %s takes: %s (* is required)", row.Name, row.Usage())
	return f
}

// refusedOperation returns the error of an operation. What Basecamp does not have at all for this
// account or connection is said in one sentence.
func refusedOperation(row *operations.Row, err error) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	told := *f
	switch {
	case f.Message == basecamp.DemoLacks:
		told.Message = row.Name + ": " + f.Message
	case f.Upstream == nil || f.Resource != nil:
		return fault.Within("arguments", err)
	case f.Code == fault.NotFound:
		told.Message = "Basecamp has nothing for " + row.Name + " here: this account or this kind of connection does not have it, and trying again does not help"
	case f.Code == fault.PermissionDenied:
		told.Message = row.Name + ": " + f.Message
	}
	return &told
}
