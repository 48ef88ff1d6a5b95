package app

import (
	"context"
	"time"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/held"
	"basecamp-mcp/internal/undo"
)

const day = 24 * time.Hour

// undoLog returns how writes are undone, or nil if the deployment does not keep it.
func undoLog(c config.Config, s storage) *undo.Log {
	if c.UndoDays == 0 || s.Undo == nil {
		return nil
	}
	return undo.New(s.Undo, sealer(c, s), time.Duration(c.UndoDays)*day, nil)
}

// heldLog returns the calls that wait for a user's approval, or nil if there is no place for them.
func heldLog(c config.Config, s storage) *held.Log {
	if s.Undo == nil {
		return nil
	}
	return held.New(s.Undo, sealer(c, s), nil)
}

// sealer seals what undoes writes, and held calls.
func sealer(c config.Config, s storage) undo.Sealer {
	if s.Sealer != nil {
		return s.Sealer
	}
	return undo.Sealed{Keys: applicationKeys{s.credentials}, Stack: c.AWS.SecretPrefix}
}

// applicationKeys has the client secret of the deployment's application as its only secret.
type applicationKeys struct{ credentials credentials }

// Current returns the client secret. Its ID is the client ID.
func (k applicationKeys) Current(ctx context.Context) (id string, secret []byte, err error) {
	id, text, err := k.credentials(ctx)
	return id, []byte(text), err
}

// Secret returns the client secret of the application with an ID. A changed secret opens nothing.
func (k applicationKeys) Secret(ctx context.Context, id string) ([]byte, error) {
	now, secret, err := k.Current(ctx)
	if err == nil && now != id {
		err = undo.ErrNotFound
	}
	return secret, err
}
