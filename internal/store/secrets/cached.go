package secrets

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/awsfault"
)

const (
	fresh   = 5 * time.Minute // how long a value is cached
	stale   = time.Minute     // how long an old value is used after a read that failed
	again   = 5 * time.Second // how long to wait after a read that did not find what a caller needs
	timeout = 3 * time.Second // of a read
)

// cached is a value that a secret contains. It is safe for concurrent use: callers that come during
// a read wait for it. If a read fails, the last value stays in use, unless the error is
// provider.ErrNotConfigured.
type cached[T any] struct {
	client *secretsmanager.Client
	secret string // its name or ARN
	doing  string // "read the ..."
	// parse returns the value in a text that is not empty. Its errors contain nothing of the text.
	parse func(text string) (T, error)
	// unusable returns the error for a secret that does not exist, or contains no value.
	unusable func(why error) error

	lock  chan struct{} // guards the fields below; a channel, so that waiting ends with the context
	known *T
	err   error     // of the last read
	tried time.Time // when the last read ended, by the wall clock: the other may stop while a function is frozen
}

// get returns the value, which is at most five minutes old unless reads have failed since, and the
// error of the last read. It returns nil if no value is known. After a read that failed, it uses an
// old value for a minute, because each read of a service that does not answer takes three seconds.
// If no value is known, or the value is not enough, it reads again after five seconds.
func (c *cached[T]) get(ctx context.Context, enough func(*T) bool) (*T, error) {
	select {
	case c.lock <- struct{}{}:
		defer func() { <-c.lock }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to %s: %w", c.doing, ctx.Err())
	}
	age := fresh
	switch {
	case c.known == nil || !enough(c.known):
		age = again
	case c.err != nil:
		age = stale
	}
	if since := time.Since(c.tried); since >= age || since < 0 {
		c.update(ctx)
	}
	return c.known, c.err
}

func (c *cached[T]) update(ctx context.Context) {
	found, err := c.read(ctx)
	switch {
	case err == nil:
		c.known = &found
	case errors.Is(err, provider.ErrNotConfigured):
		c.known = nil
	case ctx.Err() != nil: // a caller that gave up must not delay the next one
		c.err = err
		return
	}
	c.err, c.tried = err, time.Now().Round(0)
}

func (c *cached[T]) read(ctx context.Context) (value T, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	twice := func(o *secretsmanager.Options) { o.RetryMaxAttempts = 2 } // leaves time to report the error
	out, err := c.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &c.secret}, twice)
	switch {
	case isMissing(err):
		return value, c.unusable(errors.New("does not exist"))
	case err != nil:
		return value, awsfault.New(c.doing, err)
	}
	text := strings.TrimSpace(aws.ToString(out.SecretString))
	if text == "" {
		return value, c.unusable(errors.New("is empty"))
	}
	if value, err = c.parse(text); err != nil {
		return value, c.unusable(err)
	}
	return value, nil
}
