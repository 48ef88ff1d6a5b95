package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// demoLinks remembers which of the demo's people have been linked to their GitHub, or were found
// linked. Who unlinks GitHub afterwards stays unlinked.
type demoLinks struct {
	ledger Ledger // remembers them after a restart; may be nil

	mu      sync.Mutex
	settled map[string]bool // by subject
}

// links returns s with records of GitHub in which the demo's people are linked already, except one
// who has not done so yet. A person is linked at the first look at the person's record, because a
// start must not wait for the stores, nor make the data of a GitHub that no caller uses.
func (d demo) links(log *slog.Logger, hub *githubServer, s storage) storage {
	keeper := newKeeper(s, log, hub.providers(Name)[0], false)
	all := s.records
	s.records = func(providerID string) grant.Records {
		if providerID != githubauth.ProviderID {
			return all(providerID)
		}
		return demoRecords{all(providerID), d, keeper}
	}
	return s
}

// demoRecords are the records of the demo's GitHub.
type demoRecords struct {
	grant.Records
	demo   demo
	keeper *grant.Keeper // of the records without the demo
}

// Record implements grant.Records.
func (r demoRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	user, ok := r.demo.githubUser(subject)
	if !ok || r.demo.linked.has(subject) {
		return r.Records.Record(ctx, subject)
	}
	r.demo.linked.mu.Lock()
	defer r.demo.linked.mu.Unlock()
	record, err := r.Records.Record(ctx, subject)
	if errors.Is(err, grant.ErrNotFound) && !r.demo.linked.settled[subject] {
		of := provider.Identity{Subject: githubauth.Subject(user.ID), Name: user.Login}
		record, err = r.keeper.Link(ctx, subject, of, provider.Tokens{AccessToken: user.Token, Scope: user.Scope})
	}
	if err == nil {
		r.demo.linked.settle(subject)
	}
	return record, err
}

// settle remembers a person. The caller has locked l.
func (l *demoLinks) settle(subject string) {
	l.settled[subject] = true
	if l.ledger != nil {
		l.ledger.Save(subject, []byte("true"))
	}
}

func (l *demoLinks) has(subject string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.settled[subject] && l.ledger != nil {
		l.settled[subject] = l.ledger.Load(subject) != nil
	}
	return l.settled[subject]
}

// githubUser returns the GitHub user of the person with a subject, if the person has linked GitHub.
func (d demo) githubUser(subject string) (githubsandbox.Person, bool) {
	for _, person := range d.sandbox.People() {
		if launchpad.Subject(person.IdentityID) != subject {
			continue
		}
		for _, user := range d.github.People() {
			if user.Name == person.Name && user.Token != "" {
				return user, true
			}
		}
	}
	return githubsandbox.Person{}, false
}
