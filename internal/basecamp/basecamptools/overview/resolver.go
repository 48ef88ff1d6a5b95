// Package overview holds the tools that read across projects: search, reports, activity, and the
// work, the notifications and the waiting texts of a person.
package overview

import (
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Accounts *accounts.Resolver
	Calendar *calendar.Resolver
	Work     *work.Resolver
}
