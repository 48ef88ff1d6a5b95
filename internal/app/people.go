package app

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/plaintext"
)

// peoplePage lists and takes back whom a user's apps know in both systems, for a page.
type peoplePage struct{ links *hub.Hub }

var _ authserver.People = peoplePage{}

func humanID(h hub.Human) string { return fmt.Sprintf("%d:%d:%s", h.Account, h.Person, h.Login) }

// List returns whom the user's apps know.
func (p peoplePage) List(ctx context.Context, subject string) ([]authserver.Known, error) {
	all, err := p.links.Kept(person(ctx, subject))
	known := make([]authserver.Known, len(all))
	for i, h := range all {
		known[i] = authserver.Known{ID: humanID(h), Name: plaintext.Clean(h.Name), Login: h.Login, How: map[hub.How]string{
			hub.ByPair: "because two things that are linked were assigned to them", hub.ByCaller: "as you told an app",
		}[h.How]}
	}
	return known, err
}

// Forget takes a person away.
func (p peoplePage) Forget(ctx context.Context, subject, id string) error {
	ctx = person(ctx, subject)
	all, err := p.links.Kept(ctx)
	for _, h := range all {
		if err == nil && humanID(h) == id {
			_, err = p.links.Part(ctx, h)
		}
	}
	return err
}
