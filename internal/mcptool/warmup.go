package mcptool

import "context"

// WarmUp makes the lists of the default endpoint, which most clients ask for first. That also runs
// the code of an answer once.
func (s *Server) WarmUp(context.Context) {
	if e, ok := s.Handler(Selection{}).(*endpoint); ok {
		e.lists.tools()
	}
}
