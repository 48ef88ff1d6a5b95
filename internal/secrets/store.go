// Package secrets keeps in AWS Secrets Manager what must stay secret: each person's Basecamp
// tokens, and the credentials that this application has with Basecamp. What was just written there
// may take a second to be found, and a name stays taken for a while after its secret was deleted.
package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	"github.com/google/uuid"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

var _ grant.Store = (*Store)(nil)

// Store is the grant.Store with one secret a person, whose versions are the versions of their
// tokens. It never lists secrets, so its permissions can end at its prefix. It is safe for
// concurrent use.
type Store struct {
	client  *secretsmanager.Client
	folder  string // the beginning of each name, with a slash at the end
	tags    []types.Tag
	reading patience
	writing patience
}

// New makes a Store of the secrets whose names begin with prefix, which ends in a slash. A stack is
// a tag on each of them, unless it is empty.
func New(client *secretsmanager.Client, prefix, stack string) *Store {
	tags := []types.Tag{{Key: aws.String("app"), Value: aws.String("basecamp-mcp")}}
	if stack != "" {
		tags = append(tags, types.Tag{Key: aws.String("stack"), Value: aws.String(stack)})
	}
	return &Store{
		client:  client,
		folder:  prefix + "user/",
		tags:    tags,
		reading: patience{200 * time.Millisecond, 400 * time.Millisecond, 900 * time.Millisecond},
		writing: patience{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second},
	}
}

// Of returns the Store of a provider: its secrets have names of their own below the same prefix. An
// empty provider is the one that s itself is for.
func (s *Store) Of(provider string) *Store {
	if provider == "" {
		return s
	}
	of := *s
	of.folder += provider + "/"
	return &of
}

// Load follows grant.Store. That there is nothing is only said after looking four times in a second
// and a half; when ctx ends before, that is the error.
func (s *Store) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	in := &secretsmanager.GetSecretValueInput{SecretId: aws.String(s.name(subject))}
	if version != "" {
		if uuid.Validate(version) != nil { // no Store of this kind named it, and the service would call it invalid
			return provider.Tokens{}, grant.ErrNotFound
		}
		in.VersionId = aws.String(version)
	}
	var out *secretsmanager.GetSecretValueOutput
	err := s.reading.retry(ctx, isMissing, func() (err error) {
		out, err = s.client.GetSecretValue(ctx, in)
		return err
	})
	if isMissing(err) {
		return provider.Tokens{}, grant.ErrNotFound
	}
	if err != nil {
		return provider.Tokens{}, &failure{"load tokens", err}
	}
	tokens, err := decode(aws.ToString(out.SecretString))
	if err != nil {
		return provider.Tokens{}, fmt.Errorf("load tokens: secret %s: %w", aws.ToString(in.SecretId), err)
	}
	return tokens, nil
}

// Save follows grant.Store. Another content for a subject, revision and writer that were saved
// before is an error.
func (s *Store) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	text, err := encode(t)
	if err != nil {
		return "", fmt.Errorf("save tokens: %w", err)
	}
	v := version{secret: s.name(subject), id: versionID(subject, t.Revision, writer), text: text}
	if err := s.write(ctx, v); err != nil {
		return "", &failure{"save tokens", err}
	}
	return v.id, nil
}

// Delete follows grant.Store.
func (s *Store) Delete(ctx context.Context, subject string) error {
	if err := s.remove(ctx, s.name(subject)); err != nil {
		return &failure{"delete tokens", err}
	}
	return nil
}

// name is what a person's secret is called. Names are no secrets and turn up in audit logs, where
// nobody's identity should.
func (s *Store) name(subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return s.folder + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:32]
}

// versions is the namespace of version ids.
var versions = uuid.NewSHA1(uuid.NameSpaceURL, []byte("basecamp-mcp/tokens"))

// versionID is the same for the same write, so that repeating it, as the SDK does by itself, makes
// no second version.
func versionID(subject string, revision int64, writer string) string {
	return uuid.NewSHA1(versions, fmt.Appendf(nil, "%s\x00%d\x00%s", subject, revision, writer)).String()
}

// isMissing holds for a secret that is not there, not yet there, has no such version, or is about
// to go.
func isMissing(err error) bool {
	return is[*types.ResourceNotFoundException](err) || isGoing(err)
}

// isGoing holds for a secret scheduled for deletion. Of the causes that the service gives this
// error for, none other can befall ours.
func isGoing(err error) bool { return is[*types.InvalidRequestException](err) }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
