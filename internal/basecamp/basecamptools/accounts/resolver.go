// Package accounts runs a call in the accounts that it names, and joins their answers.
package accounts

import (
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}
