package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// ErrNotConfigured means that the operator has not yet stored the complete credentials of the
// application in its secret.
var ErrNotConfigured = errors.New("the application is not configured")

// Application reads the client ID and secret that a provider issued for this deployment, from a
// secret of the form {"client_id": "...", "client_secret": "..."}. It is safe for concurrent use.
type Application struct {
	client *secretsmanager.Client
	name   string
	cached *cached[credentials]
}

type credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// NewApplication returns an Application with the secret of that name.
func NewApplication(client *secretsmanager.Client, name string) *Application {
	a := &Application{client: client, name: name}
	a.cached = newCached(readCredentials, a.read)
	return a
}

const readCredentials = "read the application's credentials"

// Credentials returns the client ID and secret. They are at most five minutes old, unless Secrets
// Manager has been unreachable since. It returns ErrNotConfigured if the secret was missing, empty
// or incomplete at a read within the last five seconds: the operator may be storing it, and each
// request of an unknown client asks for it. Every other error means that the secret could not be
// read.
func (a *Application) Credentials(ctx context.Context) (clientID, clientSecret string, err error) {
	known, err := a.cached.get(ctx, func(*credentials) bool { return true })
	if known == nil {
		return "", "", err
	}
	return known.ClientID, known.ClientSecret, nil
}

func (a *Application) read(ctx context.Context) (credentials, error) {
	text, err := textOf(ctx, a.client, a.name, readCredentials)
	switch {
	case errors.Is(err, errMissing):
		return credentials{}, a.unconfigured(err.Error())
	case err != nil:
		return credentials{}, err
	case text == "":
		return credentials{}, a.unconfigured("is empty")
	}
	var c credentials
	if json.Unmarshal([]byte(text), &c) != nil {
		return credentials{}, a.unconfigured(`is not of the form {"client_id": "...", "client_secret": "..."}`)
	}
	c.ClientID, c.ClientSecret = filledIn(c.ClientID), filledIn(c.ClientSecret)
	switch {
	case c.ClientID == "":
		return credentials{}, a.unconfigured("has no client_id yet")
	case c.ClientSecret == "":
		return credentials{}, a.unconfigured("has no client_secret yet")
	}
	return c, nil
}

// filledIn returns a value without surrounding spaces, or an empty string for the dots in the
// documented command that stores the credentials.
func filledIn(text string) string {
	text = strings.TrimSpace(text)
	if text == "..." {
		return ""
	}
	return text
}

func (a *Application) unconfigured(why string) error {
	return fmt.Errorf("%w: secret %s %s", ErrNotConfigured, a.name, why)
}
