package app

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo"
	"basecamp-mcp/internal/launchpad"
	"basecamp-mcp/internal/secrets"
)

// inAWS keeps everything in a table and in secrets. The clients are put together by hand: what the SDK's own configuration
// looks for besides, a Lambda has not got, and would pay for at every cold start.
func inAWS(c config.AWS, transport http.RoundTripper) (storage, error) {
	if missing := unset(c); len(missing) > 0 {
		return storage{}, errors.New("configuration: to keep things in AWS, there must be " + strings.Join(missing, ", "))
	}
	shared := &http.Client{Transport: plainBody{transport}, Timeout: awsTimeout}
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken}, nil
	})
	again := retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = awsBackoff })
	table := dynamodb.New(dynamodb.Options{
		Region: c.Region, Credentials: credentials, HTTPClient: shared, Retryer: again, BaseEndpoint: endpoint(c.DynamoDB),
	})
	manager := secretsmanager.New(secretsmanager.Options{
		Region: c.Region, Credentials: credentials, HTTPClient: shared, Retryer: again, BaseEndpoint: endpoint(c.SecretsManager),
	})
	items := dynamo.New(table, c.Table, nil)
	application := secrets.NewApplication(manager, c.LaunchpadSecret)
	return storage{
		broker:      items,
		connections: items,
		lists:       items,
		tasks:       items,
		once:        items,
		audit:       items,
		grants:      secrets.New(manager, c.SecretPrefix, strings.TrimSuffix(c.SecretPrefix, "/")),
		credentials: func(ctx context.Context) (id, secret string, err error) {
			id, secret, err = application.Credentials(ctx)
			if errors.Is(err, secrets.ErrNotConfigured) {
				err = launchpad.ErrNotConfigured
			}
			return id, secret, err
		},
		setup: "aws secretsmanager put-secret-value --region " + c.Region + " --secret-id " + c.LaunchpadSecret +
			` --secret-string '{"client_id":"...","client_secret":"..."}'`,
	}, nil
}

const (
	awsTimeout = 3 * time.Second // for one attempt, of which the SDK makes three
	awsBackoff = time.Second     // between them, at most
)

// outbound is the one transport of a Lambda, for AWS and Basecamp alike: what is opened before the first request serves the
// requests. It heeds no proxy.
func outbound() *http.Transport {
	readAuthoritiesOnce()
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 3 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 10,
		IdleConnTimeout:     45 * time.Second, // shorter than servers keep theirs
	}
}

// plainBody hides that the SDK's request bodies can write themselves: they are closed as soon as an answer begins, net/http
// takes that for a broken write, and drops one connection in fifty, TLS handshake and all.
type plainBody struct{ http.RoundTripper }

func (p plainBody) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return p.RoundTripper.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Body = struct{ io.ReadCloser }{r.Body}
	return p.RoundTripper.RoundTrip(r)
}

func endpoint(url string) *string {
	if url == "" {
		return nil
	}
	return &url
}

func unset(c config.AWS) (names []string) {
	for _, variable := range []struct{ name, value string }{
		{"TABLE_NAME", c.Table}, {"SECRET_PREFIX", c.SecretPrefix}, {"LAUNCHPAD_SECRET", c.LaunchpadSecret},
		{"AWS_REGION", c.Region}, {"AWS_ACCESS_KEY_ID", c.AccessKeyID}, {"AWS_SECRET_ACCESS_KEY", c.SecretAccessKey},
	} {
		if variable.value == "" {
			names = append(names, variable.name)
		}
	}
	return names
}
