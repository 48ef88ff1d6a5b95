package items

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
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
	SavedAt  time.Time
}

// sealed is the item of a version.
type sealed struct{ Sealed []byte }

// nameOfVersion returns the name of what a call saves, with the ID of the key that seals it. A call
// that is repeated after the key has changed finds its version by the other two parts.
func nameOfVersion(revision int64, key, writer string) string {
	return strconv.FormatInt(revision, 10) + "." + key + "." + writer
}

// partsOf returns the parts of a version's name, or false.
func partsOf(name string) (revision, key, writer string, ok bool) {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) != 3 {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// Load returns the tokens of a version, or of the newest for ""; or ErrNotFound. Tokens that were
// changed count as missing, so that the user signs in again.
func (g Grants) Load(ctx context.Context, subject, version string) (tokens provider.Tokens, err error) {
	const doing = "load tokens"
	if version == "" {
		version, err = g.newest(ctx, subject)
	}
	_, key, _, ok := partsOf(version)
	switch {
	case err != nil:
		return tokens, g.store.failed(doing, err)
	case !ok:
		return tokens, grant.ErrNotFound
	}
	var s sealed
	if err := g.store.get(ctx, doing, g.key(subject, version), &s, grant.ErrNotFound); err != nil {
		if errors.Is(err, ErrUnreadable) {
			err = g.store.refuse(ctx)
		}
		return tokens, err
	}
	plain, err := g.store.unseal(ctx, key, g.label(subject, version), s.Sealed)
	if err == nil {
		tokens, err = grant.DecodeTokens(string(plain))
	}
	return tokens, g.store.failed(doing, err)
}

// newest returns the name of the version that was saved last, or ErrNotFound.
func (g Grants) newest(ctx context.Context, subject string) (string, error) {
	var x index
	found, err := g.store.engine.Find(ctx, g.indexKey(subject))
	if _, err := one(found, err, &x); err != nil {
		return "", err
	}
	if len(x.Versions) == 0 {
		return "", grant.ErrNotFound
	}
	return x.Versions[len(x.Versions)-1].Name, nil
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
	own := nameOfVersion(tokens.Revision, key, writer)
	label, now := g.label(subject, own), g.store.now()
	s := sealed{box(label).Seal(nil, nil, []byte(plain), label)}
	err = g.store.write(ctx, doing, func(t tx) error {
		var x index
		exists, err := t.find(g.indexKey(subject), &x)
		if err == nil && g.existing && !exists {
			err = errNone
		}
		if err != nil {
			return err
		}
		if name = x.savedBy(tokens.Revision, writer); name != "" {
			return nil
		}
		name = own
		for _, old := range x.add(version{own, tokens.Revision, now}) {
			if err := t.Remove(g.key(subject, old)); err != nil {
				return err
			}
		}
		t.New(g.key(subject, own))
		if err := t.put(g.key(subject, own), s, never); err != nil {
			return err
		}
		return t.put(g.indexKey(subject), x, never)
	})
	if err != nil {
		return "", err
	}
	return name, nil
}

// savedBy returns the name of the version that a writer has saved, or "".
func (x *index) savedBy(revision int64, writer string) string {
	for _, v := range x.Versions {
		if r, _, by, ok := partsOf(v.Name); ok && r == strconv.FormatInt(revision, 10) && by == writer {
			return v.Name
		}
	}
	return ""
}

// add adds a version as the newest. It returns the names that it has removed, at most mostRemoved.
//
// A call saves revision n after it has seen the record at n-1, so no record names another revision
// than these two, once the calls have ended that were running then.
func (x *index) add(v version) (removed []string) {
	later := map[int64]int{} // settled versions of a revision that were saved after the one that is looked at
	var stay []version
	next := v
	for _, old := range slices.Backward(x.Versions) {
		goes := v.SavedAt.Sub(next.SavedAt) >= settled
		next = old
		if goes && (old.Revision == v.Revision || old.Revision == v.Revision-1) {
			later[old.Revision]++
			goes = old.Revision == v.Revision && later[old.Revision] > mostOfOne
		}
		if goes && len(removed) < mostRemoved {
			removed = append(removed, old.Name)
		} else {
			stay = append(stay, old)
		}
	}
	slices.Reverse(stay)
	stay = append(stay, v)
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
		err := g.store.write(ctx, "delete tokens", func(t tx) error {
			var x index
			exists, err := t.find(g.indexKey(subject), &x)
			if done = len(x.Versions) <= mostRemoved; err != nil && !errors.Is(err, ErrUnreadable) || err == nil && !exists {
				return err
			}
			some := x.Versions[:min(len(x.Versions), mostRemoved)]
			for _, v := range some {
				if err := t.Remove(g.key(subject, v.Name)); err != nil {
					return err
				}
			}
			if done {
				return t.Remove(g.indexKey(subject))
			}
			return t.put(g.indexKey(subject), index{x.Versions[len(some):]}, never)
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
