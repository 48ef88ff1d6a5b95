package checklist

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

const (
	idleDays = 7
	// idle is how long a list lives after it was last read or written.
	idle = idleDays * 24 * time.Hour
	// slack is how much earlier a list may expire, so that not every read needs a write.
	slack = 24 * time.Hour
)

// Lists holds the operations on session to-do lists. The caller in the context decides whose list
// and which list a call means.
type Lists struct {
	store Store
	now   func() time.Time
}

// New returns the lists of a Store. Their clock is now; nil means the real time.
func New(store Store, now func() time.Time) *Lists {
	if now == nil {
		now = time.Now
	}
	return &Lists{planned{store}, now}
}

// Get reads a list at a revision: the newest (also for 0) or the previous one. Without an ID, it
// reads the list of the caller's session. In a call without a session, it reads the list that the
// caller's connection wrote last, or an empty list. Errors: unknown_list, unknown_revision,
// UPSTREAM_ERROR.
func (l *Lists) Get(ctx context.Context, id string, revision int64) (List, error) {
	caller, err := identity.Known(ctx)
	if err != nil {
		return List{}, err
	}
	list, err := l.find(ctx, caller, id)
	switch {
	case errors.Is(err, ErrNotFound) && id != "":
		return List{}, unknownList()
	case errors.Is(err, ErrNotFound):
		list = List{}
	case err != nil:
		return List{}, unreachable(err)
	default:
		l.keep(ctx, caller, list)
	}
	return list.atRevision(revision)
}

func (l *Lists) find(ctx context.Context, caller identity.Caller, id string) (List, error) {
	switch {
	case id != "":
	case caller.Session != "":
		id = sessionList(caller.Connection, caller.Session)
	default:
		return l.store.Checklist(ctx, caller.Subject, "", caller.Connection)
	}
	if !isID(id) {
		return List{}, ErrNotFound
	}
	return l.store.Checklist(ctx, caller.Subject, id, "")
}

// keep extends the life of a list that was used.
func (l *Lists) keep(ctx context.Context, caller identity.Caller, list List) {
	until := l.now().Add(idle)
	if until.Sub(list.ExpiresAt) < slack {
		return
	}
	_ = l.store.KeepChecklist(ctx, caller.Subject, list.ID, until) // the read succeeded, and the next use tries again
}

func (list List) atRevision(revision int64) (List, error) {
	switch {
	case revision == 0 || revision == list.Revision:
		return list, nil
	case list.HasPrevious && revision == list.Revision-1:
		list.Todos, list.Revision = list.Previous, revision
		return list, nil
	}
	return List{}, unknownRevision(revision, list.Revision)
}

// Change is the new content of a list.
type Change struct {
	// ID names the list. If empty, Set writes the session's list, or a new list without a session.
	ID    string
	Todos []Todo
	// IfRevision is the revision that the list must have; nil accepts any.
	IfRevision *int64
}

// Set replaces a list and returns it with its ID and revision. Errors: those of [Check],
// unknown_list, conflict, UPSTREAM_ERROR. After an error, the list is unchanged, except that
// UPSTREAM_ERROR may follow a successful write; the caller can set the list again.
func (l *Lists) Set(ctx context.Context, c Change) (List, error) {
	caller, err := identity.Known(ctx)
	if err != nil {
		return List{}, err
	}
	if f := Check(c.Todos); f != nil {
		return List{}, f
	}
	now := l.now()
	d := Draft{
		Subject: caller.Subject, Connection: caller.Connection, ID: c.ID, Todos: c.Todos, WrittenAt: now, ExpiresAt: now.Add(idle),
		Existing: c.ID != "", IfRevision: c.IfRevision,
	}
	switch {
	case c.ID != "" && !isID(c.ID):
		return List{}, unknownList()
	case c.ID == "" && caller.Session != "":
		// Only calls of the same session find its list, and the list does not become the
		// connection's latest.
		d.ID, d.Connection = sessionList(caller.Connection, caller.Session), ""
	case c.ID == "":
		d.ID = newID()
	}
	revision, err := l.store.SaveChecklist(ctx, d)
	if err != nil {
		return List{}, refused(err, d, revision)
	}
	return List{ID: d.ID, Revision: revision, Todos: c.Todos, WrittenAt: now, ExpiresAt: d.ExpiresAt}, nil
}

func refused(err error, d Draft, current int64) *fault.Error {
	switch {
	case errors.Is(err, ErrNotFound):
		return unknownList()
	case errors.Is(err, ErrConflict):
		return conflicting(*d.IfRevision, current)
	}
	return unreachable(err)
}

// Live returns the heads of the caller's lists from all connections, last written first. Error:
// UPSTREAM_ERROR.
func (l *Lists) Live(ctx context.Context) ([]Head, error) {
	caller, err := identity.Known(ctx)
	if err != nil {
		return nil, err
	}
	heads, err := l.store.Checklists(ctx, caller.Subject)
	if err != nil {
		return nil, unreachable(err)
	}
	slices.SortFunc(heads, func(a, b Head) int { return cmp.Or(b.WrittenAt.Compare(a.WrittenAt), cmp.Compare(a.ID, b.ID)) })
	return heads, nil
}

// Forget deletes the list of a session that has ended. Error: UPSTREAM_ERROR.
func (l *Lists) Forget(ctx context.Context, session string) error {
	caller, err := identity.Known(ctx)
	if err != nil {
		return err
	}
	if err := l.store.DeleteChecklist(ctx, caller.Subject, sessionList(caller.Connection, session)); err != nil {
		return unreachable(err)
	}
	return nil
}

// idLength is the length of an ID: 26 letters and digits with at least 128 random bits, which an
// attacker cannot guess. A guessed ID would open only the caller's own lists.
const idLength = 26

func newID() string { return strings.ToLower(rand.Text()) }

// sessionList returns the ID of a session's own list. It is a hash of the session, whose ID is
// random, so the list is found without an index.
func sessionList(connection, session string) string {
	sum := sha256.Sum256([]byte("list\x00" + connection + "\x00" + session))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// isID reports whether an ID has the right form. Lists looks up no other.
func isID(id string) bool {
	other := func(c rune) bool { return (c < 'a' || 'z' < c) && (c < '2' || '7' < c) }
	return len(id) == idLength && !strings.ContainsFunc(id, other)
}
