package dynamo

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/checklist"
)

const savingChecklist = "save a checklist"

// SaveChecklist writes a list and returns its new revision. It returns ErrNotFound, or ErrConflict
// with the existing revision.
func (t *Table) SaveChecklist(ctx context.Context, d checklist.Draft) (revision int64, err error) {
	revision, err = t.updateChecklist(ctx, d)
	if err != nil {
		return revision, err
	}
	if d.Connection == "" {
		return revision, nil
	}
	return revision, t.noteLatest(ctx, d, revision)
}

// noteLatest stores which list a connection wrote last: in the marks of its family, which every
// request reads, or in an item of its own if the marks belong to another user.
func (t *Table) noteLatest(ctx context.Context, d checklist.Draft, revision int64) error {
	refused, err := t.mark(ctx, savingChecklist, d.Connection, marking{
		set: ", subject = :subject, checklist = :id", only: "attribute_not_exists(subject) OR subject = :subject",
		values: fields{":subject": &d.Subject, ":id": &d.ID},
	})
	if err != nil || refused == nil {
		return err
	}
	note := fields{"list": &d.ID, "rev": &revision, "exp": new(d.WrittenAt.Add(latestLife))}
	return t.put(ctx, savingChecklist, latestKey(d.Subject, d.Connection), note)
}

// updateChecklist writes a list. It is not a transaction, which could not return the revision and
// would cost twice as much. If the answer to a write was lost, the retry recognizes the write by
// its nonce, which the item keeps until the next write.
func (t *Table) updateChecklist(ctx context.Context, d checklist.Draft) (revision int64, err error) {
	nonce := rand.Text()
	update, err := t.checklistUpdate(d, nonce)
	if err != nil {
		return 0, failed(savingChecklist, err)
	}
	var out *dynamodb.UpdateItemOutput
	err = patiently(ctx, func() (err error) {
		out, err = t.client.UpdateItem(ctx, update, noSilence)
		return err
	})
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return t.refusedBy(refused.Item, d, nonce)
	}
	if err == nil {
		err = fields{"rev": &revision}.read(out.Attributes)
	}
	if err == nil && revision == 0 {
		err = errUnreadable
	}
	return revision, failed(savingChecklist, err)
}

// refusedBy returns why an item refused a draft, with its revision. It returns no error if the item
// is that draft, written by a try whose answer was lost.
func (t *Table) refusedBy(it item, d checklist.Draft, nonce string) (revision int64, err error) {
	var exp time.Time
	var by string
	if err := (fields{"rev": &revision, "exp": &exp, "nonce": &by}).read(it); err != nil {
		return 0, failed(savingChecklist, err)
	}
	gone := !t.now().Before(exp)
	switch {
	case by == nonce:
		return revision, nil
	case gone && d.Existing:
		return 0, checklist.ErrNotFound
	case d.IfRevision == nil: // then there was no condition to refuse
		return 0, failed(savingChecklist, errUnreadable)
	case gone:
		return 0, checklist.ErrConflict
	}
	return revision, checklist.ErrConflict
}

// A new list has no previous revision. If it replaces an expired list of the same ID, it continues
// the count, so that no revision number is used twice; and previous_exp, which has passed, hides
// the expired to-dos.
const checklistAssignments = "SET previous = if_not_exists(todos, :none), previous_exp = if_not_exists(exp, :written), " +
	"rev = if_not_exists(rev, :zero) + :one, todos = :todos, summary = :summary, doing = :doing, written = :written, " +
	"exp = :exp, nonce = :nonce, #ttl = :ttl"

func (t *Table) checklistUpdate(d checklist.Draft, nonce string) (*dynamodb.UpdateItemInput, error) {
	now := t.now()
	todos, err := deflate(d.Todos)
	if err != nil {
		return nil, err
	}
	set := fields{
		":none": new([]byte{}), ":zero": new(0), ":one": new(1), ":todos": &todos, ":summary": new(checklist.Summarize(d.Todos)),
		":doing": new(checklist.Doing(d.Todos)), ":written": &d.WrittenAt, ":exp": &d.ExpiresAt, ":nonce": &nonce,
	}
	text := "(attribute_not_exists(nonce) OR nonce <> :nonce)"
	if d.Existing {
		text += " AND exp > :now"
		set[":now"] = &now
	}
	switch expected := d.IfRevision; {
	case expected == nil:
	case *expected == 0:
		text += " AND (attribute_not_exists(pk) OR exp <= :now)"
		set[":now"] = &now
	default:
		text += " AND exp > :now AND rev = :expected"
		set[":now"], set[":expected"] = &now, expected
	}
	values, err := set.all()
	if err != nil {
		return nil, err
	}
	values[":ttl"] = ttl(d.ExpiresAt)
	return &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: checklistKey(d.Subject, d.ID).item(), UpdateExpression: new(checklistAssignments),
		ConditionExpression: &text, ExpressionAttributeNames: map[string]string{"#ttl": "ttl"}, ExpressionAttributeValues: values,
		ReturnValues: types.ReturnValueUpdatedNew, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, nil
}

// KeepChecklist extends the life of a list.
func (t *Table) KeepChecklist(ctx context.Context, subject, id string, until time.Time) error {
	now := t.now()
	tx := t.begin("keep a checklist")
	tx.update(checklistKey(subject, id), fields{"exp": &until}, condition{
		"exp > :now AND exp < :until", fields{":now": &now, ":until": &until},
	})
	return tx.commitOr(ctx, nil) // a refusal means that the list has expired or lives longer
}

// DeleteChecklist removes a list, if it exists.
func (t *Table) DeleteChecklist(ctx context.Context, subject, id string) error {
	_, err := t.remove(ctx, "delete a checklist", checklistKey(subject, id))
	return err
}

// deflate compresses to-dos. Their texts are repetitive and shrink to a third or less, and DynamoDB
// charges for each KB, for both revisions of a list each time.
func deflate(todos []checklist.Todo) ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err == nil {
		err = json.NewEncoder(w).Encode(todos)
	}
	if err == nil {
		err = w.Close()
	}
	return packed.Bytes(), err
}

func inflate(packed []byte, todos *[]checklist.Todo) error {
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(todos); err != nil {
		return fmt.Errorf("%w: todos", errUnreadable)
	}
	return nil
}
