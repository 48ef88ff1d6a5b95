package sqlite

import (
	"database/sql/driver"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// recorder is SQLite's driver, which records the text of each statement.
type recorder struct {
	driver.Driver
	texts sync.Map
}

func (r *recorder) Open(name string) (driver.Conn, error) {
	c, err := r.Driver.Open(name)
	return recorded{c, c.(checkedConn), r}, err
}

// checkedConn is what a connection of SQLite's driver offers beside driver.Conn.
type checkedConn interface {
	driver.Validator
	driver.SessionResetter
}

type recorded struct {
	driver.Conn
	checkedConn
	r *recorder
}

func (c recorded) Prepare(query string) (driver.Stmt, error) {
	c.r.texts.Store(query, true)
	return c.Conn.Prepare(query)
}

// wholeTable matches a step of a query plan that reads the table from end to end: under its name,
// or under the names that FamiliesOf gives it.
var wholeTable = regexp.MustCompile(`^SCAN (items|l|f)\b`)

func TestStore_HoldsEverySuiteAndScansNoTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	usual := sqliteDriver
	r := &recorder{Driver: usual}
	sqliteDriver = r
	t.Cleanup(func() { sqliteDriver = usual })
	path := pathIn(t)
	hold(t, path)
	s := openAt(t, path, nil)
	must(t, s.sweep(t.Context()))
	explained := 0
	r.texts.Range(func(text, _ any) bool {
		query := text.(string)
		if strings.HasPrefix(query, "EXPLAIN") || !strings.Contains(query, "FROM items") && !strings.Contains(query, "INTO items") {
			return true
		}
		explained++
		rows, err := s.reader.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
		must(t, err)
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var step string
			must(t, rows.Scan(&id, &parent, &unused, &step))
			if wholeTable.MatchString(step) {
				t.Errorf("%s: %s", query, step)
			}
		}
		return true
	})
	if explained < 15 {
		t.Errorf("only %d statements were explained", explained)
	}
}
