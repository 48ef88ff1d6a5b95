package basecamp

import (
	"testing"

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

// allPages returns the items of all pages.
func allPages[T any](t *testing.T, page func(page int) (Page[T], error)) []T {
	t.Helper()
	var items []T
	for next := 1; next > 0; {
		p, err := page(next)
		if err != nil {
			t.Fatal(err)
		}
		if p.Next != 0 && (p.Next <= next || p.Next > 200) {
			t.Fatalf("page %d is followed by page %d", next, p.Next)
		}
		items, next = append(items, p.Items...), p.Next
		if next == 0 && p.Total >= 0 && p.Total != len(items) {
			t.Errorf("%d items of %d", len(items), p.Total)
		}
	}
	return items
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
