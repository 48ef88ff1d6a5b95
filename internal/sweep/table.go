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
	Next   string  // where the next page begins; empty after the last one
	Units  float64 // read units that the page took
}

// Round is a pass through the whole table, which may take several runs.
type Round struct {
	Place     string `json:"-"`               // where its next run begins
	Runs      int    `json:"runs"`            // that worked on it
	ReadUnits int64  `json:"read_units"`      // that its runs took to find the users
	Last      int64  `json:"last_read_units"` // the same of the whole round before; zero if there was none
}

// Table lists the grants of all users. Its errors mean that it could not be reached.
type Table interface {
	// Grants returns the page that begins at a place, or the first page for "". It may miss the
	// latest writes, but its size is limited.
	Grants(ctx context.Context, from string) (Page, error)
	// SweptTo returns the round that was saved last. Its Place is "" if that was complete.
	SweptTo(ctx context.Context) (Round, error)
	// SaveSweptTo saves a round.
	SaveSweptTo(ctx context.Context, r Round) error
	// FamiliesOf returns a user's live families, as authserver.Revocations does.
	FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error)
	// Revoke revokes a family, as authserver.Revocations does.
	Revoke(ctx context.Context, family, reason string, at time.Time) error
}
