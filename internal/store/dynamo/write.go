package dynamo

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/wire/pause"
)

// tries is how often a write runs, if other calls keep changing what it has read. The pauses take
// up to a second in total.
const tries = 20

// Write runs do on what is remembered. If that has changed, or does not lead to a write, it runs do
// on what is stored. The rows that do has read are locked until the end if do changes anything;
// otherwise they may be of different moments.
func (e *Engine) Write(ctx context.Context, do func(items.Tx) error) error {
	refused := map[items.Key]row{} // the rows for which the last run was refused
	for try := range tries {
		t := &tx{ctx: ctx, e: e, now: e.now(), guesses: try == 0, read: map[items.Key]row{}, found: refused, writes: map[items.Key]*items.Item{}}
		err := do(t)
		if t.guessed && (err != nil || len(t.writes) == 0) {
			continue
		}
		if err != nil || len(t.writes) == 0 {
			return err
		}
		if refused, err = t.commit(); refused == nil {
			return failed(err)
		}
		if try > 0 {
			if err := pause.For(ctx, rand.N(10*time.Millisecond<<min(try, 3))); err != nil {
				return failed(err)
			}
		}
	}
	return failed(errBusy)
}

// tx is one run of a write.
type tx struct {
	ctx     context.Context //nolint:containedctx // it is the context of one call, which ends with the write
	e       *Engine
	now     time.Time
	guesses bool // whether the run may begin with what is remembered
	guessed bool // whether it did

	read   map[items.Key]row // must not change until the end
	found  map[items.Key]row // read by the run before
	fresh  map[items.Key]bool
	writes map[items.Key]*items.Item // nil: to be removed
}

// Find returns the item with a key.
func (t *tx) Find(k items.Key) ([]items.Item, error) {
	if i, written := t.writes[k]; written {
		if i == nil {
			return nil, nil
		}
		return []items.Item{*i}, nil
	}
	r, err := t.row(k)
	if err != nil || !r.live(t.now) {
		return nil, err
	}
	return []items.Item{r.Item}, nil
}

// row returns a row, which must not change from then on.
func (t *tx) row(k items.Key) (r row, err error) {
	r, known := t.read[k]
	if known {
		return r, nil
	}
	if r, known = t.found[k]; !known && t.guesses {
		if r, known = t.e.memo.recall(k); !known && t.fresh[k] {
			r, known = row{Item: items.Item{Key: k}}, true
		}
		t.guessed = t.guessed || known
	}
	if !known {
		if r, err = t.e.get(t.ctx, k); err != nil {
			return r, err
		}
		t.e.memo.keep(r)
	}
	if r.revision == unreadable {
		return r, k.Unreadable()
	}
	t.read[k] = r
	return r, nil
}

// New says that there is probably no item with a key.
func (t *tx) New(k items.Key) {
	if t.fresh == nil {
		t.fresh = map[items.Key]bool{}
	}
	t.fresh[k] = true
}

// Count counts an owner's items. It locks a row for that: of two writes that count, one runs again.
func (t *tx) Count(kind, owner string) (int, error) {
	guard := items.Key{Kind: kind, Owner: "!" + owner, Name: "guard"}
	if _, err := t.row(guard); err != nil {
		return 0, err
	}
	t.writes[guard] = &items.Item{Key: guard, Body: []byte("{}")}
	found, err := t.e.List(t.ctx, items.Range{Kind: kind, Owner: owner})
	return len(found), err
}

// Put adds or replaces an item.
func (t *tx) Put(i items.Item) error {
	t.writes[i.Key] = &i
	return nil
}

// Remove deletes an item, if it exists.
func (t *tx) Remove(k items.Key) error {
	_, written := t.writes[k]
	if r, known := t.read[k]; known && r.revision == "" && !written {
		return nil
	}
	t.writes[k] = nil
	return nil
}

// unchanged returns the condition that a row is as it was read, if it was, with its values.
func (t *tx) unchanged(k items.Key) (condition *string, values map[string]types.AttributeValue) {
	switch r, wasRead := t.read[k]; {
	case !wasRead:
		return nil, nil
	case r.revision == "":
		return new("attribute_not_exists(pk)"), nil
	default:
		return new("rev = :rev"), map[string]types.AttributeValue{":rev": text(r.revision)}
	}
}

// commit writes. If a row was not as the run has read it, it writes nothing and returns such rows.
func (t *tx) commit() (refused map[items.Key]row, err error) {
	var after []row // what the rows become, the written ones first
	revision := newRevision()
	for k, i := range t.writes {
		r := row{Item: items.Item{Key: k}}
		if i != nil {
			r = row{*i, revision}
		}
		after = append(after, r)
	}
	for k, r := range t.read {
		if _, writes := t.writes[k]; !writes {
			after = append(after, r)
		}
	}
	if len(after) == 1 && after[0].revision != "" {
		refused, err = t.put(after[0])
	} else {
		refused, err = t.transact(after)
	}
	if err != nil {
		return nil, err
	}
	if refused == nil {
		for _, r := range after {
			t.e.memo.keep(r)
		}
	}
	for _, r := range refused {
		t.e.memo.keep(r)
	}
	return refused, nil
}

// old returns the row that refused a write.
const old = types.ReturnValuesOnConditionCheckFailureAllOld

// put writes a single row. A transaction would cost twice as much.
func (t *tx) put(r row) (refused map[items.Key]row, err error) {
	condition, values := t.unchanged(r.Key)
	err = patiently(t.ctx, func() error {
		_, err := t.e.client.PutItem(t.ctx, &dynamodb.PutItemInput{
			TableName: &t.e.table, Item: r.attributes(), ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old,
		})
		return err
	})
	refusal, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return nil, err
	}
	stored := rowOf(r.Key, refusal.Item)
	if stored.revision == r.revision { // an earlier try has written it, and its answer was lost
		return nil, nil
	}
	return map[items.Key]row{r.Key: stored}, nil
}

// mostBytes is the maximum size of a transaction.
const mostBytes = 4 << 20

// transact writes rows together, and checks those that were only read. All tries of the SDK and of
// transact use the same token. So a write whose answer was lost is not repeated, and does not fail
// because of its own result.
func (t *tx) transact(after []row) (refused map[items.Key]row, err error) {
	all, size := make([]types.TransactWriteItem, len(after)), 0
	for i, r := range after {
		condition, values := t.unchanged(r.Key)
		size += len(r.Body)
		switch _, writes := t.writes[r.Key]; {
		case !writes:
			all[i].ConditionCheck = &types.ConditionCheck{
				TableName: &t.e.table, Key: keyOf(r.Key), ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old,
			}
		case r.revision == "":
			all[i].Delete = &types.Delete{
				TableName: &t.e.table, Key: keyOf(r.Key), ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old,
			}
		default:
			all[i].Put = &types.Put{
				TableName: &t.e.table, Item: r.attributes(), ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old,
			}
		}
	}
	if len(all) > mostOfABatch || size > mostBytes {
		return nil, errTooMuch
	}
	in := &dynamodb.TransactWriteItemsInput{TransactItems: all, ClientRequestToken: new(newRevision())}
	err = patiently(t.ctx, func() error {
		_, err := t.e.client.TransactWriteItems(t.ctx, in)
		return err
	})
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return nil, err
	}
	for i, reason := range canceled.CancellationReasons {
		if i < len(after) && aws.ToString(reason.Code) == conditionFailed {
			if refused == nil {
				refused, err = map[items.Key]row{}, nil
			}
			refused[after[i].Key] = rowOf(after[i].Key, reason.Item)
		}
	}
	return refused, err
}
