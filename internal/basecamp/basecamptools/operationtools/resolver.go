// Package operationtools finds and runs the rows of package operations.
package operationtools

import (
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Files *files.Resolver
	Texts *texts.Resolver
	Work  *work.Resolver
}
