package todolist

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

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

const (
	idleDays = 7
	// idle is how long a list lives without being read or written.
	idle = idleDays * 24 * time.Hour
	// slack is by how much a list may expire earlier than that, so that not every read has to write.
	slack = 24 * time.Hour
)

// Lists are everybody's lists. Whose and which a call means follows from the caller in its context.
type Lists struct {
	store Store
	now   func() time.Time
}

// New gives the lists of a Store; their time is now, or the real one for nil.
func New(store Store, now func() time.Time) *Lists {
	if now == nil {
		now = time.Now
	}
	return &Lists{store, now}
}

// Get reads a list at its newest revision, for 0, or at that or the one before. Without an id it is the list of the caller's
// session, or in no session the one that the caller's connection wrote last; when there is none it is empty. Errors:
// unknown_list, unknown_revision, UPSTREAM_ERROR.
func (l *Lists) Get(ctx context.Context, id string, revision int64) (List, error) {
	caller, err := callerIn(ctx)
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
	return list.at(revision)
}

func (l *Lists) find(ctx context.Context, caller identity.Caller, id string) (List, error) {
	if id == "" && caller.Session == "" {
		return l.store.LatestTodolist(ctx, caller.Subject, caller.Connection)
	}
	if id == "" {
		id = sessionList(caller.Connection, caller.Session)
	}
	if !isID(id) {
		return List{}, ErrNotFound
	}
	return l.store.Todolist(ctx, caller.Subject, id)
}

// keep lets a list that was used live on.
func (l *Lists) keep(ctx context.Context, caller identity.Caller, list List) {
	until := l.now().Add(idle)
	if until.Sub(list.ExpiresAt) < slack {
		return
	}
	_ = l.store.KeepTodolist(ctx, caller.Subject, list.ID, until) // it was read all the same, and its next use tries again
}

func (list List) at(revision int64) (List, error) {
	switch {
	case revision == 0 || revision == list.Revision:
		return list, nil
	case list.HasPrevious && revision == list.Revision-1:
		list.Todos, list.Revision = list.Previous, revision
		return list, nil
	}
	return List{}, unknownRevision(revision, list.Revision)
}

// Change is what a list is to become.
type Change struct {
	// ID names the list; without one it is that of the caller's session, or in no session a new one.
	ID    string
	Todos []Todo
	// IfRevision is the revision the list must have; nil for any.
	IfRevision *int64
}

// Set replaces a list, and gives it with its id and revision. Errors: those of [Check], unknown_list, conflict,
// UPSTREAM_ERROR. With an error nothing is changed, but for the last: that may have been set, and can be set again.
func (l *Lists) Set(ctx context.Context, c Change) (List, error) {
	caller, err := callerIn(ctx)
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
		// Nobody without the session is to come upon its list, or upon nothing once the session has ended.
		d.ID, d.Connection = sessionList(caller.Connection, caller.Session), ""
	case c.ID == "":
		d.ID = newID()
	}
	revision, err := l.store.SaveTodolist(ctx, d)
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

// Live gives the heads of the caller's lists of all connections, the last written first. Error: UPSTREAM_ERROR.
func (l *Lists) Live(ctx context.Context) ([]Head, error) {
	caller, err := callerIn(ctx)
	if err != nil {
		return nil, err
	}
	heads, err := l.store.Todolists(ctx, caller.Subject)
	if err != nil {
		return nil, unreachable(err)
	}
	slices.SortFunc(heads, Newest)
	return heads, nil
}

// Newest orders heads, the last written first.
func Newest(a, b Head) int {
	return cmp.Or(b.WrittenAt.Compare(a.WrittenAt), cmp.Compare(a.ID, b.ID))
}

// Forget deletes the list of a session of the caller's that has ended. Error: UPSTREAM_ERROR.
func (l *Lists) Forget(ctx context.Context, session string) error {
	caller, err := callerIn(ctx)
	if err != nil {
		return err
	}
	if err := l.store.DeleteTodolist(ctx, caller.Subject, sessionList(caller.Connection, session)); err != nil {
		return unreachable(err)
	}
	return nil
}

var errNobody = errors.New("a to-do list without a caller")

func callerIn(ctx context.Context) (identity.Caller, error) {
	caller, ok := identity.From(ctx)
	if !ok || caller.Subject == "" {
		return identity.Caller{}, errNobody
	}
	return caller, nil
}

// An id is 26 letters and digits, of 128 bits at least that nobody can guess; and whoever could would find only lists of
// their own.
const idLength = 26

func newID() string { return strings.ToLower(rand.Text()) }

// sessionList is the id of a session's own list. It follows from the session, whose id is as random, so that the list is
// found without looking up which one it is.
func sessionList(connection, session string) string {
	sum := sha256.Sum256([]byte("list\x00" + connection + "\x00" + session))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// isID reports whether an id has the form of ours. No other is ever looked for.
func isID(id string) bool {
	other := func(c rune) bool { return (c < 'a' || 'z' < c) && (c < '2' || '7' < c) }
	return len(id) == idLength && !strings.ContainsFunc(id, other)
}
