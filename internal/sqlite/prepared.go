package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite"
)

// sqliteDriver opens the connections. A test replaces it by one that records the statements.
var sqliteDriver driver.Driver = &sqlite.Driver{}

// connector opens connections that keep their prepared statements, because SQLite takes longer to
// parse one than to carry it out.
type connector string

// openDB returns a pool of connections to an address.
func openDB(address string) *sql.DB { return sql.OpenDB(connector(address)) }

// Driver returns SQLite's driver.
func (c connector) Driver() driver.Driver { return sqliteDriver }

// Connect opens a connection.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	conn, err := sqliteDriver.Open(string(c))
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, prepared: map[string]driver.Stmt{}}, nil
}

// connection keeps a prepared statement for each text that it was given. The package has a few
// dozen texts, and reads the rows of a statement to the end before it uses the statement again.
type connection struct {
	driver.Conn
	prepared map[string]driver.Stmt
}

// ExecContext carries out a statement without rows.
func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if strings.HasPrefix(query, "PRAGMA") { // SQLite carries some of them out while it parses them
		s, err := c.Prepare(query)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return s.(driver.StmtExecContext).ExecContext(ctx, args)
	}
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtExecContext).ExecContext(ctx, args)
}

// QueryContext carries out a statement with rows.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtQueryContext).QueryContext(ctx, args)
}

func (c *connection) prepare(query string) (driver.Stmt, error) {
	s := c.prepared[query]
	if s == nil {
		var err error
		if s, err = c.Prepare(query); err != nil {
			return nil, err
		}
		c.prepared[query] = s
	}
	return s, nil
}

// IsValid reports whether the connection can be used again.
func (c *connection) IsValid() bool { return c.Conn.(driver.Validator).IsValid() }

// ResetSession prepares the connection for its next user.
func (c *connection) ResetSession(ctx context.Context) error {
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}

// Close closes the connection and its statements.
func (c *connection) Close() error {
	for _, s := range c.prepared {
		_ = s.Close()
	}
	return c.Conn.Close()
}
