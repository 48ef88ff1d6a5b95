// Package jsonschema stands in for the validator of that name, which mcp-go imports. Importing the real one compiles the
// meta-schemas of five drafts at every start, 3.3 of the 8 ms that a function needs until its first answer, and here nothing
// is ever validated with it: tools check their own arguments, and mcp-go's checks are off. Whoever switches them on is told
// by every call.
package jsonschema

import (
	"errors"
	"io"
)

var errAbsent = errors.New("no JSON Schema validator is linked in: see internal/novalidator")

// Schema validates nothing.
type Schema struct{}

// Validate always fails.
func (*Schema) Validate(any) error { return errAbsent }

// Compiler makes no schemas.
type Compiler struct{}

// NewCompiler gives one.
func NewCompiler() *Compiler { return &Compiler{} }

// AddResource always fails.
func (*Compiler) AddResource(string, any) error { return errAbsent }

// Compile always fails.
func (*Compiler) Compile(string) (*Schema, error) { return nil, errAbsent }

// UnmarshalJSON always fails.
func UnmarshalJSON(io.Reader) (any, error) { return nil, errAbsent }

// ValidationError is never made.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        any
	Causes           []*ValidationError
}

func (*ValidationError) Error() string { return errAbsent.Error() }
