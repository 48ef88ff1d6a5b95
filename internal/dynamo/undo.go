package dynamo

import (
	"context"
	"crypto/rand"
	"math"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/undo"
)

var _ undo.Store = (*Table)(nil)

// undoKey returns a key that orders a user's records by time.
func undoKey(subject, id string) key { return key{"UD#" + subject, id} }

func undoFields(r *undo.Record) fields {
	return fields{
		"tool": &r.Tool, "client": &r.Client, "at": &r.At, "exp": &r.ExpiresAt, "state": (*string)(&r.State), "about": &r.About,
		"account": &r.Account, "more": &r.More, "cannot": &r.Cannot, "sealed": &r.Sealed, "rev": &r.Revision,
	}
}

// AddUndo stores a new record, or returns ErrTaken.
func (t *Table) AddUndo(ctx context.Context, subject string, r undo.Record) error {
	refused, err := t.putUndo(ctx, "add an undo record", subject, r, free(t.now()))
	if refused {
		return undo.ErrTaken
	}
	return err
}

// FindUndo returns a record, or ErrNotFound.
func (t *Table) FindUndo(ctx context.Context, subject, id string) (undo.Record, error) {
	r := undo.Record{ID: id}
	if _, err := t.load(ctx, "read an undo record", undoKey(subject, id), undoFields(&r)); err != nil {
		return undo.Record{}, err
	}
	if !t.now().Before(r.ExpiresAt) {
		return undo.Record{}, undo.ErrNotFound
	}
	return r, nil
}

// Undos returns records of a user, newest first. It reads expired ones too, until the table has
// removed them.
func (t *Table) Undos(ctx context.Context, subject, before string, limit int) (found []undo.Record, err error) {
	const doing = "list undo records"
	if before == "" {
		before = auditEnd
	}
	input := &dynamodb.QueryInput{
		ScanIndexForward: new(false), Limit: new(int32(min(limit, math.MaxInt16))),
		KeyConditionExpression:    new("pk = :pk AND sk < :before"),
		ExpressionAttributeValues: item{":pk": text(undoKey(subject, "").pk), ":before": text(before)},
	}
	for it, err := range t.query(ctx, doing, input) {
		if err != nil {
			return nil, err
		}
		var r undo.Record
		if r.ID, err = undoFields(&r).readNamed(it); err != nil {
			return nil, failed(doing, err)
		}
		if t.now().Before(r.ExpiresAt) {
			found = append(found, r)
		}
		if len(found) == limit {
			break
		}
	}
	return found, nil
}

// ChangeUndo replaces the revision before r's, or returns ErrChanged.
func (t *Table) ChangeUndo(ctx context.Context, subject string, r undo.Record) error {
	before, now := r.Revision-1, t.now()
	holds := condition{"rev = :rev AND exp > :now", fields{":rev": &before, ":now": &now}}
	refused, err := t.putUndo(ctx, "change an undo record", subject, r, holds)
	if refused {
		return undo.ErrChanged
	}
	return err
}

// putUndo puts a record if a condition holds. The item has the name of its writer, so that another
// write of the same content is not taken for this one.
func (t *Table) putUndo(ctx context.Context, doing, subject string, r undo.Record, c condition) (refused bool, err error) {
	it, err := undoFields(&r).item(undoKey(subject, r.ID))
	if err != nil {
		return false, failed(doing, err)
	}
	it["writer"] = text(rand.Text()[:12])
	return t.putIf(ctx, doing, it, c)
}
