package local

import (
	"context"
	"errors"
	"sync"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// demoLinks remembers which of the demo's people have been linked to their GitHub, or were found
// linked. Who unlinks GitHub afterwards stays unlinked.
type demoLinks struct {
	ledger *sandbox.Ledger // remembers them after a restart; may be nil

	mu      sync.Mutex
	settled map[string]bool // by subject
}

// Records returns the records of GitHub in which the demo's people are linked.
func (d Demo) Records(all grant.Records, keeper *grant.Keeper) grant.Records {
	return demoRecords{all, d, keeper}
}

// demoRecords are the records of the demo's GitHub.
type demoRecords struct {
	grant.Records
	demo   Demo
	keeper *grant.Keeper // of the records without the demo
}

// Record implements grant.Records.
func (r demoRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	user, ok := r.demo.GitHubUser(subject)
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

// GitHubUser returns the GitHub user of the person with a subject, if the person has linked GitHub.
func (d Demo) GitHubUser(subject string) (githubsandbox.Person, bool) {
	for _, person := range d.Sandbox.People() {
		if launchpad.Subject(person.IdentityID) != subject {
			continue
		}
		for _, user := range d.GitHub.People() {
			if user.Name == person.Name && user.Token != "" {
				return user, true
			}
		}
	}
	return githubsandbox.Person{}, false
}
