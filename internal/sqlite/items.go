package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// key is the key of an item. The kind says which store it belongs to, and the owner is the user,
// the family or the provider that has several items of the kind.
type key struct{ kind, owner, name string }

// never is the expiry of an item that does not expire.
var never time.Time

// errUnreadable means that an item is not the JSON that its kind has.
var errUnreadable = errors.New("an item is unreadable")

// queryFunc is QueryContext of a transaction or of the readers.
type queryFunc func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// find reads an item into v, unless it has expired. It returns whether there is one.
func find(ctx context.Context, do queryFunc, k key, now time.Time, v any) (bool, error) {
	bodies, err := bodies(ctx, do, "SELECT body FROM items WHERE kind = ? AND owner = ? AND name = ? AND (expires IS NULL OR expires > ?)",
		k.kind, k.owner, k.name, now.UnixNano())
	if err != nil || len(bodies) == 0 {
		return false, err
	}
	return true, decode(bodies[0], v)
}

// bodies returns the first column of the rows that a query finds.
func bodies(ctx context.Context, do queryFunc, query string, args ...any) (found []string, err error) {
	rows, err := do(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return nil, err
		}
		found = append(found, body)
	}
	return found, rows.Err()
}

func decode(body string, v any) error {
	if err := json.Unmarshal([]byte(body), v); err != nil {
		return fmt.Errorf("%w: %T", errUnreadable, v)
	}
	return nil
}

// read returns whether there is an item, after it has read the item into v.
func (s *Store) read(ctx context.Context, doing string, k key, v any) (bool, error) {
	ok, err := find(ctx, s.reader.QueryContext, k, s.now(), v)
	return ok, s.failed(doing, err)
}

// put writes one item in a transaction of its own.
func (s *Store) put(ctx context.Context, doing string, k key, v any, expires time.Time) error {
	return s.write(ctx, doing, func(t *tx) error { return t.put(k, v, expires) })
}

// remove deletes one item in a transaction of its own, if it exists.
func (s *Store) remove(ctx context.Context, doing string, k key) error {
	return s.write(ctx, doing, func(t *tx) error { return t.remove(k) })
}

// find reads an item into v, unless it has expired. It returns whether there is one.
func (t *tx) find(k key, v any) (bool, error) { return find(t.ctx, t.conn.QueryContext, k, t.now, v) }

// has reports whether there is an item that has not expired.
func (t *tx) has(k key) (bool, error) { return t.find(k, &json.RawMessage{}) }

// put adds or replaces an item. A replaced item counts as the newest of its kind.
func (t *tx) put(k key, v any, expires time.Time) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	t.s.puts.Add(1)
	return t.exec("INSERT OR REPLACE INTO items (kind, owner, name, body, expires) VALUES (?, ?, ?, ?, ?)",
		k.kind, k.owner, k.name, string(body), nanoseconds(expires))
}

// remove deletes an item, if it exists.
func (t *tx) remove(k key) error {
	return t.exec("DELETE FROM items WHERE kind = ? AND owner = ? AND name = ?", k.kind, k.owner, k.name)
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.conn.ExecContext(t.ctx, query, args...)
	t.s.at("executed")
	return err
}

// nanoseconds returns the value of the column expires.
func nanoseconds(expires time.Time) any {
	if expires.IsZero() {
		return nil
	}
	return expires.UnixNano()
}

// digest returns a name of fixed length for a text that a client chooses.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
