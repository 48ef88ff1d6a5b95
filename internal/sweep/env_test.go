package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/sweep"
)

const day = 24 * time.Hour

var errDown = errors.New("the table is down")

// place is a deployment with two providers. Its table is in memory.
type place struct {
	testing.TB
	families map[string][]authserver.Family // by subject
	users    []string
	revoked  []string
	swept    []string      // places that were saved
	perPage  int           // users of a page
	slow     time.Duration // how long the families of a user take

	records map[string]items.Records
	tokens  map[string]items.Grants
	log     bytes.Buffer

	onFamilies func(subject string) error
	onRetire   func(r grant.Record)

	secretsDown bool
}

const (
	primary = "orchard"
	other   = "meadow"
)

func in(t *testing.T, test func(p *place)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &place{TB: t, families: map[string][]authserver.Family{}, records: map[string]items.Records{}, tokens: map[string]items.Grants{}, perPage: 2}
		for _, id := range []string{primary, other} {
			p.records[id], p.tokens[id] = memory.New(nil).Records(""), memory.New(nil).Grants("")
		}
		test(p)
	})
}

func (p *place) Grants(_ context.Context, from string) (sweep.Page, error) {
	start := 0
	if from != "" {
		if _, err := fmt.Sscan(from, &start); err != nil {
			return sweep.Page{}, err
		}
	}
	page := sweep.Page{}
	for _, subject := range p.users[start:min(start+p.perPage, len(p.users))] {
		page.Grants = append(page.Grants, sweep.Grant{Subject: subject, Provider: primary}, sweep.Grant{Subject: subject, Provider: other})
	}
	if start+p.perPage < len(p.users) {
		page.Next = fmt.Sprint(start + p.perPage)
	}
	return page, nil
}

func (p *place) SweptTo(context.Context) (string, error) {
	if len(p.swept) == 0 {
		return "", nil
	}
	return p.swept[len(p.swept)-1], nil
}

func (p *place) SaveSweptTo(_ context.Context, place string) error {
	p.swept = append(p.swept, place)
	return nil
}

func (p *place) FamiliesOf(_ context.Context, subject string) ([]authserver.Family, error) {
	time.Sleep(p.slow)
	if p.onFamilies != nil {
		if err := p.onFamilies(subject); err != nil {
			return nil, err
		}
	}
	return p.families[subject], nil
}

func (p *place) Revoke(_ context.Context, family, reason string, _ time.Time) error {
	p.revoked = append(p.revoked, family+" "+reason)
	return nil
}

// keeper returns a Keeper over the stores of the place.
func (p *place) keeper(id string) *grant.Keeper {
	return grant.New(grant.Config{
		Store: deletable{p.tokens[id], p}, Records: watched{p.records[id], p}, Provider: provider.Provider{ID: id, Namespace: id[:2], Name: id},
		Log: slog.New(slog.DiscardHandler),
	})
}

// deletable is a Store whose Delete fails while Secrets Manager is down.
type deletable struct {
	grant.Store
	p *place
}

func (s deletable) Delete(ctx context.Context, subject string) error {
	if s.p.secretsDown {
		return errDown
	}
	return s.Store.Delete(ctx, subject)
}

// watched are Records with a hook before the lease of each Retire.
type watched struct {
	grant.Records
	p *place
}

func (w watched) SaveRecord(ctx context.Context, r grant.Record) (grant.Record, error) {
	if w.p.onRetire != nil && r.Status == grant.NeedsReauth && r.Lease != "" {
		w.p.onRetire(r)
	}
	return w.Records.SaveRecord(ctx, r)
}

func (p *place) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&p.log, nil)) }

func (p *place) sweep() *sweep.Sweep {
	return sweep.New(sweep.Config{Table: p, Keeper: p.keeper, Log: p.logger()})
}

// connect makes users sign in to these providers.
func (p *place) connect(id string, subjects ...string) {
	p.Helper()
	for _, subject := range subjects {
		t := provider.Tokens{AccessToken: "secret-of-" + subject, RefreshToken: "r", ObtainedAt: time.Now(), ExpiresAt: time.Now().Add(14 * day)}
		if _, err := p.keeper(id).Connect(p.Context(), subject, "Ines Albrecht", t); err != nil {
			p.Fatal(err)
		}
	}
}

// join adds users who signed in now.
func (p *place) join(subjects ...string) {
	p.Helper()
	p.users = append(p.users, subjects...)
	p.connect(primary, subjects...)
}

// joinMany adds n users who signed in now: or:0, or:1 and so on.
func (p *place) joinMany(n int) {
	p.Helper()
	for i := range n {
		p.join(fmt.Sprint("or:", i))
	}
}

// stay adds a client that users use now.
func (p *place) stay(subjects ...string) {
	for _, subject := range subjects {
		p.families[subject] = []authserver.Family{client("f", 0)}
	}
}

// run sweeps until the end of the table.
func (p *place) run(want sweep.Report) {
	p.Helper()
	want.Complete = true
	p.runOnce(p.Context(), want)
}

func (p *place) runOnce(ctx context.Context, want sweep.Report) {
	p.Helper()
	got, err := p.sweep().Run(ctx, sweep.Options{DryRun: want.DryRun})
	if err != nil {
		p.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("report (-want +got): %s\n%s", diff, p.log.String())
	}
}

// holds checks that a user has, or has not, a record and tokens at a provider.
func (p *place) holds(id, subject string, want bool) {
	p.Helper()
	_, noRecord := p.records[id].Record(p.Context(), subject)
	_, noTokens := p.tokens[id].Load(p.Context(), subject, "")
	if (noRecord == nil) != want || (noTokens == nil) != want {
		p.Errorf("%s at %s: record %v, tokens %v; want them to exist: %t", subject, id, noRecord, noTokens, want)
	}
}

// client returns a client that a user last used some time ago.
func client(id string, unused time.Duration) authserver.Family {
	return authserver.Family{ID: id, CreatedAt: time.Now().Add(-365 * day), RefreshedAt: time.Now().Add(-unused)}
}
