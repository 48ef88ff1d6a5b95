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

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
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
)

// Spec is what a tool declares about itself. An empty Scope means Read for a tool that reads, and
// Write for any other.
type Spec struct {
	Name        string
	Title       string
	Description string
	Effect      Effect
	Scope       identity.Scope
	// Invalid, if set, describes invalid arguments in the tool's own words. If it returns nil, the
	// common words stand.
	Invalid func(arguments json.RawMessage, found []fault.Violation) *fault.Error
}

// Tool is a declared tool, ready to be served.
type Tool struct {
	Spec
	schemas func() schemas
	empty   func() (accepted, error) // what accept returns for no arguments, where no toolset has a say
	run     func(context.Context, accepted) (any, error)

	provider string     // of its toolset
	checks   validation // of its toolset
	bare     string     // its name without the prefix of its toolset, or ""
	ownStore bool       // it uses only what this server stores
}

// schemas are a tool's schemas. They are made on first use: a process that starts should not make
// all of them.
type schemas struct {
	in              *schema
	inJSON, outJSON json.RawMessage
}

// InputSchema returns the JSON Schema of the tool's arguments.
func (t Tool) InputSchema() json.RawMessage { return t.schemas().inJSON }

// OutputSchema returns the JSON Schema of the tool's result.
func (t Tool) OutputSchema() json.RawMessage { return t.schemas().outJSON }

// Toolset is a named part of the catalogue.
type Toolset struct {
	Name        string
	ClosedWorld bool // its tools use only what this server stores
	Optional    bool // served only to clients that name it
	// Provider is the ID of the provider that its tools work on. It is empty for the server's own.
	Provider string
	// Prefix is what the names of its tools begin with. A call may leave it out where no listed tool
	// has the shorter name. Lists, errors, the log and the trail show the whole name.
	Prefix string
	// URLs are the addresses that its references accept.
	URLs URLs
	// Check, if set, returns what is wrong with the text of an argument, or "". It finds problems
	// that need no request, so that an answer can list them together with all others.
	Check func(argument, text string) (problem string)
	// Instructions tell a model what it needs to know about these tools together, in up to three
	// sentences.
	Instructions string
	// Writing continues Instructions where tools may write.
	Writing   string
	Tools     []Tool
	Prompts   []Prompt
	Resources []Resource
}

// bound returns the toolset with tools, prompts and resources that know their provider.
func (t Toolset) bound() Toolset {
	t.Tools, t.Prompts, t.Resources = slices.Clone(t.Tools), slices.Clone(t.Prompts), slices.Clone(t.Resources)
	for i := range t.Tools {
		t.Tools[i].provider, t.Tools[i].checks = t.Provider, validation{t.URLs, t.Check}
		t.Tools[i].ownStore = t.ClosedWorld
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

// Define declares a tool. Its schemas come from In and Out, both structs; [schemaFor] explains the
// tags. The server validates the arguments against the input schema before it calls run. A tool
// whose Effect is Creates or Appends gets one more argument, idempotency_key; In must not have it,
// and the server handles it. Define panics on a declaration that cannot be served; some mistakes
// show only when the schemas are made.
func Define[In, Out any](spec Spec, run func(context.Context, In) (Out, error)) Tool {
	return declare(spec, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, fill func(any) error) (any, error) {
		var input In
		if err := fill(&input); err != nil {
			return nil, err
		}
		return run(ctx, input)
	})
}

// After returns the tool with a function that runs after every call with valid arguments, even if
// the call failed.
func (t Tool) After(then func(context.Context)) Tool {
	run := t.run
	t.run = func(ctx context.Context, a accepted) (any, error) {
		defer then(ctx)
		return run(ctx, a)
	}
	return t
}

// In returns the tool with a function that adds facts to the context of every call.
func (t Tool) In(facts func(context.Context) context.Context) Tool {
	run := t.run
	t.run = func(ctx context.Context, a accepted) (any, error) { return run(facts(ctx), a) }
	return t
}

// Explained returns the tool with a function that may replace the error of a call. It gets the
// arguments in the form of the schema.
func (t Tool) Explained(explain func(ctx context.Context, arguments json.RawMessage, err error) error) Tool {
	run := t.run
	t.run = func(ctx context.Context, a accepted) (any, error) {
		result, err := run(ctx, a)
		if err != nil {
			err = explain(ctx, a.arguments, err)
		}
		return result, err
	}
	return t
}

// accept validates the arguments of a call.
func (t Tool) accept(arguments json.RawMessage) (accepted, error) {
	if len(arguments) == 0 || string(arguments) == noArguments {
		if a, err := t.empty(); err == nil {
			return a, nil
		}
	}
	a, err := t.checks.accept(t.schemas().in, arguments)
	if err != nil {
		return a, t.inOwnWords(a.arguments, err)
	}
	return a, nil
}

// declare does what Define does. Define is generic and compiled for each tool, so it holds only
// what must be.
func declare(spec Spec, in, out reflect.Type, run func(ctx context.Context, fill func(input any) error) (any, error)) Tool {
	if !isName(spec.Name) {
		panic(fmt.Sprintf("tool name %q: must be %s", spec.Name, nameRule))
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
	if spec.Effect.repeats() && reflect.PointerTo(out).Implements(reflect.TypeFor[illustrated]()) {
		panic("tool " + spec.Name + ": a result with images cannot be stored under an idempotency key")
	}
	made := sync.OnceValue(func() schemas { return schemasOf(spec, in, out) })
	known := new(plans)
	empty := sync.OnceValues(func() (accepted, error) { return validation{}.accept(made().in, nil) })
	return Tool{Spec: spec, schemas: made, empty: empty, run: func(ctx context.Context, a accepted) (any, error) {
		short := false
		result, err := run(ctx, func(input any) error {
			if err := a.fill(input); err != nil {
				return err
			}
			list, ok := input.(detailed)
			short = ok && list.Compact()
			return nil
		})
		if short && err == nil {
			return shortened{result, known}, nil
		}
		return result, err
	}}
}

func schemasOf(spec Spec, in, out reflect.Type) schemas {
	input := inputSchema(spec.Name, in)
	if spec.Effect.repeats() {
		input = withKey(input)
	}
	output := withUnderstood(mustInfer(spec.Name, out))
	if reflect.PointerTo(in).Implements(reflect.TypeFor[detailed]()) {
		output = output.shortened()
	}
	return schemas{input, input.toJSON(), output.toJSON()}
}

const nameRule = "1 to 64 letters, digits, _ and -"

// isName reports whether a tool or a prompt may have this name.
func isName(name string) bool {
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

func (s Spec) inOwnWords(arguments json.RawMessage, err error) error {
	var f *fault.Error
	if s.Invalid == nil || !errors.As(err, &f) {
		return err
	}
	if own := s.Invalid(arguments, f.Validation); own != nil {
		return own
	}
	return err
}

// inputSchema returns the schema of a tool's arguments. It panics if an argument has no
// description.
func inputSchema(tool string, in reflect.Type) *schema {
	s := mustInfer(tool, in)
	for _, p := range s.properties {
		if p.description == "" {
			panic(fmt.Sprintf("tool %s: argument %s has no description", tool, p.name))
		}
	}
	return s
}

func mustInfer(tool string, t reflect.Type) *schema {
	s, err := schemaFor(t)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", tool, err))
	}
	return s
}

// annotations are the hints of MCP. All four are always sent.
type annotations struct {
	readOnly, destructive, idempotent, openWorld bool
}

func (e Effect) annotations(closedWorld bool) annotations {
	return annotations{
		readOnly:    e == Reads,
		destructive: e == Deletes,
		idempotent:  e == Reads || e == Updates || e == Deletes,
		openWorld:   !closedWorld,
	}
}
