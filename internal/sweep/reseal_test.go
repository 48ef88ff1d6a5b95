package sweep_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/sweep"
)

// sealing is a Store that seals tokens. Its versions name their user, by whom it answers.
type sealing struct {
	grant.Store
	outdated map[string]bool
	asked    func(subject string) error
}

func (s *sealing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	version, err := s.Store.Save(ctx, subject, writer, t)
	return subject + "/" + version, err
}

func (s *sealing) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	return s.Store.Load(ctx, subject, strings.TrimPrefix(version, subject+"/"))
}

func (s *sealing) Current(_ context.Context, version string) (bool, error) {
	subject, _, _ := strings.Cut(version, "/")
	return !s.outdated[subject], s.asked(subject)
}

func (*sealing) Prune(context.Context, string, string) (bool, error) { return false, nil }

func TestSweep_SealsTheTokensOfUsersWhoStayAgain(t *testing.T) {
	for name, test := range map[string]struct {
		want     sweep.Report
		resealed []string
	}{
		"a run":     {sweep.Report{Complete: true, Users: 6, Ended: 1, Resealed: 1, Busy: 1, Failed: 1}, []string{"or:1"}},
		"a dry run": {sweep.Report{DryRun: true, Complete: true, Users: 6, Ended: 1, Resealed: 3, Failed: 1}, nil},
	} {
		in(t, func(p *place) {
			p.sealed = &sealing{Store: p.tokens[primary], outdated: map[string]bool{"or:1": true, "or:3": true, "or:4": true, "or:5": true, "or:6": true}}
			p.join("or:1", "or:2", "or:3", "or:4", "or:5", "or:6")
			time.Sleep(day)
			sealed := map[string]string{}
			p.stay(p.users[:5]...)
			for _, stays := range p.users[:5] {
				sealed[stays] = p.version(stays)
			}
			p.sealed.asked = func(subject string) error {
				switch {
				case subject == "or:5":
					return errDown
				case test.want.DryRun:
				case subject == "or:3": // is refreshed meanwhile
					record, _ := p.records[primary].Record(p.Context(), subject)
					_, err := p.records[primary].SaveRecord(p.Context(), record)
					return err
				case subject == "or:4": // has lost the tokens
					return p.tokens[primary].Delete(p.Context(), subject)
				}
				return nil
			}
			p.run(test.want)
			var resealed []string
			for _, subject := range p.users[:5] {
				if p.version(subject) != sealed[subject] {
					resealed = append(resealed, subject)
				}
			}
			if diff := cmp.Diff(test.resealed, resealed); diff != "" {
				p.Errorf("%s: %s", name, diff)
			}
		})
	}
}

// version returns the version of the tokens that a user's record names.
func (p *place) version(subject string) string {
	p.Helper()
	record, err := p.records[primary].Record(p.Context(), subject)
	if err != nil {
		p.Error(err)
	}
	return record.Version
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
