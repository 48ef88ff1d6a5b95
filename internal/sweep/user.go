package sweep

import (
	"context"
	"errors"
	"slices"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fault"
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
	keeper Keeper
}

// user ends a user's grants if no client uses them. Otherwise it puts the tokens where they belong.
// It reports whether it changed something.
func (r *run) user(ctx context.Context, grants []Grant) (changed bool, err error) {
	records, err := r.records(ctx, grants)
	if err != nil || len(records) == 0 {
		return false, err
	}
	families, err := r.Table.FamiliesOf(ctx, grants[0].Subject)
	if err != nil {
		return false, err
	}
	now := r.Now()
	if slices.ContainsFunc(families, func(f authserver.Family) bool { return now.Sub(usedAt(f)) < idle }) ||
		slices.ContainsFunc(records, func(h held) bool { return now.Sub(h.ConnectedAt) < fresh }) {
		return r.moveAll(ctx, records)
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
		if err := r.Table.Revoke(ctx, f.ID, revokedIdle, r.Now()); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// moveAll moves the tokens of a user who stays to where new ones are stored, or removes what an
// earlier move left. It reports whether it changed something. If tokens are lost, the user's next
// call says so.
func (r *run) moveAll(ctx context.Context, records []held) (changed bool, err error) {
	for _, h := range records {
		one, err := r.moveOrTidy(ctx, h)
		changed = changed || one
		if err != nil && !fault.Is(err, fault.TokenExpired) {
			return changed, err
		}
	}
	return changed, nil
}

// moveOrTidy does the work of moveAll for one grant.
func (r *run) moveOrTidy(ctx context.Context, h held) (changed bool, err error) {
	moves, err := h.keeper.Misplaced(ctx, h.Record)
	switch {
	case err != nil:
		return false, err
	case moves && r.DryRun:
		r.Moved++
		return false, nil
	case moves:
		return r.move(ctx, h)
	case r.DryRun:
		return false, nil
	}
	tidied, err := h.keeper.Tidy(ctx, h.Subject)
	if tidied {
		r.Tidied++
	}
	return tidied, err
}

// move moves the tokens of a grant, and reports whether it did. It returns grant.ErrConflict if
// another call is changing the grant.
func (r *run) move(ctx context.Context, h held) (bool, error) {
	did, err := h.keeper.Move(ctx, h.Subject)
	switch {
	case err != nil:
		return false, err
	case did == grant.Busy:
		return false, grant.ErrConflict
	case did == grant.Stayed:
		return false, nil
	}
	r.Moved++
	return true, nil
}
