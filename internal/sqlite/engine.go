package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"basecamp-mcp/internal/items"
)

// engine keeps the items of a Store in its file.
type engine struct{ *Store }

var _ items.Engine = engine{}

// Find returns items.
func (e engine) Find(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	return e.FindTogether(ctx, keys...)
}

// FindTogether returns items as they are at one moment.
func (e engine) FindTogether(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	return find(ctx, e.reader.QueryContext, e.now(), keys...)
}

// find returns items.
func find(ctx context.Context, do queryFunc, now time.Time, keys ...items.Key) ([]items.Item, error) {
	args := make([]any, 0, 3*len(keys)+1)
	for _, k := range keys {
		args = append(args, k.Kind, k.Owner, k.Name)
	}
	where := "kind = ? AND owner = ? AND name = ?"
	if len(keys) > 1 {
		where = "(kind, owner, name) IN (VALUES (?, ?, ?)" + strings.Repeat(", (?, ?, ?)", len(keys)-1) + ")"
	}
	return itemsOf(do(ctx, "SELECT kind, owner, name, body, expires FROM items WHERE "+where+" AND (expires IS NULL OR expires > ?)",
		append(args, now.UnixNano())...))
}

// List returns the items of a range.
func (e engine) List(ctx context.Context, r items.Range) ([]items.Item, error) {
	return list(ctx, e.reader.QueryContext, e.now(), r)
}

// Write carries out a write. If ahead is true, its commit does not wait for the disk. SQLite writes
// its log in order, so the next commit that waits does so for both.
func (e engine) Write(ctx context.Context, ahead bool, do func(items.Tx) error) error {
	synchronous := "FULL"
	if ahead {
		synchronous = "NORMAL"
	}
	err := e.transact(ctx, synchronous, func(t *tx) error { return do(t) })
	if err == nil && e.puts.Load() >= sweepPuts {
		e.sweepSoon()
	}
	return err
}

// Explain returns an error in one line that says what to do.
func (e engine) Explain(doing string, err error) error { return e.failed(doing, err) }

// Shred removes deleted text from the files.
func (e engine) Shred(ctx context.Context) { e.shred(ctx) }

// queryFunc is QueryContext of a transaction or of the readers.
type queryFunc func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// list returns the items of a range.
func list(ctx context.Context, do queryFunc, now time.Time, r items.Range) ([]items.Item, error) {
	query := "SELECT kind, owner, name, body, expires FROM items WHERE kind = ? AND owner = ? AND name >= ? AND (expires IS NULL OR expires > ?)"
	args := []any{r.Kind, r.Owner, r.From, now.UnixNano()}
	if r.Below != "" {
		query, args = query+" AND name < ?", append(args, r.Below)
	}
	query += " ORDER BY name"
	if r.Descending {
		query += " DESC"
	}
	if r.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, r.Limit)
	}
	return itemsOf(do(ctx, query, args...))
}

// itemsOf returns the items that a query finds.
func itemsOf(rows *sql.Rows, err error) (found []items.Item, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var i items.Item
		var expires sql.NullInt64
		if err := rows.Scan(&i.Kind, &i.Owner, &i.Name, &i.Body, &expires); err != nil {
			return nil, err
		}
		if expires.Valid {
			i.Expires = time.Unix(0, expires.Int64)
		}
		found = append(found, i)
	}
	return found, rows.Err()
}

// Find returns an item.
func (t *tx) Find(k items.Key) ([]items.Item, error) {
	return find(t.ctx, t.conn.QueryContext, t.now, k)
}

// New does nothing: a read costs little.
func (*tx) New(items.Key) {}

// Count counts items. With expired ones, it reads only the index.
func (t *tx) Count(kind, owner string, expired bool) (n int, err error) {
	query, args := "SELECT count(*) FROM items WHERE kind = ? AND owner = ?", []any{kind, owner}
	if !expired {
		query, args = query+" AND (expires IS NULL OR expires > ?)", append(args, t.now.UnixNano())
	}
	err = t.conn.QueryRowContext(t.ctx, query, args...).Scan(&n)
	return n, err
}

// Put adds or replaces an item. A replaced item counts as the newest of its kind.
func (t *tx) Put(i items.Item) error {
	var expires any
	if !i.Expires.IsZero() {
		expires = i.Expires.UnixNano()
	}
	t.s.puts.Add(1)
	return t.exec("INSERT OR REPLACE INTO items (kind, owner, name, body, expires) VALUES (?, ?, ?, ?, ?)",
		i.Kind, i.Owner, i.Name, string(i.Body), expires)
}

// Remove deletes an item, if it exists.
func (t *tx) Remove(k items.Key) error {
	return t.exec("DELETE FROM items WHERE kind = ? AND owner = ? AND name = ?", k.Kind, k.Owner, k.Name)
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.conn.ExecContext(t.ctx, query, args...)
	t.s.at("executed")
	return err
}

// groupOf returns the expression of SQL for a group.
func groupOf(g items.Group) string {
	switch g {
	case items.Owner:
		return "owner"
	case items.State:
		return "json_extract(body, '$.Kind')"
	case items.Connected:
		return "name IN (SELECT name FROM items WHERE kind = '" + items.ConnectedKind + "')"
	}
	return "''"
}
