package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
)

// Users are the users of a deployment, or of the file of a local server, for its operator.
type Users struct {
	logins *logins
	server *authserver.Server
}

// User is a user who has signed in.
type User struct {
	Subject string    // the ID with which End ends the user's access
	Name    string    // as Basecamp said; not verified
	Since   time.Time // the first sign-in that is known
	LastUse time.Time // the latest call, or the latest renewal of a client's tokens
	Clients []string  // the names of the connected clients, which they chose themselves
}

// OpenUsers opens the stores of a local server with this configuration. Close them after use.
func OpenUsers(ctx context.Context, c config.Config, log *slog.Logger, kept Kept, open OpenFile) (*Users, error) {
	var s storage
	var err error
	switch kept {
	case InMemory:
		return nil, errors.New("a server with -store memory keeps its users to itself; each can disconnect at /account")
	case InAWS:
		s, err = localInAWS(c, log)
	default:
		s, err = inFile(ctx, c, log, open)
	}
	if err != nil {
		return nil, err
	}
	l := loginsIn(c, log, s)
	return &Users{l, l.server(c, log, undo.Changes{})}, nil
}

// loginsIn returns the logins of a server with these stores.
func loginsIn(c config.Config, log *slog.Logger, s storage) *logins {
	if c.BasecampURL != config.Sandbox {
		return newLogins(c, log, s, signOn{}, newGitHub(c, s, nil).providers(userAgent(c))...)
	}
	demo := local.NewDemoWith(s.ledger)
	return demoLogins(c, log, s, demo, demoGitHub(demo, c.PublicURL))
}

// Close closes the stores.
func (u *Users) Close() error { return u.logins.shut() }

// List returns all users, in the order of their IDs.
func (u *Users) List(ctx context.Context) (all []User, err error) {
	for after := ""; ; {
		subjects, err := u.logins.primary().Keeper.Subjects(ctx, after)
		if err != nil || len(subjects) == 0 {
			return all, err
		}
		for _, after = range subjects {
			user, err := u.user(ctx, after)
			if errors.Is(err, grant.ErrNotFound) { // disconnected meanwhile
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, user)
		}
	}
}

// user returns a user, or an error that wraps grant.ErrNotFound.
func (u *Users) user(ctx context.Context, subject string) (User, error) {
	r, err := u.logins.primary().Keeper.Status(ctx, subject)
	if err != nil {
		return User{}, err
	}
	user := User{Subject: subject, Name: r.Name, Since: r.ConnectedAt}
	families, err := u.logins.Auth.FamiliesOf(ctx, subject)
	if err != nil {
		return User{}, err
	}
	for _, f := range families {
		user.Clients = append(user.Clients, f.Client.Name)
		if f.CreatedAt.Before(user.Since) {
			user.Since = f.CreatedAt
		}
		if f.RefreshedAt.After(user.LastUse) {
			user.LastUse = f.RefreshedAt
		}
	}
	latest, err := u.logins.calls.Recent(ctx, subject, 1)
	if len(latest) > 0 && latest[0].Time.After(user.LastUse) {
		user.LastUse = latest[0].Time
	}
	return user, err
}

// End ends all access of a user: clients are refused at once, and the tokens of Basecamp and GitHub
// are deleted. It returns the user as it was before. After an error it can be called again.
func (u *Users) End(ctx context.Context, subject string) (User, error) {
	was, err := u.user(ctx, subject)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		return User{}, err
	}
	ended, err := u.server.EndAccess(ctx, subject, "operator")
	if err == nil && !ended.Granted && len(ended.Clients) == 0 {
		err = fmt.Errorf("there is no user %q; the command users lists them", subject)
	}
	return was, err
}
