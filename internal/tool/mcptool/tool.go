// Package mcptool defines what a tool is: one declaration that becomes schemas, annotations,
// validation, a time budget, an answer and a log line. Tools reach mcp-go only through it. The
// package works around the gaps of that library, so that a tool is two structs and a function.
package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Effect is what a call of a tool does. The four annotations of MCP follow from it.
type Effect int

// The effects a tool can have.
const (
	Reads   Effect = iota // changes nothing
	Creates               // each call creates something
	Updates               // sets a state; a second call changes nothing more
	Appends               // each call adds something
	Deletes               // removes something; a second call changes nothing more
	Changes               // does one of several things, which the arguments name
)

// Spec is what a tool declares about itself. An empty Scope means Read for a tool that reads, and
// Write for any other.
type Spec struct {
	Name        string
	Title       string
	Description string
	Words       string // other words for what it does, for a search of tools
	Effect      Effect
	Scope       identity.Scope
	// Resumes says that a repeat with the key of a call goes on if the answer has not_attempted: the
	// tool gets that answer by [Earlier].
	Resumes bool
	// Invalid, if set, describes invalid arguments in the tool's own words. If it returns nil, the
	// common words stand.
	Invalid func(arguments json.RawMessage, found []fault.Violation) *fault.Error
	// Operation, if set, returns the operation that the argument operation names, and what its
	// argument arguments may hold. It returns "" if the arguments cannot be read.
	Operation func(arguments json.RawMessage) (name string, fields []toolargs.Field, err error)
}

// Tool is a declared tool, ready to be served.
type Tool struct {
	Spec
	schemas func() schemas
	in, out reflect.Type // of the schemas
	run     Run

	provider string         // of its toolset
	checks   toolargs.Rules // of its toolset
	bare     string         // its name without the prefix of its toolset, or ""
	ownStore bool           // it uses only what this server stores
	previews *[]string      // the toolsets whose tools it previews; nil for any other tool
	beside   beside
	hides    string // an argument that is accepted and not shown
}

// schemas are a tool's schemas. They are made on first use: a process that starts should not make
// all of them.
type schemas struct {
	in              *toolargs.Schema
	inJSON, outJSON json.RawMessage
}

// InputSchema returns the JSON Schema of the tool's arguments.
func (t Tool) InputSchema() json.RawMessage {
	if t.hides != "" {
		return t.schemas().in.Without(t.hides).JSON()
	}
	return t.schemas().inJSON
}

// beside is an argument that makes sense only where a toolset is served.
type beside struct{ toolset, argument string }

// Beside returns the tool with an argument that is shown only where a toolset is served.
func (t Tool) Beside(toolset, argument string) Tool {
	t.beside = beside{toolset, argument}
	return t
}

// OutputSchema returns the JSON Schema of the tool's result.
func (t Tool) OutputSchema() json.RawMessage { return t.schemas().outJSON }

// Toolset is a named part of the catalogue.
type Toolset struct {
	Name        string
	ClosedWorld bool // its tools use only what this server stores
	Optional    bool // served only to clients that name it
	// Provider is the ID of the provider that its tools work on. It is empty for the server's own.
	Provider string
	// Prefix is what the names of its tools begin with. A call may leave it out where no listed
	// tool has the shorter name. Lists, errors, the log and the trail show the whole name.
	Prefix string
	// URLs are the addresses that its references accept.
	URLs toolargs.URLs
	// Check, if set, returns what is wrong with the text of an argument, or "". It finds problems
	// that need no request, so that an answer can list them together with all others.
	Check func(argument, text string) (problem string)
	// Unknown, if set, says how to do what a name says that no tool has, or returns "".
	Unknown func(name string) string
	// Instructions tell a model what it needs to know about these tools together, in up to three
	// sentences.
	Instructions string
	// Writing continues Instructions where tools may write.
	Writing   string
	Tools     []Tool
	Prompts   []Prompt
	Resources []Resource
}

// bind returns the toolset with tools, prompts and resources that know their provider.
func (t Toolset) bind() Toolset {
	t.Tools, t.Prompts, t.Resources = slices.Clone(t.Tools), slices.Clone(t.Prompts), slices.Clone(t.Resources)
	for i := range t.Tools {
		t.Tools[i].provider, t.Tools[i].checks = t.Provider, toolargs.Rules{URLs: t.URLs, Check: t.Check}
		if t.ClosedWorld {
			t.Tools[i] = t.Tools[i].inOwnStore()
		}
		if bare, ok := strings.CutPrefix(t.Tools[i].Name, t.Prefix); ok && t.Prefix != "" {
			t.Tools[i].bare = bare
		}
	}
	for i := range t.Prompts {
		t.Prompts[i].provider = t.Provider
	}
	for i := range t.Resources {
		t.Resources[i].provider = t.Provider
	}
	return t
}

// Define declares a tool. Its schemas come from In and Out, both structs; [toolargs.InputSchema]
// explains the tags. The server validates the arguments against the input schema before it calls
// run. A tool whose Effect is Creates, Appends or Changes gets one more argument, idempotency_key;
// In must not have it, and the server handles it. Define panics on a declaration that cannot be
// served; some mistakes show only when the schemas are made.
func Define[In, Out any](spec Spec, run func(context.Context, In) (Out, error)) Tool {
	return declare(spec, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, fill func(any) error) (any, error) {
		var input In
		if err := fill(&input); err != nil {
			return nil, err
		}
		return run(ctx, input)
	})
}

// Around returns the tool with a function that carries out its calls by means of the tool's own.
func (t Tool) Around(carryOut func(ctx context.Context, a toolargs.Accepted, run Run) (toolanswer.Answer, error)) Tool {
	run := t.run
	t.run = func(ctx context.Context, a toolargs.Accepted) (toolanswer.Answer, error) {
		return carryOut(ctx, a, run)
	}
	return t
}

// Explained returns the tool with a function that may replace the error of a call. It gets the
// arguments in the form of the schema.
func (t Tool) Explained(explain func(ctx context.Context, arguments json.RawMessage, err error) error) Tool {
	return t.Around(func(ctx context.Context, a toolargs.Accepted, run Run) (toolanswer.Answer, error) {
		result, err := run(ctx, a)
		if err != nil {
			err = explain(ctx, a.Schema.Canonical(a.Arguments), err)
		}
		return result, err
	})
}

// Run carries out a call whose arguments were accepted.
type Run func(context.Context, toolargs.Accepted) (toolanswer.Answer, error)

// InAccounts returns the tool with a function around it that acts in one account or in several.
// Answers may name accounts.
func (t Tool) InAccounts(carryOut func(ctx context.Context, a toolargs.Accepted, run Run) (toolanswer.Answer, error)) Tool {
	t.schemas = sync.OnceValue(func() schemas { return schemasOf(t.Spec, t.in, t.out, t.Effect != Reads, true) })
	return t.Around(carryOut)
}

// inOwnWords returns the error for invalid arguments in the tool's own words if it has some.
func (t Tool) inOwnWords(arguments json.RawMessage, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || t.Invalid == nil {
		return err
	}
	if own := t.Invalid(arguments, f.Validation); own != nil {
		return own
	}
	return err
}

// declare does what Define does. Define is generic and compiled for each tool, so it holds only
// what must be.
func declare(spec Spec, in, out reflect.Type, run func(ctx context.Context, fill func(input any) error) (any, error)) Tool {
	if !toolName.MatchString(spec.Name) {
		panic(fmt.Sprintf("tool name %q: must match %s", spec.Name, toolName))
	}
	if spec.Title == "" || spec.Description == "" {
		panic("tool " + spec.Name + ": needs a title and a description")
	}
	if spec.Scope == "" {
		spec.Scope = identity.Write
		if spec.Effect == Reads {
			spec.Scope = identity.Read
		}
	}
	if spec.Effect.repeats() && reflect.PointerTo(out).Implements(reflect.TypeFor[toolanswer.Illustrated]()) {
		panic("tool " + spec.Name + ": a result with images cannot be stored under an idempotency key")
	}
	made := sync.OnceValue(func() schemas { return schemasOf(spec, in, out, spec.Effect != Reads, false) })
	plans := new(toolanswer.Plans)
	return Tool{Spec: spec, schemas: made, in: in, out: out, run: func(ctx context.Context, a toolargs.Accepted) (toolanswer.Answer, error) {
		var filled any
		result, err := run(ctx, func(input any) error {
			filled = input
			return a.Fill(input)
		})
		if err != nil {
			return toolanswer.Answer{}, err
		}
		if list, ok := filled.(detailed); ok && list.Compact() {
			return toolanswer.New(result, plans)
		}
		return toolanswer.New(result, nil)
	}}
}

// detailed is implemented by the inputs of list tools, which embed toolanswer.DetailInput.
type detailed interface{ Compact() bool }

// inOwnStore returns a tool that uses only what this server stores. Its answers do not have the ID
// that undoes the call: their fields are published, and undo lists the last changes.
func (t Tool) inOwnStore() Tool {
	t.ownStore = true
	t.schemas = sync.OnceValue(func() schemas { return schemasOf(t.Spec, t.in, t.out, false, false) })
	return t
}

// schemasOf returns the schemas of a tool. An answer can have the ID that undoes the call if it is
// undoable, and names of accounts if the tool can act in several. It panics if a struct has none.
func schemasOf(spec Spec, in, out reflect.Type, undoable, accounts bool) schemas {
	input, err := toolargs.InputSchema(in, spec.Effect.repeats())
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
	}
	output, err := toolargs.OutputSchema(out, reflect.PointerTo(in).Implements(reflect.TypeFor[detailed]()), undoable, spec.Effect.repeats())
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
	}
	if accounts {
		output = output.WithAccounts(input)
	}
	return schemas{input, input.JSON(), output.JSON()}
}

// toolName matches what a tool or a prompt may be called.
var toolName = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)

// annotations returns the hints of MCP. All four are always sent.
func (t Tool) annotations() mcp.ToolAnnotation {
	e := t.Effect
	return mcp.ToolAnnotation{
		Title:           t.Title,
		ReadOnlyHint:    new(e == Reads),
		DestructiveHint: new(e == Deletes || e == Changes),
		IdempotentHint:  new(e == Reads || e == Updates || e == Deletes),
		OpenWorldHint:   new(!t.ownStore),
	}
}

// repeats reports whether a second call does the work a second time, so that an idempotency key is
// useful.
func (e Effect) repeats() bool { return e == Creates || e == Appends || e == Changes }
