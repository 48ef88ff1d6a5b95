package dynamo

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/checklist"
)

var _ checklist.Store = (*Table)(nil)

const listPrefix = "L#"

func checklistsKey(subject string) string { return "TL#" + subject }

func checklistKey(subject, id string) key { return key{checklistsKey(subject), listPrefix + id} }

// latestKey returns the key of the note that says which list a connection wrote last.
func latestKey(subject, connection string) key { return key{checklistsKey(subject), "C#" + connection} }

// headFields returns the fields of a head. The item of a list also has the to-dos.
func headFields(h *checklist.Head) fields {
	return fields{"rev": &h.Revision, "summary": &h.Summary, "doing": &h.Doing, "written": &h.WrittenAt, "exp": &h.ExpiresAt}
}

// latest is the note that says which list a connection wrote last, if the marks of the connection
// belong to another user. It is stored as long
// as a connection can live, because a list may be kept long after it was written.
type latest struct {
	id       string
	revision int64
	exp      time.Time
}

const latestLife = 180 * 24 * time.Hour

func (l *latest) fields() fields { return fields{"list": &l.id, "rev": &l.revision, "exp": &l.exp} }

// Checklist returns a user's list, or ErrNotFound. Without an ID, it is the one that the connection
// wrote last; requests that Access has checked rarely need that, because they know the list from
// the family.
func (t *Table) Checklist(ctx context.Context, subject, id, connection string) (checklist.List, error) {
	const doing = "read a checklist"
	if id == "" {
		var err error
		if id, err = t.latestOf(ctx, subject, connection); err != nil {
			return checklist.List{}, err
		}
	}
	it, err := t.get(ctx, doing, checklistKey(subject, id))
	if err != nil {
		return checklist.List{}, err
	}
	return t.checklistIn(it, id, doing)
}

// latestOf returns the ID of the list that a connection of a user wrote last, or ErrNotFound.
func (t *Table) latestOf(ctx context.Context, subject, connection string) (id string, err error) {
	const doing = "read the latest checklist"
	noteKey, ownKey, marked := latestKey(subject, connection), familyKey(connection), marksKey(connection)
	found, err := t.batch(ctx, doing, true, noteKey, ownKey, marked)
	if err != nil {
		return "", err
	}
	var note latest
	own, m, err := familyIn(connection, found[ownKey], found[marked])
	if err := cmp.Or(err, note.fields().read(found[noteKey])); err != nil {
		return "", failed(doing, err)
	}
	switch {
	case m.subject == subject && m.checklist != "":
		return m.checklist, nil
	case own.Subject == subject && own.Checklist != "":
		return own.Checklist, nil
	case note.id == "":
		return "", checklist.ErrNotFound
	}
	return note.id, nil
}

func (t *Table) checklistIn(it item, id, doing string) (checklist.List, error) {
	h := checklist.Head{ID: id}
	var todos, previous []byte
	var previousExp time.Time
	all := headFields(&h)
	all["todos"], all["previous"], all["previous_exp"] = &todos, &previous, &previousExp
	if err := all.read(it); err != nil {
		return checklist.List{}, failed(doing, err)
	}
	if !t.now().Before(h.ExpiresAt) {
		return checklist.List{}, checklist.ErrNotFound
	}
	l := checklist.List{
		ID: id, Revision: h.Revision, WrittenAt: h.WrittenAt, ExpiresAt: h.ExpiresAt,
		HasPrevious: previousExp.After(h.WrittenAt), // otherwise it had expired, or did not exist
	}
	err := inflate(todos, &l.Todos)
	if l.HasPrevious {
		err = cmp.Or(err, inflate(previous, &l.Previous))
	}
	if err != nil {
		return checklist.List{}, failed(doing, err)
	}
	return l, nil
}

// Checklists returns the heads of all lists of a user, in any order.
func (t *Table) Checklists(ctx context.Context, subject string) (heads []checklist.Head, err error) {
	const doing = "read a person's checklists"
	now := t.now()
	values, err := fields{":pk": new(checklistsKey(subject)), ":sk": new(listPrefix), ":now": &now}.all()
	if err != nil {
		return nil, failed(doing, err)
	}
	input := &dynamodb.QueryInput{
		KeyConditionExpression: new("pk = :pk AND begins_with(sk, :sk)"), FilterExpression: new("exp > :now"),
		ExpressionAttributeValues: values, ProjectionExpression: new("pk, sk, rev, summary, doing, written, exp"),
	}
	for it, err := range t.query(ctx, doing, input) {
		if err != nil {
			return nil, err
		}
		h := checklist.Head{ID: strings.TrimPrefix(keyOf(it).sk, listPrefix)}
		if err := headFields(&h).read(it); err != nil {
			return nil, failed(doing, err)
		}
		heads = append(heads, h)
	}
	return heads, nil
}
