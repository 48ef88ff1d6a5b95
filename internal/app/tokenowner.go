package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/task"
)

const (
	// askTime limits one question who the owner of a token is.
	askTime = 10 * time.Second
	// rememberedFor is how long the file remembers the owner of a token, which itself is valid for two
	// weeks.
	rememberedFor = 180 * 24 * time.Hour
)

// tokenOwner is the owner of the configured access token, with the one account that the server
// uses. If Basecamp cannot be reached when the server starts, the owner is the one that the store
// remembers, or is found by the first call that reaches Basecamp.
type tokenOwner struct {
	c      config.Config
	states authserver.LoginStates

	mu       sync.Mutex
	identity provider.Identity // without a Subject while it is unknown
}

// startOwner returns the owner. Only a refusal of the token is an error.
func startOwner(ctx context.Context, c config.Config, log *slog.Logger, states authserver.LoginStates) (*tokenOwner, error) {
	o := &tokenOwner{c: c, states: states}
	_, err := o.find(ctx)
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
func (o *tokenOwner) key() authserver.Hash {
	sum := sha256.Sum256([]byte(fmt.Sprintf("owner of a token\n%s\n%d\n%s", o.c.BasecampURL, o.c.AccountID, o.c.AccessToken)))
	return authserver.Hash(hex.EncodeToString(sum[:]))
}

// stranger returns the subject that stands for the owner until the next start, if it is unknown.
func (o *tokenOwner) stranger() string { return "local:" + string(o.key())[:16] }

// known returns the owner, or an identity without a subject.
func (o *tokenOwner) known() provider.Identity {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.identity
}

// find returns the owner, and asks Basecamp if it is unknown. Error: UPSTREAM_ERROR that wraps
// launchpad.ErrUnanswered, or why the token cannot be used.
func (o *tokenOwner) find(ctx context.Context) (provider.Identity, error) {
	if owner := o.known(); owner.Subject != "" {
		return owner, nil
	}
	owner, err := authorize(ctx, o.c)
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
func (o *tokenOwner) remember(ctx context.Context, owner provider.Identity) {
	body, err := json.Marshal(owner)
	if err != nil {
		return
	}
	_, _ = o.states.TakeLoginState(ctx, o.key(), "")
	_ = o.states.AddLoginState(ctx, authserver.LoginState{Key: o.key(), Body: body, ExpiresAt: time.Now().Add(rememberedFor)})
}

// adopt moves the tasks and the checklists of a start without a known owner to the owner.
func (o *tokenOwner) adopt(ctx context.Context, s storage) error {
	const all = 10_000
	found, _, err := s.Tasks.Tasks(ctx, o.stranger(), task.Filter{Status: task.All, Limit: all})
	for _, t := range found {
		if err == nil {
			err = s.Tasks.AddTask(ctx, o.known().Subject, t, all)
		}
		if err == nil {
			_, err = s.Tasks.DeleteTask(ctx, o.stranger(), t.ID)
		}
	}
	if err != nil {
		return fmt.Errorf("move tasks: %w", err)
	}
	heads, err := s.Lists.Checklists(ctx, o.stranger())
	for _, head := range heads {
		if err == nil {
			err = o.adoptList(ctx, s.Lists, head.ID)
		}
	}
	if err != nil {
		return fmt.Errorf("move checklists: %w", err)
	}
	return nil
}

// adoptList moves a checklist to the owner. One that has just expired, or that an earlier start
// moved, stays as it is.
func (o *tokenOwner) adoptList(ctx context.Context, lists checklist.Store, id string) error {
	l, err := lists.Checklist(ctx, o.stranger(), id)
	if errors.Is(err, checklist.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, err = lists.SaveChecklist(ctx, checklist.Draft{
			Subject: o.known().Subject, ID: id, Todos: l.Todos, WrittenAt: l.WrittenAt, ExpiresAt: l.ExpiresAt, IfRevision: new(int64),
		})
	}
	if err != nil && !errors.Is(err, checklist.ErrConflict) {
		return err
	}
	return lists.DeleteChecklist(ctx, o.stranger(), id)
}
