package mcptool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// read runs a prompt, a resource or a completion with the same checks as a tool call: scope, time
// budget, panics, one log line, and the audit trail. None of them writes. Its error is a
// *fault.Error that the client may see.
func read[T any](ctx context.Context, s *Server, i invocation, readOnly bool, run func(context.Context) (T, error)) (T, error) {
	ctx, r := s.start(ctx, i, readOnly)
	defer r.cancel()
	result, err := permitted(ctx, s, run)
	r.background.end()
	var f *fault.Error
	if err != nil {
		f = s.fault(ctx, i, err, false)
		if i.kind != "completion" { // which must not create a link at every keystroke
			var q *request
			if f, q = s.remedy(ctx, f, i.provider, ofReading); q != nil && q.Provider == "" {
				s.endConnection(ctx)
			}
		}
		err = f
	}
	s.finish(ctx, r, i, &Outcome{Fault: f}, nil)
	return result, err
}

// permitted runs a reading for a caller who may read.
func permitted[T any](ctx context.Context, s *Server, run func(context.Context) (T, error)) (result T, err error) {
	defer fault.Recover(&err)
	caller, ok := identity.From(ctx)
	if !ok || !caller.Can(identity.Read) {
		return result, fault.New(fault.PermissionDenied, "this connection may not read: it needs the scope %q", identity.Read)
	}
	if caller.SignedOut {
		return result, s.signedOut()
	}
	return run(ctx)
}

// checkReadings panics if prompts or resources cannot be served together.
func checkReadings(prompts []Prompt, resources []Resource) {
	names, templates := map[string]bool{}, map[string]bool{}
	for _, p := range prompts {
		p.check()
		if names[p.Name] {
			panic("two prompts are named " + p.Name)
		}
		names[p.Name] = true
	}
	for _, r := range resources {
		r.check()
		shape := uriVariable.ReplaceAllString(r.URITemplate, "{}")
		if templates[shape] {
			panic("two resources are at " + r.URITemplate)
		}
		templates[shape] = true
	}
}

// readings are what one selection offers besides tools.
type readings struct {
	server    *Server
	prompts   []Prompt
	resources []Resource
	readOnly  bool
}

// options returns the options of a server that offers more than tools. They declare a capability
// only if it has content.
func (r readings) options() []server.ServerOption {
	var options []server.ServerOption
	if len(r.prompts) > 0 {
		options = append(options, server.WithPromptCapabilities(false))
	}
	if len(r.resources)+len(r.server.options.Views) > 0 || r.server.options.Calls != nil {
		options = append(options,
			server.WithResourceCapabilities(false, false),
			// The lists are the same for all callers. What a caller reads is private and may change
			// at any time.
			server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
		)
	}
	if len(r.server.options.Views) > 0 {
		options = append(options, server.WithExtensions(map[string]any{viewsExtension: map[string]any{"mimeTypes": []string{viewType}}}))
	}
	if r.completes() {
		options = append(options, server.WithCompletions(), server.WithPromptCompletionProvider(r), server.WithResourceCompletionProvider(r))
	}
	return options
}

// addTo adds the prompts and the resources to a server.
func (r readings) addTo(m *server.MCPServer) {
	for _, p := range r.prompts {
		m.AddPrompt(p.mcp(), r.server.promptHandler(p, r.readOnly))
	}
	for _, resource := range r.resources {
		m.AddResourceTemplate(resource.mcp(), r.server.resourceHandler(resource, r.readOnly))
	}
	if r.server.options.Calls != nil {
		r.server.addCalls(m)
	}
}
