package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/listing"
)

// credentials returns the client ID and secret of an application, or provider.ErrNotConfigured.
type credentials = awsstores.Credentials

// fixed returns the credentials of an application. They are not configured if one is empty.
func fixed(clientID, clientSecret string) credentials {
	return func(context.Context) (string, string, error) {
		if clientID == "" || clientSecret == "" {
			return "", "", provider.ErrNotConfigured
		}
		return clientID, clientSecret, nil
	}
}

// Stores are the stores that all providers share.
type Stores struct {
	Auth  authserver.Store
	Lists checklist.Store
	Tasks task.Store
	Calls calls.Store
	Hub   hub.Store
}

// links returns the links between things.
func (s Stores) links() *hub.Hub {
	h := hub.New(s.Hub, nil)
	h.MayGoOn = listing.MayGoOn
	return h
}

// storage has all stores, and the credentials of the applications that the operator registered.
type storage struct {
	Stores
	records func(providerID string) grant.Records // of each provider's grants
	grants  func(providerID string) grant.Store

	credentials credentials                     // of the application registered with 37signals
	setup       string                          // the command that stores them; empty if they are in the environment
	application func(secret string) credentials // of another application, in a secret

	endpoint  func(storage) storage       // the stores of a process that can make no tokens; nil: all of them
	checkRing func(context.Context) error // reads the keys that seal tokens, if there are any
	documents http.RoundTripper           // fetches client metadata documents; nil: over the network

	ledger func(name string) *sandbox.Ledger // for the tokens that the demo issues; nil: they end with it
	path   string                            // the file that has all of it; empty if there is none
	close  func() error                      // after the last use; nil: nothing to do
}

// shut closes the storage.
func (s storage) shut() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// inMemory returns storage that is lost when the process ends.
func inMemory(clientID, clientSecret string) storage {
	m := memory.New(nil)
	return inItems(m.Store, func(providerID string) string { return providerID }, clientID, clientSecret)
}

// inItems returns storage of a server on a user's machine. place returns the name of the place
// where the grants of a provider are.
func inItems(i *items.Store, place func(providerID string) string, clientID, clientSecret string) storage {
	return storage{
		Stores:      Stores{authserver.NewStore(i), i, i, i, i},
		records:     func(providerID string) grant.Records { return i.Records(place(providerID)) },
		grants:      func(providerID string) grant.Store { return i.Grants(place(providerID)) },
		credentials: fixed(clientID, clientSecret),
		application: func(string) credentials { return fixed("", "") },
	}
}

// log returns the record of calls.
func (s storage) log(log *slog.Logger) *calls.Log {
	return calls.New(s.Calls, log, nil)
}

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

// inAWS returns storage in a DynamoDB table and in Secrets Manager. Without a key ring, what undoes
// calls is sealed with the credentials of the application at 37signals.
func inAWS(c config.AWS, log *slog.Logger, transport http.RoundTripper, own credentials) (storage, error) {
	in, err := awsstores.Open(c, log, transport, own)
	if err != nil {
		return storage{}, err
	}
	items := in.Items
	return storage{
		Stores:      Stores{authserver.NewStore(items), items, items, items, items},
		records:     func(providerID string) grant.Records { return items.Records(providerID) },
		grants:      in.Tokens,
		credentials: in.Credentials, setup: storeCommand(c, ""), application: in.Application,
		endpoint: func(s storage) storage {
			s.Auth, s.grants = authserver.NewStore(items.Endpoint()), in.Refreshed
			return s
		},
		checkRing: in.CheckRing,
	}, nil
}

// storeCommand returns the command line that asks for the credentials of an application and stores
// them: of that at 37signals, or at the GitHub with an origin.
func storeCommand(c config.AWS, github string) string {
	command := "make credentials STACK=" + strings.TrimSuffix(c.SecretPrefix, "/")
	if github != "" {
		command += " GITHUB=" + github
	}
	return command
}
