package authserver_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
)

var errDown = errors.New("the table does not answer")

// store is a Store that records writes. It can fail at the n-th call, or run a function before a
// call.
type store struct {
	authserver.Store
	mu      sync.Mutex
	calls   int
	failAt  int
	written []string
	before  map[string]func() // run once, before the call of that name

	torn     *authserver.Family // the family that the next Refresh returns, once
	conflict bool               // Rotate always returns ErrConflict
}

func (s *store) enter(name string, write bool) error {
	s.mu.Lock()
	s.calls++
	fail := s.calls == s.failAt
	if write {
		s.written = append(s.written, name)
	}
	first := s.before[name]
	delete(s.before, name)
	s.mu.Unlock()
	if fail {
		return errDown
	}
	if first != nil {
		first()
	}
	return nil
}

func (s *store) writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.written)
}

// failing makes the n-th call from now fail.
func (s *store) failing(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.failAt = 0, n
}

// entering makes a call that returns a value, unless it is to fail.
func entering[T any](s *store, name string, writes bool, call func() (T, error)) (value T, err error) {
	if err := s.enter(name, writes); err != nil {
		return value, err
	}
	return call()
}

// writing makes a call that writes, unless it is to fail.
func (s *store) writing(name string, call func() error) error {
	if err := s.enter(name, true); err != nil {
		return err
	}
	return call()
}

func (s *store) Client(ctx context.Context, id string) (authserver.Client, error) {
	return entering(s, "Client", false, func() (authserver.Client, error) { return s.Store.Client(ctx, id) })
}

func (s *store) SaveClient(ctx context.Context, c authserver.Client) error {
	return s.writing("SaveClient", func() error { return s.Store.SaveClient(ctx, c) })
}

func (s *store) Code(ctx context.Context, hash authserver.Hash) (authserver.Code, error) {
	return entering(s, "Code", false, func() (authserver.Code, error) { return s.Store.Code(ctx, hash) })
}

func (s *store) Redeem(ctx context.Context, code authserver.Code, at time.Time, f authserver.Family, a authserver.Access, r authserver.Refresh) error {
	return s.writing("Redeem", func() error { return s.Store.Redeem(ctx, code, at, f, a, r) })
}

func (s *store) EndCodes(ctx context.Context, subject string, until time.Time) error {
	return s.writing("EndCodes", func() error { return s.Store.EndCodes(ctx, subject, until) })
}

func (s *store) Access(ctx context.Context, family string, token, session authserver.Hash) (authserver.Family, authserver.Access, bool, error) {
	if err := s.enter("Access", false); err != nil {
		return authserver.Family{}, authserver.Access{}, false, err
	}
	return s.Store.Access(ctx, family, token, session)
}

func (s *store) Refresh(ctx context.Context, family string, token authserver.Hash) (authserver.Family, authserver.Refresh, error) {
	if err := s.enter("Refresh", false); err != nil {
		return authserver.Family{}, authserver.Refresh{}, err
	}
	f, r, err := s.Store.Refresh(ctx, family, token)
	if s.torn != nil {
		f, s.torn = *s.torn, nil
	}
	return f, r, err
}

func (s *store) Rotate(ctx context.Context, f authserver.Family, old, next authserver.Refresh, access authserver.Access) error {
	if err := s.enter("Rotate", true); err != nil {
		return err
	}
	if s.conflict {
		return authserver.ErrConflict
	}
	return s.Store.Rotate(ctx, f, old, next, access)
}

func (s *store) AddAccess(ctx context.Context, family string, a authserver.Access) error {
	return s.writing("AddAccess", func() error { return s.Store.AddAccess(ctx, family, a) })
}

func (s *store) Confirm(ctx context.Context, family string, generation int) error {
	return s.writing("Confirm", func() error { return s.Store.Confirm(ctx, family, generation) })
}

func (s *store) Revoke(ctx context.Context, family, reason string, at time.Time) error {
	return s.writing("Revoke", func() error { return s.Store.Revoke(ctx, family, reason, at) })
}

func (s *store) RevokeAccess(ctx context.Context, family string, token authserver.Hash) error {
	return s.writing("RevokeAccess", func() error { return s.Store.RevokeAccess(ctx, family, token) })
}

func (s *store) AddLoginState(ctx context.Context, step authserver.LoginState) error {
	return s.writing("AddLoginState", func() error { return s.Store.AddLoginState(ctx, step) })
}

func (s *store) LoginState(ctx context.Context, key authserver.Hash) (authserver.LoginState, error) {
	return entering(s, "LoginState", false, func() (authserver.LoginState, error) { return s.Store.LoginState(ctx, key) })
}

func (s *store) TakeLoginState(ctx context.Context, key, binding authserver.Hash) (authserver.LoginState, error) {
	return entering(s, "TakeLoginState", true, func() (authserver.LoginState, error) { return s.Store.TakeLoginState(ctx, key, binding) })
}

func (s *store) ReplaceLoginState(ctx context.Context, key, binding authserver.Hash, next authserver.LoginState) error {
	return s.writing("ReplaceLoginState", func() error { return s.Store.ReplaceLoginState(ctx, key, binding, next) })
}

func (s *store) AddCode(ctx context.Context, c authserver.Code) error {
	return s.writing("AddCode", func() error { return s.Store.AddCode(ctx, c) })
}

func (s *store) SetFence(ctx context.Context, family string, was, next fence.Fence) error {
	return s.writing("SetFence", func() error { return s.Store.SetFence(ctx, family, was, next) })
}

func (s *store) FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error) {
	return entering(s, "FamiliesOf", false, func() ([]authserver.Family, error) { return s.Store.FamiliesOf(ctx, subject) })
}
