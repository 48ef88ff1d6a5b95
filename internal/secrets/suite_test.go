package secrets

import (
	"net/http"
	"os"
	"testing"
	"time"

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
			for _, provider := range []string{"", "orchard"} {
				t.Run("of "+provider, func(t *testing.T) {
					storetest.Grants(t, func(t *testing.T) grant.Store { return service(t).Of(provider) })
				})
			}
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
	for _, provider := range []string{"", "orchard"} {
		t.Run("of "+provider, func(t *testing.T) {
			storetest.Grants(t, func(*testing.T) grant.Store {
				return New(client(moto, http.DefaultTransport), "fernhill/", "fernhill-stack").Of(provider)
			})
		})
	}
}
