// Package boards holds the tools that work on GitHub's projects: the projects themselves, their
// items, and the fields of these.
package boards

import "basecamp-mcp/internal/github/githubtools/parts"

// Kit is what the tools of boards share.
type Kit struct{ *parts.Kit }
