// Package awsstores opens the stores that a deployment has in AWS: a DynamoDB table and Secrets
// Manager. It knows no tools, so that a function without them stays small.
package awsstores

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/store/dynamo"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/secrets"
)

// Credentials returns the client ID and secret of an application, or provider.ErrNotConfigured.
type Credentials = func(context.Context) (id, secret string, err error)

// Stores are the stores of a deployment.
type Stores struct {
	Items *items.Store
	// Credentials are those of the application at 37signals.
	Credentials Credentials

	manager *secretsmanager.Client
	stack   string
	ring    *secrets.Ring // nil: tokens are secrets
}

// Open returns the stores. It builds the SDK's clients itself: the SDK's own configuration also
// searches for sources that a Lambda does not have, at each cold start. own are the credentials of
// the application at 37signals, or nil if they are in a secret.
func Open(c config.AWS, log *slog.Logger, transport http.RoundTripper, own Credentials) (Stores, error) {
	if err := c.Complete(); err != nil {
		return Stores{}, err
	}
	shared, failures := client(transport), &storeFailures{}
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken}, nil
	})
	table := dynamodb.New(dynamodb.Options{
		Region: c.Region, Credentials: credentials, HTTPClient: shared, Retryer: retryer(), BaseEndpoint: endpoint(c.DynamoDB),
		APIOptions: failures.count(tableRefusals),
	})
	manager := secretsmanager.New(secretsmanager.Options{
		Region: c.Region, Credentials: credentials, HTTPClient: shared, Retryer: retryer(), BaseEndpoint: endpoint(c.SecretsManager),
		APIOptions: failures.count(secretRefusals),
	})
	stack := strings.TrimSuffix(c.SecretPrefix, "/")
	s := Stores{Credentials: own, manager: manager, stack: stack}
	if own == nil {
		s.Credentials = s.Application(c.LaunchpadSecret)
	}
	o := items.Options{Keys: applicationKeys(s.Credentials), Stack: stack, Log: log}
	if c.SealsTokens {
		s.ring = secrets.NewRing(manager, c.KeyRing)
		o.Keys = s.ring
	}
	s.Items = items.New(dynamo.New(table, c.Table, nil), o)
	return s, nil
}

// Application returns the credentials in the secret of an application.
func (s Stores) Application(secret string) Credentials {
	return secrets.NewApplication(s.manager, secret).Credentials
}
