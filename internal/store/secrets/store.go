// Package secrets stores in AWS Secrets Manager what must stay secret: users' tokens, or the key
// ring that seals them elsewhere, and the credentials that providers issued for this deployment.
// Secrets Manager may need a second to find a new secret, and a name stays taken for a while after
// its secret was deleted.
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

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/awsfault"
	"basecamp-mcp/internal/wire/pause"
)

var _ grant.Store = (*Store)(nil)

// Store is the grant.Store of one provider. It has one secret for each user, and a version of the
// secret for each version of the tokens. It never lists secrets, so its permissions can be limited
// to its prefix. It is safe for concurrent use.
type Store struct {
	client   *secretsmanager.Client
	folder   string // the beginning of each name, with a slash at the end
	tags     []types.Tag
	existing bool
	reading  patience
	writing  patience
}

// New returns the Store of a provider. The name of a user's secret is the stack, "/user/", the
// provider's ID, a slash and a hash. The stack is also a tag of each secret.
func New(client *secretsmanager.Client, stack, providerID string) *Store {
	return &Store{
		client: client,
		folder: stack + "/user/" + providerID + "/",
		tags: []types.Tag{
			{Key: aws.String("app"), Value: aws.String("basecamp-mcp")}, {Key: aws.String("stack"), Value: aws.String(stack)},
		},
		reading: patience{200 * time.Millisecond, 400 * time.Millisecond, 900 * time.Millisecond},
		writing: patience{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second},
	}
}

// Existing returns the same secrets for a function that only refreshes tokens: it may read secrets
// and add versions to them, and asks for nothing else. Its Save fails if the secret does not exist,
// because the user has disconnected, and if it takes no more versions: the next sign-in replaces
// it. Its Delete does nothing: the function that ends sign-ins deletes the record of a grant before
// the secret, so what a refresh added in between is deleted with it.
func (s *Store) Existing() *Store {
	of := *s
	of.existing = true
	return &of
}

// Load implements grant.Store. It returns ErrNotFound after four reads in a second and a half. If
// ctx ends earlier, it returns the error of ctx.
func (s *Store) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	in := &secretsmanager.GetSecretValueInput{SecretId: s.name(subject)}
	if version != "" {
		if uuid.Validate(version) != nil { // the service would reject the request
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
		return provider.Tokens{}, awsfault.New("load tokens", err)
	}
	tokens, err := grant.DecodeTokens(aws.ToString(out.SecretString))
	if err != nil {
		return provider.Tokens{}, fmt.Errorf("load tokens: secret %s: %w", aws.ToString(in.SecretId), err)
	}
	return tokens, nil
}

// Save implements grant.Store. A repeated Save with other tokens for the same subject, revision and
// writer is an error.
func (s *Store) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	text, err := grant.EncodeTokens(t)
	if err != nil {
		return "", fmt.Errorf("save tokens: %w", err)
	}
	write := s.write
	if s.existing {
		write = s.put
	}
	id := versionID(subject, t.Revision, writer)
	if err := write(ctx, &version{SecretId: s.name(subject), ClientRequestToken: &id, SecretString: &text}); err != nil {
		return "", awsfault.New("save tokens", err)
	}
	return id, nil
}

// Delete implements grant.Store.
func (s *Store) Delete(ctx context.Context, subject string) error {
	if s.existing {
		return nil
	}
	if err := s.remove(ctx, s.name(subject)); err != nil {
		return awsfault.New("delete tokens", err)
	}
	return nil
}

// name returns the name of a user's secret. Names appear in audit logs, so the name contains a hash
// instead of the subject.
func (s *Store) name(subject string) *string {
	sum := sha256.Sum256([]byte(subject))
	return aws.String(s.folder + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:32])
}

// versions is the namespace of version IDs.
var versions = uuid.NewSHA1(uuid.NameSpaceURL, []byte("basecamp-mcp/tokens"))

// versionID returns the same ID for the same write. So a retry, which the SDK makes by itself, does
// not create a second version.
func versionID(subject string, revision int64, writer string) string {
	return uuid.NewSHA1(versions, fmt.Appendf(nil, "%s\x00%d\x00%s", subject, revision, writer)).String()
}

// isMissing reports whether a secret does not exist, is not found yet, lacks the version, or is
// scheduled for deletion.
func isMissing(err error) bool {
	return is[*types.ResourceNotFoundException](err) || isGoing(err)
}

// isGoing reports whether a secret is scheduled for deletion. The service uses this error for other
// causes, too, but they cannot occur here.
func isGoing(err error) bool { return is[*types.InvalidRequestException](err) }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// patience is the list of pauses before each further try.
type patience []time.Duration

// retry calls do until it succeeds or fails with an error that does not pass, and returns the last
// error. If ctx ends during a pause, retry returns the error of ctx: the outcome of a further try
// is unknown.
func (p patience) retry(ctx context.Context, passes func(error) bool, do func() error) error {
	err := do()
	for _, wait := range p {
		if !passes(err) {
			return err
		}
		if ended := pause.For(ctx, wait); ended != nil {
			return ended
		}
		err = do()
	}
	return err
}
