package dynamo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
)

// marks are what the MCP function stores about a family. They are an item of their own, because the
// role of the function may not write families and tokens. Every read of a family also reads its
// marks. Marks end permissions or describe their use; they never give one.
type marks struct {
	subject    string // whose checklist it is
	checklist  string // that the connection wrote last
	confirmed  int    // a generation whose tokens were used
	revoked    time.Time
	revokedFor string
	sessions   [][]byte // that have ended
}

func (m *marks) fields() fields {
	return fields{
		"subject": &m.subject, "checklist": &m.checklist, "confirmed": &m.confirmed,
		"revoked": &m.revoked, "revoked_for": &m.revokedFor, "ended": &m.sessions,
	}
}

// marksLife is the time for which marks are stored after a write: the longest life of a family.
const marksLife = 180 * 24 * time.Hour

// familyIn returns a family with what its marks add to it. Both items may be missing.
func familyIn(id string, it, marked item) (f authserver.Family, m marks, err error) {
	f.ID = id
	if err := errors.Join(familyFields(&f).read(it), m.fields().read(marked)); err != nil {
		return authserver.Family{ID: id}, marks{}, err
	}
	if f.RevokedAt.IsZero() {
		f.RevokedAt, f.RevokedFor = m.revoked, m.revokedFor
	}
	if f.Unconfirmed == m.confirmed {
		f.Unconfirmed = 0
	}
	if m.checklist != "" && m.subject == f.Subject {
		f.Checklist = m.checklist
	}
	return f, m, nil
}

// marking is a change of marks.
type marking struct {
	set    string // assignments, each after a comma
	other  string // actions besides SET
	only   string // a condition; may be empty
	values fields
}

// mark changes the marks of a family. It returns the marks that refused the condition, or nil. It
// needs no transaction: if a change is repeated, it finds that its work is done.
func (t *Table) mark(ctx context.Context, doing, family string, change marking) (refused item, err error) {
	values, err := change.values.all()
	if err != nil {
		return nil, failed(doing, err)
	}
	exp := t.now().Add(marksLife)
	values[":exp"], values[":ttl"] = moment(exp), ttl(exp)
	err = patiently(ctx, func() error {
		_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &t.name, Key: marksKey(family).item(),
			UpdateExpression:    new("SET exp = :exp, #ttl = :ttl" + change.set + change.other),
			ConditionExpression: condition{text: change.only}.expression(), ExpressionAttributeValues: values,
			ExpressionAttributeNames:            map[string]string{"#ttl": "ttl"},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, noSilence)
		return err
	})
	if by, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		refused = item{} // of marks that do not exist
		maps.Copy(refused, by.Item)
		return refused, nil
	}
	return nil, failed(doing, err)
}

// Confirm marks a generation of a family as used, so that its Unconfirmed reads as zero if it
// equals the generation. A late call can undo the one for the next generation; the next use of the
// newest token repeats that one.
func (t *Table) Confirm(ctx context.Context, family string, generation int) error {
	_, err := t.mark(ctx, "confirm a refresh", family, marking{set: ", confirmed = :gen", values: fields{":gen": &generation}})
	return err
}

// mostSessions is the number of ended sessions in the marks of a family. With them the marks are
// smaller than 1 KB, which is one write unit.
const mostSessions = 40

// EndSession stores until a time that a session of a family has ended. If there are mostSessions of
// them, it forgets the half with the earliest times.
func (t *Table) EndSession(ctx context.Context, family string, session authserver.Hash, until time.Time) error {
	const doing = "end a session"
	add := marking{
		other: " ADD ended :session", only: "attribute_not_exists(ended) OR size(ended) < :most",
		values: fields{":session": &[][]byte{endedSession(session, until)}, ":most": new(mostSessions)},
	}
	refused, err := t.mark(ctx, doing, family, add)
	if err != nil || refused == nil {
		return err
	}
	var m marks
	if err := m.fields().read(refused); err != nil {
		return failed(doing, err)
	}
	slices.SortFunc(m.sessions, func(x, y []byte) int {
		return bytes.Compare(x[min(len(x), sessionName):], y[min(len(y), sessionName):])
	})
	oldest := m.sessions[:len(m.sessions)/2]
	if _, err := t.mark(ctx, doing, family, marking{other: " DELETE ended :oldest", values: fields{":oldest": &oldest}}); err != nil {
		return err
	}
	add.only = ""
	delete(add.values, ":most")
	_, err = t.mark(ctx, doing, family, add)
	return err
}

// sessionName is the number of bytes by which marks name a session. They need not be secret, and a
// client could only find a collision with a session of its own.
const sessionName = 8

// endedSession returns a session as marks store it: its name, and the time until which it counts as
// ended, in seconds.
func endedSession(session authserver.Hash, until time.Time) []byte {
	sum := sha256.Sum256([]byte(session))
	seconds := until.Add(time.Second - 1).Unix()
	return binary.BigEndian.AppendUint64(sum[:sessionName:sessionName], uint64(max(0, seconds)))
}

// ended reports whether a session has ended. No session has the empty name.
func (m marks) ended(session authserver.Hash, now time.Time) bool {
	if session == "" {
		return false
	}
	sum := sha256.Sum256([]byte(session))
	return slices.ContainsFunc(m.sessions, func(s []byte) bool {
		return len(s) == sessionName+8 && bytes.Equal(s[:sessionName], sum[:sessionName]) &&
			now.Before(time.Unix(int64(binary.BigEndian.Uint64(s[sessionName:])), 0)) //nolint:gosec // endedSession wrote it
	})
}

// Endpoint is the Table of the MCP function, whose role may not write families.
type Endpoint struct{ *Table }

// Endpoint returns the Table for the MCP function.
func (t *Table) Endpoint() Endpoint { return Endpoint{t} }

// Revoke revokes a family as Table.Revoke does, by a mark. Instances of releases before the marks
// do not see it. The MCP function revokes only connections whose grant is dead, and an old instance
// that meets such a connection revokes it again.
func (e Endpoint) Revoke(ctx context.Context, family, reason string, at time.Time) error {
	now := e.now()
	tx := e.begin("revoke a family")
	tx.check(familyKey(family), living(now))
	tx.update(marksKey(family), fields{"revoked": &at, "revoked_for": &reason, "exp": new(now.Add(marksLife))}, condition{
		text: "attribute_not_exists(revoked)",
	})
	return tx.commitOr(ctx, nil) // a refusal means that the family has ended already
}
