package dynamo

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/authserver"
)

// Revoke revokes a family with all its tokens, because every read of a token also reads the family.
// A second call does not change the time and the reason.
func (t *Table) Revoke(ctx context.Context, family, reason string, at time.Time) error {
	tx := t.begin("revoke a family")
	tx.update(familyKey(family), fields{"revoked": &at, "revoked_for": &reason}, living(t.now()))
	return tx.commitOr(ctx, nil) // a refusal means that the family has ended already
}

// RevokeAccess revokes one access token.
func (t *Table) RevokeAccess(ctx context.Context, family string, token authserver.Hash) error {
	_, err := t.remove(ctx, "revoke an access token", accessKey(family, token))
	return err
}

// indexFields returns the fields of an index entry. Its exp is the latest end of the family, so
// that a refresh does not have to write it.
func indexFields(f *authserver.Family) fields { return fields{"exp": &f.EndsAt} }

// mostOfABatch is the maximum number of items in one batch read.
const mostOfABatch = 100

// FamiliesOf returns a user's live families, newest first. It skips families of other users, which
// only a forged index entry names.
func (t *Table) FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error) {
	const doing = "read a person's families"
	ids, err := t.index(ctx, doing, subject)
	if err != nil {
		return nil, err
	}
	var families []authserver.Family
	for some := range slices.Chunk(ids, mostOfABatch/2) {
		var keys []key
		for _, id := range some {
			keys = append(keys, familyKey(id), marksKey(id))
		}
		found, err := t.batch(ctx, doing, true, keys...)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			f, _, err := familyIn(id, found[familyKey(id)], found[marksKey(id)])
			if err != nil { // what the MCP function can store must not keep a user from disconnecting it
				f, _, err = familyIn(id, found[familyKey(id)], nil)
			}
			if err != nil {
				return nil, failed(doing, err)
			}
			if f.Live(t.now()) && f.Subject == subject {
				families = append(families, f)
			}
		}
	}
	slices.SortFunc(families, func(x, y authserver.Family) int {
		return cmp.Or(y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return families, nil
}

// index returns the IDs of the families that a user has or had.
func (t *Table) index(ctx context.Context, doing, subject string) (ids []string, err error) {
	input := &dynamodb.QueryInput{
		KeyConditionExpression: new("pk = :pk AND begins_with(sk, :sk)"), FilterExpression: new("exp > :now"),
		ExpressionAttributeValues: item{":pk": text(loginsKey(subject)), ":sk": text(indexPrefix), ":now": moment(t.now())},
	}
	for it, err := range t.query(ctx, doing, input) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(keyOf(it).sk, indexPrefix))
	}
	return ids, nil
}
