// Package work holds the tools of cards, and those that change to-dos, cards and subtasks together:
// plan all, check all, write in order, answer by index.
package work

import (
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Files *files.Resolver
	Todos *todos.Resolver
}
