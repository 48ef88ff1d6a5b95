package sqlite

import (
	"context"
	"encoding/json"
	"errors"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

var _ audit.Store = (*Store)(nil)

const kindEntry = "audit entry"

// AddEntry adds e. Adding the same entry again changes nothing. It returns ErrTaken if another
// entry has its ID. The entry of a call that changed nothing is on the disk a moment later.
func (s *Store) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	if e.Reads {
		return s.delay(subject, e)
	}
	return s.write(ctx, "add an audit entry", func(t *tx) error { return t.addEntry(subject, e) })
}

func (t *tx) addEntry(subject string, e audit.Entry) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var stored json.RawMessage
	taken, err := t.find(key{kindEntry, subject, e.ID}, &stored)
	switch {
	case err != nil:
		return err
	case taken && string(stored) != string(body):
		return audit.ErrTaken
	case taken:
		return nil
	}
	return t.put(key{kindEntry, subject, e.ID}, e, e.Time.Add(audit.Retention))
}

// Entries returns the entries whose ID is less than before, newest first.
func (s *Store) Entries(ctx context.Context, subject, before string, limit int) (entries []audit.Entry, err error) {
	const doing = "read audit entries"
	if err := s.addDelayed(); err != nil {
		return nil, err
	}
	if before == "" {
		before = "~" // is greater than every ID, because IDs begin with a year
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT name, body FROM items
		WHERE kind = ? AND owner = ? AND name < ? AND name > ? ORDER BY name DESC LIMIT ?`,
		kindEntry, subject, before, audit.OldestID(s.now().Add(-audit.Retention)), limit)
	if err != nil {
		return nil, s.failed(doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, body string
		var e audit.Entry
		if err = rows.Scan(&id, &body); err == nil {
			err = decode(body, &e)
		}
		if err != nil {
			return nil, s.failed(doing, err)
		}
		e.ID = id
		entries = append(entries, e)
	}
	return entries, s.failed(doing, rows.Err())
}

// EndCall does SettleCall or ReleaseCall, and AddEntry, in one transaction. It returns ErrLost if
// it has added only the entry, because another call holds the record; and ErrTaken, with nothing
// done, if another entry has the ID. Repeating it changes nothing.
func (s *Store) EndCall(ctx context.Context, end idempotency.End, subject string, e audit.Entry) error {
	var lost error
	err := s.write(ctx, "settle an idempotency key and add an audit entry", func(t *tx) error {
		settle := t.settle
		if end.Free {
			settle = t.release
		}
		if lost = settle(end.Record); lost != nil && !errors.Is(lost, idempotency.ErrLost) {
			return lost
		}
		return t.addEntry(subject, e)
	})
	if err != nil {
		return err
	}
	return lost
}
