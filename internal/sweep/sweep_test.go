package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/sweep"
)

func TestSweep_EndsAllGrantsOfAUserWithoutAClient(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2", "or:3")
		p.connect(other, "or:1", "or:2")
		time.Sleep(day)
		p.families["or:2"] = []authserver.Family{client("f2", time.Hour)}
		p.run(sweep.Report{Users: 3, Ended: 3})
		p.holds(primary, "or:1", false)
		p.holds(other, "or:1", false)
		p.holds(primary, "or:2", true)
		p.holds(other, "or:2", true)
		p.holds(primary, "or:3", false)
		p.users = []string{"or:2"}
		p.run(sweep.Report{Users: 1})
	})
}

func TestSweep_KeepsTheGrantsOfAUserWhoSignedInWithinADay(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2")
		time.Sleep(day - time.Second)
		p.connect(other, "or:2") // any provider counts
		p.run(sweep.Report{Users: 2})
		time.Sleep(time.Second)
		p.run(sweep.Report{Users: 2, Ended: 1})
		p.holds(primary, "or:2", true)
		p.holds(other, "or:2", true)
	})
}

// A user of several clients stays as long as one of them is used.
func TestSweep_EndsTheGrantsOfAUserWhoseClientsWereNotUsedFor90Days(t *testing.T) {
	for name, test := range map[string]struct {
		unused []time.Duration
		ends   bool
	}{
		"one client, a day too early":       {[]time.Duration{89 * day}, false},
		"one client":                        {[]time.Duration{90 * day}, true},
		"all clients":                       {[]time.Duration{91 * day, 200 * day}, true},
		"all clients except one":            {[]time.Duration{91 * day, 0, 200 * day}, false},
		"a client that was never refreshed": {[]time.Duration{400 * day}, true},
	} {
		in(t, func(p *place) {
			p.join("or:1")
			time.Sleep(day)
			var want []string
			for i, unused := range test.unused {
				id := fmt.Sprint("f", i)
				p.families["or:1"] = append(p.families["or:1"], client(id, unused))
				if test.ends {
					want = append(want, id+" idle")
				}
			}
			report := sweep.Report{Users: 1}
			if test.ends {
				report.Ended = 1
			}
			p.run(report)
			p.holds(primary, "or:1", !test.ends)
			if diff := cmp.Diff(want, p.revoked); diff != "" {
				p.Errorf("%s: revoked %s", name, diff)
			}
		})
	}
}

func TestSweep_ADryRunCountsAndChangesNothing(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2", "or:3")
		p.connect(other, "or:1")
		time.Sleep(day)
		p.families["or:3"] = []authserver.Family{client("f3", 100*day)}
		p.run(sweep.Report{DryRun: true, Users: 3, Ended: 4})
		for _, subject := range p.users {
			p.holds(primary, subject, true)
		}
		p.holds(other, "or:1", true)
		if len(p.revoked)+len(p.swept) > 0 {
			p.Errorf("revoked %v, saved %v", p.revoked, p.swept)
		}
	})
}

func TestSweep_LeavesAUserWhoSignsInAtThatMoment(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2")
		time.Sleep(day)
		p.onRetire = func(r grant.Record) {
			if r.Subject == "or:1" {
				p.connect(primary, r.Subject)
			}
		}
		p.families["or:1"] = []authserver.Family{client("f1", 100*day)}
		p.run(sweep.Report{Users: 2, Ended: 1, Busy: 1})
		p.holds(primary, "or:1", true)
		p.holds(primary, "or:2", false)
		if token, err := p.keeper(primary).AccessToken(p.Context(), "or:1", ""); err != nil || token == "" {
			p.Errorf("the token %q, %v", token, err)
		}
		if len(p.revoked) > 0 {
			p.Errorf("revoked %v", p.revoked)
		}
	})
}

func TestSweep_TwoAtOnceEndEachGrantOnce(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2", "or:3")
		time.Sleep(day)
		p.join("or:4", "or:5")
		p.stay("or:4", "or:5")
		first := true
		var second sweep.Report
		p.onRetire = func(grant.Record) {
			if !first {
				return
			}
			first = false // the whole second sweep happens while the first ends a grant
			var err error
			if second, err = p.sweep().Run(p.Context(), sweep.Options{}); err != nil {
				p.Error(err)
			}
		}
		p.run(sweep.Report{Users: 5, Busy: 1})
		if second.Ended != 3 || second.Failed+second.Busy > 0 || !second.Complete {
			p.Errorf("the second sweep: %+v", second)
		}
		for i, subject := range p.users {
			p.holds(primary, subject, i >= 3)
		}
	})
}

func TestSweep_AFailureOfOneUserDoesNotStopTheOthers(t *testing.T) {
	in(t, func(p *place) {
		p.join("or:1", "or:2", "or:3", "or:4", "or:5", "or:6", "or:7", "or:8")
		time.Sleep(day)
		p.onFamilies = func(subject string) error {
			if subject != "or:5" {
				return errDown
			}
			return nil
		}
		p.run(sweep.Report{Users: 8, Ended: 1, Failed: 7})
		p.onFamilies = nil
		p.users = append(p.users[:4], p.users[5:]...)
		p.run(sweep.Report{Users: 7, Ended: 7})
		if said := p.log.String(); strings.Contains(said, "or:1") || strings.Contains(said, "secret") || strings.Count(said, "left for the next round") != 7 {
			p.Errorf("logged %s", said)
		}
	})
}

func TestSweep_StopsEarlyWhileTheStoresAreDown(t *testing.T) {
	for _, families := range []error{errDown, nil} {
		in(t, func(p *place) {
			p.joinMany(20)
			time.Sleep(day)
			p.onFamilies, p.secretsDown = func(string) error { return families }, families == nil
			report, err := p.sweep().Run(p.Context(), sweep.Options{})
			if !errors.Is(err, errDown) || !strings.Contains(err.Error(), "5 users in a row failed") || report.Failed != 5 || report.Users != 5 || report.Ended != 0 ||
				report.Complete || strings.Contains(p.log.String(), "secret-of") {
				p.Errorf("%+v, %v\n%s", report, err, p.log.String())
			}
			for _, subject := range p.users {
				p.holds(primary, subject, true)
			}
			p.onFamilies, p.secretsDown = nil, false
			time.Sleep(day)
			p.run(sweep.Report{Users: 16, Ended: 16}) // from the page of the fifth
			p.users = p.users[:4]
			p.run(sweep.Report{Users: 4, Ended: 4}) // the next round
		})
	}
}

// An attacker who can write to the table could otherwise stop the sweep with a few records.
func TestSweep_PassesUsersWhoAlwaysFail(t *testing.T) {
	in(t, func(p *place) {
		p.perPage = 10
		p.joinMany(12)
		time.Sleep(day)
		p.onFamilies = func(subject string) error {
			if subject < "or:1" || subject > "or:11" {
				return errDown
			}
			return nil
		}
		if report, err := p.sweep().Run(p.Context(), sweep.Options{}); !errors.Is(err, errDown) || report.Complete {
			p.Errorf("the first run: %+v, %v", report, err)
		}
		p.run(sweep.Report{Users: 2, Ended: 2})
	})
}

func TestSweep_EndsBeforeItsDeadlineAndTheNextRunContinues(t *testing.T) {
	in(t, func(p *place) {
		p.joinMany(10)
		time.Sleep(day)
		p.slow = 500 * time.Millisecond // of two users of a page
		ctx, cancel := context.WithTimeout(p.Context(), time.Minute+3*time.Second)
		defer cancel()
		began := time.Now()
		p.runOnce(ctx, sweep.Report{Users: 6, Ended: 6})
		if took := time.Since(began); took >= time.Minute {
			p.Errorf("took %s", took)
		}
		p.run(sweep.Report{Users: 4, Ended: 4})
		p.run(sweep.Report{Users: 10}) // from the beginning
	})
}

// Ten pages of two users, of eight units each; nothing follows the last page.
func TestSweep_TakesAtMost200ReadUnitsASecondOrAsManyAsItsCallerAsksFor(t *testing.T) {
	for rate, want := range map[int]time.Duration{0: 9 * 16 * time.Second / 200, 800: 9 * 16 * time.Second / 800} {
		in(t, func(p *place) {
			p.joinMany(20)
			p.stay(p.users...)
			began := time.Now()
			if report, err := p.sweep().Run(p.Context(), sweep.Options{Rate: rate}); err != nil || report.Users != 20 {
				p.Fatal(report, err)
			}
			if took := time.Since(began); took != want {
				p.Errorf("at the rate %d it took %s, want %s", rate, took, want)
			}
		})
	}
}

func TestSweep_WritesTheTokensOfAtMost20UsersASecond(t *testing.T) {
	in(t, func(p *place) {
		p.joinMany(100)
		time.Sleep(day)
		began := time.Now()
		p.run(sweep.Report{Users: 100, Ended: 100})
		if took := time.Since(began); took < 5*time.Second {
			p.Errorf("took %s", took)
		}
	})
}

// A run that ends without a report has saved its place.
func TestSweep_SavesItsPlaceEveryHalfMinute(t *testing.T) {
	in(t, func(p *place) {
		p.joinMany(200)
		p.stay(p.users...)
		p.slow = 500 * time.Millisecond
		p.run(sweep.Report{Users: 200})
		if diff := cmp.Diff([]string{"60", "120", "180", ""}, p.swept); diff != "" {
			p.Error(diff)
		}
	})
}
