package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/items"
)

// OpenFile opens the stores in a file. made says that all data in it will be made up. An error that
// wraps ErrUnwritable means that this user cannot write there. It is an argument, because this
// package is part of the Lambdas, which must not link a database.
type OpenFile func(ctx context.Context, path string, made bool, log *slog.Logger) (File, error)

// ErrUnwritable means that this user cannot write to a directory or a file.
var ErrUnwritable = errors.New("logins cannot be kept")

// File has all stores of a local server.
type File struct {
	*items.Store
	Close func() error
}

// errNoData means that the system names no configuration directory.
var errNoData = errors.New("this user has no configuration directory")

// inFile returns storage in a file of the data directory.
func inFile(ctx context.Context, c config.Config, log *slog.Logger, open OpenFile) (storage, error) {
	if c.Data == "" {
		return storage{}, errNoData
	}
	path, err := filepath.Abs(filepath.Join(c.Data, fileName(c.BasecampURL)))
	if err != nil {
		return storage{}, err
	}
	file, err := open(ctx, path, c.BasecampURL == config.Sandbox, log)
	if err != nil {
		return storage{}, err
	}
	s := inItems(file.Store, func(providerID string) string { return placeOf(c, providerID) }, c.ClientID, c.ClientSecret)
	s.ledger = func(name string) *sandbox.Ledger {
		l := file.Ledger(name)
		return &sandbox.Ledger{Save: l.Save, Load: l.Load}
	}
	s.close, s.path = file.Close, path
	return s, nil
}

// inFileOrMemory returns storage in a file. If the user did not choose a store and the file cannot
// be written, it returns storage in memory, with a warning.
func inFileOrMemory(ctx context.Context, c config.Config, log *slog.Logger, open OpenFile) (storage, error) {
	s, err := inFile(ctx, c, log, open)
	switch {
	case !errors.Is(err, ErrUnwritable) && !errors.Is(err, errNoData):
		return s, err
	case c.StoreChosen:
		return storage{}, fmt.Errorf("%w; choose another directory with -data, or -store memory", err)
	}
	log.Warn("logins are kept in memory and end with this server", "because", err)
	return inMemory(c.ClientID, c.ClientSecret), nil
}

// fileName returns the name of the file for a Basecamp. Each origin has its own file, so that
// made-up and real data never mix: sandbox.db, 3.basecampapi.com.db, http_127.0.0.1_3000.db.
func fileName(basecampURL string) string {
	name := strings.TrimPrefix(basecampURL, "https://")
	name = strings.Replace(name, "://", "_", 1)
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' {
			return c
		}
		return '_'
	}, name) + ".db"
}

// placeOf returns the name under which a file keeps the grants of a provider: its ID and the origin
// of its sign-on. With another origin in the configuration, users sign in again there, and no token
// of the first origin reaches the second.
func placeOf(c config.Config, providerID string) string {
	origin := ""
	switch {
	case c.BasecampURL == config.Sandbox:
		origin = config.Sandbox
	case providerID == launchpad.ProviderID:
		origin = c.LaunchpadURL
	case providerID == githubauth.ProviderID:
		origin = c.GitHub.URL
	}
	return strings.TrimSpace(providerID + " " + origin)
}
