// Package files holds the tools of folders, and of the documents and files in them.
package files

import (
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}
