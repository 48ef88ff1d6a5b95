package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// transaction collects writes that happen together or not at all. commit does them.
type transaction struct {
	table  *Table
	doing  string
	writes []types.TransactWriteItem
	err    error

	refused item // the existing item that refused the last commit, if its write asked for it
}

func (t *Table) begin(doing string) *transaction { return &transaction{table: t, doing: doing} }

// condition must hold for the stored item, or nothing is written. Its text uses the values of its
// fields, which are all present, also zero ones.
type condition struct {
	text   string
	values fields
}

// always is the condition that holds for every item, and for a missing one.
var always = condition{}

// free returns the condition that there is no item, or that it has expired since a time.
func free(gone time.Time) condition {
	return condition{"attribute_not_exists(pk) OR exp <= :gone", fields{":gone": &gone}}
}

func (tx *transaction) put(k key, f fields, c condition) {
	it, err := f.item(k)
	tx.note(err)
	tx.writes = append(tx.writes, types.TransactWriteItem{Put: &types.Put{
		TableName: &tx.table.name, Item: it,
		ConditionExpression: c.expression(), ExpressionAttributeValues: tx.values(c),
	}})
}

// update sets attributes of an item. The condition c must require that the item exists: otherwise
// update would create it.
func (tx *transaction) update(k key, set fields, c condition) {
	attributes, err := set.attributes()
	tx.note(err)
	values, names := item{}, map[string]string{} // names because "ttl" means something in expressions
	maps.Copy(values, tx.values(c))
	var assignments []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		values[":set_"+name], names["#"+name] = attributes[name], name
		assignments = append(assignments, "#"+name+" = :set_"+name)
	}
	tx.writes = append(tx.writes, types.TransactWriteItem{Update: &types.Update{
		TableName: &tx.table.name, Key: k.item(), UpdateExpression: new("SET " + strings.Join(assignments, ", ")),
		ConditionExpression: c.expression(), ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}})
}

func (tx *transaction) delete(k key, c condition) {
	tx.writes = append(tx.writes, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &tx.table.name, Key: k.item(),
		ConditionExpression: c.expression(), ExpressionAttributeValues: tx.values(c),
	}})
}

// check adds a condition on an item that is not written.
func (tx *transaction) check(k key, c condition) {
	tx.writes = append(tx.writes, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &tx.table.name, Key: k.item(),
		ConditionExpression: c.expression(), ExpressionAttributeValues: tx.values(c),
	}})
}

// commit does the writes. refused is the number of the first write, counted from 1, whose condition
// failed; then nothing was written. All tries of the SDK and of commit use the same token. So a
// write whose answer was lost is not repeated, and does not fail because of its own result.
func (tx *transaction) commit(ctx context.Context) (refused int, err error) {
	if tx.err != nil {
		return 0, failed(tx.doing, tx.err)
	}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: tx.writes, ClientRequestToken: new(rand.Text())}
	err = patiently(ctx, func() error {
		_, err := tx.table.client.TransactWriteItems(ctx, input, noSilence)
		return err
	})
	if refused, tx.refused = refusal(err); refused > 0 {
		return refused, nil
	}
	return 0, failed(tx.doing, err)
}

// commitOr does the writes. It returns refusal, which may be nil, if the condition of one failed.
func (tx *transaction) commitOr(ctx context.Context, refusal error) error {
	refused, err := tx.commit(ctx)
	if refused > 0 {
		return refusal
	}
	return err
}

func (tx *transaction) note(err error) { tx.err = errors.Join(tx.err, err) }

func (tx *transaction) values(c condition) item {
	if len(c.values) == 0 {
		return nil // DynamoDB rejects an empty map
	}
	values, err := c.values.all()
	tx.note(err)
	return values
}

func (c condition) expression() *string {
	if c.text == "" {
		return nil
	}
	return &c.text
}
