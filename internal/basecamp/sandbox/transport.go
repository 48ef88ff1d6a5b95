package sandbox

import (
	"net/http"

	"basecamp-mcp/internal/inprocess"
)

// Transport returns a RoundTripper that answers every host in process, without a socket. A request
// returns as soon as its context ends, even if the sandbox is still working.
func (s *Sandbox) Transport() http.RoundTripper { return inprocess.Transport(s.serve) }
