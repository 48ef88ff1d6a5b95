package mcptool

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// Complete returns values that continue what the user has typed, best first. The server shows the
// first 100.
type Complete func(ctx context.Context, prefix string) ([]string, error)

// mostCompletions is the maximum that the protocol allows in one answer.
const mostCompletions = 100

// completes reports whether any prompt or resource has values to propose.
func (r readings) completes() bool {
	return slices.ContainsFunc(r.prompts, func(p Prompt) bool {
		return slices.ContainsFunc(p.Arguments, func(a PromptArgument) bool { return a.Complete != nil })
	}) || slices.ContainsFunc(r.resources, func(resource Resource) bool { return len(resource.Complete) > 0 })
}

// CompletePromptArgument proposes values for an argument of a prompt. readings implements both
// provider interfaces of mcp-go.
func (r readings) CompletePromptArgument(
	ctx context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	i := slices.IndexFunc(r.prompts, func(p Prompt) bool { return p.Name == name })
	if i < 0 {
		return nil, unknownPrompt(name)
	}
	a := r.prompts[i].argument(argument.Name)
	if a == nil {
		return nil, fault.Invalid("argument.name", "%s is not an argument; %s", plaintext.Quote(argument.Name), r.prompts[i].offer())
	}
	of := invocation{kind: "completion", name: name + "." + a.Name, provider: r.prompts[i].provider}
	return r.complete(ctx, of, a.Complete, argument.Value)
}

// CompleteResourceArgument proposes values for a variable of a resource. The URI is the resource's
// template.
func (r readings) CompleteResourceArgument(
	ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	if uri == callsTemplate && r.server.options.Calls != nil {
		return &mcp.Completion{}, nil
	}
	i := slices.IndexFunc(r.resources, func(resource Resource) bool { return resource.URITemplate == uri })
	if i < 0 {
		return nil, fault.Invalid("ref.uri", "%s is not a template; resources/templates/list returns the templates", plaintext.Quote(uri))
	}
	resource := r.resources[i]
	if !slices.Contains(resource.variables(), argument.Name) {
		return nil, fault.Invalid("argument.name", "%s is not a variable; %s", plaintext.Quote(argument.Name), toolargs.Offer(resource.variables()))
	}
	of := invocation{kind: "completion", name: resource.Name + "." + argument.Name, provider: resource.provider}
	return r.complete(ctx, of, resource.Complete[argument.Name], argument.Value)
}

func (r readings) complete(ctx context.Context, of invocation, complete Complete, prefix string) (*mcp.Completion, error) {
	if complete == nil {
		return &mcp.Completion{}, nil
	}
	values, err := read(ctx, r.server, of, r.readOnly, func(ctx context.Context) ([]string, error) {
		return complete(ctx, prefix)
	})
	if err != nil {
		return nil, err
	}
	shown := values[:min(len(values), mostCompletions)]
	return &mcp.Completion{Values: shown, Total: len(values), HasMore: len(shown) < len(values)}, nil
}
