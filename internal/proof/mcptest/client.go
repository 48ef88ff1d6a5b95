package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// maxList is the maximum size of the answer of a list tool, in bytes.
const maxList = 50_000

// Client calls tools as one user. It holds every answer against the tool's output schema.
type Client struct {
	testing.TB
	Handler http.Handler
	Caller  identity.Caller
	Schemas map[string]*jsonschema.Resolved // output schemas by tool

	// Lists are the tools that take detail. The client asks them for full detail if a call does not
	// say which.
	Lists map[string]bool
}

// Schema returns an output schema that answers can be held against. An answer has no field that the
// schema does not name.
func Schema(raw json.RawMessage) *jsonschema.Resolved {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	shut(&s)
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return resolved
}

// shut closes a schema to properties that it does not name, at any depth.
func shut(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, property := range s.Properties {
		shut(property)
	}
	shut(s.Items)
	for _, choice := range s.AnyOf {
		shut(choice)
	}
}

// Answer calls a tool and returns the whole JSON-RPC response.
func (c Client) Answer(tool string, arguments any) string {
	c.Helper()
	return Post(context.Background(), c.Handler, c.Caller, Message("tools/call", ToolCall(c, tool, c.detailed(tool, arguments))), nil).Body.String()
}

func (c Client) detailed(tool string, arguments any) any {
	c.Helper()
	if !c.Lists[tool] {
		return arguments
	}
	data, err := json.Marshal(arguments)
	if err != nil {
		c.Fatal(err)
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(data, &given) != nil || given["detail"] != nil {
		return arguments
	}
	if given == nil {
		given = map[string]json.RawMessage{}
	}
	given["detail"] = json.RawMessage(`"full"`)
	return given
}

// IsList reports whether a tool with this input schema takes detail.
func IsList(inputSchema json.RawMessage) bool {
	return bytes.Contains(inputSchema, []byte(`"detail":{`))
}

// Raw calls a tool and returns the text of its answer's first block.
func (c Client) Raw(tool string, arguments any) (text string, isError bool) {
	c.Helper()
	result := Result[ToolResult](c, []byte(c.Answer(tool, arguments)))
	if len(result.Content) == 0 {
		c.Fatalf("%s %v: an answer without content", tool, arguments)
	}
	text = result.Content[0].Text
	if !result.IsError {
		c.holdAgainstSchema(tool, text, result.StructuredContent)
	}
	return text, result.IsError
}

func (c Client) holdAgainstSchema(tool, text string, structured json.RawMessage) {
	c.Helper()
	var fromText, fromStructured any
	if json.Unmarshal([]byte(text), &fromText) != nil || json.Unmarshal(structured, &fromStructured) != nil || !reflect.DeepEqual(fromText, fromStructured) {
		c.Errorf("%s: the text and the structured content differ", tool)
	}
	schema := c.Schemas[tool]
	if schema == nil {
		c.Fatalf("%s: no output schema", tool)
	}
	if err := schema.Validate(fromText); err != nil {
		c.Errorf("%s: the answer breaks its schema: %v\n%s", tool, err, text)
	}
	if len(text) > maxList && strings.HasPrefix(tool, "list_") {
		c.Errorf("%s: the answer has %d bytes", tool, len(text))
	}
}

// Call calls a tool that must succeed, and returns its answer.
func Call[T any](c Client, tool string, arguments any) T {
	c.Helper()
	text, isError := c.Raw(tool, arguments)
	if isError {
		c.Fatalf("%s %v: %s", tool, arguments, text)
	}
	var answer T
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		c.Fatalf("%s %v: %v in %s", tool, arguments, err, text)
	}
	return answer
}

// Failure is what a failed call tells.
type Failure struct {
	ErrorCode         fault.Code `json:"error_code"`
	Message           string
	Retryable         bool
	RetryAfterSeconds int `json:"retry_after_seconds"`
	Data              struct {
		Code            int
		MayHaveHappened bool `json:"may_have_happened"`
		Candidates      []fault.Candidate
		Nearest         []fault.Candidate
		Validation      []fault.Violation
		Upstream        *fault.Upstream
		Link            *fault.Link
		RateLimit       *fault.RateLimit `json:"rate_limit"`
	}
}

// Escaping returns the sentences of a failure in which a name has left its quotation marks.
func (f Failure) Escaping() (found []string) {
	sentences := []string{f.Message}
	for _, v := range f.Data.Validation {
		sentences = append(sentences, v.Path+": "+v.Message)
	}
	return slices.DeleteFunc(sentences, func(said string) bool { return !Escapes(said) })
}

// Fails calls a tool that must fail with the code, in a message that contains all of the words.
func (c Client) Fails(code fault.Code, tool string, arguments any, words ...string) Failure {
	c.Helper()
	text, isError := c.Raw(tool, arguments)
	var f Failure
	if err := json.Unmarshal([]byte(text), &f); err != nil || !isError || f.ErrorCode != code {
		c.Fatalf("%s %v: want %s, got %s", tool, arguments, code, text)
	}
	if len(f.Data.Candidates) > 0 && code != fault.Ambiguous {
		c.Errorf("%s %v: %s has candidates: %s", tool, arguments, code, text)
	}
	for _, word := range words {
		if !Says(f.Message, f.Data.Validation, word) {
			c.Errorf("%s %v: %s does not say %q", tool, arguments, text, word)
		}
	}
	return f
}

// Says reports whether the message of a failure, or one of its violations, has these words.
func Says(message string, violations []fault.Violation, words string) bool {
	return strings.Contains(message, words) ||
		slices.ContainsFunc(violations, func(v fault.Violation) bool { return strings.Contains(v.Path+": "+v.Message, words) })
}
