package memory

import (
	"bytes"
	"context"

	"basecamp-mcp/internal/authserver"
)

// AddStep adds one. ErrConflict when there is one of that key.
func (b *Broker) AddStep(ctx context.Context, s authserver.Step) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, taken := b.steps.get(s.Key, now); taken {
		return authserver.ErrConflict
	}
	b.steps.put(s.Key, copyOfStep(s), now)
	return nil
}

// Step reads one without taking it. ErrNotFound.
func (b *Broker) Step(ctx context.Context, key authserver.Hash) (authserver.Step, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.Step{}, err
	}
	defer b.mu.Unlock()
	s, ok := b.steps.get(key, now)
	if !ok {
		return authserver.Step{}, authserver.ErrNotFound
	}
	return copyOfStep(s), nil
}

// TakeStep removes a step, and gives it if the binding is right. ErrNotFound.
func (b *Broker) TakeStep(ctx context.Context, key, binding authserver.Hash) (authserver.Step, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.Step{}, err
	}
	defer b.mu.Unlock()
	s, ok := b.steps.get(key, now)
	b.steps.remove(key)
	if !ok || !bound(s, binding) {
		return authserver.Step{}, authserver.ErrNotFound
	}
	return s, nil
}

// ReplaceStep removes a step and adds next. ErrNotFound when there is none of that binding, ErrConflict when next's key is
// taken; then nothing is changed.
func (b *Broker) ReplaceStep(ctx context.Context, key, binding authserver.Hash, next authserver.Step) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if s, ok := b.steps.get(key, now); !ok || !bound(s, binding) {
		return authserver.ErrNotFound
	}
	if _, taken := b.steps.get(next.Key, now); taken {
		return authserver.ErrConflict
	}
	b.steps.remove(key)
	b.steps.put(next.Key, copyOfStep(next), now)
	return nil
}

func bound(s authserver.Step, binding authserver.Hash) bool {
	return s.Binding == "" || s.Binding == binding
}

func copyOfStep(s authserver.Step) authserver.Step {
	s.Body = bytes.Clone(s.Body)
	return s
}
