package dynamo

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

func stepFields(s *authserver.Step) fields {
	return fields{"binding": (*string)(&s.Binding), "body": &s.Body, "exp": &s.ExpiresAt}
}

// AddStep adds one. ErrConflict when there is one of that key.
func (t *Table) AddStep(ctx context.Context, s authserver.Step) error {
	tx := t.begin("add a step")
	tx.put(stepKey(s.Key), stepFields(&s), free(t.now()))
	return orConflict(tx.commit(ctx))
}

// Step reads one without taking it. ErrNotFound.
func (t *Table) Step(ctx context.Context, hash authserver.Hash) (authserver.Step, error) {
	const doing = "read a step"
	it, err := t.get(ctx, doing, stepKey(hash))
	if err != nil {
		return authserver.Step{}, err
	}
	return t.stepIn(it, hash, doing)
}

// TakeStep removes a step whatever the binding, and gives it to the one who removed it if the binding is right. ErrNotFound,
// also to the one whose answer was lost on the way and whose second try then finds nothing: that login begins anew.
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

// ReplaceStep removes a step and adds next. ErrNotFound when there is none of that binding, ErrConflict when next's key is
// taken; then nothing is changed.
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
