package secrets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
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

// RestoreRing makes the previous version of a key ring the one in use, and returns true. It does so
// only if the version in use is not valid, or lacks keys of the previous one; otherwise it returns
// false. It is an error if the ring would lose a key.
func RestoreRing(ctx context.Context, client *secretsmanager.Client, name string) (bool, error) {
	s := ringSecret{client, name}
	old, err := s.version(ctx, inUse)
	if err != nil {
		return false, err
	}
	previous, err := s.version(ctx, replaced)
	if err != nil {
		return false, err
	}
	ring, err := parseRing(previous.text)
	if err != nil {
		return false, fmt.Errorf("the previous version of key ring %s: %w", name, err)
	}
	if now, err := parseRing(old.text); err == nil {
		if lost := now.without(ring); len(lost) > 0 {
			return false, fmt.Errorf("the previous version of key ring %s does not have %s; drop it first, or use another key", name, strings.Join(lost, ", "))
		}
		if len(ring.without(now)) == 0 {
			return false, nil
		}
	}
	return true, s.replace(ctx, old.id, previous.id)
}

// without returns the IDs of the keys that the other ring does not have, the oldest first.
func (r *ringText) without(other ringText) []string {
	return slices.DeleteFunc(r.ids(), func(id string) bool { return other.keys[id] == r.keys[id] })
}
