package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/secrets"
)

// inAWS returns storage in a DynamoDB table and in Secrets Manager. It builds the SDK's clients
// itself: the SDK's own configuration also searches for sources that a Lambda does not have, at
// each cold start.
func inAWS(c config.AWS, transport http.RoundTripper) (storage, error) {
	if err := c.Complete(); err != nil {
		return storage{}, err
	}
	shared, failures := awsClient{transport}, &storeFailures{table: c.Table}
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken}, nil
	})
	table := dynamodb.New(dynamodb.Options{
		Region: c.Region, Credentials: keys, HTTPClient: shared, Retryer: awsRetryer(), BaseEndpoint: endpoint(c.DynamoDB),
		APIOptions: failures.count(tableRefusals),
	})
	manager := secretsmanager.New(secretsmanager.Options{
		Region: c.Region, Credentials: keys, HTTPClient: shared, Retryer: awsRetryer(), BaseEndpoint: endpoint(c.SecretsManager),
		APIOptions: failures.count(secretRefusals),
	})
	items := dynamo.New(table, c.Table, nil)
	application := func(secret string) credentials { return stored(secrets.NewApplication(manager, secret)) }
	tokens := secrets.New(manager, c.SecretPrefix, strings.TrimSuffix(c.SecretPrefix, "/"))
	return storage{
		auth:    items,
		records: func(providerID string) grant.Records { return items.Records(providerID) },
		lists:   items,
		tasks:   items,
		once:    items,
		audit:   items,
		endCall: items.EndCall,
		grants:  func(providerID string) grant.Store { return tokens.Of(otherThanBasecamp(providerID)) },
		refreshed: func(providerID string) grant.Store {
			return tokens.Of(otherThanBasecamp(providerID)).Existing()
		},

		credentials: application(c.LaunchpadSecret),
		application: application,
		setup:       storeCommand(c.Region, c.LaunchpadSecret),
	}, nil
}

// stored returns the credentials in the secret of an application.
func stored(application *secrets.Application) credentials {
	return func(ctx context.Context) (id, secret string, err error) {
		id, secret, err = application.Credentials(ctx)
		if errors.Is(err, secrets.ErrNotConfigured) {
			err = fmt.Errorf("%w: %w", provider.ErrNotConfigured, err)
		}
		return id, secret, err
	}
}

// storeCommand returns the command line that stores an application's credentials in a secret. It
// reads them from its input, because a shell keeps command lines in its history.
func storeCommand(region, secret string) string {
	return "aws secretsmanager put-secret-value --region " + region + " --secret-id " + secret +
		" --secret-string file:///dev/stdin"
}

// otherThanBasecamp returns the ID of a provider, or an empty string for Basecamp: its secrets were
// named before there were other providers, and keep their names.
func otherThanBasecamp(providerID string) string {
	if providerID == launchpad.ProviderID {
		return ""
	}
	return providerID
}

const awsTimeout = 3 * time.Second // of one attempt; the SDK makes three

// awsRetryer returns a retryer for one client. It holds the client's quota of retries: an outage of
// one service must not use up the retries for another.
func awsRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) { o.Backoff = retry.BackoffDelayerFunc(awsBackoff) })
}

// awsBackoff returns the pause after an attempt, counted from one. It is much shorter than the
// SDK's own of a second: often a connection was only closed while the function was frozen.
func awsBackoff(attempt int, _ error) (time.Duration, error) {
	return rand.N(50 * time.Millisecond << attempt), nil
}

// outbound returns the transport of a Lambda for all requests, to AWS and to Basecamp, so that
// requests use connections that were opened before the first one. It ignores proxies in the
// environment.
func outbound() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 3 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 10,
		IdleConnTimeout:     45 * time.Second, // shorter than those of the servers
	}
}

// awsClient sends the requests of the SDK. Other than http.Client, it copies no headers and starts
// no goroutine for its timeout, which covers the whole answer.
type awsClient struct{ transport http.RoundTripper }

func (c awsClient) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), awsTimeout)
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = plainBody{r.Body}
	}
	answer, err := c.transport.RoundTrip(r)
	if err != nil {
		cancel()
		return nil, err
	}
	answer.Body = timedBody{answer.Body, cancel}
	return answer, nil
}

// plainBody hides the WriteTo method of the SDK's request bodies. They are closed as soon as an
// answer starts, which net/http treats as a failed write: it would drop one connection in fifty.
type plainBody struct{ io.ReadCloser }

// timedBody is the body of an answer. Closing it ends the timeout.
type timedBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b timedBody) Close() error {
	defer b.cancel()
	defer b.cancel()
	return b.ReadCloser.Close()
}

func endpoint(url string) *string {
	if url == "" {
		return nil
	}
	return &url
}
