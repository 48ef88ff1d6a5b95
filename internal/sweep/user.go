package sweep

import (
	"context"
	"errors"
	"slices"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
)

const (
	// idle is the time after which a client that was not used counts as gone.
	idle = 90 * 24 * time.Hour
	// fresh is the time after a sign-in during which a user keeps the grants without a client: the
	// client of that sign-in may still be missing.
	fresh = 24 * time.Hour
	// revokedIdle is the reason for the end of families.
	revokedIdle = "idle"
)

// held is a record with its keeper.
type held struct {
	grant.Record
	keeper *grant.Keeper
}

// user ends a user's grants if no client uses them. It reports whether it changed something.
func (r *run) user(ctx context.Context, grants []Grant) (changed bool, err error) {
	records, err := r.records(ctx, grants)
	if err != nil || len(records) == 0 {
		return false, err
	}
	families, err := r.Table.FamiliesOf(ctx, grants[0].Subject)
	if err != nil {
		return false, err
	}
	now := time.Now()
	if slices.ContainsFunc(families, func(f authserver.Family) bool { return now.Sub(usedAt(f)) < idle }) ||
		slices.ContainsFunc(records, func(h held) bool { return now.Sub(h.ConnectedAt) < fresh }) {
		return false, nil
	}
	return r.end(ctx, records, families)
}

// records reads the records of a user's grants, before anything else: what the user does later
// changes them.
func (r *run) records(ctx context.Context, grants []Grant) (all []held, err error) {
	for _, g := range grants {
		keeper := r.Keeper(g.Provider)
		record, err := keeper.Status(ctx, g.Subject)
		switch {
		case errors.Is(err, grant.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, held{record, keeper})
	}
	return all, nil
}

// usedAt returns when a client of a family last renewed its tokens.
func usedAt(f authserver.Family) time.Time {
	if f.RefreshedAt.After(f.CreatedAt) {
		return f.RefreshedAt
	}
	return f.CreatedAt
}

// end ends the grants of a user who left, and then the families. It reports whether it changed
// something. A dry run only counts.
func (r *run) end(ctx context.Context, records []held, families []authserver.Family) (changed bool, err error) {
	if r.DryRun {
		r.Ended += len(records)
		return false, nil
	}
	for _, h := range records {
		if err := h.keeper.Retire(ctx, h.Record); err != nil {
			return changed, err
		}
		r.Ended++
		changed = true
	}
	for _, f := range families {
		if err := r.Table.Revoke(ctx, f.ID, revokedIdle, time.Now()); err != nil {
			return changed, err
		}
	}
	return changed, nil
}
