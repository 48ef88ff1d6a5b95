package tools

import (
	"context"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
)

type noInput struct{}

type accountRef struct {
	ID int64 `json:"id"`
}

type me struct {
	person
	Title    string           `json:"title,omitempty"`
	Company  string           `json:"company,omitempty"`
	TimeZone string           `json:"time_zone"`
	Account  accountRef       `json:"account"`
	Scopes   []identity.Scope `json:"scopes"`
	ReadOnly bool             `json:"read_only"`
}

func getMe(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "get_me",
		Title: "Who am I",
		Description: "Shows the person this connection acts for in Basecamp: name, e-mail, time zone, account, and whether it may write " +
			"(scopes, read_only).",
	}, func(ctx context.Context, _ noInput) (me, error) {
		profile, err := ws.bc.Profile(ctx)
		if err != nil {
			return me{}, err
		}
		account, err := ws.bc.Account(ctx)
		if err != nil {
			return me{}, err
		}
		caller, _ := identity.From(ctx)
		return me{
			person:   viewPerson(profile),
			Title:    profile.Title,
			Company:  profile.Company.Name,
			TimeZone: profile.TimeZone,
			Account:  accountRef{ID: account},
			Scopes:   caller.Scopes,
			ReadOnly: mcptool.ReadOnly(ctx) || !caller.Can(identity.Write),
		}, nil
	})
}
