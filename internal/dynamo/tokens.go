package dynamo

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
)

// Tokens is the envelope.Rows. The sealed versions of a user share a pk, whose main item is the
// pointer. They never expire by themselves.
type Tokens struct{ table *Table }

var _ envelope.Rows = Tokens{}

// Tokens returns the rows of sealed tokens.
func (t *Table) Tokens() Tokens { return Tokens{t} }

const (
	tokensPrefix  = "UT#"
	versionPrefix = "V#"
)

func pointerKey(o envelope.Owner) key { return key{tokensPrefix + o.Provider + "#" + o.Subject, main} }

func versionKey(o envelope.Owner, version string) key {
	return key{pointerKey(o).pk, versionPrefix + version}
}

func pointerFields(p *envelope.Pointer) fields {
	return fields{"kept": &p.Kept, "changes": &p.Change}
}

func rowFields(r *envelope.Row) fields { return fields{"rev": &r.Revision, "sealed": &r.Sealed} }

// pointerAt returns the condition that a pointer is the one with a Change, or that there is none.
func pointerAt(change int64) condition {
	if change == 0 {
		return condition{text: "attribute_not_exists(pk)"}
	}
	return condition{"changes = :changes", fields{":changes": &change}}
}

// Pointer returns a user's pointer. Its Change is zero if there is none.
func (s Tokens) Pointer(ctx context.Context, o envelope.Owner) (envelope.Pointer, error) {
	const doing = "read which tokens are kept"
	var p envelope.Pointer
	exists, err := s.table.load(ctx, doing, pointerKey(o), pointerFields(&p))
	if err == nil && exists && p.Change < 1 {
		err = failed(doing, errUnreadable)
	}
	if err != nil {
		return envelope.Pointer{}, err
	}
	return p, nil
}

// Row returns the row of a version, or ErrNotFound. Rows never change, so the first read is without
// consistency, at half the price. Only a row that is missing there is read with it. A row with
// attributes of wrong types is returned without sealed tokens.
func (s Tokens) Row(ctx context.Context, o envelope.Owner, version string) (envelope.Row, error) {
	const doing = "read sealed tokens"
	it, err := s.table.read(ctx, doing, versionKey(o, version), false)
	if err == nil && it == nil {
		it, err = s.table.get(ctx, doing, versionKey(o, version))
	}
	if err != nil {
		return envelope.Row{}, err
	}
	if it == nil {
		return envelope.Row{}, grant.ErrNotFound
	}
	r := envelope.Row{Version: version}
	if rowFields(&r).read(it) != nil {
		r.Sealed = nil // nothing opens it: it is refused as every other row that was changed
	}
	return r, nil
}

// Write writes the pointer with Change+1, or with a random Change if there is none, adds a row
// unless it is nil, and removes versions, all in one transaction. It returns ErrConflict if the
// stored pointer's Change is not p.Change.
func (s Tokens) Write(ctx context.Context, o envelope.Owner, p envelope.Pointer, add *envelope.Row, remove []string) error {
	tx := s.table.begin("save sealed tokens")
	same := pointerAt(p.Change)
	if p.Change == 0 {
		p.Change = rand.Int64N(1 << 62) // a pointer that was deleted may have had any small number
	}
	p.Change++
	tx.put(pointerKey(o), pointerFields(&p), same)
	if add != nil {
		tx.put(versionKey(o, add.Version), rowFields(add), always)
	}
	for _, version := range remove {
		tx.delete(versionKey(o, version), always)
	}
	return tx.commitOr(ctx, grant.ErrConflict)
}

// deletedAtOnce is how many versions one transaction of Delete removes. The items of a transaction
// may have 4 MB together, and a version up to 65 KB.
const deletedAtOnce = 40

// Delete removes the pointer and all versions. The pointer goes in the first transaction, which
// fails if a version was added since the versions were listed.
func (s Tokens) Delete(ctx context.Context, o envelope.Owner) error {
	const doing = "delete sealed tokens"
	for attempt := range attempts * 4 {
		if err := pauseBefore(ctx, min(attempt, attempts-1)); err != nil {
			return failed(doing, err)
		}
		done, err := s.deleteSome(ctx, doing, o)
		if done || err != nil {
			return err
		}
	}
	return failed(doing, errUnprocessed)
}

// deleteSome removes the pointer as it was read, or missing, and up to deletedAtOnce versions, in
// one transaction. It reports whether nothing is left.
func (s Tokens) deleteSome(ctx context.Context, doing string, o envelope.Owner) (done bool, err error) {
	p, versions, err := s.list(ctx, doing, o)
	switch {
	case err != nil:
		return false, err
	case p == nil && len(versions) == 0:
		return true, nil
	}
	some := versions[:min(len(versions), deletedAtOnce)]
	tx := s.table.begin(doing)
	if p == nil {
		tx.check(pointerKey(o), pointerAt(0))
	} else {
		tx.delete(pointerKey(o), sameChanges(p))
	}
	for _, version := range some {
		tx.delete(versionKey(o, version), always)
	}
	refused, err := tx.commit(ctx)
	return refused == 0 && len(some) == len(versions), err
}

// sameChanges returns the condition that a pointer has the same changes as one that was read, also
// if they are missing or not a number: a pointer that cannot be read can still be deleted.
func sameChanges(pointer item) condition {
	changes, ok := pointer["changes"]
	if !ok {
		return condition{text: "attribute_exists(pk) AND attribute_not_exists(changes)"}
	}
	return condition{"changes = :changes", fields{":changes": changes}}
}

// list returns a user's pointer with its changes only, or nil, and the versions that exist.
func (s Tokens) list(ctx context.Context, doing string, o envelope.Owner) (pointer item, versions []string, err error) {
	input := &dynamodb.QueryInput{
		KeyConditionExpression:    new("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text(pointerKey(o).pk)},
		ProjectionExpression:      new("pk, sk, changes"),
	}
	for it, err := range s.table.query(ctx, doing, input) {
		if err != nil {
			return nil, nil, err
		}
		k := keyOf(it)
		if version, ok := strings.CutPrefix(k.sk, versionPrefix); ok {
			versions = append(versions, version)
		} else if k == pointerKey(o) {
			pointer = it
		}
	}
	return pointer, versions, nil
}
