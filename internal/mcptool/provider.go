package mcptool

import (
	"cmp"
	"slices"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/provider"
)

// provider returns the provider with an ID. An empty ID means the one with which users sign in. An
// unknown provider has its ID as its name.
func (s *Server) provider(id string) provider.Provider {
	all := s.options.Providers
	if id == "" && len(all) > 0 {
		return all[0]
	}
	if i := slices.IndexFunc(all, func(p provider.Provider) bool { return p.ID == id }); i >= 0 {
		return all[i]
	}
	return provider.Provider{ID: id, Name: id}
}

// isPrimary reports whether users sign in with a provider. The empty ID of the server's own tools
// counts as primary.
func (s *Server) isPrimary(id string) bool { return id == "" || id == s.provider("").ID }

// failedProvider returns the provider whose grant failed: the one that the fault or its link names,
// or the one that the failed tool works on.
func (s *Server) failedProvider(f *fault.Error, of string) provider.Provider {
	linked := ""
	if f.Link != nil {
		linked = f.Link.Provider
	}
	return s.provider(cmp.Or(linked, f.Provider, of))
}

// awaitedName returns what an invocation waits for, for messages.
func (s *Server) awaitedName(i invocation) string {
	if i.provider == "" {
		return "this server"
	}
	return s.provider(i.provider).Name
}
