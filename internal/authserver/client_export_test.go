package authserver

import "context"

// Lookup is client, for tests that use a Store and so stand outside: what was found, or the status
// and code of the failure.
func (s *Server) Lookup(ctx context.Context, id string) (c Client, status int, code string) {
	c, f := s.client(ctx, id)
	if f != nil {
		return c, f.status, f.code
	}
	return c, 0, ""
}

// Allows is allows.
func (c Client) Allows(redirectURI string) bool { return c.allows(redirectURI) }
