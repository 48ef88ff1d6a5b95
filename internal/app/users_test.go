package app

import (
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/config"
)

// An operator lists users and ends their access beside the server, which goes on.
func TestUsers_AreListedAndLoseTheirAccessAtOnce(t *testing.T) {
	t.Run("in a file", func(t *testing.T) {
		r := newRestarting(t)
		c := config.Config{BasecampURL: config.Sandbox, Data: r.data, PublicURL: r.URL}
		r.endsAccess(must(OpenUsers(t.Context(), c, quiet, InFile, openFile)))
	})
	t.Run("of a stack", func(t *testing.T) {
		where := inStandIns(t)
		p := openOn(t, config.Config{}, must(inAWS(where, quiet, awsstores.Outbound(), demoCredentials)))
		c := config.Config{BasecampURL: config.Sandbox, AWS: where, PublicURL: p.URL}
		p.endsAccess(must(OpenUsers(t.Context(), c, quiet, InAWS, nil)))
	})
}

func (p *place) endsAccess(users *Users) {
	p.Helper()
	defer func() { _ = users.Close() }()
	tokens, noemie := p.LogIn("ines"), p.LogIn("noemie").Access
	ines := tokens.Access
	p.wants("before", ines, "Ines Albrecht")

	all := must(users.List(p.Context()))
	if len(all) != 2 || all[0].Name != "Ines Albrecht" || len(all[0].Clients) != 1 || all[0].Since.IsZero() || !all[0].LastUse.After(all[1].LastUse) {
		p.Fatalf("%+v", all)
	}
	subject := all[0].Subject
	if was, err := users.End(p.Context(), subject); err != nil || was.Name != all[0].Name || len(was.Clients) != 1 {
		p.Errorf("%+v, %v", was, err)
	}

	if status, _ := p.whoAmI(ines); status != http.StatusUnauthorized {
		p.Errorf("the client is answered %d", status)
	}
	if answer := p.Token("grant_type", "refresh_token", "client_id", tokens.Client, "refresh_token", tokens.Refresh); answer["error"] != "invalid_grant" {
		p.Errorf("a refresh is answered %v", answer)
	}
	if left := must(users.List(p.Context())); len(left) != 1 || left[0].Subject != all[1].Subject {
		p.Errorf("%+v", left)
	}
	p.wants("of another user", noemie, "Noémie")
	if _, err := users.End(p.Context(), subject); err == nil || !strings.Contains(err.Error(), "there is no user") {
		p.Errorf("a second time: %v", err)
	}
}

func TestUsers_OfAServerInMemoryAreItsOwn(t *testing.T) {
	if _, err := OpenUsers(t.Context(), config.Config{BasecampURL: config.Sandbox}, quiet, InMemory, openFile); err == nil || !strings.Contains(err.Error(), "-store memory") {
		t.Error(err)
	}
}
