// Package parts holds what the tools of several subjects take and show: comments, boosts, files,
// filters, and what an edit of a text found.
package parts

import (
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
)

// Base is lookup's resolver with the methods that the tools of several subjects need.
type Base struct {
	*lookup.Resolver
	Links *hub.Hub // nil: nothing is linked
}
