// Package projects holds the tools of projects and people.
package projects

import (
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}
