package secrets

import (
	"net/http"
	"os"
	"testing"
	"time"

	"basecamp-mcp/internal/proof/storetest"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/store/secrets/secretstest"
)

func TestStore_IsAGrantStore(t *testing.T) {
	for name, delay := range map[string]int{"when all goes at once": 0, "when nothing is agreed on at once": 2} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			s.late, s.lingers = delay, delay
			storetest.Grants(t, func(_ *testing.T, provider string) grant.Store {
				store := New(s.client(), "fernhill", provider)
				store.reading, store.writing = hasty, hasty
				return store
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
	moto := client(secretstest.Moto(t, "../../.."), http.DefaultTransport)
	storetest.Grants(t, func(_ *testing.T, provider string) grant.Store { return New(moto, "fernhill", provider) })
}
