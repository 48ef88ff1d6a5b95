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

// ErrNotConfigured means that whoever deploys this has not yet written the credentials of their Basecamp application into
// its secret, or not all of them.
var ErrNotConfigured = errors.New("the Basecamp application is not configured")

const (
	fresh = 5 * time.Minute // how long credentials are used without another look
	// again is how long to wait before another look after one that brought none: somebody may be busy writing them, and
	// strangers make us look.
	again   = 5 * time.Second
	timeout = 3 * time.Second // of a look
)

// Application is what this deployment is to Basecamp: the client id and secret that 37signals gave for it, kept in a secret
// {"client_id": "...", "client_secret": "..."}. It is safe for concurrent use.
type Application struct {
	client *secretsmanager.Client
	name   string

	turn  chan struct{} // what it takes to touch the rest
	known credentials
	err   error     // why they are not known
	next  time.Time // when to look again
}

type credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// NewApplication makes an Application of the secret of that name.
func NewApplication(client *secretsmanager.Client, name string) *Application {
	return &Application{client: client, name: name, turn: make(chan struct{}, 1)}
}

// Credentials gives the client id and secret, at most five minutes old unless Secrets Manager has been out of reach since.
// ErrNotConfigured when the secret is missing, empty or incomplete, as of five seconds ago; any other error means that it
// could not be read.
func (a *Application) Credentials(ctx context.Context) (clientID, clientSecret string, err error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return "", "", fmt.Errorf("wait for the application's credentials: %w", ctx.Err())
	}
	if !time.Now().Before(a.next) {
		a.look(ctx)
	}
	if a.known == (credentials{}) {
		return "", "", a.err
	}
	return a.known.ClientID, a.known.ClientSecret, nil
}

// look leaves what is known as it is when the secret cannot be read.
func (a *Application) look(ctx context.Context) {
	found, err := a.read(ctx)
	a.err = err
	switch {
	case err == nil:
		a.known = found
		a.next = time.Now().Add(fresh)
	case errors.Is(err, ErrNotConfigured):
		a.known = credentials{}
		a.next = time.Now().Add(again)
	case ctx.Err() == nil: // or the caller gave up, which says nothing to the next
		a.next = time.Now().Add(again)
	}
}

func (a *Application) read(ctx context.Context) (credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	in := &secretsmanager.GetSecretValueInput{SecretId: aws.String(a.name)}
	out, err := a.client.GetSecretValue(ctx, in, func(o *secretsmanager.Options) { o.RetryMaxAttempts = 2 }) // in time to say why
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

// filledIn takes the dots of the command that stores the credentials for what they are.
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
