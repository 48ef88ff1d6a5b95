package secrets

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/uuid"
)

// ringSecret is the secret of a key ring, for an operator.
type ringSecret struct {
	client *secretsmanager.Client
	name   string // or its ARN
}

// ringVersion is a version of the secret, valid or not.
type ringVersion struct {
	id, text string
	stored   time.Time
	now      time.Time // by the clock of the service, when it was read
}

// replaced is the label of the version that was in use before the one that is.
const replaced = "AWSPREVIOUS"

func (s ringSecret) version(ctx context.Context, label string) (ringVersion, error) {
	out, err := s.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.name, VersionStage: &label})
	switch {
	case isMissing(err) && label == replaced:
		return ringVersion{}, fmt.Errorf("key ring %s has no previous version", s.name)
	case isMissing(err):
		return ringVersion{}, fmt.Errorf("key ring %s does not exist; check its ARN and the region", s.name)
	case err != nil:
		return ringVersion{}, &failure{readRing + " " + s.name, err}
	}
	now, ok := awsmiddleware.GetServerTime(out.ResultMetadata)
	if !ok {
		now = time.Now()
	}
	return ringVersion{
		id: aws.ToString(out.VersionId), text: strings.TrimSpace(aws.ToString(out.SecretString)), stored: aws.ToTime(out.CreatedDate), now: now,
	}, nil
}

// nextStage is the label of a version that is about to become current. Only one version has it.
const nextStage = "KEYRING_NEXT"

// store stores a text as a new version, and makes it the one in use, if old is in use. It returns
// ErrRingChanged if another version is. Secrets Manager has no conditional write of a value, but a
// conditional move of the label AWSCURRENT. So store first stores a version that no function reads.
func (s ringSecret) store(ctx context.Context, old, text string) error {
	id := uuid.NewString()
	_, err := s.client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: &s.name, SecretString: &text, ClientRequestToken: &id, VersionStages: []string{nextStage},
	})
	if err != nil {
		return &failure{s.storing(), err}
	}
	return s.replace(ctx, old, id)
}

// replace makes the version with ID next the one in use, if old is in use. It returns
// ErrRingChanged if another version is.
func (s ringSecret) replace(ctx context.Context, old, next string) error {
	_, failed := s.client.UpdateSecretVersionStage(ctx, &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: &s.name, VersionStage: aws.String(inUse), MoveToVersionId: &next, RemoveFromVersionId: &old,
	})
	if failed == nil {
		return nil
	}
	// The request may have succeeded: if its answer was lost, the SDK repeated it.
	v, err := s.version(ctx, inUse)
	switch {
	case err != nil:
		return &failure{s.storing() + ": it is unknown whether it changed, so look at its status", failed}
	case v.id == next:
		return nil
	case v.id == old:
		return &failure{s.storing(), failed}
	}
	return fmt.Errorf("key ring %s: %w", s.name, ErrRingChanged)
}

func (s ringSecret) storing() string { return "store the key ring " + s.name }
