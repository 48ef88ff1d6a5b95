// Package dynamo is the Stores of broker, grant, todolist, task, once and audit on one DynamoDB table of the keys pk and sk.
// Items lie there for days after they have expired, for the table's time to live is only its cleaner: reads and conditions
// look at exp themselves.
//
// Nothing is lost between an answer and its listener. A write with a condition is a transaction, also of one item alone:
// its token makes a second try of what has landed a success (ClientRequestToken), where a plain conditional write would
// find itself there and call it a conflict. Writes without a condition may simply be repeated.
package dynamo

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
)

// Table is a authserver.Store, a grant.Records, and the Store of todolist, of task, of once and of audit. Each of its errors
// that is none of theirs says in a few words of ours what failed; what DynamoDB said is behind it, for errors.As.
type Table struct {
	client *dynamodb.Client
	name   string
	now    func() time.Time
}

var (
	_ authserver.Store = (*Table)(nil)
)

// New gives the Stores on a table that is there. Its time is now, or the real one for nil.
func New(client *dynamodb.Client, table string, now func() time.Time) *Table {
	if now == nil {
		now = time.Now
	}
	return &Table{client: client, name: table, now: now}
}

// get reads one item, seeing every write before; nil when there is none.
func (t *Table) get(ctx context.Context, doing string, k key) (item, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: k.item(), ConsistentRead: new(true)}, noSilence)
	if err != nil {
		return nil, failed(doing, err)
	}
	if out.Item != nil && keyOf(out.Item) != k {
		return nil, failed(doing, errUnreadable)
	}
	return out.Item, nil
}

// batch reads up to 100 items, in no order.
func (t *Table) batch(ctx context.Context, doing string, consistent bool, keys ...key) (map[key]item, error) {
	asked := types.KeysAndAttributes{ConsistentRead: &consistent}
	for _, k := range keys {
		asked.Keys = append(asked.Keys, k.item())
	}
	found := make(map[key]item, len(keys))
	request := map[string]types.KeysAndAttributes{t.name: asked}
	for attempt := range attempts {
		if err := before(ctx, attempt); err != nil {
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

// put adds or replaces an item, whatever was there.
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

// remove removes an item and gives what was there, if anything: to one caller only. DynamoDB promises that without the
// condition too, DynamoDB Local does not.
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

// attempts is how often a call is made that meets a transaction, is throttled as one, or is only answered in part. The waits
// between them come to 0.4 to 0.75 seconds.
const attempts = 5

// patiently makes a call again while it fails for a reason that passes and that the SDK leaves to us.
func patiently(ctx context.Context, call func() error) (err error) {
	for attempt := range attempts {
		if err := before(ctx, attempt); err != nil {
			return err
		}
		if err = call(); !passes(err) {
			return err
		}
	}
	return err
}

// before waits for an attempt other than the first, at random, so that calls that met do not meet again.
func before(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	most := 25 * time.Millisecond << attempt
	timer := time.NewTimer(most/2 + rand.N(most/2))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
