package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/hub"
)

var _ hub.Store = (*Table)(nil)

// hubKey returns the key of a row of a user.
func hubKey(subject, name string) key { return key{"HB#" + subject, name} }

func hubFields(r *hub.Row) fields {
	return fields{"body": &r.Body, "rev": &r.Revision, "exp": &r.ExpiresAt}
}

// HubRows returns the user's rows whose keys have a prefix, in the order of the keys.
func (t *Table) HubRows(ctx context.Context, subject, prefix string) (found []hub.Row, err error) {
	const doing = "read links"
	input := &dynamodb.QueryInput{
		KeyConditionExpression:    new("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(hubKey(subject, "").pk)},
	}
	if prefix != "" { // which DynamoDB refuses in a condition on a key
		input.KeyConditionExpression = new("pk = :pk AND begins_with(sk, :prefix)")
		input.ExpressionAttributeValues[":prefix"] = text(prefix)
	}
	for it, err := range t.query(ctx, doing, input) {
		if err != nil {
			return nil, err
		}
		var r hub.Row
		if r.Key, err = hubFields(&r).readNamed(it); err != nil {
			return nil, failed(doing, errUnreadable)
		}
		if r.ExpiresAt.IsZero() || t.now().Before(r.ExpiresAt) {
			found = append(found, r)
		}
	}
	return found, nil
}

// SaveHub writes rows, or returns ErrChanged.
func (t *Table) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	tx := t.begin("save links")
	for _, r := range rows {
		before, now := r.Revision-1, t.now()
		c := free(now)
		if before > 0 {
			c = condition{"rev = :rev AND (attribute_not_exists(exp) OR exp > :now)", fields{":rev": &before, ":now": &now}}
		}
		tx.put(hubKey(subject, r.Key), hubFields(&r), c)
	}
	return tx.commitOr(ctx, hub.ErrChanged)
}
