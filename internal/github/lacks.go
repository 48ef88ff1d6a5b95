package github

import (
	"strings"
	"sync"

	"basecamp-mcp/internal/fault"
)

// The parts of the schema that an Enterprise Server may lack.
const (
	lacksStatus  = "status updates"
	lacksClosing = "pull requests that close an issue"
)

// lacks remembers which parts of the API this GitHub does not have: an Enterprise Server may be
// older than them. It is safe for concurrent use.
type lacks struct{ parts sync.Map }

func (l *lacks) knows(part string) bool {
	_, known := l.parts.Load(part)
	return known
}

// learns reports whether an error says that this GitHub lacks a part, and remembers it.
func (l *lacks) learns(part string, err error) bool {
	if !fault.Is(err, fault.InternalError) || fault.From(err).Upstream == nil {
		return false
	}
	l.parts.Store(part, true)
	return true
}

// isNewer reports whether an Enterprise Server may lack a mutation, or a type.
func isNewer(name string) bool {
	return strings.Contains(name, "StatusUpdate")
}
