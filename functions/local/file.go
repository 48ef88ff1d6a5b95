package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/store/sealkey"
	"basecamp-mcp/internal/store/sqlite"
)

// openFile opens the stores in a file. Tokens of a real Basecamp are sealed with a key in the
// keyring of the operating system, those of the made-up one with a key in a file: they protect
// nothing, and some keyrings ask their user.
func openFile(ctx context.Context, path string, made bool, log *slog.Logger) (app.File, error) {
	keys := sealkey.InKeyring(path)
	if made {
		keys = sealkey.InFile(path)
	}
	if err := keys.Check(); err != nil {
		return app.File{}, err
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{Keys: keys, Log: log})
	if errors.Is(err, sqlite.ErrUnwritable) {
		return app.File{}, fmt.Errorf("%w: %w", app.ErrUnwritable, err)
	}
	if err != nil {
		return app.File{}, err
	}
	return app.File{Store: s.Store, Close: s.Close}, nil
}
