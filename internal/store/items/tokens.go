package items

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

const (
	kindTokens = "tokens"
	// settled is longer than any call. Of a version that was followed by another so long ago, every
	// call has ended that saw a record with it then.
	settled = time.Hour
	// mostOfOne is the maximum number of settled versions of one revision. They pile up only if
	// records cannot be written while tokens can.
	mostOfOne = 20
	// mostRemoved limits what one write removes, because a table limits the bytes of a transaction.
	mostRemoved = 20
)

// Grants is the grant.Store of one provider. It seals the tokens. An older version stays as long as
// a record could name it.
type Grants struct {
	store    *Store
	provider string
	existing bool
}

var _ grant.Store = Grants{}

// Grants returns the tokens of a provider, with the same name as for Records.
func (s *Store) Grants(provider string) Grants { return Grants{store: s, provider: provider} }

// Existing returns the same tokens for a function that only refreshes them. Its Save fails if the
// user has none: the user has disconnected. Its Delete does nothing: the function that ends
// sign-ins deletes the record of a grant before the tokens, so what a refresh added in between is
// deleted with them.
func (g Grants) Existing() Grants {
	g.existing = true
	return g
}

// owner returns the owner of a user's tokens. A tab is in no name of a provider.
func (g Grants) owner(subject string) string { return g.provider + "\t" + subject }

func (g Grants) key(subject, version string) Key { return Key{kindTokens, g.owner(subject), version} }

// indexKey returns the key of the item that lists a user's versions. No version has its name.
func (g Grants) indexKey(subject string) Key { return g.key(subject, "index") }

// index lists the versions of a user's tokens.
type index struct{ Versions []version } // in the order in which they were saved

type version struct {
	Name     string
	Revision int64
	Writer   string
	SavedAt  time.Time
}

// Load returns the tokens of a version, or of the newest for ""; or ErrNotFound. Tokens that were
// changed count as missing, so that the user signs in again.
func (g Grants) Load(ctx context.Context, subject, version string) (tokens provider.Tokens, err error) {
	const doing = "load tokens"
	if version == "" {
		var x index
		if err := g.store.get(ctx, doing, g.indexKey(subject), &x, grant.ErrNotFound); err != nil {
			return tokens, err
		}
		for _, v := range x.Versions {
			version = v.Name
		}
	}
	var s sealed
	if err := g.store.get(ctx, doing, g.key(subject, version), &s, grant.ErrNotFound); err != nil {
		if errors.Is(err, ErrUnreadable) {
			err = g.store.refuse(ctx)
		}
		return tokens, err
	}
	plain, err := g.store.unseal(ctx, g.label(subject, version), s)
	if err == nil {
		tokens, err = grant.DecodeTokens(string(plain))
	}
	return tokens, g.store.failed(doing, err)
}

var errNone = errors.New("the user has no tokens")

// Save stores tokens as the newest version. A revision that a writer has saved is not saved again.
// Errors: ErrTooLarge.
func (g Grants) Save(ctx context.Context, subject, writer string, tokens provider.Tokens) (name string, err error) {
	const doing = "save tokens"
	plain, err := grant.EncodeTokens(tokens)
	if err != nil {
		return "", g.store.failed(doing, err)
	}
	key, box, err := g.store.sealing(ctx)
	if err != nil {
		return "", g.store.failed(doing, err)
	}
	// The name has the key, so that an operator sees from the table which keys are in use.
	own := version{fmt.Sprintf("%d.%s.%s", tokens.Revision, key, writer), tokens.Revision, writer, g.store.now()}
	label := g.label(subject, own.Name)
	s := sealed{key, box(label).Seal(nil, nil, []byte(plain), label)}
	err = g.store.write(ctx, doing, func(t *tx) {
		var x index
		t.refuse(!t.find(g.indexKey(subject), &x) && g.existing, errNone)
		name = own.Name
		if i := slices.IndexFunc(x.Versions, func(v version) bool { return v.Revision == own.Revision && v.Writer == writer }); i >= 0 {
			name = x.Versions[i].Name // the key may have changed since
			return
		}
		for _, old := range x.add(own) {
			t.remove(g.key(subject, old))
		}
		t.New(g.key(subject, name))
		t.put(g.key(subject, name), s, never)
		t.put(g.indexKey(subject), x, never)
	})
	if err != nil {
		return "", err
	}
	return name, nil
}

// add adds a version as the newest. It returns the names that it has removed, at most mostRemoved.
//
// A call saves revision n after it has seen the record at n-1, so no record names another revision
// than these two, once the calls have ended that were running then.
func (x *index) add(v version) (removed []string) {
	later := 0 // settled versions of this revision that were saved after the one that is looked at
	stay, next := []version{v}, v
	for _, old := range slices.Backward(x.Versions) {
		goes := v.SavedAt.Sub(next.SavedAt) >= settled && old.Revision != v.Revision-1
		next = old
		if goes && old.Revision == v.Revision {
			later++
			goes = later > mostOfOne
		}
		if goes && len(removed) < mostRemoved {
			removed = append(removed, old.Name)
		} else {
			stay = append(stay, old)
		}
	}
	slices.Reverse(stay)
	x.Versions = stay
	return removed
}

// Delete removes all versions, if they exist, and what the engine still has of them. It removes
// some of them in each write, the oldest first and the index last.
func (g Grants) Delete(ctx context.Context, subject string) error {
	if g.existing {
		return nil
	}
	for done := false; !done; {
		err := g.store.write(ctx, "delete tokens", func(t *tx) {
			var x index
			t.find(g.indexKey(subject), &x)
			if errors.Is(t.err, ErrUnreadable) {
				t.err = nil
			}
			some := x.Versions[:min(len(x.Versions), mostRemoved)]
			for _, v := range some {
				t.remove(g.key(subject, v.Name))
			}
			if done = len(some) == len(x.Versions); done {
				t.remove(g.indexKey(subject))
			} else {
				t.put(g.indexKey(subject), index{x.Versions[len(some):]}, never)
			}
		})
		if err != nil {
			return err
		}
	}
	if e, ok := g.store.engine.(fileEngine); ok {
		e.Shred(ctx)
	}
	return nil
}

// label returns what sealed tokens are bound to: an attacker who can write items cannot pass the
// tokens of one user, provider or deployment off as those of another.
func (g Grants) label(subject, version string) []byte {
	return labelOf(kindTokens, g.store.stack, g.provider, subject, version)
}
