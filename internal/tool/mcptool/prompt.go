package mcptool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/tool/toolargs"
)

// Prompt is a message that a user picks in a client and fills in. Making the message changes
// nothing.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	Writes                   bool // it asks the model to write; a read-only endpoint does not offer it
	// Text returns the one message, which counts as the user's own. It receives only declared
	// arguments, none of them empty, and every required one.
	Text func(ctx context.Context, arguments map[string]string) (string, error)

	provider string // of its toolset
}

// PromptArgument is a text to fill in. Complete, if set, proposes values.
type PromptArgument struct {
	Name, Description string
	Required          bool
	Complete          Complete
}

// maxFilledIn is the maximum length of an argument in characters. Names and URLs are shorter.
const maxFilledIn = 1000

// check panics if the prompt cannot be served.
func (p Prompt) check() {
	if !toolName.MatchString(p.Name) || p.Title == "" || p.Description == "" || p.Text == nil {
		panic(fmt.Sprintf("prompt %q: needs a name that matches %s, a title, a description and a text", p.Name, toolName))
	}
	for i, a := range p.Arguments {
		if a.Name == "" || a.Description == "" || p.argument(a.Name) != &p.Arguments[i] {
			panic(fmt.Sprintf("prompt %s: argument %q needs a name of its own and a description", p.Name, a.Name))
		}
	}
}

// argument returns an argument by name, or nil.
func (p Prompt) argument(name string) *PromptArgument {
	i := slices.IndexFunc(p.Arguments, func(a PromptArgument) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Arguments[i]
}

// offer returns a text that lists the arguments.
func (p Prompt) offer() string {
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
	}
	return toolargs.Offer(names)
}

// given returns the arguments that the user filled in. Forms send empty texts for blank fields.
func (p Prompt) given(arguments map[string]string) (map[string]string, error) {
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(arguments)), func(name string) bool { return p.argument(name) != nil })
	var v toolargs.Violations
	v.AddUnknown("", unknown, func(string) string { return "" }, "; "+p.offer())
	filledIn := make(map[string]string, len(arguments))
	for _, a := range p.Arguments {
		value := strings.TrimSpace(arguments[a.Name])
		switch {
		case value != "":
			filledIn[a.Name] = value
		case a.Required:
			v.Add(a.Name, "required", "is required")
		}
		if length := utf8.RuneCountInString(value); length > maxFilledIn {
			v.Add(a.Name, "too_long", "must be at most %d characters, got %d", maxFilledIn, length)
		}
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	return filledIn, nil
}

// auditable returns the names of the arguments that were filled in. The values are the user's own
// words and stay out of the trail.
func (p Prompt) auditable(arguments map[string]string) []calls.Argument {
	named := []calls.Argument{}
	for _, a := range p.Arguments {
		if strings.TrimSpace(arguments[a.Name]) != "" {
			named = append(named, calls.Argument{Name: a.Name})
		}
	}
	return named
}

// prompts returns the prompts of a selection; see [Server.Handler].
func (s *Server) prompts(chosen Selection) []Prompt {
	var prompts []Prompt
	for toolset := range s.chosenToolsets(chosen.Toolsets) {
		for _, prompt := range toolset.Prompts {
			if !prompt.Writes || !chosen.ReadOnly {
				prompts = append(prompts, prompt)
			}
		}
	}
	return prompts
}

// mcp returns the prompt's definition for prompts/list.
func (p Prompt) mcp() mcp.Prompt {
	definition := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		definition.Arguments = append(definition.Arguments, mcp.PromptArgument{
			Name: a.Name, Description: a.Description, Required: a.Required,
		})
	}
	return definition
}

func (s *Server) promptHandler(p Prompt, readOnly bool) server.PromptHandlerFunc {
	return func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		filledIn := request.Params.Arguments
		i := invocation{kind: "prompt", name: p.Name, provider: p.provider, channel: calls.MCP, arguments: func() []calls.Argument { return p.auditable(filledIn) }}
		message, err := read(ctx, s, i, readOnly, func(ctx context.Context) (string, error) {
			arguments, err := p.given(filledIn)
			if err != nil {
				return "", err
			}
			return p.Text(ctx, arguments)
		})
		if err != nil {
			return nil, err
		}
		return mcp.NewGetPromptResult(p.Description, []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(message)),
		}), nil
	}
}
