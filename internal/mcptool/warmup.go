package mcptool

import "context"

// WarmUp makes what the default endpoint is asked for first, and so runs the code of an answer once.
func (s *Server) WarmUp(context.Context) {
	if e, ok := s.Handler(nil, false).(*endpoint); ok {
		e.lists.modern()
		e.lists.legacy()
	}
}
