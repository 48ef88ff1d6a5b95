package sqlite

import (
	"context"
	"errors"
	"fmt"
)

// applicationID marks a file as one of this server's ("bcmp" in ASCII; SQLite, "PRAGMA
// application_id").
const applicationID = 0x62636d70

// layouts are the steps from an empty file to the current layout. The number of steps that a file
// has taken is its user_version. A released step never changes; a new layout is a new step.
var layouts = []string{`
CREATE TABLE items (
	id      INTEGER PRIMARY KEY, -- grows with every write, so it orders items by age
	kind    TEXT NOT NULL,
	owner   TEXT NOT NULL,
	name    TEXT NOT NULL,
	body    TEXT NOT NULL, -- JSON
	expires INTEGER,       -- nanoseconds since 1970; NULL: never
	UNIQUE (kind, owner, name)
) STRICT;
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;
`}

// errForeign means that a file belongs to another program.
var errForeign = errors.New("this is the database of another program; choose another directory with -data")

// newerError means that a newer release has written the file.
type newerError struct{ found, known int }

func (e newerError) Error() string {
	return fmt.Sprintf("the file has layout %d, and this release knows only %d; install the newer release, or choose another directory with -data",
		e.found, e.known)
}

// migrate brings the file to the current layout in one transaction. It refuses a file of a newer
// release, which has items that this one would lose.
func (s *Store) migrate(ctx context.Context, layouts []string) error {
	version, err := layoutOf(ctx, s.writer.QueryContext, len(layouts))
	if err != nil || version == len(layouts) {
		return err
	}
	return s.transact(ctx, "FULL", func(t *tx) error {
		version, err := layoutOf(ctx, t.conn.QueryContext, len(layouts)) // another process may have changed it
		if err != nil {
			return err
		}
		for _, step := range layouts[version:] {
			if err := t.exec(step); err != nil {
				return err
			}
		}
		return t.exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(layouts)))
	})
}

// layoutOf returns how many steps a file has taken.
func layoutOf(ctx context.Context, do queryFunc, known int) (version int, err error) {
	application, tables := 0, 0
	rows, err := do(ctx, `SELECT v.user_version, a.application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version v, pragma_application_id a`)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(&version, &application, &tables); err != nil {
			return 0, err
		}
	}
	switch {
	case rows.Err() != nil:
		return 0, rows.Err()
	case application != applicationID && tables > 0:
		return 0, errForeign
	case version > known:
		return 0, newerError{version, known}
	}
	return version, nil
}
