package secrets

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"basecamp-mcp/internal/store/awsfault"
)

// version is a version to write, as the newest of its secret.
type version = secretsmanager.PutSecretValueInput

const (
	errFull  awsfault.ReasonError = "the secret takes no more versions today"
	errTaken awsfault.ReasonError = "this version was saved before with other content"
)

// write adds a version, in any state of the secret. A secret keeps all versions of the last day,
// about a hundred at most. If a user logs in more often, write replaces the secret: the new version
// replaces the older ones anyway.
func (s *Store) write(ctx context.Context, v *version) error {
	step := s.add
	return s.writing.retry(ctx, isUnsettled, func() error {
		err := step(ctx, v)
		if !errors.Is(err, errFull) {
			return err
		}
		if err := s.remove(ctx, v.SecretId); err != nil {
			return fmt.Errorf("%w: %w", errFull, err)
		}
		// Now the secret must be created. The old one may still be visible, but a version that is
		// added to it is deleted with it.
		step = s.create
		return step(ctx, v)
	})
}

// isUnsettled reports whether an error passes without action: the parts of the service do not yet
// agree whether the secret exists.
func isUnsettled(err error) bool {
	return !errors.Is(err, errTaken) && (isMissing(err) || is[*types.ResourceExistsException](err))
}

// add adds a version to the secret, or creates the secret. It cancels the scheduled deletion of a
// secret: an operator scheduled it, because Delete deletes immediately.
func (s *Store) add(ctx context.Context, v *version) error {
	err := s.put(ctx, v)
	if isGoing(err) {
		if _, err = s.client.RestoreSecret(ctx, &secretsmanager.RestoreSecretInput{SecretId: v.SecretId}); err == nil {
			return s.put(ctx, v)
		}
	}
	if isMissing(err) {
		return s.create(ctx, v)
	}
	return err
}

func (s *Store) put(ctx context.Context, v *version) error {
	_, err := s.client.PutSecretValue(ctx, v)
	switch {
	case is[*types.LimitExceededException](err):
		return fmt.Errorf("%w: %w", errFull, err)
	case is[*types.ResourceExistsException](err):
		return fmt.Errorf("%w: %w", errTaken, err)
	}
	return err
}

func (s *Store) create(ctx context.Context, v *version) error {
	_, err := s.client.CreateSecret(ctx, &secretsmanager.CreateSecretInput{
		Name: v.SecretId, ClientRequestToken: v.ClientRequestToken, SecretString: v.SecretString, Tags: s.tags,
	})
	return err
}

func (s *Store) remove(ctx context.Context, secret *string) error {
	_, err := s.client.DeleteSecret(ctx, &secretsmanager.DeleteSecretInput{SecretId: secret, ForceDeleteWithoutRecovery: aws.Bool(true)})
	if is[*types.ResourceNotFoundException](err) {
		return nil
	}
	return err
}
