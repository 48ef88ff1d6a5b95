package dynamo

import (
	"context"

	"basecamp-mcp/internal/grant"
)

// Records is the grant.Records of one provider.
type Records struct {
	table    *Table
	provider string
}

var _ grant.Records = Records{}

// Records returns the grant records of the provider with an ID.
func (t *Table) Records(provider string) Records { return Records{table: t, provider: provider} }

// recordFields returns fields without exp: a grant outlives its access token, whose expiry is in
// expires, and is never removed by the table. If the token never expires, expires is missing.
func recordFields(r *grant.Record) fields {
	return fields{
		"name": &r.Name, "account": &r.Account, "scope": &r.Scope, "rev": &r.Revision, "version": &r.Version, "status": (*string)(&r.Status),
		"connected": &r.ConnectedAt, "expires": &r.ExpiresAt, "signin": &r.SignInBy, "forced": &r.Forced,
		"lease": &r.Lease, "lease_until": &r.LeaseUntil, "failures": &r.Failures, "next_try": &r.NextTry,
		"changes": &r.Change,
	}
}

// Record returns a user's record, or ErrNotFound.
func (s Records) Record(ctx context.Context, subject string) (grant.Record, error) {
	r := grant.Record{Subject: subject}
	exists, err := s.table.load(ctx, "read a grant", recordKey(subject, s.provider), recordFields(&r))
	if err == nil && !exists {
		err = grant.ErrNotFound
	}
	if err != nil {
		return grant.Record{}, err
	}
	return r, nil
}

// SaveRecord writes r with Change+1 over the record from which it was read. It returns ErrConflict
// if that record has changed or does not exist any more.
func (s Records) SaveRecord(ctx context.Context, r grant.Record) (grant.Record, error) {
	same := condition{"changes = :changes", fields{":changes": new(r.Change)}}
	if r.Change == 0 {
		same = condition{text: "attribute_not_exists(pk)"}
	}
	r.Change++
	tx := s.table.begin("save a grant")
	tx.put(recordKey(r.Subject, s.provider), recordFields(&r), same)
	if err := tx.commitOr(ctx, grant.ErrConflict); err != nil {
		return grant.Record{}, err
	}
	return r, nil
}

// RemoveRecord removes the record if it has not changed since it was read. Otherwise it returns
// ErrConflict.
func (s Records) RemoveRecord(ctx context.Context, r grant.Record) error {
	tx := s.table.begin("remove a grant")
	tx.delete(recordKey(r.Subject, s.provider), condition{"changes = :changes", fields{":changes": new(r.Change)}})
	return tx.commitOr(ctx, grant.ErrConflict)
}

// DeleteRecord removes the record, if it exists.
func (s Records) DeleteRecord(ctx context.Context, subject string) error {
	_, err := s.table.remove(ctx, "delete a grant", recordKey(subject, s.provider))
	return err
}
