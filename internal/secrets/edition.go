package secrets

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/envelope"
)

// Settled is how long a ring must be unchanged before a key of it becomes current or is dropped:
// twice as long as a Ring caches its secret.
const Settled = 2 * fresh

// ErrRingChanged means that another operator has changed the ring in the meantime.
var ErrRingChanged = errors.New("it was changed by another command in the meantime; look at its status and try again")

// Edition is a version of a key ring that an operator reads and changes. Its methods Add, Use and
// Drop change only the Edition; Save stores it. It is for one goroutine.
type Edition struct {
	secret  ringSecret
	version string // its ID
	stored  time.Time
	now     time.Time // by the clock of the service
	ring    ringText
	history history
}

// history has the times that a ring keeps for operators. No decision depends on them, because a
// ring may lack them.
type history struct {
	Added    map[string]time.Time // by ID, also of dropped keys
	Switched time.Time            // when the current key became current
}

// ReadEdition reads the version of a key ring that is in use.
func ReadEdition(ctx context.Context, client *secretsmanager.Client, name string) (*Edition, error) {
	secret := ringSecret{client, name}
	v, err := secret.version(ctx, inUse)
	if err != nil {
		return nil, err
	}
	ring, err := parseRing(v.text)
	if err != nil {
		return nil, invalidRing(name, err)
	}
	return &Edition{secret: secret, version: v.id, stored: v.stored, now: v.now, ring: ring, history: historyOf(ring)}, nil
}

// historyOf returns the times in a ring. What cannot be read counts as absent.
func historyOf(ring ringText) (h history) {
	if json.Unmarshal(ring.members["added"], &h.Added) != nil || h.Added == nil {
		h.Added = map[string]time.Time{}
	}
	if json.Unmarshal(ring.members["switched"], &h.Switched) != nil {
		h.Switched = time.Time{}
	}
	return h
}

// Stored returns when this version was stored.
func (e *Edition) Stored() time.Time { return e.stored }

// Switched returns when the current key became current, or the zero time if the ring does not say.
func (e *Edition) Switched() time.Time { return e.history.Switched }

// Added returns when a key was added, or the zero time if the ring does not say.
func (e *Edition) Added(id string) time.Time { return e.history.Added[id] }

// Current returns the ID of the key that seals new tokens.
func (e *Edition) Current() string { return e.ring.current }

// Keys returns all keys, by ID.
func (e *Edition) Keys() map[string]envelope.Key {
	keys := make(map[string]envelope.Key, len(e.ring.keys))
	for id := range e.ring.keys {
		keys[id] = e.ring.key(id)
	}
	return keys
}

// IDs returns the IDs of all keys, the oldest first.
func (e *Edition) IDs() []string {
	return e.ring.ids()
}

// Next returns the newest key if it has not been current yet, or an empty string.
func (e *Edition) Next() string {
	ids := e.IDs()
	if newest := ids[len(ids)-1]; number(newest) > number(e.ring.current) {
		return newest
	}
	return ""
}

// Add adds a new key, which is not current, and returns its ID. No earlier key had this ID, so that
// it names one key for ever.
func (e *Edition) Add() (id string, err error) {
	highest := 0
	for id := range e.ring.keys {
		highest = max(highest, number(id))
	}
	for id := range e.history.Added {
		highest = max(highest, number(id))
	}
	id = fmt.Sprintf("k%d", highest+1)
	secret := make([]byte, 48)
	_, _ = rand.Read(secret) // never fails
	e.ring.keys[id] = base64.RawURLEncoding.EncodeToString(secret)
	e.history.Added[id] = e.now
	return id, e.ring.set(id, e.ring.keys[id])
}

// Use makes a key current. It is an error if the ring does not have the key, or changed within the
// last ten minutes: then functions may not know the key yet.
func (e *Edition) Use(id string) error {
	if err := e.check(id); err != nil {
		return err
	}
	if err := e.settled(id + " becomes current"); err != nil {
		return err
	}
	e.ring.current, e.history.Switched = id, e.now
	return e.ring.set("current", id)
}

// Drop removes a key. It is an error if the ring does not have the key, if the key is current, or
// if the ring changed within the last ten minutes: then functions may still seal with the key.
func (e *Edition) Drop(id string) error {
	if err := e.check(id); err != nil {
		return err
	}
	if id == e.ring.current {
		return fmt.Errorf("%s is the current key; make another key current first", id)
	}
	if err := e.settled(id + " is dropped"); err != nil {
		return err
	}
	delete(e.ring.keys, id)
	delete(e.ring.members, id)
	return nil
}

func (e *Edition) check(id string) error {
	if !e.ring.has(id) {
		return fmt.Errorf("the key ring has no key %q; its keys are %s", id, strings.Join(e.IDs(), ", "))
	}
	return nil
}

// settled returns an error if the ring changed within the last ten minutes. It goes by the time of
// the secret's version, which is also right after a change without this package.
func (e *Edition) settled(before string) error {
	if ready := e.stored.Add(Settled); e.now.Before(ready) {
		return fmt.Errorf("the key ring was changed at %s; wait until %s before %s, because functions cache the ring",
			clock(e.stored), clock(ready), before)
	}
	return nil
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// Save stores the Edition. It returns ErrRingChanged if another version is in use than the one
// that was read.
func (e *Edition) Save(ctx context.Context) error {
	text, err := e.text()
	if err != nil {
		return fmt.Errorf("%s: %w", e.secret.storing(), err)
	}
	return e.secret.store(ctx, e.version, text)
}

// text returns the Edition as the text of a secret. A key whose time of addition is unknown was
// added when the version was stored, or earlier.
func (e *Edition) text() (string, error) {
	for id := range e.ring.keys {
		if e.history.Added[id].IsZero() {
			e.history.Added[id] = e.stored.UTC()
		}
	}
	if err := e.ring.set("added", e.history.Added); err != nil {
		return "", err
	}
	if !e.history.Switched.IsZero() {
		if err := e.ring.set("switched", e.history.Switched); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(e.ring.members)
	return string(text), err
}

// Restoration is a way back to the previous version of a key ring.
type Restoration struct {
	// Useful reports whether the version in use is not valid, or lacks keys of the previous one.
	Useful bool
	// Lost are the keys that the previous version does not have, or has with another secret.
	Lost []envelope.Key

	secret ringSecret
	old    string // the ID of the version in use
	text   string // of the previous one
}

// ReadRestoration compares the version of a key ring that is in use with the one before. It is an
// error if the one before is not valid.
func ReadRestoration(ctx context.Context, client *secretsmanager.Client, name string) (*Restoration, error) {
	secret := ringSecret{client, name}
	old, err := secret.version(ctx, inUse)
	if err != nil {
		return nil, err
	}
	next, err := secret.version(ctx, replaced)
	if err != nil {
		return nil, err
	}
	previous, err := parseRing(next.text)
	if err != nil {
		return nil, fmt.Errorf("the previous version of key ring %s: %w", name, err)
	}
	r := &Restoration{Useful: true, secret: secret, old: old.id, text: next.text}
	if now, err := parseRing(old.text); err == nil {
		r.Useful = len(previous.without(now)) > 0
		r.Lost = now.without(previous)
	}
	return r, nil
}

// Save stores the previous version again. It returns ErrRingChanged if the ring has changed since
// it was read. It makes a new version, because the time of its storage says when functions know the
// ring: until then, no key may become current or be dropped.
func (r *Restoration) Save(ctx context.Context) error {
	return r.secret.store(ctx, r.old, r.text)
}

// without returns the keys that the other ring does not have, the oldest first.
func (r *ringText) without(other ringText) (keys []envelope.Key) {
	for _, id := range r.ids() {
		if other.keys[id] != r.keys[id] {
			keys = append(keys, r.key(id))
		}
	}
	return keys
}
