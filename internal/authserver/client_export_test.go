package authserver

import "context"

// Lookup calls client for tests in the external package. It returns the client, or the status and
// code of the error.
func (s *Server) Lookup(ctx context.Context, id string) (c Client, status int, code string) {
	c, f := s.client(ctx, id)
	if f != nil {
		return c, f.status, f.code
	}
	return c, 0, ""
}

// Allows calls allows.
func (c Client) Allows(redirectURI string) bool { return c.allows(redirectURI) }
