// Package dynamo implements the Stores of authserver, grant, checklist, task, idempotency and
// audit, the rows of envelope and the table of sweep with one DynamoDB table, whose key attributes
// are pk and sk. Expired items stay in the table for days, because its time to live only cleans up:
// reads and conditions check exp themselves.
//
// No lost answer changes a result. Each conditional write is a transaction, even of one item. Its
// ClientRequestToken makes the retry of a write that has happened succeed; a plain conditional
// write would find its own result and report a conflict. Audit entries and undo records are written
// often, so they do without one: the item is unique, and the retry recognizes it. A write without a
// condition can simply be repeated.
package dynamo

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/pause"
)

// Table is an authserver.Store, a sweep.Table, and the Store of checklist, of task, of idempotency
// and of audit. Its method Records returns the grant.Records of a provider, and Tokens the
// envelope.Rows. An error that the interfaces do not name says in this server's words what failed,
// and wraps DynamoDB's error.
type Table struct {
	client *dynamodb.Client
	name   string
	now    func() time.Time
}

var _ = authserver.NewStore((*Table)(nil))

// New returns the Stores in an existing table. now returns the time; nil means the real time.
func New(client *dynamodb.Client, table string, now func() time.Time) *Table {
	if now == nil {
		now = time.Now
	}
	return &Table{client: client, name: table, now: now}
}

// get reads one item, and sees every earlier write. It returns nil if the item does not exist.
func (t *Table) get(ctx context.Context, doing string, k key) (item, error) {
	return t.read(ctx, doing, k, true)
}

// read does what get does. Without consistency, it costs half, and may return the item as it was
// moments ago.
func (t *Table) read(ctx context.Context, doing string, k key, consistent bool) (item, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: k.item(), ConsistentRead: &consistent}, noSilence)
	if err != nil {
		return nil, failed(doing, err)
	}
	if out.Item != nil && keyOf(out.Item) != k {
		return nil, failed(doing, errUnreadable)
	}
	return out.Item, nil
}

// load reads one item into fields, and reports whether it exists.
func (t *Table) load(ctx context.Context, doing string, k key, f fields) (exists bool, err error) {
	it, err := t.get(ctx, doing, k)
	if err != nil || it == nil {
		return false, err
	}
	return true, failed(doing, f.read(it))
}

// query returns the items that a query finds, as they are after every earlier write; after a
// failure, its error.
func (t *Table) query(ctx context.Context, doing string, in *dynamodb.QueryInput) iter.Seq2[item, error] {
	in.TableName, in.ConsistentRead = &t.name, new(true)
	return func(yield func(item, error) bool) {
		pages := dynamodb.NewQueryPaginator(t.client, in)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx, noSilence)
			if err != nil {
				yield(nil, failed(doing, err))
				return
			}
			for _, it := range page.Items {
				if !yield(it, nil) {
					return
				}
			}
		}
	}
}

// batch reads at most 100 items, in any order.
func (t *Table) batch(ctx context.Context, doing string, consistent bool, keys ...key) (map[key]item, error) {
	asked := types.KeysAndAttributes{ConsistentRead: &consistent}
	for _, k := range keys {
		asked.Keys = append(asked.Keys, k.item())
	}
	found := make(map[key]item, len(keys))
	request := map[string]types.KeysAndAttributes{t.name: asked}
	for attempt := range attempts {
		if err := pauseBefore(ctx, attempt); err != nil {
			return nil, failed(doing, err)
		}
		out, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: request}, noSilence)
		if err != nil {
			return nil, failed(doing, err)
		}
		for _, it := range out.Responses[t.name] {
			found[keyOf(it)] = it
		}
		if request = out.UnprocessedKeys; len(request) == 0 {
			return found, nil
		}
	}
	return nil, failed(doing, errUnprocessed)
}

// put adds or replaces an item, without a condition.
func (t *Table) put(ctx context.Context, doing string, k key, f fields) error {
	it, err := f.item(k)
	if err != nil {
		return failed(doing, err)
	}
	return failed(doing, patiently(ctx, func() error {
		_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: it}, noSilence)
		return err
	}))
}

// remove deletes an item. It returns the old item, to one caller only. DynamoDB guarantees that
// without the condition, too; DynamoDB Local does not.
func (t *Table) remove(ctx context.Context, doing string, k key) (old item, err error) {
	err = patiently(ctx, func() error {
		out, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &t.name, Key: k.item(), ConditionExpression: new("attribute_exists(pk)"),
			ReturnValues: types.ReturnValueAllOld,
		}, noSilence)
		if err == nil {
			old = out.Attributes
		}
		return err
	})
	if _, nothing := errors.AsType[*types.ConditionalCheckFailedException](err); nothing {
		return nil, nil
	}
	return old, failed(doing, err)
}

// attempts is the maximum number of tries of a call that conflicts with a transaction, is throttled
// as one, or is answered in part. The pauses between the tries take 0.4 to 0.75 seconds in total.
const attempts = 5

// patiently repeats a call while it fails for a reason that passes and that the SDK does not retry.
func patiently(ctx context.Context, call func() error) (err error) {
	for attempt := range attempts {
		if err := pauseBefore(ctx, attempt); err != nil {
			return err
		}
		if err = call(); !passes(err) {
			return err
		}
	}
	return err
}

// pauseBefore waits before every try except the first. The pause is random, so that calls that
// conflicted do not conflict again.
func pauseBefore(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	most := 25 * time.Millisecond << attempt
	return pause.For(ctx, most/2+rand.N(most/2))
}

// putIf puts an item if a condition holds. A transaction would cost twice as much, and is not
// needed for one item: if the answer to a write was lost, the stored item equals it.
func (t *Table) putIf(ctx context.Context, doing string, it item, c condition) (refused bool, err error) {
	values, err := c.values.all()
	if err != nil {
		return false, failed(doing, err)
	}
	if len(values) == 0 {
		values = nil // DynamoDB rejects an empty map
	}
	err = patiently(ctx, func() error {
		_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &t.name, Item: it, ConditionExpression: &c.text, ExpressionAttributeValues: values,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, noSilence)
		return err
	})
	if conflict, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return !reflect.DeepEqual(item(conflict.Item), it), nil
	}
	return false, failed(doing, err)
}
