package sweep

import (
	"context"
	"time"

	"basecamp-mcp/internal/authserver"
)

// Grant names the grant of a user at a provider.
type Grant struct{ Subject, Provider string }

// Page is a part of all grants. The grants of a user are next to each other.
type Page struct {
	Grants []Grant
	Tokens []Grant // grants whose tokens the table has, with or without a record
	Next   string  // where the next page begins; empty after the last one
	Units  float64 // read units that the page took
}

// Table lists the grants of all users. Its errors mean that it could not be reached.
type Table interface {
	// Grants returns the page that begins at a place, or the first page for "". It may miss the
	// latest writes, but its size is limited.
	Grants(ctx context.Context, from string) (Page, error)
	// SweptTo returns the place that was saved last, or "".
	SweptTo(ctx context.Context) (place string, err error)
	// SaveSweptTo saves a place.
	SaveSweptTo(ctx context.Context, place string) error
	// FamiliesOf returns a user's live families, as authserver.Revocations does.
	FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error)
	// Revoke revokes a family, as authserver.Revocations does.
	Revoke(ctx context.Context, family, reason string, at time.Time) error
}
