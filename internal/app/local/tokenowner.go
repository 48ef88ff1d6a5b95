package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/provider"
)

const (
	// AskTime limits one question who the owner of a token is.
	AskTime = 10 * time.Second
	// rememberedFor is how long the file remembers the owner of a token, which itself is valid for two
	// weeks.
	rememberedFor = 180 * 24 * time.Hour
)

// TokenOwner is the owner of the configured access token, with the one account that the server
// uses. If Basecamp cannot be reached when the server starts, the owner is the one that the store
// remembers, or is found by the first call that reaches Basecamp.
type TokenOwner struct {
	c      config.Config
	agent  string // the name of this server for Basecamp
	states authserver.LoginStates

	mu       sync.Mutex
	identity provider.Identity // without a Subject while it is unknown
}

// StartOwner returns the owner. Only a refusal of the token is an error.
func StartOwner(ctx context.Context, c config.Config, agent string, log *slog.Logger, states authserver.LoginStates) (*TokenOwner, error) {
	o := &TokenOwner{c: c, agent: agent, states: states}
	_, err := o.Find(ctx)
	if err == nil || !errors.Is(err, launchpad.ErrUnanswered) {
		return o, err
	}
	stored, missing := states.LoginState(ctx, o.key())
	if missing == nil {
		missing = json.Unmarshal(stored.Body, &o.identity)
	}
	log.WarnContext(ctx, "Basecamp cannot be reached; tasks and checklists work, and other tools answer UPSTREAM_ERROR until it answers",
		"because", fault.From(err).Message, "owner_remembered", missing == nil)
	return o, nil
}

// key returns the key under which the store remembers the owner of this token.
func (o *TokenOwner) key() authserver.Hash {
	return authserver.HashOf(fmt.Sprintf("owner of a token\n%s\n%d\n%s", o.c.BasecampURL, o.c.AccountID, o.c.AccessToken))
}

// Stranger returns the subject that stands for the owner until the next start, if it is unknown.
func (o *TokenOwner) Stranger() string { return "local:" + string(o.key())[:16] }

// Known returns the owner, or an identity without a subject.
func (o *TokenOwner) Known() provider.Identity {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.identity
}

// Find returns the owner, and asks Basecamp if it is unknown. Error: UPSTREAM_ERROR that wraps
// launchpad.ErrUnanswered, or why the token cannot be used.
func (o *TokenOwner) Find(ctx context.Context) (provider.Identity, error) {
	if owner := o.Known(); owner.Subject != "" {
		return owner, nil
	}
	owner, err := authorize(ctx, o.c, o.agent)
	if err != nil {
		return provider.Identity{}, err
	}
	account, err := chooseAccount(owner.Accounts, o.c.AccountID)
	if err != nil {
		return provider.Identity{}, err
	}
	owner.Accounts = []provider.Account{account}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.identity = owner
	o.remember(ctx, owner)
	return owner, nil
}

// remember stores the owner for a start without Basecamp. A failure only makes such a start know
// less.
func (o *TokenOwner) remember(ctx context.Context, owner provider.Identity) {
	body, err := json.Marshal(owner)
	if err != nil {
		return
	}
	_, _ = o.states.TakeLoginState(ctx, o.key(), "")
	_ = o.states.AddLoginState(ctx, authserver.LoginState{Key: o.key(), Body: body, ExpiresAt: time.Now().Add(rememberedFor)})
}

// Adopt moves the tasks and the checklists of a start without a known owner to the owner.
func (o *TokenOwner) Adopt(ctx context.Context, tasks task.Store, lists checklist.Store) error {
	const all = 10_000
	found, _, err := tasks.Tasks(ctx, o.Stranger(), task.Filter{Status: task.All, Limit: all})
	for _, t := range found {
		if err == nil {
			err = tasks.AddTask(ctx, o.Known().Subject, t, all)
		}
		if err == nil {
			_, err = tasks.DeleteTask(ctx, o.Stranger(), t.ID)
		}
	}
	if err != nil {
		return fmt.Errorf("move tasks: %w", err)
	}
	heads, err := lists.Checklists(ctx, o.Stranger())
	for _, head := range heads {
		if err == nil {
			err = o.adoptList(ctx, lists, head.ID)
		}
	}
	if err != nil {
		return fmt.Errorf("move checklists: %w", err)
	}
	return nil
}

// adoptList moves a checklist to the owner. One that has just expired, or that an earlier start
// moved, stays as it is.
func (o *TokenOwner) adoptList(ctx context.Context, lists checklist.Store, id string) error {
	l, err := lists.Checklist(ctx, o.Stranger(), id, "")
	if errors.Is(err, checklist.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, err = lists.SaveChecklist(ctx, checklist.Draft{
			Subject: o.Known().Subject, ID: id, Todos: l.Todos, WrittenAt: l.WrittenAt, ExpiresAt: l.ExpiresAt, IfRevision: new(int64),
		})
	}
	if err != nil && !errors.Is(err, checklist.ErrConflict) {
		return err
	}
	return lists.DeleteChecklist(ctx, o.Stranger(), id)
}

// authorize returns the identity of the configured access token. The API host knows personal access
// tokens, and Launchpad knows the others. An error that wraps launchpad.ErrUnanswered says nothing
// about the token.
func authorize(ctx context.Context, c config.Config, agent string) (provider.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, AskTime)
	defer cancel()
	var failed []string
	var unanswered error
	for _, origin := range slices.Compact([]string{c.BasecampURL, c.LaunchpadURL}) {
		authorization, err := launchpad.FetchAuthorization(ctx, http.DefaultClient, origin, agent, c.AccessToken)
		if err == nil {
			return authorization, nil
		}
		if errors.Is(err, launchpad.ErrUnanswered) {
			unanswered = err
		}
		failed = append(failed, origin+": "+fault.From(err).Message)
	}
	if unanswered != nil {
		return provider.Identity{}, unanswered
	}
	return provider.Identity{}, fmt.Errorf("BASECAMP_ACCESS_TOKEN: %s; if the token is older than two weeks, get another one", strings.Join(failed, "; "))
}

func chooseAccount(accounts []provider.Account, id int64) (provider.Account, error) {
	if id == 0 && len(accounts) == 1 {
		return accounts[0], nil
	}
	var names []string
	for _, account := range accounts {
		if account.ID == id {
			return account, nil
		}
		names = append(names, fmt.Sprintf("%d (%s)", account.ID, account.Name))
	}
	if len(names) == 0 {
		return provider.Account{}, errors.New("BASECAMP_ACCESS_TOKEN has no access to a Basecamp account")
	}
	return provider.Account{}, fmt.Errorf("BASECAMP_ACCOUNT_ID must be one of %s", strings.Join(names, ", "))
}
