package mcptool

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/fault"
)

// Complete gives the values that go on from what a person has typed so far, the best first. Of many, the first 100 are shown.
type Complete func(ctx context.Context, prefix string) ([]string, error)

// mostCompletions is how many the protocol allows at once.
const mostCompletions = 100

// completes reports whether there is anything to propose.
func (r readings) completes() bool {
	return slices.ContainsFunc(r.prompts, func(p Prompt) bool {
		return slices.ContainsFunc(p.Arguments, func(a PromptArgument) bool { return a.Complete != nil })
	}) || slices.ContainsFunc(r.resources, func(resource Resource) bool { return len(resource.Complete) > 0 })
}

// CompletePromptArgument proposes values for an argument of a prompt. The readings are both kinds of provider that mcp-go knows.
func (r readings) CompletePromptArgument(
	ctx context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	i := slices.IndexFunc(r.prompts, func(p Prompt) bool { return p.Name == name })
	if i < 0 {
		return nil, noPrompt(name)
	}
	a := r.prompts[i].argument(argument.Name)
	if a == nil {
		return nil, fault.Invalid("argument.name", "%s is not an argument; %s", show(argument.Name), r.prompts[i].offer())
	}
	return r.complete(ctx, name+"."+a.Name, a.Complete, argument.Value)
}

// CompleteResourceArgument proposes values for a variable of a resource, which is named by its template.
func (r readings) CompleteResourceArgument(
	ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	if uri == callsTemplate && r.server.options.Audit != nil {
		return &mcp.Completion{}, nil
	}
	i := slices.IndexFunc(r.resources, func(resource Resource) bool { return resource.URITemplate == uri })
	if i < 0 {
		return nil, fault.Invalid("ref.uri", "%s is no template; resources/templates/list has them", show(uri))
	}
	resource := r.resources[i]
	if !slices.Contains(resource.variables(), argument.Name) {
		return nil, fault.Invalid("argument.name", "%s is not a variable; %s", show(argument.Name), offer(resource.variables()))
	}
	return r.complete(ctx, resource.Name+"."+argument.Name, resource.Complete[argument.Name], argument.Value)
}

func (r readings) complete(ctx context.Context, of string, complete Complete, prefix string) (*mcp.Completion, error) {
	if complete == nil {
		return &mcp.Completion{}, nil
	}
	values, err := read(ctx, r.server, invocation{kind: "completion", name: of}, r.readOnly, func(ctx context.Context) ([]string, error) {
		return complete(ctx, prefix)
	})
	if err != nil {
		return nil, err
	}
	shown := values[:min(len(values), mostCompletions)]
	return &mcp.Completion{Values: shown, Total: len(values), HasMore: len(shown) < len(values)}, nil
}
