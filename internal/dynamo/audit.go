package dynamo

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/audit"
)

var _ audit.Store = (*Table)(nil)

// auditKey is ordered by time within a person.
func auditKey(subject, id string) key { return key{"AU#" + subject, id} }

func auditFields(e *audit.Entry, expires *time.Time) fields {
	return fields{
		"at": &e.Time, "tool": &e.Tool, "arguments": &e.Arguments, "outcome": &e.Outcome, "took": &e.Milliseconds,
		"client": &e.Client, "door": (*string)(&e.Door), "request": &e.RequestID, "connection": &e.Connection, "exp": expires,
	}
}

// AddEntry adds e. Adding it again changes nothing. ErrTaken when another entry has its ID. This condition needs no
// transaction, which would cost twice as much: an entry that has landed unheard is told by what it says.
func (t *Table) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	const doing = "add an audit entry"
	expires := e.Time.Add(audit.Retention)
	it, err := auditFields(&e, &expires).item(auditKey(subject, e.ID))
	if err != nil {
		return failed(doing, err)
	}
	err = patiently(ctx, func() error {
		_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &t.name, Item: it, ConditionExpression: new("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, noSilence)
		return err
	})
	refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	switch {
	case ok && reflect.DeepEqual(item(refused.Item), it):
		return nil
	case ok:
		return audit.ErrTaken
	}
	return failed(doing, err)
}

// Entries gives the entries whose ID is less than before, the newest first. Those that have expired are not read at all.
func (t *Table) Entries(ctx context.Context, subject, before string, limit int) ([]audit.Entry, error) {
	const doing = "read audit entries"
	oldest := audit.OldestID(t.now().Add(-audit.Retention))
	if before == "" {
		before = auditEnd
	}
	if limit <= 0 || before <= oldest {
		return nil, nil
	}
	page := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName:              &t.name,
		KeyConditionExpression: new("pk = :pk AND sk BETWEEN :oldest AND :before"),
		ExpressionAttributeValues: item{
			":pk": text(auditKey(subject, "").pk), ":oldest": text(oldest), ":before": text(before),
		},
		ScanIndexForward: new(false), ConsistentRead: new(true), Limit: new(int32(limit) + 1), // one may be before itself
	})
	var found []audit.Entry
	for page.HasMorePages() {
		out, err := page.NextPage(ctx, noSilence)
		if err != nil {
			return nil, failed(doing, err)
		}
		for _, it := range out.Items {
			e, err := entryIn(it)
			if err != nil {
				return nil, failed(doing, err)
			}
			if e.ID < before {
				found = append(found, e)
			}
			if len(found) == limit {
				return found, nil
			}
		}
	}
	return found, nil
}

// auditEnd is greater than every id, which begins with a year.
const auditEnd = "~"

func entryIn(it item) (audit.Entry, error) {
	e := audit.Entry{ID: keyOf(it).sk}
	if e.ID == "" {
		return audit.Entry{}, errUnreadable
	}
	var expires time.Time
	err := auditFields(&e, &expires).read(it)
	return e, err
}
