package dynamo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

var _ idempotency.Store = (*Table)(nil)

// onceKey returns a key with a hash, because clients choose idempotency keys freely.
func onceKey(r idempotency.Record) key {
	sum := sha256.Sum256([]byte(r.Key))
	return key{"IK#" + r.Subject, r.Tool + "#" + hex.EncodeToString(sum[:])}
}

func onceFields(r *idempotency.Record) fields {
	return fields{
		"asked": &r.Asked, "claim": &r.Claim, "state": (*string)(&r.State), "result": &r.Result, "held": &r.HeldUntil,
		"exp": &r.ExpiresAt,
	}
}

// claimed returns the condition that the record has r's claim.
func claimed(r *idempotency.Record) condition {
	return condition{"claim = :claim", fields{":claim": &r.Claim}}
}

// ClaimCall adds r. If a record of its key exists, it returns that one with ErrTaken. It tries
// again if the record is released between the failed write and the read.
func (t *Table) ClaimCall(ctx context.Context, r idempotency.Record) (idempotency.Record, error) {
	const doing = "claim an idempotency key"
	for range attempts {
		tx := t.begin(doing)
		tx.put(onceKey(r), onceFields(&r), free(t.now()))
		refused, err := tx.commit(ctx)
		if err != nil {
			return idempotency.Record{}, err
		}
		if refused == 0 {
			return r, nil
		}
		found := idempotency.Record{Subject: r.Subject, Tool: r.Tool, Key: r.Key}
		if _, err := t.load(ctx, doing, onceKey(r), onceFields(&found)); err != nil {
			return idempotency.Record{}, err
		}
		if t.now().Before(found.ExpiresAt) {
			return found, idempotency.ErrTaken
		}
	}
	return idempotency.Record{}, failed(doing, errUnprocessed)
}

// SettleCall replaces the record of r's claim, or returns ErrLost.
func (t *Table) SettleCall(ctx context.Context, r idempotency.Record) error {
	tx := t.begin("settle an idempotency key")
	tx.put(onceKey(r), onceFields(&r), claimed(&r))
	return tx.commitOr(ctx, idempotency.ErrLost)
}

// ReleaseCall removes the record of r's claim, if it exists.
func (t *Table) ReleaseCall(ctx context.Context, r idempotency.Record) error {
	tx := t.begin("release an idempotency key")
	tx.delete(onceKey(r), claimed(&r))
	return tx.commitOr(ctx, nil)
}

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
