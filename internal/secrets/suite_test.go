package secrets

import (
	"net/http"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/secrets/secretstest"
	"basecamp-mcp/internal/storetest"
)

func TestStore_IsAGrantStore(t *testing.T) {
	for name, s := range map[string]*service{
		"when all goes at once":             {},
		"when nothing is agreed on at once": {late: 2, lingers: 2},
	} {
		t.Run(name, func(t *testing.T) {
			service := func(t *testing.T) *Store {
				service := newService(t)
				service.late, service.lingers = s.late, s.lingers
				store := New(service.served(t), "fernhill/", "")
				store.reading, store.writing = hasty, hasty
				return store
			}
			storetest.Grants(t, func(t *testing.T) grant.Store { return service(t).Of("") })
			all := service(t)
			storetest.SeparateGrants(t, func(_ *testing.T, provider string) grant.Store {
				if provider == "first" {
					return all
				}
				return all.Of(provider)
			})
		})
	}
}

// hasty has as many pauses as the real patience, but short ones. The service counts them.
var hasty = patience{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}

func TestStore_IsAGrantStoreOnMoto(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("set INTEGRATION=1: make integration does")
	}
	moto := secretstest.Moto(t)
	storetest.Grants(t, func(*testing.T) grant.Store {
		return New(client(moto, http.DefaultTransport), "fernhill/", "fernhill-stack").Of("orchard")
	})
}

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
			if version := s.secrets[inesSecret]; err == nil && len(version.versions) != 2 {
				t.Errorf("%s: %d versions", name, len(version.versions))
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
