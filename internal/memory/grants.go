package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

const (
	// mostBytes is the limit of one secret in Secrets Manager, so that both stores accept the same
	// tokens.
	mostBytes = 65_536
	// mostVersions and supersededFor limit how many older versions of a user's tokens are kept,
	// and for how long. supersededFor is much longer than a call, so no running call needs a
	// removed version.
	mostVersions  = 100
	supersededFor = 30 * 24 * time.Hour
)

// Grants is the grant.Store of one provider. It removes versions a month after a newer one was
// saved. It is safe for concurrent use.
type Grants struct {
	now func() time.Time

	mu     sync.Mutex
	people map[string][]version // by subject; the newest is last
}

// version is the result of one Save.
type version struct {
	name         string
	tokens       provider.Tokens
	supersededAt time.Time // zero for the newest
}

var _ grant.Store = (*Grants)(nil)

// NewGrants returns an empty store. now returns the time; nil means the real time.
func NewGrants(now func() time.Time) *Grants {
	if now == nil {
		now = time.Now
	}
	return &Grants{now: now, people: map[string][]version{}}
}

// Load returns the tokens of a version, or of the newest for ""; or ErrNotFound.
func (s *Grants) Load(ctx context.Context, subject, name string) (provider.Tokens, error) {
	if err := ctx.Err(); err != nil {
		return provider.Tokens{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.people[subject]
	if name == "" && len(kept) > 0 {
		return kept[len(kept)-1].tokens, nil
	}
	if i := slices.IndexFunc(kept, func(v version) bool { return v.name == name }); i >= 0 {
		return kept[i].tokens, nil
	}
	return provider.Tokens{}, grant.ErrNotFound
}

// Save stores tokens as the newest version. Its name consists of the revision and the writer; a
// name that exists is not saved again. Errors: ErrTooLarge.
func (s *Grants) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	stored, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("save tokens: %w", err)
	}
	if len(stored) > mostBytes {
		return "", grant.ErrTooLarge
	}
	name := strconv.FormatInt(t.Revision, 10) + " " + writer

	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.people[subject]
	if slices.ContainsFunc(kept, func(v version) bool { return v.name == name }) {
		return name, nil
	}
	now := s.now()
	if n := len(kept); n > 0 {
		kept[n-1].supersededAt = now
	}
	kept = slices.DeleteFunc(kept, func(v version) bool { return now.Sub(v.supersededAt) > supersededFor })
	kept = append(kept, version{name: name, tokens: t})
	s.people[subject] = kept[max(0, len(kept)-mostVersions):]
	return name, nil
}

// Delete removes all versions, if they exist.
func (s *Grants) Delete(ctx context.Context, subject string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.people, subject)
	return nil
}
