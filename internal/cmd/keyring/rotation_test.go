package main

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/secrets"
)

const ines = "37s:1007299144"

// instance returns the tokens as a function sees them that has just started.
func instance(t *testing.T, a *account, rows envelope.Rows) *envelope.Tokens {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	environment := map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "AKIDFERNHILL", "AWS_SECRET_ACCESS_KEY": "not-a-key"}
	c, err := clientsFor(arn, func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	return envelope.New(envelope.Config{Keys: secrets.NewRing(c.manager, arn), Rows: rows, Stack: "fernhill"}).Of("37s")
}

func TestKeyring_NoStepOfARotationLosesTokens(t *testing.T) {
	a, rows := newAccount(), envelopetest.NewRows()
	do := a.runs(t)
	save := func(revision int64, key string) string {
		t.Helper()
		version, err := instance(t, a, rows).Save(t.Context(), ines, "writer", provider.Tokens{Revision: revision, AccessToken: "access"})
		if id, _, ok := envelope.KeyOf(version); err != nil || !ok || id != key {
			t.Fatalf("saved as %s, %v; want key %s", version, err, key)
		}
		a.sealed = append(a.sealed, version)
		return version
	}
	reads := func(versions ...string) {
		t.Helper()
		for _, version := range append(versions, "") {
			if got, err := instance(t, a, rows).Load(t.Context(), ines, version); err != nil || got.AccessToken != "access" {
				t.Errorf("version %q: %v", version, err)
			}
		}
	}

	first := save(1, "k1")
	wants(t, do, "add", "k2 was added")
	reads(first)
	second := save(2, "k1")
	reads(first, second)

	a.now = a.now.Add(10 * time.Minute)
	wants(t, do, "use k2", "k2 seals new tokens")
	reads(first, second)
	third := save(3, "k2")
	reads(first, second, third)

	a.now = a.now.Add(10 * time.Minute)
	refuses(t, do, "drop k1", "k1 seals 2 tokens")
	reads(first, second, third)

	a.sealed = []string{third} // the others have been removed from what the command sees
	wants(t, do, "drop k1", "k1 was dropped")
	reads(third)
	_, err := instance(t, a, rows).Load(t.Context(), ines, second)
	if !errors.Is(err, envelope.ErrNoKey) || errors.Is(err, grant.ErrNotFound) {
		t.Errorf("without the key, the tokens are %v", err)
	}
	wants(t, do, "restore", "in use again")
	reads(second, third)
}
