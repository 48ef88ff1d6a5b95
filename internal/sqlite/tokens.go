package sqlite

import (
	"context"
	"encoding/json"
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

func (g Grants) key(subject, version string) key { return key{kindTokens, g.owner(subject), version} }

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
	var found []string
	now := g.store.now().UnixNano()
	if version == "" {
		found, err = bodies(ctx, g.store.reader.QueryContext, "SELECT body FROM items WHERE kind = ? AND owner = ? AND (expires IS NULL OR expires > ?) ORDER BY id DESC LIMIT 1",
			kindTokens, g.owner(subject), now)
	} else {
		found, err = bodies(ctx, g.store.reader.QueryContext, "SELECT body FROM items WHERE kind = ? AND owner = ? AND name = ? AND (expires IS NULL OR expires > ?)",
			kindTokens, g.owner(subject), version, now)
	}
	if err == nil && len(found) == 0 {
		err = grant.ErrNotFound
	}
	var s stored
	if err == nil {
		err = decode(found[0], &s)
	}
	var plain []byte
	if err == nil {
		plain, err = g.store.unseal(ctx, s.Key, g.label(subject, s.Version), s.Sealed)
	}
	if err == nil {
		err = decode(string(plain), &tokens)
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
	err = g.store.write(ctx, doing, func(t *tx) error {
		exists, err := t.has(g.key(subject, version))
		if err != nil || exists {
			return err
		}
		return first(
			func() error {
				return t.exec("UPDATE items SET expires = ? WHERE kind = ? AND owner = ? AND expires IS NULL",
					t.now.Add(supersededFor).UnixNano(), kindTokens, g.owner(subject))
			},
			func() error {
				return t.exec(`DELETE FROM items WHERE kind = ?1 AND owner = ?2 AND id <= (
					SELECT id FROM items WHERE kind = ?1 AND owner = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`,
					kindTokens, g.owner(subject), mostVersions-1)
			},
			func() error { return t.put(g.key(subject, version), stored{version, keyID, sealed}, never) },
		)
	})
	return version, err
}

// Delete removes all versions, if they exist, and what the files still have of them.
func (g Grants) Delete(ctx context.Context, subject string) error {
	err := g.store.write(ctx, "delete tokens", func(t *tx) error {
		return t.exec("DELETE FROM items WHERE kind = ? AND owner = ?", kindTokens, g.owner(subject))
	})
	if err == nil {
		g.store.shred(ctx)
	}
	return err
}

// label returns what sealed tokens are bound to: an attacker who can write to the file cannot pass
// the tokens of one user or provider off as those of another.
func (g Grants) label(subject, version string) []byte {
	label, _ := json.Marshal([]string{kindTokens, g.provider, subject, version}) // never fails for strings
	return label
}
