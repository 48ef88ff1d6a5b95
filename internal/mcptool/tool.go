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
	"regexp"

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
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	input        *schema
	run          func(ctx context.Context, arguments json.RawMessage) (any, error)
}

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

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Define declares a tool. Its schemas come from In and Out, both structs (see [schemaFor] for the tags); arguments are
// validated against the input schema before run sees them. A tool whose effect is repeated by a repeated call has an argument
// more, idempotency_key, that In must not have and the server handles. A declaration that cannot be served panics, at start.
func Define[In, Out any](spec Spec, run func(context.Context, In) (Out, error)) Tool {
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
	in, out := inputSchema[In](spec.Name), outputSchema[Out](spec.Name)
	if spec.Effect.repeats() {
		in = withKey(in)
		if _, ok := any(new(Out)).(illustrated); ok {
			panic("tool " + spec.Name + ": images are not kept under an idempotency key")
		}
	}
	return Tool{
		Spec:         spec,
		input:        in,
		InputSchema:  in.toJSON(),
		OutputSchema: out.toJSON(),
		run: func(ctx context.Context, arguments json.RawMessage) (any, error) {
			var input In
			if err := decode(in, arguments, &input); err != nil {
				return nil, spec.inOwnWords(arguments, err)
			}
			return run(ctx, input)
		},
	}
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
func inputSchema[In any](tool string) *schema {
	s := mustInfer[In](tool)
	for _, p := range s.properties {
		if p.description == "" {
			panic(fmt.Sprintf("tool %s: argument %s has no description", tool, p.name))
		}
	}
	return s
}

func outputSchema[Out any](tool string) *schema { return mustInfer[Out](tool) }

func mustInfer[T any](tool string) *schema {
	s, err := schemaFor(reflect.TypeFor[T]())
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
