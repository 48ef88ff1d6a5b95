package dynamo

import (
	"context"

	"basecamp-mcp/internal/broker"
)

func stepFields(s *broker.Step) fields {
	return fields{"binding": (*string)(&s.Binding), "body": &s.Body, "exp": &s.ExpiresAt}
}

// AddStep adds one. ErrConflict when there is one of that key.
func (t *Table) AddStep(ctx context.Context, s broker.Step) error {
	tx := t.begin("add a step")
	tx.put(stepKey(s.Key), stepFields(&s), free(t.now()))
	return orConflict(tx.commit(ctx))
}

// Step reads one without taking it. ErrNotFound.
func (t *Table) Step(ctx context.Context, hash broker.Hash) (broker.Step, error) {
	const doing = "read a step"
	it, err := t.get(ctx, doing, stepKey(hash))
	if err != nil {
		return broker.Step{}, err
	}
	return t.stepIn(it, hash, doing)
}

// TakeStep removes a step whatever the binding, and gives it to the one who removed it if the binding is right. ErrNotFound,
// also to the one whose answer was lost on the way and whose second try then finds nothing: that login begins anew.
func (t *Table) TakeStep(ctx context.Context, hash, binding broker.Hash) (broker.Step, error) {
	const doing = "take a step"
	it, err := t.remove(ctx, doing, stepKey(hash))
	if err != nil {
		return broker.Step{}, err
	}
	s, err := t.stepIn(it, hash, doing)
	if err != nil {
		return broker.Step{}, err
	}
	if s.Binding != "" && s.Binding != binding {
		return broker.Step{}, broker.ErrNotFound
	}
	return s, nil
}

// ReplaceStep removes a step and adds next. ErrNotFound when there is none of that binding, ErrConflict when next's key is
// taken; then nothing is changed.
func (t *Table) ReplaceStep(ctx context.Context, hash, binding broker.Hash, next broker.Step) error {
	now := t.now()
	tx := t.begin("replace a step")
	tx.delete(stepKey(hash), condition{
		"exp > :now AND (attribute_not_exists(binding) OR binding = :binding)",
		fields{":now": &now, ":binding": (*string)(&binding)},
	})
	tx.put(stepKey(next.Key), stepFields(&next), free(now))
	refused, err := tx.commit(ctx)
	if refused == 1 {
		return broker.ErrNotFound
	}
	return orConflict(refused, err)
}

func (t *Table) stepIn(it item, hash broker.Hash, doing string) (broker.Step, error) {
	s := broker.Step{Key: hash}
	if err := stepFields(&s).read(it); err != nil {
		return broker.Step{}, failed(doing, err)
	}
	if !t.now().Before(s.ExpiresAt) {
		return broker.Step{}, broker.ErrNotFound
	}
	return s, nil
}
