// Package anyitem holds the tools that work on items of every kind: open, edit, trash, archive,
// restore.
package anyitem

import (
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Calendar *calendar.Resolver
	Files    *files.Resolver
	Projects *projects.Resolver
	Texts    *texts.Resolver
	Todos    *todos.Resolver
	Work     *work.Resolver
}
