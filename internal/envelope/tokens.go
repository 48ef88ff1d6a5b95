package envelope

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pause"
	"basecamp-mcp/internal/provider"
)

// tries is how often a call starts again after another call has written the same user's pointer.
const tries = 12

// errBusy means that other calls kept writing the same pointer.
var errBusy = errors.New("too many calls are saving tokens of this user")

var _ grant.Store = (*Tokens)(nil)

// Tokens is the grant.Store of one provider. Tokens that were changed in the table count as
// missing, so that the user signs in again; tokens whose key is missing are an error, because the
// operator can put the key back.
type Tokens struct {
	config   Config
	provider string
}

func (t *Tokens) owner(subject string) Owner { return Owner{t.provider, subject} }

// Load implements grant.Store.
func (t *Tokens) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	found, err := t.load(ctx, subject, version)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		err = fmt.Errorf("load tokens: %w", err)
	}
	return found, err
}

func (t *Tokens) load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	if version == "" {
		return t.newest(ctx, subject)
	}
	if !isName(version) {
		return provider.Tokens{}, grant.ErrNotFound
	}
	row, err := t.config.Rows.Row(ctx, t.owner(subject), version)
	if err != nil {
		return provider.Tokens{}, err
	}
	return t.open(ctx, subject, row)
}

// newest returns the tokens that were saved last. If their row is missing, another call may have
// removed it after the pointer was read.
func (t *Tokens) newest(ctx context.Context, subject string) (provider.Tokens, error) {
	var before Pointer
	for range tries {
		p, err := t.config.Rows.Pointer(ctx, t.owner(subject))
		if err != nil {
			return provider.Tokens{}, err
		}
		last, ok := p.newest()
		switch {
		case !ok:
			return provider.Tokens{}, grant.ErrNotFound
		case p.Change == before.Change || !isName(last.Version):
			return provider.Tokens{}, t.refuse(ctx, subject, "the pointer names a row that does not exist")
		}
		row, err := t.config.Rows.Row(ctx, t.owner(subject), last.Version)
		switch {
		case errors.Is(err, grant.ErrNotFound):
			before = p
			continue
		case err != nil:
			return provider.Tokens{}, err
		case row.Revision != last.Revision:
			return provider.Tokens{}, t.refuse(ctx, subject, "the pointer and the row disagree about the revision")
		}
		return t.open(ctx, subject, row)
	}
	return provider.Tokens{}, errBusy
}

// open unseals a row. It returns grant.ErrNotFound if the row is refused.
func (t *Tokens) open(ctx context.Context, subject string, row Row) (provider.Tokens, error) {
	fingerprint, ok := keyOf(row.Version)
	if !ok {
		return provider.Tokens{}, t.refuse(ctx, subject, "the version names no key")
	}
	k, err := t.config.Keys.Key(ctx, fingerprint)
	switch {
	case errors.Is(err, ErrNoKey):
		return provider.Tokens{}, fmt.Errorf("%w with fingerprint %s: put it back into the ring", ErrNoKey, fingerprint)
	case err != nil:
		return provider.Tokens{}, err
	}
	text, err := t.label(subject, row).open(k, row.Sealed)
	if err != nil {
		return provider.Tokens{}, t.refuse(ctx, subject, "the row was changed, or belongs to another place")
	}
	return grant.DecodeTokens(text)
}

// refuse reports stored tokens that must not be used, and returns grant.ErrNotFound.
func (t *Tokens) refuse(ctx context.Context, subject, why string) error {
	t.config.Log.ErrorContext(ctx, "stored tokens were refused, so the user must sign in again",
		"provider", t.provider, "person", identity.Alias(subject), "reason", why)
	return grant.ErrNotFound
}

// Save implements grant.Store. A repeated Save returns the version of the first one, also if the
// ring's current key has changed since. Save removes older versions that no record can name any
// more.
func (t *Tokens) Save(ctx context.Context, subject, writer string, tokens provider.Tokens) (string, error) {
	return t.save(ctx, subject, writer, tokens, func(Pointer) error { return nil })
}

func (t *Tokens) save(
	ctx context.Context, subject, writer string, tokens provider.Tokens, may func(Pointer) error,
) (version string, err error) {
	text, k, err := t.prepare(ctx, tokens)
	if err == nil {
		err = t.change(ctx, subject, func(p *Pointer) (*Row, []string, error) {
			save, now := saveID(subject, tokens.Revision, writer), t.config.Now().UTC().Truncate(time.Second)
			i := slices.IndexFunc(p.Kept, func(v Kept) bool { return saveOf(v.Version) == save })
			if i >= 0 {
				version = p.Kept[i].Version
				return nil, nil, p.renew(i, now)
			}
			if err := may(*p); err != nil {
				return nil, nil, err
			}
			version = name(k, save)
			row := t.seal(k, subject, Row{Version: version, Revision: tokens.Revision}, text)
			remove := p.add(Kept{version, tokens.Revision, now})
			return &row, remove, nil
		})
	}
	if err != nil {
		return "", fmt.Errorf("save tokens: %w", err)
	}
	return version, nil
}

// prepare returns the text of tokens, and the key to seal it with.
func (t *Tokens) prepare(ctx context.Context, tokens provider.Tokens) (text string, k Key, err error) {
	if text, err = grant.EncodeTokens(tokens); err != nil {
		return "", Key{}, err
	}
	if k, err = t.config.Keys.Current(ctx); err != nil {
		return "", Key{}, err
	}
	return text, k, nil
}

// Delete implements grant.Store.
func (t *Tokens) Delete(ctx context.Context, subject string) error {
	if err := t.config.Rows.Delete(ctx, t.owner(subject)); err != nil {
		return fmt.Errorf("delete tokens: %w", err)
	}
	return nil
}

// errUnchanged ends a change without a write.
var errUnchanged = errors.New("nothing to write")

// change rewrites a user's pointer. edit changes the pointer, and returns the row to add, if any,
// and the versions to remove; it is called again if another call wrote first. If it returns
// errUnchanged, nothing is written.
func (t *Tokens) change(ctx context.Context, subject string, edit func(*Pointer) (*Row, []string, error)) error {
	o := t.owner(subject)
	for try := range tries {
		if err := pauseBefore(ctx, try); err != nil {
			return err
		}
		p, err := t.config.Rows.Pointer(ctx, o)
		if err != nil {
			return err
		}
		add, remove, err := edit(&p)
		if errors.Is(err, errUnchanged) {
			return nil
		}
		if err == nil {
			err = t.config.Rows.Write(ctx, o, p, add, remove)
		}
		if !errors.Is(err, grant.ErrConflict) {
			return err
		}
	}
	return errBusy
}

// pauseBefore waits before every try except the first. The pause is random, so that calls that
// conflicted do not conflict again.
func pauseBefore(ctx context.Context, try int) error {
	if try == 0 {
		return nil
	}
	most := 10 * time.Millisecond << min(try, 3)
	return pause.For(ctx, rand.N(most))
}

var errNone = errors.New("the user has no tokens")

// Existing returns the same tokens for a function that only refreshes them. Its Save fails if the
// user has none: the user has disconnected. Its Delete does nothing: the function that ends
// sign-ins deletes the record of a grant before the tokens, so what a refresh added in between is
// deleted with them.
func (t *Tokens) Existing() grant.Store { return existing{t} }

type existing struct{ *Tokens }

func (e existing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	return e.save(ctx, subject, writer, t, func(p Pointer) error {
		if p.Change == 0 {
			return errNone
		}
		return nil
	})
}

func (existing) Delete(context.Context, string) error { return nil }
