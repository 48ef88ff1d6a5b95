package envelope

import (
	"context"
	"errors"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

var errNone = errors.New("the user has no tokens")

// Existing returns the same tokens for a function that only refreshes them. Its Save fails if the
// user has none: the user has disconnected. Its Delete does nothing: the function that ends
// sign-ins deletes the record of a grant before the tokens, so what a refresh added in between is
// deleted with them.
func (t *Tokens) Existing() grant.Store { return existing{t} }

type existing struct{ *Tokens }

func (e existing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	return e.save(ctx, subject, writer, t, func(p Pointer) error {
		if p.Change == 0 {
			return errNone
		}
		return nil
	})
}

func (existing) Delete(context.Context, string) error { return nil }
