package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// ErrNotConfigured means that the operator has not yet stored the complete credentials of the
// application in its secret.
var ErrNotConfigured = errors.New("the application is not configured")

const (
	fresh = 5 * time.Minute // how long credentials are cached
	// again is how long to wait after a read that found no credentials. The operator may be storing
	// them; and each request of an unknown client causes a read.
	again   = 5 * time.Second
	timeout = 3 * time.Second // of a read
)

// Application reads the client ID and secret that a provider issued for this deployment, from a
// secret of the form {"client_id": "...", "client_secret": "..."}. It is safe for concurrent use.
type Application struct {
	client *secretsmanager.Client
	name   string

	lock  chan struct{} // guards the fields below; a channel, so that waiting ends with the context
	known credentials
	err   error     // why no credentials are known
	next  time.Time // when to read again
}

type credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// NewApplication returns an Application with the secret of that name.
func NewApplication(client *secretsmanager.Client, name string) *Application {
	return &Application{client: client, name: name, lock: make(chan struct{}, 1)}
}

// Credentials returns the client ID and secret. They are at most five minutes old, unless Secrets
// Manager has been unreachable since. It returns ErrNotConfigured if the secret was missing, empty
// or incomplete at a read within the last five seconds. Every other error means that the secret
// could not be read.
func (a *Application) Credentials(ctx context.Context) (clientID, clientSecret string, err error) {
	select {
	case a.lock <- struct{}{}:
		defer func() { <-a.lock }()
	case <-ctx.Done():
		return "", "", fmt.Errorf("wait for the application's credentials: %w", ctx.Err())
	}
	if !time.Now().Before(a.next) {
		a.update(ctx)
	}
	if a.known == (credentials{}) {
		return "", "", a.err
	}
	return a.known.ClientID, a.known.ClientSecret, nil
}

// update reads the secret. If that fails, the known credentials stay.
func (a *Application) update(ctx context.Context) {
	found, err := a.read(ctx)
	a.err = err
	switch {
	case err == nil:
		a.known = found
		a.next = time.Now().Add(fresh)
	case errors.Is(err, ErrNotConfigured):
		a.known = credentials{}
		a.next = time.Now().Add(again)
	case ctx.Err() == nil: // a caller that gave up must not delay the next one
		a.next = time.Now().Add(again)
	}
}

func (a *Application) read(ctx context.Context) (credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	in := &secretsmanager.GetSecretValueInput{SecretId: aws.String(a.name)}
	twice := func(o *secretsmanager.Options) { o.RetryMaxAttempts = 2 } // leaves time to report the error
	out, err := a.client.GetSecretValue(ctx, in, twice)
	if isMissing(err) {
		return credentials{}, a.unconfigured("does not exist")
	}
	if err != nil {
		return credentials{}, &failure{"read the application's credentials", err}
	}
	text := strings.TrimSpace(aws.ToString(out.SecretString))
	if text == "" {
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
