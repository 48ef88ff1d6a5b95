package basecamp

import (
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// sandboxClient returns a client of a person in the sandbox.
func sandboxClient(t *testing.T, s *sandbox.Sandbox, person string) *Client {
	return client(t, Config{
		BaseURL:   sandbox.BaseURL,
		Transport: s.Transport(),
		Tokens:    fixed{AccessToken: s.Person(person).Token, Account: s.Account(), Person: person}.Credential,
	})
}

// inFernhill runs a test with the sandbox and a client of Ines Albrecht, on a fake clock.
func inFernhill(t *testing.T, work func(t *testing.T, s *sandbox.Sandbox, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{RateLimit: -1})
		work(t, s, sandboxClient(t, s, "Ines Albrecht"))
	})
}

func TestAnInactiveAccountHasItsOwnMessage(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := client(t, Config{
		BaseURL: sandbox.BaseURL, Transport: s.Transport(),
		Tokens: fixed{AccessToken: s.People()[0].Token, Account: s.InactiveAccount(), Person: "ines"}.Credential,
	})
	inactive := wantFault(t, errOf(c.Profile(t.Context())), fault.NotFound)
	missing := wantFault(t, errOf(sandboxClient(t, s, s.People()[0].Name).Todo(t.Context(), 1)), fault.NotFound)
	if inactive.Message == missing.Message {
		t.Error(inactive.Message)
	}
}
