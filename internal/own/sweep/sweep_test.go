package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/sweep"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/memory"
)

const day = 24 * time.Hour

// place is a deployment with two providers, whose stores are in memory.
type place struct {
	testing.TB
	authserver.Revocations
	sweep.Sweep
	families map[string][]authserver.Family // by subject
	revoked  []string
	log      bytes.Buffer
	before   func(what, subject string) error // families are read, or a grant is retired
}

const (
	primary = iota
	other
)

func nothing(_, _ string) error { return nil }

func in(t *testing.T, test func(p *place)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &place{TB: t, families: map[string][]authserver.Family{}, before: nothing}
		p.Sweep = sweep.Sweep{Families: p, Log: slog.New(slog.NewTextHandler(&p.log, nil))}
		for _, id := range []string{"orchard", "meadow"} {
			s := memory.New(nil)
			p.Keepers = append(p.Keepers, grant.New(grant.Config{Store: s.Grants(id), Records: watched{s.Records(id), p}, Provider: provider.Provider{ID: id}}))
		}
		test(p)
	})
}

func (p *place) FamiliesOf(_ context.Context, subject string) ([]authserver.Family, error) {
	return p.families[subject], p.before("families", subject)
}

func (p *place) Revoke(_ context.Context, family, reason string, _ time.Time) error {
	p.revoked = append(p.revoked, family+" "+reason)
	return nil
}

// watched are Records with the hook.
type watched struct {
	grant.Records
	p *place
}

func (w watched) SaveRecord(ctx context.Context, r grant.Record) (grant.Record, error) {
	if r.Lease != "" {
		if err := w.p.before("retire", r.Subject); err != nil {
			return r, err
		}
	}
	return w.Records.SaveRecord(ctx, r)
}

// join makes users sign in to a provider.
func (p *place) join(at int, subjects ...string) {
	p.Helper()
	for _, subject := range subjects {
		t := provider.Tokens{AccessToken: "secret-of-" + subject, RefreshToken: "r", ObtainedAt: time.Now(), ExpiresAt: time.Now().Add(14 * day)}
		if _, err := p.Keepers[at].Connect(p.Context(), subject, "Ines Albrecht", t); err != nil {
			p.Fatal(err)
		}
	}
}

// subjects returns or:0000, or:0001 and so on.
func subjects(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("or:%04d", i))
	}
	return all
}

// run sweeps until all users are done, and checks the report and its line.
func (p *place) run(want sweep.Report) {
	p.Helper()
	p.log.Reset()
	want.Complete = true
	got, err := p.Run(p.Context(), want.DryRun)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		p.Errorf("%v, report (-want +got): %s\n%s", err, diff, p.log.String())
	}
	p.said(map[bool]string{true: "INFO", false: "WARN"}[want.Failed == 0], want)
}

// said checks the line of a run, and that the log has no secret and no user.
func (p *place) said(level string, r sweep.Report) {
	p.Helper()
	line := fmt.Sprintf("level=%s msg=sweep dry_run=%t complete=%t users=%d ended=%d busy=%d failed=%d ms=", level, r.DryRun, r.Complete, r.Users, r.Ended, r.Busy, r.Failed)
	if said := p.log.String(); !strings.Contains(said, line) || strings.Contains(said, "or:") || strings.Contains(said, "secret") {
		p.Errorf("logged %s, want %s", said, line)
	}
}

// sees checks which users have a record and tokens at a provider.
func (p *place) sees(at int, want ...string) {
	p.Helper()
	got, err := p.Keepers[at].Subjects(p.Context(), "")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		p.Errorf("%v, users at provider %d: %s", err, at, diff)
	}
	for _, subject := range want {
		if token, err := p.Keepers[at].AccessToken(p.Context(), subject, ""); err != nil || token != "secret-of-"+subject {
			p.Errorf("%s at provider %d: %q, %v", subject, at, token, err)
		}
	}
}

// uses adds a client that a user last used some time ago.
func (p *place) uses(subject string, unused time.Duration) {
	id := fmt.Sprint("f", len(p.families[subject]))
	p.families[subject] = append(p.families[subject], authserver.Family{ID: id, CreatedAt: time.Now().Add(-365 * day), RefreshedAt: time.Now().Add(-unused)})
}

// A user of several clients stays as long as one of them is used, and of several providers as long
// as the latest sign-in is new. Users who fail are left to the next run.
func TestSweep_EndsAllGrantsOfUsersWithoutAClientInUse(t *testing.T) {
	for name, c := range map[string]struct {
		users   int             // who signed in to both providers a day ago
		unused  []time.Duration // the clients of or:0000
		first   func(p *place)  // what happens then, or will happen during the run
		want    sweep.Report
		kept    int // users who keep their grants, from the first one
		revoked []string
	}{
		"no client":                     {users: 2, want: sweep.Report{Users: 2, Ended: 4}},
		"a dry run":                     {users: 2, want: sweep.Report{DryRun: true, Users: 2, Ended: 4}, kept: 2},
		"a sign-in less than a day ago": {users: 2, first: returns(day - time.Minute), want: sweep.Report{Users: 2, Ended: 2}, kept: 1},
		"a sign-in a day ago":           {users: 2, first: returns(day), want: sweep.Report{Users: 2, Ended: 4}},
		"one client, a day too early":   {users: 1, unused: []time.Duration{89 * day}, want: sweep.Report{Users: 1}, kept: 1},
		"one client":                    {users: 1, unused: []time.Duration{90 * day}, want: sweep.Report{Users: 1, Ended: 2}, revoked: []string{"f0 idle"}},
		"all clients":                   {users: 1, unused: []time.Duration{91 * day, 400 * day}, want: sweep.Report{Users: 1, Ended: 2}, revoked: []string{"f0 idle", "f1 idle"}},
		"all clients except one":        {users: 1, unused: []time.Duration{91 * day, 0, 200 * day}, want: sweep.Report{Users: 1}, kept: 1},
		"some users fail":               {users: 8, first: func(p *place) { p.fails("families", subjects(4)) }, want: sweep.Report{Users: 8, Ended: 8, Failed: 4}, kept: 4},
		"a sign-in at that moment":      {users: 1, unused: []time.Duration{100 * day}, first: meanwhile(returns(0)), want: sweep.Report{Users: 1, Busy: 1}, kept: 1},
		"another whole sweep meanwhile": {users: 4, first: meanwhile(func(p *place) { p.run(sweep.Report{Users: 4, Ended: 8}) }), want: sweep.Report{Users: 4, Busy: 1}},
	} {
		in(t, func(p *place) {
			p.join(primary, subjects(c.users)...)
			p.join(other, subjects(c.users)...)
			time.Sleep(day)
			for _, unused := range c.unused {
				p.uses("or:0000", unused)
			}
			if c.first != nil {
				c.first(p)
			}
			p.run(c.want)
			if diff := cmp.Diff(c.revoked, p.revoked); diff != "" || strings.Count(p.log.String(), "left for the next run") != c.want.Failed {
				p.Errorf("%s: revoked %s, logged %s", name, diff, p.log.String())
			}
			p.sees(primary, subjects(c.kept)...)
			p.sees(other, subjects(c.kept)...)
		})
	}
}

// returns makes or:0000 sign in again, some time ago.
func returns(ago time.Duration) func(p *place) {
	return func(p *place) {
		p.join(primary, "or:0000")
		time.Sleep(ago)
	}
}

// meanwhile makes something happen just before the first grant is ended.
func meanwhile(do func(p *place)) func(p *place) {
	return func(p *place) {
		p.before = func(what, _ string) error {
			if what == "retire" {
				p.before = nothing
				do(p)
			}
			return nil
		}
	}
}

// fails makes a step fail for some users.
func (p *place) fails(what string, users []string) {
	p.before = func(step, subject string) error {
		if step == what && slices.Contains(users, subject) {
			return errors.New("the table is down")
		}
		return nil
	}
}

func TestSweep_StopsWhileTheStoresAreDown(t *testing.T) {
	in(t, func(p *place) {
		p.join(primary, subjects(20)...)
		time.Sleep(day)
		for _, what := range []string{"families", "retire"} {
			p.fails(what, subjects(20))
			report, err := p.Run(p.Context(), false)
			if err == nil || !strings.Contains(err.Error(), "sweep: stopped after 5 users in a row failed") || report != (sweep.Report{Users: 5, Failed: 5}) {
				p.Errorf("%+v, %v", report, err)
			}
			p.said("ERROR", report)
		}
		p.before = nothing
		p.run(sweep.Report{Users: 20, Ended: 20})
	})
}

// Two pages of the list take a second, and each user takes 25 ms. An attacker who can write to the
// table could otherwise stop the sweep with a few records.
func TestSweep_LooksAt40UsersASecondUntilAMinuteBeforeItsDeadlineAndPassesThoseWhoAlwaysFail(t *testing.T) {
	in(t, func(p *place) {
		p.join(primary, subjects(1_100)...)
		time.Sleep(day)
		ctx, cancel := context.WithTimeout(p.Context(), time.Minute+2*time.Second)
		defer cancel()
		if report, err := p.Run(ctx, false); err != nil || report != (sweep.Report{Users: 40, Ended: 40}) {
			p.Errorf("%+v, %v", report, err)
		}
		p.run(sweep.Report{Users: 1_060, Ended: 1_060})
		p.join(primary, subjects(40)...)
		time.Sleep(day)
		p.fails("families", subjects(8))
		for ended, runs := 0, 0; ended < 32 && runs < 100; runs++ {
			report, _ := p.Run(p.Context(), false)
			ended += report.Ended
		}
		p.sees(primary, subjects(8)...)
	})
}
