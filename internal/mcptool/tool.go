// Package mcptool is what a tool is: one declaration that becomes schemas, annotations, validation, a time budget, an
// answer and a log line. It alone imports mcp-go, and it hides where that library falls short, so that a tool is only
// what makes it different: two structs and a function.
package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// Effect is what calling a tool does to the world; the four annotations follow from it.
type Effect int

// The effects a tool can have.
const (
	Reads   Effect = iota // changes nothing
	Creates               // makes something new, each time it is called
	Updates               // brings something into a state; twice is as once
	Appends               // adds to something, each time it is called
	Deletes               // takes something away; twice is as once
)

// Spec is what a tool declares of itself. Scope may be left out: Read for a tool that reads, Write for any other.
type Spec struct {
	Name        string
	Title       string
	Description string
	Effect      Effect
	Scope       identity.Scope
	// Invalid, when set, says in the tool's own words what is wrong with arguments its schema refuses; nil leaves it to the
	// common ones.
	Invalid func(arguments json.RawMessage, found []fault.Violation) *fault.Error
}

// Tool is a declared tool, ready to be served.
type Tool struct {
	Spec
	schemas func() schemas
	run     func(ctx context.Context, arguments json.RawMessage) (any, error)
}

// schemas are a tool's, made when they are first needed: a process should not start by making all.
type schemas struct {
	in              *schema
	inJSON, outJSON json.RawMessage
}

// InputSchema is the JSON Schema of the tool's arguments.
func (t Tool) InputSchema() json.RawMessage { return t.schemas().inJSON }

// OutputSchema is the JSON Schema of its result.
func (t Tool) OutputSchema() json.RawMessage { return t.schemas().outJSON }

// Toolset is a named part of the catalogue. Its world is closed when its tools touch nothing but what this server keeps.
type Toolset struct {
	Name        string
	ClosedWorld bool
	Optional    bool // served only to those who name it
	// Instructions tell a model what it needs to know of these tools together, in a sentence or three; Writing goes on with what
	// matters only where they may change something.
	Instructions string
	Writing      string
	Tools        []Tool
	Prompts      []Prompt
	Resources    []Resource
}

// Define declares a tool. Its schemas come from In and Out, both structs (see [schemaFor] for the tags); arguments are
// validated against the input schema before run sees them. A tool whose effect is repeated by a repeated call has an argument
// more, idempotency_key, that In must not have and the server handles. A declaration that cannot be served panics: at start, or
// when its schemas are made.
func Define[In, Out any](spec Spec, run func(context.Context, In) (Out, error)) Tool {
	return declare(spec, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, fill func(any) error) (any, error) {
		var input In
		if err := fill(&input); err != nil {
			return nil, err
		}
		return run(ctx, input)
	})
}

// declare is Define but for what must be compiled anew for every tool.
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
		panic("tool " + spec.Name + ": images are not kept under an idempotency key")
	}
	made := sync.OnceValue(func() schemas { return schemasOf(spec, in, out) })
	return Tool{Spec: spec, schemas: made, run: func(ctx context.Context, arguments json.RawMessage) (any, error) {
		return run(ctx, func(input any) error {
			if err := decode(made().in, arguments, input); err != nil {
				return spec.inOwnWords(arguments, err)
			}
			return nil
		})
	}}
}

func schemasOf(spec Spec, in, out reflect.Type) schemas {
	input := inputSchema(spec.Name, in)
	if spec.Effect.repeats() {
		input = withKey(input)
	}
	return schemas{input, input.toJSON(), mustInfer(spec.Name, out).toJSON()}
}

const nameRule = "1 to 64 letters, digits, _ and -"

// isName reports whether something may be the name of a tool or a prompt.
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

// inputSchema is the schema of a tool's arguments; every one of them must say what it is.
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

// annotations are the hints of MCP, all four always stated.
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
