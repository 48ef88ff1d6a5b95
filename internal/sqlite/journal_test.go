package sqlite

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/task"
	"basecamp-mcp/internal/undo"
)

// write is a call that changes the file. Its effect stays visible.
type write struct {
	name string
	do   func(ctx context.Context, s *Store) error
	// seen reports whether the whole effect is visible. It returns an error if only a part is.
	seen func(ctx context.Context, s *Store) (bool, error)
}

// all returns the common value of several facts, or an error if they differ.
func all(facts ...bool) (bool, error) {
	for _, fact := range facts {
		if fact != facts[0] {
			return false, fmt.Errorf("a part of the write is visible: %v", facts)
		}
	}
	return facts[0], nil
}

// page is what the writes of one round use. Rounds are independent.
type page struct {
	subject string
	now     time.Time
	name    string
}

func newPage(round int) page {
	return page{fmt.Sprintf("37s:%d", round), time.Now(), fmt.Sprintf("round-%d", round)}
}

func (p page) hash(what string) authserver.Hash { return authserver.Hash(digest(p.name + what)) }

// journal returns the writes of a round, in order. Every method that writes is among them, except
// those that only remove.
func journal(round int) []write {
	p := newPage(round)
	return append(p.logins(), p.data()...)
}

// found turns the error of a read into a fact.
func found(err error, none error) bool {
	if err != nil && !errors.Is(err, none) {
		panic(err)
	}
	return err == nil
}

func (p page) logins() []write {
	soon := p.now.Add(time.Hour)
	client := authserver.Client{ID: p.name, ExpiresAt: soon}
	state := func(name string) authserver.LoginState {
		return authserver.LoginState{Key: p.hash(name), Body: []byte(name), ExpiresAt: soon}
	}
	code := authserver.Code{Hash: p.hash("code"), Family: p.name, Subject: p.subject, ExpiresAt: soon}
	family := authserver.Family{ID: p.name, Subject: p.subject, Generation: 1, CreatedAt: p.now, ExpiresAt: soon, EndsAt: soon}
	access := func(n int) authserver.Access {
		return authserver.Access{Hash: p.hash(fmt.Sprint("access", n)), ExpiresAt: soon}
	}
	refresh := func(n int) authserver.Refresh {
		return authserver.Refresh{Hash: p.hash(fmt.Sprint("refresh", n)), ExpiresAt: soon}
	}
	hasState := func(ctx context.Context, s *Store, name string) bool {
		_, err := s.LoginState(ctx, p.hash(name))
		return found(err, authserver.ErrNotFound)
	}
	hasAccess := func(ctx context.Context, s *Store, n int) bool {
		_, _, _, err := s.Access(ctx, p.name, p.hash(fmt.Sprint("access", n)), "")
		return found(err, authserver.ErrNotFound)
	}
	return []write{
		{"client", func(ctx context.Context, s *Store) error { return s.SaveClient(ctx, client) },
			func(ctx context.Context, s *Store) (bool, error) {
				_, err := s.Client(ctx, p.name)
				return all(found(err, authserver.ErrNotFound))
			}},
		{"login state", func(ctx context.Context, s *Store) error { return s.AddLoginState(ctx, state("first")) },
			func(ctx context.Context, s *Store) (bool, error) {
				return all(hasState(ctx, s, "first") != hasState(ctx, s, "second"))
			}},
		{"next login state", func(ctx context.Context, s *Store) error {
			return s.ReplaceLoginState(ctx, p.hash("first"), "", state("second"))
		}, func(ctx context.Context, s *Store) (bool, error) { return all(hasState(ctx, s, "second")) }},
		{"code", func(ctx context.Context, s *Store) error { return s.AddCode(ctx, code) },
			func(ctx context.Context, s *Store) (bool, error) {
				_, err := s.Code(ctx, code.Hash)
				return all(found(err, authserver.ErrNotFound))
			}},
		{"redeemed code", func(ctx context.Context, s *Store) error {
			return s.Redeem(ctx, code, p.now, family, access(1), refresh(1))
		}, func(ctx context.Context, s *Store) (bool, error) {
			used, err := s.Code(ctx, code.Hash)
			_ = found(err, authserver.ErrNotFound)
			_, _, refreshErr := s.Refresh(ctx, p.name, refresh(1).Hash)
			listed, err := s.FamiliesOf(ctx, p.subject)
			_ = found(err, nil)
			if refreshErr == nil && len(listed) == 0 { // revoked
				return all(!used.UsedAt.IsZero(), hasAccess(ctx, s, 1))
			}
			return all(!used.UsedAt.IsZero(), hasAccess(ctx, s, 1), found(refreshErr, authserver.ErrNotFound), len(listed) == 1)
		}},
		{"rotated refresh token", func(ctx context.Context, s *Store) error {
			next, old := family, refresh(1)
			next.Generation, old.RotatedAt = 2, p.now
			return s.Rotate(ctx, next, old, refresh(2), access(2))
		}, func(ctx context.Context, s *Store) (bool, error) {
			f, old, err := s.Refresh(ctx, p.name, refresh(1).Hash)
			_ = found(err, authserver.ErrNotFound)
			_, _, nextErr := s.Refresh(ctx, p.name, refresh(2).Hash)
			return all(f.Generation == 2, !old.RotatedAt.IsZero(), found(nextErr, authserver.ErrNotFound), hasAccess(ctx, s, 2))
		}},
		{"another access token", func(ctx context.Context, s *Store) error { return s.AddAccess(ctx, p.name, access(3)) },
			func(ctx context.Context, s *Store) (bool, error) { return all(hasAccess(ctx, s, 3)) }},
		{"changed fence", func(ctx context.Context, s *Store) error {
			return s.SetFence(ctx, p.name, fence.Fence{}, fence.Fence{NoPings: true})
		}, func(ctx context.Context, s *Store) (bool, error) {
			f, _, err := s.Refresh(ctx, p.name, refresh(1).Hash)
			return found(err, authserver.ErrNotFound) && f.Fence.NoPings, nil
		}},
		{"ended session", func(ctx context.Context, s *Store) error { return s.EndSession(ctx, p.name, p.hash("session"), soon) },
			func(ctx context.Context, s *Store) (bool, error) {
				_, _, ended, err := s.Access(ctx, p.name, access(1).Hash, p.hash("session"))
				return found(err, authserver.ErrNotFound) && ended, nil
			}},
		{"revoked family", func(ctx context.Context, s *Store) error { return s.Revoke(ctx, p.name, "disconnected", p.now) },
			func(ctx context.Context, s *Store) (bool, error) {
				f, _, err := s.Refresh(ctx, p.name, refresh(1).Hash)
				return found(err, authserver.ErrNotFound) && !f.RevokedAt.IsZero(), nil
			}},
	}
}

func (p page) data() []write {
	tokens := provider.Tokens{Revision: 1, AccessToken: p.name}
	call := idempotency.Record{Subject: p.subject, Tool: "t", Key: "k", Claim: p.name, State: idempotency.Running, ExpiresAt: p.now.Add(time.Hour)}
	done := call
	done.State, done.Result = idempotency.Done, []byte(p.name)
	entry := audit.Entry{ID: audit.NewID(p.now), Time: p.now, Tool: "t"}
	reads := []audit.Entry{{ID: audit.NewID(p.now), Time: p.now, Reads: true}, {ID: audit.NewID(p.now), Time: p.now, Reads: true}}
	open := task.Task{ID: p.name, Title: p.name, CreatedAt: p.now}
	draft := checklist.Draft{Subject: p.subject, Connection: "c", ID: p.name, WrittenAt: p.now, ExpiresAt: p.now.Add(time.Hour)}
	// stateOf returns the state of the call without a claim that lasts.
	stateOf := func(ctx context.Context, s *Store) (state idempotency.State) {
		r, _, err := s.FindCall(ctx, call)
		if err != nil {
			panic(err)
		}
		return r.State
	}
	hasTask := func(ctx context.Context, s *Store, status task.Status) (bool, error) {
		tasks, _, err := s.Tasks(ctx, p.subject, task.Filter{Status: status, Limit: 10})
		return len(tasks) == 1, err
	}
	change := undo.Record{ID: "u" + p.name, ExpiresAt: p.now.Add(time.Hour), State: undo.Intended, Revision: 1}
	completed := change
	completed.State, completed.Revision = undo.Done, 2
	hasUndo := func(state undo.State) func(context.Context, *Store) (bool, error) {
		return func(ctx context.Context, s *Store) (bool, error) {
			r, err := s.FindUndo(ctx, p.subject, change.ID)
			return found(err, undo.ErrNotFound) && (r.State == state || r.State == undo.Done), nil
		}
	}
	return []write{
		{"undo record", func(ctx context.Context, s *Store) error { return s.AddUndo(ctx, p.subject, change) }, hasUndo(undo.Intended)},
		{"completed undo record", func(ctx context.Context, s *Store) error { return s.ChangeUndo(ctx, p.subject, completed) }, hasUndo(undo.Done)},
		{"links", func(ctx context.Context, s *Store) error {
			return s.SaveHub(ctx, p.subject, hub.Row{Key: "a|", Body: []byte("{}"), Revision: 1}, hub.Row{Key: "b|", Body: []byte("{}"), Revision: 1})
		}, func(ctx context.Context, s *Store) (bool, error) {
			rows, err := s.HubRows(ctx, p.subject, "")
			if err != nil {
				return false, err
			}
			return all(len(rows) > 0, len(rows) > 1)
		}},
		{"tokens", func(ctx context.Context, s *Store) error {
			_, err := s.Grants("37signals").Save(ctx, p.subject, "writer", tokens)
			return err
		}, func(ctx context.Context, s *Store) (bool, error) {
			got, err := s.Grants("37signals").Load(ctx, p.subject, "")
			return found(err, grant.ErrNotFound) && reflect.DeepEqual(got, tokens), nil
		}},
		{"record", func(ctx context.Context, s *Store) error {
			_, err := s.Records("37signals").SaveRecord(ctx, grant.Record{Subject: p.subject, Revision: 1, Version: "1 writer"})
			return err
		}, func(ctx context.Context, s *Store) (bool, error) {
			_, err := s.Records("37signals").Record(ctx, p.subject)
			return all(found(err, grant.ErrNotFound))
		}},
		{"claimed call", func(ctx context.Context, s *Store) error { _, err := s.ClaimCall(ctx, call); return err },
			func(ctx context.Context, s *Store) (bool, error) { return stateOf(ctx, s) != "", nil }},
		{"ended call", func(ctx context.Context, s *Store) error {
			return s.EndCall(ctx, idempotency.End{Record: done}, p.subject, entry)
		}, func(ctx context.Context, s *Store) (bool, error) {
			entries, err := s.Entries(ctx, p.subject, "", 10)
			_ = found(err, nil)
			return all(stateOf(ctx, s) == idempotency.Done, len(entries) == 1)
		}},
		{"entries of reads", func(ctx context.Context, s *Store) error {
			for _, e := range reads {
				if err := s.AddEntry(ctx, p.name, e); err != nil {
					return err
				}
			}
			return s.Flush()
		}, func(ctx context.Context, s *Store) (bool, error) {
			entries, err := s.Entries(ctx, p.name, "", 10)
			_ = found(err, nil)
			return all(len(entries) > 0, len(entries) == len(reads))
		}},
		{"checklist", func(ctx context.Context, s *Store) error { _, err := s.SaveChecklist(ctx, draft); return err },
			func(ctx context.Context, s *Store) (bool, error) {
				_, err := s.Checklist(ctx, p.subject, p.name, "")
				_, latestErr := s.Checklist(ctx, p.subject, "", "c")
				return all(found(err, checklist.ErrNotFound), found(latestErr, checklist.ErrNotFound))
			}},
		{"task", func(ctx context.Context, s *Store) error { return s.AddTask(ctx, p.subject, open, 10) },
			func(ctx context.Context, s *Store) (bool, error) { return hasTask(ctx, s, task.All) }},
		{"completed task", func(ctx context.Context, s *Store) error {
			_, err := s.ChangeTask(ctx, p.subject, open.ID, task.Change{Completed: new(true), At: p.now})
			return err
		}, func(ctx context.Context, s *Store) (bool, error) { return hasTask(ctx, s, task.Completed) }},
	}
}
