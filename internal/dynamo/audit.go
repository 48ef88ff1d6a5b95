package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/audit"
)

var _ audit.Store = (*Table)(nil)

// auditKey returns a key that orders a user's entries by time.
func auditKey(subject, id string) key { return key{"AU#" + subject, id} }

// auditItem returns the item of an entry. Its ttl says when the table removes it, so it needs no
// exp: a user has thousands of entries, and each byte of them is paid for every month.
func auditItem(subject string, e audit.Entry) (item, error) {
	expires := e.Time.Add(audit.Retention)
	it, err := auditFields(&e, &expires).item(auditKey(subject, e.ID))
	delete(it, "exp")
	return it, err
}

func auditFields(e *audit.Entry, expires *time.Time) fields {
	return fields{
		"at": &e.Time, "tool": &e.Tool, "arguments": &e.Arguments, "outcome": &e.Outcome, "took": &e.Milliseconds,
		"client": &e.Client, "door": (*string)(&e.Door), "request": &e.RequestID, "connection": &e.Connection, "provider": &e.Provider, "wrote": &e.Wrote, "exp": expires,
	}
}

// AddEntry adds e. Adding the same entry again changes nothing. It returns ErrTaken if another
// entry has its ID.
func (t *Table) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	const doing = "add an audit entry"
	it, err := auditItem(subject, e)
	if err != nil {
		return failed(doing, err)
	}
	refused, err := t.putIf(ctx, doing, it, condition{"attribute_not_exists(pk)", nil})
	if refused {
		return audit.ErrTaken
	}
	return err
}

// Entries returns the entries whose ID is less than before, newest first. It does not read expired
// entries.
func (t *Table) Entries(ctx context.Context, subject, before string, limit int) ([]audit.Entry, error) {
	const doing = "read audit entries"
	oldest := audit.OldestID(t.now().Add(-audit.Retention))
	if before == "" {
		before = auditEnd
	}
	if limit <= 0 || before <= oldest {
		return nil, nil
	}
	input := &dynamodb.QueryInput{
		KeyConditionExpression: new("pk = :pk AND sk BETWEEN :oldest AND :before"),
		ExpressionAttributeValues: item{
			":pk": text(auditKey(subject, "").pk), ":oldest": text(oldest), ":before": text(before),
		},
		ScanIndexForward: new(false), Limit: new(int32(limit) + 1), // with before itself
	}
	var found []audit.Entry
	for it, err := range t.query(ctx, doing, input) {
		if err != nil {
			return nil, err
		}
		var e audit.Entry
		if e.ID, err = auditFields(&e, new(time.Time)).readNamed(it); err != nil {
			return nil, failed(doing, err)
		}
		if e.ID < before {
			found = append(found, e)
		}
		if len(found) == limit {
			break
		}
	}
	return found, nil
}

// auditEnd is greater than every ID, because IDs begin with a year.
const auditEnd = "~"
