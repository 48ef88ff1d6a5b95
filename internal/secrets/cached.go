package secrets

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

const (
	fresh   = 5 * time.Minute // how long a value is cached
	stale   = time.Minute     // how long an old value is used after a read that failed
	again   = 5 * time.Second // how long to wait after a read that did not find what a caller needs
	timeout = 3 * time.Second // of a read
)

// cached is a value that a secret contains. It is safe for concurrent use: callers that come during
// a read wait for it.
type cached[T any] struct {
	doing string // "read the ..."
	// read reads the value. ErrNotConfigured says that earlier values are no longer valid. Other
	// errors leave the last value in use, for as long as they last.
	read func(context.Context) (T, error)

	lock  chan struct{} // guards the fields below; a channel, so that waiting ends with the context
	known *T
	err   error     // of the last read
	tried time.Time // when the last read ended, by the wall clock: the other may stop while a function is frozen
}

// newCached returns a value that was not read yet.
func newCached[T any](doing string, read func(context.Context) (T, error)) *cached[T] {
	return &cached[T]{doing: doing, read: read, lock: make(chan struct{}, 1)}
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
	case errors.Is(err, ErrNotConfigured):
		c.known = nil
	case ctx.Err() != nil: // a caller that gave up must not delay the next one
		c.err = err
		return
	}
	c.err, c.tried = err, time.Now().Round(0)
}

// inUse is the label of the version of a secret that is read unless a request names another.
const inUse = "AWSCURRENT"

// errMissing means that a secret does not exist, has no version, or is scheduled for deletion.
var errMissing = errors.New("does not exist")

// textOf returns the text of a secret without surrounding spaces, or errMissing.
func textOf(ctx context.Context, client *secretsmanager.Client, name, doing string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	in := &secretsmanager.GetSecretValueInput{SecretId: &name, VersionStage: aws.String(inUse)}
	twice := func(o *secretsmanager.Options) { o.RetryMaxAttempts = 2 } // leaves time to report the error
	out, err := client.GetSecretValue(ctx, in, twice)
	if isMissing(err) {
		return "", errMissing
	}
	if err != nil {
		return "", &failure{doing, err}
	}
	return strings.TrimSpace(aws.ToString(out.SecretString)), nil
}
