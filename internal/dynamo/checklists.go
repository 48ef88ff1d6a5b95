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

// latestKey returns the key of the note that says which list a connection wrote last, if the marks
// of the connection belong to another user.
func latestKey(subject, connection string) key { return key{checklistsKey(subject), "C#" + connection} }

// headFields returns the fields of a head. The item of a list also has the to-dos.
func headFields(h *checklist.Head) fields {
	return fields{"rev": &h.Revision, "summary": &h.Summary, "doing": &h.Doing, "written": &h.WrittenAt, "exp": &h.ExpiresAt}
}

// latestLife is how long the note of a connection's latest list is stored: as long as a connection
// can live, because a list may be kept long after it was written.
const latestLife = 180 * 24 * time.Hour

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
	h := checklist.Head{ID: id}
	var todos, previous []byte
	var previousExp time.Time
	all := headFields(&h)
	all["todos"], all["previous"], all["previous_exp"] = &todos, &previous, &previousExp
	if _, err := t.load(ctx, doing, checklistKey(subject, id), all); err != nil {
		return checklist.List{}, err
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

// latestOf returns the ID of the list that a connection of a user wrote last, or ErrNotFound.
func (t *Table) latestOf(ctx context.Context, subject, connection string) (id string, err error) {
	const doing = "read the latest checklist"
	noted, marked := latestKey(subject, connection), marksKey(connection)
	found, err := t.batch(ctx, doing, true, noted, marked)
	if err != nil {
		return "", err
	}
	var m marks
	if err := cmp.Or(m.fields().read(found[marked]), fields{"list": &id}.read(found[noted])); err != nil {
		return "", failed(doing, err)
	}
	switch {
	case m.subject == subject && m.checklist != "":
		return m.checklist, nil
	case id == "":
		return "", checklist.ErrNotFound
	}
	return id, nil
}

// Checklists returns the heads of all lists of a user, in any order.
func (t *Table) Checklists(ctx context.Context, subject string) (heads []checklist.Head, err error) {
	const doing = "read a person's checklists"
	input := &dynamodb.QueryInput{
		KeyConditionExpression: new("pk = :pk AND begins_with(sk, :sk)"), FilterExpression: new("exp > :now"),
		ExpressionAttributeValues: item{":pk": text(checklistsKey(subject)), ":sk": text(listPrefix), ":now": moment(t.now())},
		ProjectionExpression:      new("pk, sk, rev, summary, doing, written, exp"),
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
