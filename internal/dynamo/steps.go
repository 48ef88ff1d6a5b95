package dynamo

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

func stepFields(s *authserver.Step) fields {
	return fields{"binding": (*string)(&s.Binding), "body": &s.Body, "exp": &s.ExpiresAt}
}

// AddStep adds a step. It returns ErrConflict if its key exists.
func (t *Table) AddStep(ctx context.Context, s authserver.Step) error {
	tx := t.begin("add a step")
	tx.put(stepKey(s.Key), stepFields(&s), free(t.now()))
	return orConflict(tx.commit(ctx))
}

// Step returns a step without removing it, or ErrNotFound.
func (t *Table) Step(ctx context.Context, hash authserver.Hash) (authserver.Step, error) {
	const doing = "read a step"
	it, err := t.get(ctx, doing, stepKey(hash))
	if err != nil {
		return authserver.Step{}, err
	}
	return t.stepIn(it, hash, doing)
}

// TakeStep removes a step. It returns the step to the one caller that removed it, if the binding
// matches, otherwise ErrNotFound. If the answer was lost, a retry also returns ErrNotFound, and the
// user must start the login again.
func (t *Table) TakeStep(ctx context.Context, hash, binding authserver.Hash) (authserver.Step, error) {
	const doing = "take a step"
	it, err := t.remove(ctx, doing, stepKey(hash))
	if err != nil {
		return authserver.Step{}, err
	}
	s, err := t.stepIn(it, hash, doing)
	if err != nil {
		return authserver.Step{}, err
	}
	if s.Binding != "" && s.Binding != binding {
		return authserver.Step{}, authserver.ErrNotFound
	}
	return s, nil
}

// ReplaceStep removes a step and adds next. It returns ErrNotFound if there is no step with that
// binding, and ErrConflict if next's key exists; then it changes nothing.
func (t *Table) ReplaceStep(ctx context.Context, hash, binding authserver.Hash, next authserver.Step) error {
	now := t.now()
	tx := t.begin("replace a step")
	tx.delete(stepKey(hash), condition{
		"exp > :now AND (attribute_not_exists(binding) OR binding = :binding)",
		fields{":now": &now, ":binding": (*string)(&binding)},
	})
	tx.put(stepKey(next.Key), stepFields(&next), free(now))
	refused, err := tx.commit(ctx)
	if refused == 1 {
		return authserver.ErrNotFound
	}
	return orConflict(refused, err)
}

func (t *Table) stepIn(it item, hash authserver.Hash, doing string) (authserver.Step, error) {
	s := authserver.Step{Key: hash}
	if err := stepFields(&s).read(it); err != nil {
		return authserver.Step{}, failed(doing, err)
	}
	if !t.now().Before(s.ExpiresAt) {
		return authserver.Step{}, authserver.ErrNotFound
	}
	return s, nil
}
