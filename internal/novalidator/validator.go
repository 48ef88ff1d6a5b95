// Package jsonschema stands in for the validator of that name, which mcp-go imports. Importing the real one compiles the
// meta-schemas of five drafts at every start, 3.3 of the 8 ms that a function needs until its first answer, and here nothing
// is ever validated with it: tools check their own arguments, and mcp-go's checks are off.
//
// mcp-go skips a schema that does not compile. So every schema compiles here and allows nothing: if mcp-go's checks are
// switched on, every call fails and says why.
package jsonschema

import (
	"errors"
	"io"
)

var errAbsent = errors.New("no JSON Schema validator is linked in: see internal/novalidator")

// Schema allows nothing.
type Schema struct{}

// Validate always fails.
func (*Schema) Validate(any) error { return errAbsent }

// Compiler makes schemas that allow nothing.
type Compiler struct{}

// NewCompiler returns a Compiler.
func NewCompiler() *Compiler { return &Compiler{} }

// AddResource ignores the resource.
func (*Compiler) AddResource(string, any) error { return nil }

// Compile returns a Schema that allows nothing.
func (*Compiler) Compile(string) (*Schema, error) { return &Schema{}, nil }

// UnmarshalJSON returns an empty object, whatever it is given: no Schema looks at it.
func UnmarshalJSON(io.Reader) (any, error) { return map[string]any{}, nil }

// ValidationError is never made.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        any
	Causes           []*ValidationError
}

func (*ValidationError) Error() string { return errAbsent.Error() }
