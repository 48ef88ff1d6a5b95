package secrets

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

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

// hasty waits as often as the real patience, for which the service counts, and not as long.
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

func TestApplication_IsReadFromMoto(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("set INTEGRATION=1: make integration does")
	}
	c := client(secretstest.Moto(t), http.DefaultTransport)
	wantUnconfigured(t, NewApplication(c, applicationSecret), "does not exist")
	_, err := c.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: aws.String(applicationSecret)})
	if err != nil {
		t.Fatal(err)
	}
	wantUnconfigured(t, NewApplication(c, applicationSecret), "does not exist") // it has no version yet
	_, err = c.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{
		SecretId: aws.String(applicationSecret), SecretString: aws.String(filled),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCredentials(t, NewApplication(c, applicationSecret), "4711", planted)
}
