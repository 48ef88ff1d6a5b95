package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/signin/provider"
)

// Application reads the client ID and secret that a provider issued for this deployment, from a
// secret of the form {"client_id": "...", "client_secret": "..."}. It is safe for concurrent use.
type Application struct{ cached[credentials] }

type credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// NewApplication returns an Application with the secret of that name.
func NewApplication(client *secretsmanager.Client, name string) *Application {
	return &Application{cached[credentials]{
		client: client, secret: name, doing: "read the application's credentials", lock: make(chan struct{}, 1), parse: credentialsIn,
		unusable: func(why error) error { return fmt.Errorf("%w: secret %s %w", provider.ErrNotConfigured, name, why) },
	}}
}

// Credentials returns the client ID and secret. They are at most five minutes old, unless Secrets
// Manager has been unreachable since. It returns provider.ErrNotConfigured if the secret was
// missing, empty or incomplete at a read within the last five seconds: the operator may be storing
// it, and each request of an unknown client asks for it. Every other error means that the secret
// could not be read.
func (a *Application) Credentials(ctx context.Context) (clientID, clientSecret string, err error) {
	known, err := a.get(ctx, func(*credentials) bool { return true })
	if known == nil {
		return "", "", err
	}
	return known.ClientID, known.ClientSecret, nil
}

func credentialsIn(text string) (c credentials, err error) {
	if json.Unmarshal([]byte(text), &c) != nil {
		return c, errors.New(`is not of the form {"client_id": "...", "client_secret": "..."}`)
	}
	c.ClientID, c.ClientSecret = filledIn(c.ClientID), filledIn(c.ClientSecret)
	switch {
	case c.ClientID == "":
		err = errors.New("has no client_id yet")
	case c.ClientSecret == "":
		err = errors.New("has no client_secret yet")
	}
	return c, err
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
