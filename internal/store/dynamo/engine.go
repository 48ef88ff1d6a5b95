// Package dynamo is an items.Engine in one DynamoDB table, whose key attributes are pk and sk. An
// item is a row: pk is its kind and its owner, so that a role can be limited to kinds, and sk its
// name. Expired rows stay in the table for days, because its time to live only cleans up: reads
// check ttl themselves.
//
// Each write gives its rows a new random revision, and holds only if the rows that it has read
// still have theirs. Otherwise it runs again. No lost answer changes a result: a row with the
// write's own revision, or the token of its transaction, shows that it has happened. Only if the
// answer to a write of one row was lost, and another write has changed that row before the SDK
// asks again, it runs twice; the methods of items compare what they change, so they can bear it.
package dynamo

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/wire/pause"
)

// Engine keeps items in a table. It is safe for concurrent use. Its errors say in this server's
// words what failed, and wrap DynamoDB's error.
type Engine struct {
	client *dynamodb.Client
	table  string
	now    func() time.Time
	memo   memo
}

var _ items.Engine = (*Engine)(nil)

// New returns the Engine of an existing table. now returns the time; nil means the real time.
func New(client *dynamodb.Client, table string, now func() time.Time) *Engine {
	if now == nil {
		now = time.Now
	}
	return &Engine{client: client, table: table, now: now}
}

// mostOfABatch is the maximum number of rows in one batch read, and of a transaction.
const mostOfABatch = 100

// Find returns items. A single one costs less time than a batch.
func (e *Engine) Find(ctx context.Context, keys ...items.Key) (found []items.Item, err error) {
	if len(keys) == 1 {
		r, err := e.get(ctx, keys[0])
		return e.living(r), err
	}
	for some := range slices.Chunk(keys, mostOfABatch) {
		rows, err := e.batch(ctx, some)
		if err != nil {
			return nil, failed(err)
		}
		found = append(found, e.living(rows...)...)
	}
	return found, nil
}

// FindTogether returns items as they are at one moment.
func (e *Engine) FindTogether(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	gets := make([]types.TransactGetItem, len(keys))
	for i, k := range keys {
		gets[i].Get = &types.Get{TableName: &e.table, Key: keyOf(k)}
	}
	var rows []row
	err := patiently(ctx, func() error {
		out, err := e.client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
		if err != nil {
			return err
		}
		if len(out.Responses) != len(keys) {
			return errIncomplete
		}
		rows = nil
		for i, response := range out.Responses {
			rows = append(rows, rowOf(keys[i], response.Item))
		}
		return nil
	})
	return e.living(rows...), failed(err)
}

// living remembers rows, and returns the items that exist and have not expired.
func (e *Engine) living(rows ...row) (found []items.Item) {
	now := e.now()
	for _, r := range rows {
		e.memo.keep(r)
		if r.live(now) {
			found = append(found, r.Item)
		}
	}
	return found
}

// get reads one row, and sees every earlier write.
func (e *Engine) get(ctx context.Context, k items.Key) (row, error) {
	out, err := e.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &e.table, Key: keyOf(k), ConsistentRead: new(true)})
	if err != nil {
		return row{}, failed(err)
	}
	return rowOf(k, out.Item), nil
}

// batch reads at most mostOfABatch rows, in any order, without those that do not exist.
func (e *Engine) batch(ctx context.Context, keys []items.Key) (rows []row, err error) {
	asked := types.KeysAndAttributes{ConsistentRead: new(true)}
	named := map[string]items.Key{}
	for _, k := range keys {
		asked.Keys = append(asked.Keys, keyOf(k))
		named[nameIn(keyOf(k))] = k
	}
	request := map[string]types.KeysAndAttributes{e.table: asked}
	err = patiently(ctx, func() error {
		out, err := e.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: request})
		if err != nil {
			return err
		}
		for _, it := range out.Responses[e.table] {
			k, asked := named[nameIn(it)]
			if !asked {
				return errIncomplete
			}
			rows = append(rows, rowOf(k, it))
		}
		if request = out.UnprocessedKeys; len(request) > 0 {
			return errUnprocessed
		}
		return nil
	})
	return rows, err
}

// List returns the items of a range. Rows whose names do not have the mark are none, and the row
// with an empty name has no owner.
func (e *Engine) List(ctx context.Context, r items.Range) (found []items.Item, err error) {
	if r.Below != "" && r.From >= r.Below {
		return nil, nil // DynamoDB would refuse it
	}
	below := afterMark
	if r.Below != "" {
		below = mark + r.Below
	}
	in := &dynamodb.QueryInput{
		TableName: &e.table, ConsistentRead: new(true), ScanIndexForward: new(!r.Descending),
		KeyConditionExpression: new("pk = :pk AND sk BETWEEN :from AND :below"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": keyOf(items.Key{Kind: r.Kind, Owner: r.Owner})["pk"], ":from": text(mark + cmp.Or(r.From, "\x00")), ":below": text(below),
		},
	}
	if r.Limit > 0 {
		in.Limit = new(int32(min(r.Limit, 1_000)) + 1) // with Below itself
	}
	now := e.now()
	pages := dynamodb.NewQueryPaginator(e.client, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, failed(err)
		}
		for _, it := range page.Items {
			name, ok := strings.CutPrefix(stringIn(it, "sk"), mark)
			if !ok {
				continue
			}
			one := rowOf(items.Key{Kind: r.Kind, Owner: r.Owner, Name: name}, it)
			if one.live(now) && (r.Below == "" || name < r.Below) {
				found = append(found, one.Item)
			}
			if len(found) == r.Limit && r.Limit > 0 {
				return found, nil
			}
		}
	}
	return found, nil
}

// attempts is the maximum number of tries of a call that conflicts with a transaction, is throttled
// as one, or is answered in part. The pauses between the tries take 0.4 to 0.75 seconds in total.
const attempts = 5

// patiently repeats a call while it fails for a reason that passes and that the SDK does not retry.
// The pauses are random, so that calls that conflicted do not conflict again.
func patiently(ctx context.Context, call func() error) error {
	err := call()
	for attempt := 1; attempt < attempts && passes(err); attempt++ {
		most := 25 * time.Millisecond << attempt
		if err := pause.For(ctx, most/2+rand.N(most/2)); err != nil {
			return err
		}
		err = call()
	}
	return err
}
