// Package changes holds get_changes: what is new since a cursor.
package changes

import (
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/own/hub"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Overview *overview.Resolver
	GitHub   hub.ReadChanges // what changed on GitHub; nil: the server has no GitHub
}
