// Package calendar holds the tools of schedules: entries, how they repeat, and what comes up.
package calendar

import (
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}
