package sweep_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/sweep"
)

// mover is a Keeper whose Store has two places. It answers by the user's subject.
type mover struct {
	*grant.Keeper
	moves map[string]moving
	done  *[]string
}

// moving is what happens to the tokens of a user.
type moving struct {
	misplaced, remains bool
	orphaned           bool
	result             grant.Moved
	err                error
}

func (m mover) Misplaced(_ context.Context, r grant.Record) (bool, error) {
	return m.moves[r.Subject].misplaced, nil
}

func (m mover) Move(_ context.Context, subject string) (grant.Moved, error) {
	*m.done = append(*m.done, "move "+subject)
	return m.moves[subject].result, m.moves[subject].err
}

func (m mover) Tidy(_ context.Context, subject string) (bool, error) {
	*m.done = append(*m.done, "tidy "+subject)
	return m.moves[subject].remains, nil
}

func (m mover) Orphaned(_ context.Context, subject string) (grant.Leftover, bool, error) {
	return grant.Leftover{Change: 7}, m.moves[subject].orphaned, m.moves[subject].err
}

func (m mover) Discard(_ context.Context, subject string, l grant.Leftover) error {
	*m.done = append(*m.done, fmt.Sprint("discard ", subject, " ", l.Change))
	if m.moves[subject].result == grant.Busy {
		return grant.ErrConflict
	}
	return nil
}

// moving returns a sweep of a deployment in which tokens move.
func (p *place) moving(moves map[string]moving, done *[]string) *sweep.Sweep {
	return sweep.New(sweep.Config{
		Table: p, Log: p.logger(),
		Keeper: func(id string) sweep.Keeper { return mover{p.keeper(id), moves, done} },
	})
}

func TestSweep_MovesTheTokensOfUsersWhoStayAndTidiesUpLater(t *testing.T) {
	moves := map[string]moving{
		"or:1": {misplaced: true, result: grant.Copied},
		"or:2": {},
		"or:3": {remains: true},
		"or:4": {misplaced: true, result: grant.Busy},
		"or:5": {misplaced: true, err: fault.New(fault.TokenExpired, "the tokens are lost")},
		"or:6": {misplaced: true, err: fault.New(fault.UpstreamError, "no answer")},
		"or:7": {misplaced: true, result: grant.Copied}, // left
	}
	for name, test := range map[string]struct {
		want sweep.Report
		done []string
	}{
		"a run": {
			sweep.Report{Complete: true, Users: 7, Ended: 1, Moved: 1, Tidied: 1, Busy: 1, Failed: 1},
			[]string{"move or:1", "tidy or:2", "tidy or:3", "move or:4", "move or:5", "move or:6"},
		},
		"a dry run": {sweep.Report{DryRun: true, Complete: true, Users: 7, Ended: 1, Moved: 4}, nil},
	} {
		in(t, func(p *place) {
			p.join("or:1", "or:2", "or:3", "or:4", "or:5", "or:6", "or:7")
			time.Sleep(day)
			for _, stays := range p.users[:6] {
				p.families[stays] = []authserver.Family{client("f", 0)}
			}
			var done []string
			got, err := p.moving(moves, &done).Run(p.Context(), sweep.Options{DryRun: test.want.DryRun})
			got.ReadUnits, got.Round = 0, sweep.Round{}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				p.Errorf("%s: %v %s", name, err, diff)
			}
			if diff := cmp.Diff(test.done, done); diff != "" {
				p.Errorf("%s: %s", name, diff)
			}
		})
	}
}

func TestSweep_DiscardsTokensThatNoRecordNames(t *testing.T) {
	moves := map[string]moving{
		"or:1": {},
		"or:2": {orphaned: true},
		"or:3": {orphaned: true, result: grant.Busy}, // signs in at that moment
		"or:4": {err: fault.New(fault.UpstreamError, "no answer")},
	}
	for name, test := range map[string]struct {
		want sweep.Report
		done []string
	}{
		"a run":     {sweep.Report{Complete: true, Orphans: 1, Busy: 1, Failed: 1}, []string{"discard or:2 7", "discard or:3 7"}},
		"a dry run": {sweep.Report{DryRun: true, Complete: true, Orphans: 2, Failed: 1}, nil},
	} {
		in(t, func(p *place) {
			p.sealed = []string{"or:1", "or:2", "or:3", "or:4"}
			var done []string
			got, err := p.moving(moves, &done).Run(p.Context(), sweep.Options{DryRun: test.want.DryRun})
			got.ReadUnits, got.Round = 0, sweep.Round{}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				p.Errorf("%s: %v %s", name, err, diff)
			}
			if diff := cmp.Diff(test.done, done); diff != "" {
				p.Errorf("%s: %s", name, diff)
			}
		})
	}
}
