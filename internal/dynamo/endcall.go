package dynamo

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

// EndCall does SettleCall or ReleaseCall, and AddEntry, in one request. It returns ErrLost if it
// has added only the entry, because another call holds the record; and ErrTaken, with nothing done,
// if another entry has the ID. Repeating it changes nothing.
func (t *Table) EndCall(ctx context.Context, end idempotency.End, subject string, e audit.Entry) error {
	const doing = "settle an idempotency key and add an audit entry"
	added, err := auditItem(subject, e)
	if err != nil {
		return failed(doing, err)
	}
	tx := t.begin(doing)
	if end.Free {
		tx.delete(onceKey(end.Record), claimed(&end.Record))
	} else {
		tx.put(onceKey(end.Record), onceFields(&end.Record), claimed(&end.Record))
	}
	tx.writes = append(tx.writes, types.TransactWriteItem{Put: &types.Put{
		TableName: &t.name, Item: added, ConditionExpression: new("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}})
	refused, err := tx.commit(ctx)
	switch {
	case refused == 1:
		err = t.AddEntry(ctx, subject, e)
		if err == nil && !end.Free {
			err = idempotency.ErrLost
		}
		return err
	case refused == 2 && !reflect.DeepEqual(tx.refused, added): // equal: an earlier try did both
		return audit.ErrTaken
	}
	return err
}
