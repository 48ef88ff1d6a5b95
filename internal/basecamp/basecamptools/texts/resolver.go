// Package texts holds the tools of messages, forwarded e-mails, chats and check-ins.
package texts

import (
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}
