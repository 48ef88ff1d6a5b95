package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// gate says if other processes have the file open. An open database must not be renamed: SQLite
// would delete the log of its successor. The gate is a lock on an empty database next to the file.
// The system releases it when a process dies.
type gate struct {
	db   *sql.DB
	conn *sql.Conn
}

// errBusyGate means that another process has the file open, or is replacing it.
var errBusyGate = errors.New("another server has the file open")

func openGate(ctx context.Context, address string) (*gate, error) {
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &gate{db, conn}, nil
}

// The two ways to lock the gate.
const (
	// enter notes that this process has the file open.
	enter = "BEGIN; SELECT count(*) FROM sqlite_schema"
	// enterAlone keeps others out.
	enterAlone = "BEGIN EXCLUSIVE"
)

// lock locks the gate in one of these ways, and waits while another process prevents it.
func (g *gate) lock(ctx context.Context, wait time.Duration, statement string) error {
	err := untilFree(ctx, wait, func() error {
		_, err := g.conn.ExecContext(ctx, statement)
		if err != nil {
			g.leave(ctx)
		}
		return err
	})
	if isBusy(err) {
		return errBusyGate
	}
	return err
}

// leave ends what lock began.
func (g *gate) leave(ctx context.Context) {
	_, _ = g.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // it fails if nothing was begun
}

func (g *gate) close() error {
	if g == nil {
		return nil
	}
	return errors.Join(g.conn.Close(), g.db.Close())
}
