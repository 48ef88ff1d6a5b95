package secrets

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
)

// version is one to be written, as the newest of its secret.
type version struct {
	secret string
	id     string
	text   string
}

var (
	errFull  = errors.New("the secret takes no more versions today")
	errTaken = errors.New("this version was saved before with other content")
)

// write adds a version, whatever state the secret is in. A secret keeps all versions of the last day and takes about a hundred:
// somebody who logs in still more often gets it made anew, which loses nothing that this write does not replace.
func (s *Store) write(ctx context.Context, v version) error {
	err := s.writing.retry(ctx, isUnsettled, func() error { return s.add(ctx, v) })
	if !errors.Is(err, errFull) {
		return err
	}
	if err := s.remove(ctx, v.secret); err != nil {
		return fmt.Errorf("%w: %w", errFull, err)
	}
	// Nothing but creating will do from here on: the old secret may still be seen, and what it is given now goes with it.
	return s.writing.retry(ctx, isUnsettled, func() error { return s.create(ctx, v) })
}

// isUnsettled holds for what passes by itself: the service does not yet agree whether there is a secret of this name.
func isUnsettled(err error) bool {
	if errors.Is(err, errTaken) {
		return false
	}
	return isMissing(err) || is[*types.ResourceExistsException](err)
}

func (s *Store) add(ctx context.Context, v version) error {
	err := s.put(ctx, v)
	switch {
	case is[*types.ResourceNotFoundException](err):
		return s.create(ctx, v)
	case isGoing(err):
		return s.revive(ctx, v)
	}
	return err
}

func (s *Store) put(ctx context.Context, v version) error {
	_, err := s.client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId:           aws.String(v.secret),
		ClientRequestToken: aws.String(v.id),
		SecretString:       aws.String(v.text),
	})
	switch {
	case is[*types.LimitExceededException](err):
		return fmt.Errorf("%w: %w", errFull, err)
	case is[*types.ResourceExistsException](err):
		return fmt.Errorf("%w: %w", errTaken, err)
	}
	return err
}

func (s *Store) create(ctx context.Context, v version) error {
	_, err := s.client.CreateSecret(ctx, &secretsmanager.CreateSecretInput{
		Name:               aws.String(v.secret),
		ClientRequestToken: aws.String(v.id),
		SecretString:       aws.String(v.text),
		Tags:               s.tags,
	})
	return err
}

// revive takes back the deletion that a secret is scheduled for: somebody did that by hand, for Delete leaves no such time.
func (s *Store) revive(ctx context.Context, v version) error {
	_, err := s.client.RestoreSecret(ctx, &secretsmanager.RestoreSecretInput{SecretId: aws.String(v.secret)})
	if isMissing(err) { // it cannot be taken back
		return s.create(ctx, v)
	}
	if err != nil {
		return err
	}
	return s.put(ctx, v)
}

func (s *Store) remove(ctx context.Context, secret string) error {
	_, err := s.client.DeleteSecret(ctx, &secretsmanager.DeleteSecretInput{
		SecretId:                   aws.String(secret),
		ForceDeleteWithoutRecovery: aws.Bool(true),
	})
	if is[*types.ResourceNotFoundException](err) {
		return nil
	}
	return err
}
