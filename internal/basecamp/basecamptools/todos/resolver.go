// Package todos holds the tools of to-do lists and their to-dos.
package todos

import (
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}
