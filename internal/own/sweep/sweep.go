// Package sweep ends the grants of users who left: users without a connected client, and users
// whose clients were not used for three months. It looks at the users in random order, and slowly,
// so that the users who stay do not notice. A run has no memory: if it has no time for all users,
// the next runs meet the others.
//
// A user may come back at any moment. So each grant is ended only if it is still as it was when the
// sweep found no client.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/pause"
)

const (
	// idle is the time after which a client that was not used counts as gone.
	idle = 90 * 24 * time.Hour
	// fresh is the time after a sign-in during which a user keeps the grants without a client: the
	// client of that sign-in may still be missing.
	fresh = 24 * time.Hour
	// revokedIdle is the reason for the end of families.
	revokedIdle = "idle"

	// userPause follows each user, who takes about eight read units of the table's 1,000 a second,
	// and pagePause each page of the list of users, which takes about 100. Secrets Manager accepts
	// 50 writes a second. So a run of 14 minutes looks at 33,000 users at most.
	userPause, pagePause = 25 * time.Millisecond, 500 * time.Millisecond
	// spare is the time that is left for the end of a run. A user takes less.
	spare = time.Minute
	// mostFailures is the number of users in a row whose failures stop a run.
	mostFailures = 5
)

// Sweep looks for users who left. All fields are required.
type Sweep struct {
	Keepers  []*grant.Keeper // of all providers, also of those that were switched off
	Families authserver.Revocations
	Log      *slog.Logger
	Table    string // the dimension of the metrics
}

// Report is what a run did, or would do.
type Report struct {
	DryRun   bool `json:"dry_run"`
	Complete bool `json:"complete"` // the run looked at all users
	Users    int  `json:"users"`    // users that the run looked at
	Ended    int  `json:"ended"`    // grants that it ended
	Busy     int  `json:"busy"`     // users who came back, or whose tokens were refreshed, at that moment
	Failed   int  `json:"failed"`   // users whom the next run must try again
}

// Run looks at the users until shortly before the deadline of ctx, and writes a line with its
// report. The report is valid also with an error, which means that the run stopped because the
// stores fail. A dry run changes nothing.
func (s *Sweep) Run(ctx context.Context, dryRun bool) (Report, error) {
	began, request, level, r := time.Now(), &telemetry.Request{}, slog.LevelInfo, Report{DryRun: dryRun}
	err := s.look(telemetry.With(ctx, request), &r)
	line := []slog.Attr{
		slog.Bool("dry_run", r.DryRun), slog.Bool("complete", r.Complete), slog.Int("users", r.Users), slog.Int("ended", r.Ended),
		slog.Int("busy", r.Busy), slog.Int("failed", r.Failed), telemetry.Milliseconds("ms", time.Since(began)),
	}
	switch {
	case err != nil:
		err = fmt.Errorf("sweep: %w", err)
		level, line = slog.LevelError, append(line, slog.Any("error", err))
	case r.Failed > 0:
		level = slog.LevelWarn
	}
	telemetry.Counts{Request: request}.Write(ctx, s.Log, level, "sweep", line, s.Table)
	return r, err
}

// look looks at the users and counts what became of them. The order is random: users whose stored
// grants always fail must not keep the sweep from the others.
func (s *Sweep) look(ctx context.Context, r *Report) error {
	grants, err := s.grants(ctx)
	if err != nil {
		return err
	}
	users := slices.Collect(maps.Keys(grants))
	rand.Shuffle(len(users), func(i, j int) { users[i], users[j] = users[j], users[i] })
	end, limited := ctx.Deadline()
	failures := 0 // in a row
	for _, subject := range users {
		if limited && time.Until(end) <= spare {
			return nil
		}
		r.Users++
		switch err := s.user(ctx, subject, grants[subject], r); {
		case err == nil:
			failures = 0
		case errors.Is(err, grant.ErrConflict):
			failures = 0
			r.Busy++
		default:
			r.Failed++
			failures++
			s.Log.WarnContext(ctx, "sweep: a user was left for the next run", "person", identity.Alias(subject), "error", err)
			if failures == mostFailures {
				return fmt.Errorf("stopped after %d users in a row failed: %w", mostFailures, err)
			}
		}
		_ = pause.For(ctx, userPause) // if ctx has ended, the next call says so
	}
	r.Complete = r.Users == len(users)
	return nil
}

// grants returns the keepers of each user's grants.
func (s *Sweep) grants(ctx context.Context) (map[string][]*grant.Keeper, error) {
	all := map[string][]*grant.Keeper{}
	for _, keeper := range s.Keepers {
		for after := ""; ; {
			subjects, err := keeper.Subjects(ctx, after)
			if err != nil {
				return nil, err
			}
			if len(subjects) == 0 {
				break
			}
			for _, after = range subjects {
				all[after] = append(all[after], keeper)
			}
			if err := pause.For(ctx, pagePause); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// user ends a user's grants, and then the families, if no client uses them. It reads the records
// before anything else: what the user does later changes them.
func (s *Sweep) user(ctx context.Context, subject string, keepers []*grant.Keeper, r *Report) error {
	var held []*grant.Keeper
	var records []grant.Record // of those keepers
	for _, keeper := range keepers {
		switch record, err := keeper.Status(ctx, subject); {
		case err == nil:
			held, records = append(held, keeper), append(records, record)
		case !errors.Is(err, grant.ErrNotFound):
			return err
		}
	}
	if len(records) == 0 { // disconnected meanwhile
		return nil
	}
	families, err := s.Families.FamiliesOf(ctx, subject)
	if err != nil || inUse(records, families) {
		return err
	}
	if r.DryRun {
		r.Ended += len(records)
		return nil
	}
	for i, keeper := range held {
		if err := keeper.Retire(ctx, records[i]); err != nil {
			return err
		}
		r.Ended++
	}
	for _, f := range families {
		if err := s.Families.Revoke(ctx, f.ID, revokedIdle, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// inUse reports whether a user keeps these grants, because of a client or of a sign-in.
func inUse(records []grant.Record, families []authserver.Family) bool {
	return slices.ContainsFunc(families, func(f authserver.Family) bool {
		return time.Since(f.CreatedAt) < idle || time.Since(f.RefreshedAt) < idle
	}) || slices.ContainsFunc(records, func(r grant.Record) bool { return time.Since(r.ConnectedAt) < fresh })
}
