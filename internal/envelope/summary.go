package envelope

import (
	"context"
	"fmt"
)

// Summary is what is known about a user's tokens without a key.
type Summary struct {
	Known     bool  // whether there are any
	Elsewhere bool  // whether the deployment's other store may have some, too
	Revision  int64 // of the version that was saved last
	OneKey    bool  // whether all versions are sealed with the same key
}

// Summary returns the summary of a user's tokens. It needs no key.
func (t *Tokens) Summary(ctx context.Context, subject string) (Summary, error) {
	p, err := t.store.rows.Pointer(ctx, t.owner(subject))
	if err != nil {
		return Summary{}, fmt.Errorf("find tokens: %w", err)
	}
	last, known := p.newest()
	s := Summary{Known: known, Elsewhere: p.Elsewhere, Revision: last.Revision, OneKey: true}
	for _, v := range p.Kept {
		s.OneKey = s.OneKey && keyIn(v.Version) == keyIn(last.Version)
	}
	return s, nil
}

// keyIn returns the ID and the fingerprint of the key in a version.
func keyIn(version string) [2]string {
	id, fingerprint, _ := KeyOf(version)
	return [2]string{id, fingerprint}
}

// SetElsewhere stores whether the deployment's other store may have tokens of the user. It does
// nothing if the user has no tokens here.
func (t *Tokens) SetElsewhere(ctx context.Context, subject string, elsewhere bool) error {
	err := t.change(ctx, subject, func(p *Pointer) (*Row, []string, error) {
		if p.Change == 0 || p.Elsewhere == elsewhere {
			return nil, nil, errUnchanged
		}
		p.Elsewhere = elsewhere
		return nil, nil, nil
	})
	if err != nil {
		return fmt.Errorf("note where tokens are: %w", err)
	}
	return nil
}

// Current reports whether a version is sealed with the ring's current key.
func (t *Tokens) Current(ctx context.Context, version string) (bool, error) {
	id, fingerprint, ok := KeyOf(version)
	if !ok {
		return false, nil
	}
	k, err := t.store.keys.Current(ctx)
	if err != nil {
		return false, fmt.Errorf("find the current key: %w", err)
	}
	return k.ID == id && k.Fingerprint() == fingerprint, nil
}
