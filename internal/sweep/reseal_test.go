package sweep_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/sweep"
)

// sealer is a Keeper whose Store seals tokens. It answers by the user's subject.
type sealer struct {
	*grant.Keeper
	outdated map[string]bool
	fails    map[string]error
	done     *[]string
}

func (s sealer) Outdated(_ context.Context, r grant.Record) (bool, error) {
	return s.outdated[r.Subject], nil
}

func (s sealer) Reseal(_ context.Context, r grant.Record) (bool, error) {
	*s.done = append(*s.done, r.Subject)
	return s.outdated[r.Subject] && s.fails[r.Subject] == nil, s.fails[r.Subject]
}

func TestSweep_SealsTheTokensOfUsersWhoStayAgain(t *testing.T) {
	outdated := map[string]bool{"or:1": true, "or:3": true, "or:4": true, "or:5": true, "or:6": true}
	fails := map[string]error{
		"or:3": grant.ErrConflict, "or:4": fault.New(fault.TokenExpired, "the tokens are lost"), "or:5": fault.New(fault.UpstreamError, "no answer"),
	}
	for name, test := range map[string]struct {
		want sweep.Report
		done []string
	}{
		"a run":     {sweep.Report{Complete: true, Users: 6, Ended: 1, Resealed: 1, Busy: 1, Failed: 1}, []string{"or:1", "or:2", "or:3", "or:4", "or:5"}},
		"a dry run": {sweep.Report{DryRun: true, Complete: true, Users: 6, Ended: 1, Resealed: 4}, nil},
	} {
		in(t, func(p *place) {
			p.join("or:1", "or:2", "or:3", "or:4", "or:5", "or:6")
			time.Sleep(day)
			for _, stays := range p.users[:5] {
				p.families[stays] = []authserver.Family{client("f", 0)}
			}
			var done []string
			s := sweep.New(sweep.Config{Table: p, Log: p.logger(), Other: p.elsewhere, Keeper: func(id string) sweep.Keeper {
				return sealer{p.keeper(id), outdated, fails, &done}
			}})
			got, err := s.Run(p.Context(), sweep.Options{DryRun: test.want.DryRun})
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

// A run that retires tokens ends no grant, and does not move the place of the daily sweep.
func TestSweep_RetiresOnlyWhatIsInTheOtherPlace(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2", "or:3")
		p.other[primary] = memory.New(nil).Grants("")
		for _, subject := range []string{"or:1", "or:3"} {
			if _, err := p.other[primary].Save(p.Context(), subject, "w", provider.Tokens{AccessToken: "old", Revision: 1}); err != nil {
				p.Fatal(err)
			}
		}
		time.Sleep(365 * day) // every user has left
		for _, dryRun := range []bool{true, false} {
			next, retired := "", 0
			for page := 0; page == 0 || next != ""; page++ {
				ctx, cancel := context.WithTimeout(p.Context(), time.Minute+time.Second/2) // ends after a page
				got, err := p.sweep().Run(ctx, sweep.Options{DryRun: dryRun, Retire: true, From: next})
				cancel()
				if err != nil || got.Ended != 0 || page > 5 {
					p.Fatalf("%+v, %v", got, err)
				}
				next, retired = got.Next, retired+got.Retired
			}
			if retired != 2 {
				p.Errorf("dry run %t: retired %d", dryRun, retired)
			}
		}
		if _, err := p.other[primary].Load(p.Context(), "or:1", ""); !errors.Is(err, grant.ErrNotFound) {
			p.Errorf("tokens are left: %v", err)
		}
		p.holds(primary, "or:1", true)
		if len(p.swept) > 0 {
			p.Errorf("saved the places %v", p.swept)
		}
	})
}
