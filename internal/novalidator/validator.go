// Package jsonschema replaces the validator of that name, which mcp-go imports. Importing the real
// one compiles the meta-schemas of five drafts at every start, which takes 3.3 of the 8 ms before a
// function's first answer. This server does not use the validator: tools check their own arguments,
// and mcp-go's checks are off. If a developer switches them on, every call fails and says so.
package jsonschema

import (
	"errors"
	"io"
)

var errAbsent = errors.New("no JSON Schema validator is linked in: see internal/novalidator")

// Schema is a schema that cannot validate.
type Schema struct{}

// Validate always fails.
func (*Schema) Validate(any) error { return errAbsent }

// Compiler is a compiler that always fails.
type Compiler struct{}

// NewCompiler returns a Compiler.
func NewCompiler() *Compiler { return &Compiler{} }

// AddResource always fails.
func (*Compiler) AddResource(string, any) error { return errAbsent }

// Compile always fails.
func (*Compiler) Compile(string) (*Schema, error) { return nil, errAbsent }

// UnmarshalJSON always fails.
func UnmarshalJSON(io.Reader) (any, error) { return nil, errAbsent }

// ValidationError exists because mcp-go names it; no function returns one.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        any
	Causes           []*ValidationError
}

func (*ValidationError) Error() string { return errAbsent.Error() }
