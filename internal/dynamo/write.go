package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/pause"
)

// tries is how often a write runs, if other calls keep changing what it has read. The pauses take
// up to a second in total.
const tries = 20

var (
	errBusy    = errors.New("other calls kept changing the same items")
	errTooMuch = errors.New("a transaction has more than 100 items or 4 MB")
)

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
			if err := pause.For(ctx, mathrand.N(10*time.Millisecond<<min(try, 3))); err != nil {
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
	order  []items.Key
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
	if r, known := t.read[k]; known {
		return r, nil
	}
	r, known := t.found[k]
	if !known && t.guesses {
		r, known = t.e.memo.recall(k)
		t.guessed = t.guessed || known
	}
	if !known && t.guesses && t.fresh[k] {
		r, known, t.guessed = row{Item: items.Item{Key: k}}, true, true
	} else {
		delete(t.fresh, k)
	}
	if !known {
		if r, err = t.e.get(t.ctx, k); err != nil {
			return r, err
		}
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
	t.write(guard, &items.Item{Key: guard, Body: []byte("{}")})
	return t.e.count(t.ctx, kind, owner)
}

// Put adds or replaces an item.
func (t *tx) Put(i items.Item) error {
	t.write(i.Key, &i)
	return nil
}

// Remove deletes an item, if it exists.
func (t *tx) Remove(k items.Key) error {
	_, written := t.writes[k]
	if r, known := t.read[k]; known && r.revision == "" && !written {
		return nil
	}
	t.write(k, nil)
	return nil
}

func (t *tx) write(k items.Key, i *items.Item) {
	if _, again := t.writes[k]; !again {
		t.order = append(t.order, k)
	}
	t.writes[k] = i
}

// condition is what must hold for a row, or nothing is written. Nothing must for the zero one.
type condition struct {
	text   *string
	names  map[string]string
	values map[string]types.AttributeValue
}

var ttlName = map[string]string{"#ttl": "ttl"}

// unchanged returns the condition that a row is as it was read, if it was.
func (t *tx) unchanged(k items.Key) condition {
	r, wasRead := t.read[k]
	switch {
	case !wasRead:
		return condition{}
	case t.fresh[k]:
		return condition{new("attribute_not_exists(pk) OR #ttl <= :now"), ttlName, map[string]types.AttributeValue{":now": number(t.now.Unix())}}
	case r.revision == "":
		return condition{text: new("attribute_not_exists(pk)")}
	}
	return condition{text: new("rev = :rev"), values: map[string]types.AttributeValue{":rev": text(r.revision)}}
}

// commit writes. If a row was not as the run has read it, it writes nothing and returns such rows.
func (t *tx) commit() (refused map[items.Key]row, err error) {
	written := make([]row, 0, len(t.order))
	revision := newRevision()
	for _, k := range t.order {
		r := row{Item: items.Item{Key: k}}
		if i := t.writes[k]; i != nil {
			r.Item, r.revision = *i, revision
		}
		written = append(written, r)
	}
	only := written[0]
	_, wasRead := t.read[only.Key]
	alone := len(written) == 1 && (len(t.read) == 0 || len(t.read) == 1 && wasRead)
	switch {
	case alone && only.revision != "":
		refused, err = t.put(only)
	case alone && !wasRead:
		err = t.delete(only.Key)
	default:
		refused, err = t.transact(written)
	}
	if refused == nil && err == nil {
		t.e.memo.keep(written...)
	}
	for _, r := range refused {
		t.e.memo.keep(r)
	}
	return refused, err
}

// put writes a single row. A transaction would cost twice as much.
func (t *tx) put(r row) (refused map[items.Key]row, err error) {
	c := t.unchanged(r.Key)
	err = patiently(t.ctx, func() error {
		_, err := t.e.client.PutItem(t.ctx, &dynamodb.PutItemInput{
			TableName: &t.e.table, Item: r.attributes(),
			ConditionExpression: c.text, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, noSilence)
		return err
	})
	refusal, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return nil, err
	}
	stored, err := rowOf(r.Key, refusal.Item)
	if err != nil || stored.revision == r.revision { // an earlier try has written it, and its answer was lost
		return nil, err
	}
	return map[items.Key]row{r.Key: stored}, nil
}

// delete removes a row, whatever it is.
func (t *tx) delete(k items.Key) error {
	return patiently(t.ctx, func() error {
		_, err := t.e.client.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: &t.e.table, Key: keyOf(k)}, noSilence)
		return err
	})
}

// mostBytes is the maximum size of a transaction.
const mostBytes = 4 << 20

// transact writes rows together, and checks the rows that were only read. All tries of the SDK and
// of transact use the same token. So a write whose answer was lost is not repeated, and does not
// fail because of its own result.
func (t *tx) transact(written []row) (refused map[items.Key]row, err error) {
	var all []types.TransactWriteItem
	var keys []items.Key
	size := 0
	add := func(r row, as func(condition) types.TransactWriteItem) {
		all, keys, size = append(all, as(t.unchanged(r.Key))), append(keys, r.Key), size+len(r.Body)
	}
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	for k, r := range t.read {
		if _, again := t.writes[k]; !again {
			add(r, func(c condition) types.TransactWriteItem {
				return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
					TableName: &t.e.table, Key: keyOf(k), ConditionExpression: c.text, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
					ReturnValuesOnConditionCheckFailure: old,
				}}
			})
		}
	}
	for _, r := range written {
		add(r, func(c condition) types.TransactWriteItem {
			if r.revision == "" {
				return types.TransactWriteItem{Delete: &types.Delete{
					TableName: &t.e.table, Key: keyOf(r.Key), ConditionExpression: c.text, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
					ReturnValuesOnConditionCheckFailure: old,
				}}
			}
			return types.TransactWriteItem{Put: &types.Put{
				TableName: &t.e.table, Item: r.attributes(), ConditionExpression: c.text, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
				ReturnValuesOnConditionCheckFailure: old,
			}}
		})
	}
	if len(all) > mostOfABatch || size > mostBytes {
		return nil, errTooMuch
	}
	in := &dynamodb.TransactWriteItemsInput{TransactItems: all, ClientRequestToken: new(rand.Text())}
	err = patiently(t.ctx, func() error {
		_, err := t.e.client.TransactWriteItems(t.ctx, in, noSilence)
		return err
	})
	by := refusal(err)
	if len(by) == 0 {
		return nil, err
	}
	refused = map[items.Key]row{}
	for i, it := range by {
		if i >= len(keys) {
			return nil, err
		}
		if refused[keys[i]], err = rowOf(keys[i], it); err != nil {
			return nil, err
		}
	}
	return refused, nil
}
