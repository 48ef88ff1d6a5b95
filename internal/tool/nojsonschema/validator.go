// Package jsonschema replaces the validator of that name, which mcp-go imports. Importing the real
// one compiles the meta-schemas of five drafts at every start, which takes 3.3 of the 8 ms before a
// function's first answer. This server does not use the validator: tools check their own arguments,
// and mcp-go's checks are off.
//
// mcp-go skips a schema that does not compile. So every schema compiles here and allows nothing: if
// a developer switches mcp-go's checks on, every call fails and says why.
package jsonschema

import (
	"errors"
	"io"
)

var errAbsent = errors.New("no JSON Schema validator is linked in: see internal/tool/nojsonschema")

// Schema is a schema that no value satisfies.
type Schema struct{}

// Validate always fails.
func (*Schema) Validate(any) error { return errAbsent }

// Compiler compiles every schema into one that no value satisfies.
type Compiler struct{}

// NewCompiler returns a Compiler.
func NewCompiler() *Compiler { return &Compiler{} }

// AddResource ignores the resource.
func (*Compiler) AddResource(string, any) error { return nil }

// Compile returns a Schema that allows nothing.
func (*Compiler) Compile(string) (*Schema, error) { return &Schema{}, nil }

// UnmarshalJSON returns an empty object for every input, because no Schema looks at the value.
func UnmarshalJSON(io.Reader) (any, error) { return map[string]any{}, nil }

// ValidationError exists because mcp-go names it; no function returns one.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        any
	Causes           []*ValidationError
}

func (*ValidationError) Error() string { return errAbsent.Error() }
