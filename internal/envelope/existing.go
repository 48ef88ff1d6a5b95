package envelope

import (
	"context"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// Existing returns the same tokens for a function that only refreshes them. Its Save returns
// grant.ErrNone if the user has none here: the user has disconnected, or has tokens in another
// place. Its Delete does nothing: the function that ends sign-ins deletes the record of a grant
// before the tokens, so what a refresh added in between is deleted with them.
func (t *Tokens) Existing() grant.Store { return existing{t} }

type existing struct{ *Tokens }

func (e existing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	return e.save(ctx, subject, writer, t, func(p Pointer) error {
		if p.Change == 0 {
			return grant.ErrNone
		}
		return nil
	})
}

func (existing) Delete(context.Context, string) error { return nil }
