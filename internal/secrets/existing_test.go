package secrets

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/provider"
)

// The MCP function's role allows GetSecretValue and PutSecretValue.
func TestExisting_OnlyReadsSecretsAndAddsVersions(t *testing.T) {
	for name, prepare := range map[string]func(s *service){
		"exists":           func(s *service) { s.plant(inesSecret, "{}") },
		"never existed":    func(*service) {},
		"is being deleted": func(s *service) { s.plant(inesSecret, "{}"); s.schedule(inesSecret) },
		"takes no more": func(s *service) {
			s.plant(inesSecret, "{}")
			s.will("PutSecretValue", times(9, refuses("LimitExceededException"))...)
		},
		"is not yet visible": func(s *service) {
			s.plant(inesSecret, "{}")
			s.will("PutSecretValue", refuses("ResourceNotFoundException"))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t)
			prepare(s)
			store := New(s.wired(), "fernhill/", "").Existing()
			_, err := store.Save(t.Context(), ines, "writer", tokens)
			if stored := err == nil; stored != (name == "exists") {
				t.Errorf("%s: %v", name, err)
			}
			if err := store.Delete(t.Context(), ines); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff([]string{"PutSecretValue"}, slices.Compact(s.asked)); diff != "" {
				t.Errorf("%s: the service was asked for more: %s", name, diff)
			}
		})
	}
}

func TestExisting_SavesWhatTheStoreLoads(t *testing.T) {
	s := newService(t)
	whole := New(s.wired(), "fernhill/", "")
	if _, err := whole.Save(t.Context(), ines, "login", provider.Tokens{AccessToken: "old", Revision: 1}); err != nil {
		t.Fatal(err)
	}
	version, err := whole.Existing().Save(t.Context(), ines, "writer", tokens)
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []func() (provider.Tokens, error){
		func() (provider.Tokens, error) { return whole.Load(t.Context(), ines, version) },
		func() (provider.Tokens, error) { return whole.Existing().Load(t.Context(), ines, "") },
	} {
		got, err := load()
		if diff := cmp.Diff(tokens, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
}
