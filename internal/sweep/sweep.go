// Package sweep ends the grants of users who left: users without a connected client, and users
// whose clients were not used for three months. It looks at every user in turn, slowly, so that the
// users who stay do not notice. A run that has no more time ends early, and the next run continues.
//
// A user may come back at any moment. So each grant is ended only if it is still as it was when the
// sweep found no client.
package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pause"
)

const (
	// readRate is how many read units a second a run takes by default. The table's limit is 1,000.
	readRate = 200
	// userUnits is the estimate of what a user takes: the place in the list, the index of the
	// families, the families, the records, and where the tokens are.
	userUnits = 8
	// writePause follows each user whose tokens changed: Secrets Manager accepts 50 writes a second
	// of all functions together.
	writePause = 50 * time.Millisecond
	// saveEvery is how often a run saves its place.
	saveEvery = 30 * time.Second
	// spare is the time that is left for the end of a run. A user takes less.
	spare = time.Minute
	// mostFailures is the number of users in a row whose failures stop a run.
	mostFailures = 5
)

// Config holds the parts of a Sweep. All are required.
type Config struct {
	Table  Table
	Keeper func(providerID string) *grant.Keeper
	Log    *slog.Logger
}

// Sweep looks for users who left.
type Sweep struct{ Config }

// New returns a Sweep.
func New(c Config) *Sweep { return &Sweep{c} }

// Report is what a run did, or would do.
type Report struct {
	DryRun   bool `json:"dry_run"`
	Complete bool `json:"complete"` // the run reached the end of the list; otherwise the next one continues
	Users    int  `json:"users"`    // users that the run looked at
	Ended    int  `json:"ended"`    // grants that it ended
	Busy     int  `json:"busy"`     // users who came back, or whose tokens were refreshed, at that moment
	Failed   int  `json:"failed"`   // users whom the next round must try again
}

// Options are what the caller of one run decides.
type Options struct {
	DryRun bool // change nothing
	Rate   int  // read units a second; 0: 200
}

// run is one run of a Sweep.
type run struct {
	*Sweep
	Report
	rate     float64
	saved    time.Time
	inARow   int // failures
	deadline time.Time
}

// Run looks at the users from where the last run stopped, until the end of the table or shortly
// before the deadline of ctx. The report is valid also with an error, which means that the run
// stopped because the stores fail.
func (s *Sweep) Run(ctx context.Context, o Options) (Report, error) {
	r := &run{Sweep: s, Report: Report{DryRun: o.DryRun}, rate: float64(cmp.Or(o.Rate, readRate)), saved: time.Now()}
	if end, ok := ctx.Deadline(); ok {
		r.deadline = end.Add(-spare)
	}
	place, err := s.Table.SweptTo(ctx)
	if err != nil {
		return r.Report, fmt.Errorf("sweep: %w", err)
	}
	err = r.sweepFrom(ctx, place)
	if err != nil {
		err = fmt.Errorf("sweep: %w", err)
	}
	return r.Report, err
}

// sweepFrom looks at the pages from a place. If it stops on the first page, the next run begins at
// the second: users whose stored grants always fail must not keep the sweep from the others.
func (r *run) sweepFrom(ctx context.Context, place string) error {
	for first := place; ; {
		began := time.Now()
		page, err := r.Table.Grants(ctx, place)
		if err != nil {
			return err
		}
		users := byUser(page.Grants)
		done, err := r.page(ctx, users)
		if err != nil && place == first {
			place = page.Next
		}
		if err != nil || !done {
			return errors.Join(err, r.save(ctx, place))
		}
		place = page.Next
		if place == "" {
			r.Complete = true
			return r.save(ctx, "")
		}
		units := float64(userUnits * len(users))
		late := time.Duration(units/r.rate*float64(time.Second)) - time.Since(began)
		if r.late() || pause.For(ctx, late) != nil {
			return r.save(ctx, place)
		}
		if time.Since(r.saved) >= saveEvery {
			if err := r.save(ctx, place); err != nil {
				return err
			}
		}
	}
}

// page looks at the users of a page. It reports false if the run must end first.
func (r *run) page(ctx context.Context, users [][]Grant) (done bool, err error) {
	for _, grants := range users {
		if r.late() {
			return false, nil
		}
		if err := r.look(ctx, grants); err != nil {
			return false, err
		}
	}
	return true, nil
}

// byUser groups the grants of each user.
func byUser(grants []Grant) (users [][]Grant) {
	for i, g := range grants {
		switch {
		case i > 0 && grants[i-1].Subject == g.Subject:
			users[len(users)-1] = append(users[len(users)-1], g)
		default:
			users = append(users, []Grant{g})
		}
	}
	return users
}

// late reports whether the run must end.
func (r *run) late() bool { return !r.deadline.IsZero() && !time.Now().Before(r.deadline) }

// save saves the place at which the next run begins.
func (r *run) save(ctx context.Context, place string) error {
	r.saved = time.Now()
	if r.DryRun {
		return nil
	}
	return r.Table.SaveSweptTo(ctx, place)
}

// look looks at one user, and counts what became of them. Its error stops the run: several users
// failed in a row.
func (r *run) look(ctx context.Context, grants []Grant) error {
	r.Users++
	changed, err := r.user(ctx, grants)
	switch {
	case errors.Is(err, grant.ErrConflict):
		r.Busy++
	case err != nil:
		r.Failed++
		r.inARow++
		r.Log.WarnContext(ctx, "sweep: a user was left for the next round", "person", identity.Alias(grants[0].Subject), "error", err)
		if r.inARow == mostFailures {
			return fmt.Errorf("stopped after %d users in a row failed: %w", mostFailures, err)
		}
		return nil
	}
	r.inARow = 0
	if changed && !r.DryRun {
		_ = pause.For(ctx, writePause) // if ctx has ended, the next call says so
	}
	return nil
}

// Grant names the grant of a user at a provider.
type Grant struct{ Subject, Provider string }

// Page is a part of all grants. The grants of a user are next to each other.
type Page struct {
	Grants []Grant
	Next   string // where the next page begins; empty after the last one
}

// Table lists the grants of all users. Its errors mean that it could not be reached.
type Table interface {
	// Grants returns the page that begins at a place, or the first page for "". It may miss the
	// latest writes, but its size is limited.
	Grants(ctx context.Context, from string) (Page, error)
	// SweptTo returns the place that was saved last, or "" for the beginning.
	SweptTo(ctx context.Context) (place string, err error)
	// SaveSweptTo saves the place where the next run begins: "" after a whole round.
	SaveSweptTo(ctx context.Context, place string) error
	// FamiliesOf returns a user's live families, as authserver.Revocations does.
	FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error)
	// Revoke revokes a family, as authserver.Revocations does.
	Revoke(ctx context.Context, family, reason string, at time.Time) error
}
