package items

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

const (
	kindMarks = "marks"
	// marksLife is how long marks are kept after a write: the longest life of a family.
	marksLife = 180 * 24 * time.Hour
	// mostSessions is the number of ended sessions in the marks of a family. Marks are read with every
	// request, so they stay small.
	mostSessions = 40
)

func marksKey(family string) Key { return Key{kindMarks, "", family} }

// marks are what the MCP function stores about a family. They are an item of their own, because the
// function may not write families and tokens. Every read of a family also reads its marks. Marks
// end permissions or describe their use; they never give one.
type marks struct {
	Confirmed  int // a generation whose tokens were used
	RevokedAt  time.Time
	RevokedFor string
	Ended      []endedSession
}

// endedSession is a session that has ended. Its name is the beginning of its hash: it need not be
// secret, and a client could only find a collision with a session of its own.
type endedSession struct {
	Name  string
	Until int64 // in seconds since 1970
}

func nameOf(session authserver.Hash) string { return string(session[:min(16, len(session))]) }

// on returns a family with what its marks add.
func (m marks) on(f authserver.Family) authserver.Family {
	if f.RevokedAt.IsZero() {
		f.RevokedAt, f.RevokedFor = m.RevokedAt, m.RevokedFor
	}
	if f.Unconfirmed == m.Confirmed {
		f.Unconfirmed = 0
	}
	return f
}

// ended reports whether a session has ended. No session has the empty name.
func (m marks) ended(session authserver.Hash, now time.Time) bool {
	return session != "" && slices.ContainsFunc(m.Ended, func(e endedSession) bool {
		return e.Name == nameOf(session) && now.Unix() < e.Until
	})
}

// mark changes the marks of a family.
func (s *Store) mark(ctx context.Context, doing, family string, change func(t *tx, m *marks)) error {
	expires := s.now().Add(marksLife)
	return s.write(ctx, doing, func(t *tx) {
		var m marks
		t.find(marksKey(family), &m)
		was := m
		if change(t, &m); !reflect.DeepEqual(m, was) {
			t.put(marksKey(family), m, expires)
		}
	})
}

// Confirm marks a generation of a family as used, so that its Unconfirmed reads as zero if it
// equals the generation. A late call can undo the one for the next generation; the next use of the
// newest token repeats that one.
func (s *Store) Confirm(ctx context.Context, family string, generation int) error {
	return s.mark(ctx, "confirm a refresh", family, func(_ *tx, m *marks) { m.Confirmed = generation })
}

// EndSession stores until a time that a session of a family has ended. If there are mostSessions of
// them, it forgets the half with the earliest times.
func (s *Store) EndSession(ctx context.Context, family string, session authserver.Hash, until time.Time) error {
	return s.mark(ctx, "end a session", family, func(_ *tx, m *marks) {
		if len(m.Ended) >= mostSessions {
			slices.SortFunc(m.Ended, func(x, y endedSession) int { return cmp.Compare(x.Until, y.Until) })
			m.Ended = m.Ended[len(m.Ended)/2:]
		}
		m.Ended = append(m.Ended, endedSession{nameOf(session), until.Add(time.Second - 1).Unix()})
	})
}

// Endpoint is the Store of the MCP function, which may not write families.
type Endpoint struct{ *Store }

// Endpoint returns the Store for the MCP function.
func (s *Store) Endpoint() Endpoint { return Endpoint{s} }

// Revoke revokes a family as Store.Revoke does, by a mark.
func (e Endpoint) Revoke(ctx context.Context, family, reason string, at time.Time) error {
	return e.mark(ctx, "revoke a family", family, func(t *tx, m *marks) {
		if t.has(familyKey(family)) && m.RevokedAt.IsZero() {
			m.RevokedAt, m.RevokedFor = at, reason
		}
	})
}
