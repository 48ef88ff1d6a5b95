package items

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

const (
	kindTokens = "tokens"
	// mostBytes is the limit of one secret in Secrets Manager, so that all stores accept the same
	// tokens.
	mostBytes = 65_536
	// supersededFor is how long an older version is kept, which is much longer than a call.
	supersededFor = 30 * 24 * time.Hour
	// mostVersions is the maximum number of versions of a user's tokens.
	mostVersions = 100
)

// Grants is the grant.Store of one provider. It seals the tokens, and keeps older versions for a
// month.
type Grants struct {
	store    *Store
	provider string
}

var _ grant.Store = Grants{}

// Grants returns the tokens of a provider, with the same name as for Records.
func (s *Store) Grants(provider string) Grants { return Grants{s, provider} }

// owner returns the owner of a user's tokens. A tab is in no name of a provider.
func (g Grants) owner(subject string) string { return g.provider + "\t" + subject }

func (g Grants) key(subject, version string) Key { return Key{kindTokens, g.owner(subject), version} }

// stored is a version of a user's tokens.
type stored struct {
	Version string
	Key     string // the ID of the key with which Sealed is sealed
	Sealed  []byte
}

// Load returns the tokens of a version, or of the newest for ""; or ErrNotFound. Tokens whose key
// is lost count as missing, so that the user signs in again.
func (g Grants) Load(ctx context.Context, subject, version string) (tokens provider.Tokens, err error) {
	const doing = "read tokens"
	s, err := g.version(ctx, subject, version)
	var plain []byte
	if err == nil {
		plain, err = g.store.unseal(ctx, s.Key, g.label(subject, s.Version), s.Sealed)
	}
	if err == nil {
		err = decode(plain, &tokens)
	}
	return tokens, g.store.failed(doing, err)
}

// Save stores tokens as the newest version. Its name consists of the revision and the writer; a
// name that exists is not saved again. Errors: ErrTooLarge.
func (g Grants) Save(ctx context.Context, subject, writer string, tokens provider.Tokens) (string, error) {
	const doing = "save tokens"
	plain, err := json.Marshal(tokens)
	if err != nil {
		return "", g.store.failed(doing, err)
	}
	if len(plain) > mostBytes {
		return "", grant.ErrTooLarge
	}
	version := strconv.FormatInt(tokens.Revision, 10) + " " + writer
	keyID, sealed, err := g.store.seal(ctx, g.label(subject, version), plain)
	if err != nil {
		return "", g.store.failed(doing, err)
	}
	err = g.store.write(ctx, doing, func(t tx) error {
		exists, err := t.has(g.key(subject, version))
		if err == nil && !exists {
			err = g.supersede(t, subject)
		}
		if err != nil || exists {
			return err
		}
		return t.put(g.key(subject, version), stored{version, keyID, sealed}, never)
	})
	return version, err
}

// version returns a version, or the newest for "". That is the one without an expiry.
func (g Grants) version(ctx context.Context, subject, version string) (s stored, err error) {
	var found []Item
	if version == "" {
		found, err = g.store.engine.List(ctx, Range{Kind: kindTokens, Owner: g.owner(subject)})
		found = slices.DeleteFunc(found, func(i Item) bool { return !i.Expires.IsZero() })
	} else {
		found, err = g.store.engine.Find(ctx, g.key(subject, version))
	}
	ok, err := one(found, err, &s)
	if err == nil && !ok {
		err = grant.ErrNotFound
	}
	return s, err
}

// supersede sets the expiry of the newest version, and removes the oldest ones above the limit.
func (g Grants) supersede(t tx, subject string) error {
	found, err := t.List(Range{Kind: kindTokens, Owner: g.owner(subject), Expired: true})
	if err != nil {
		return err
	}
	for i, version := range found {
		if version.Expires.IsZero() {
			found[i].Expires = g.store.now().Add(supersededFor)
			if err := t.Expire(version.Key, found[i].Expires); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(found, func(a, b Item) int { return a.Expires.Compare(b.Expires) })
	return removeAll(t, found[:max(0, len(found)-mostVersions+1)])
}

func removeAll(t tx, items []Item) error {
	for _, i := range items {
		if err := t.Remove(i.Key); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes all versions, if they exist, and what the engine still has of them.
func (g Grants) Delete(ctx context.Context, subject string) error {
	err := g.store.write(ctx, "delete tokens", func(t tx) error {
		found, err := t.List(Range{Kind: kindTokens, Owner: g.owner(subject), Expired: true})
		if err != nil {
			return err
		}
		return removeAll(t, found)
	})
	if err == nil {
		g.store.engine.Shred(ctx)
	}
	return err
}

// label returns what sealed tokens are bound to: an attacker who can write to the file cannot pass
// the tokens of one user or provider off as those of another.
func (g Grants) label(subject, version string) []byte {
	label, _ := json.Marshal([]string{kindTokens, g.provider, subject, version}) // never fails for strings
	return label
}
