package secrets

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// failures are the ways in which Secrets Manager fails, with the attempts that the SDK makes and
// the ends of the errors.
var failures = map[string]struct {
	answer   answer
	attempts int
	want     string
}{
	"denied":    {refuses("AccessDeniedException"), 1, `AccessDeniedException (status 400, request "request-7")`},
	"decrypted": {refuses("DecryptionFailure"), 1, `DecryptionFailure (status 400, request "request-7")`},
	"throttled": {refuses("ThrottlingException"), 3, `ThrottlingException (status 400, request "request-7")`},
	"5xx":       {says(500, `{"__type": "InternalServiceError", "message": %q}`, planted), 3, `InternalServiceError (status 500, request "request-7")`},
	"proxy":     {says(502, `<html>%s</html>`, planted), 3, `unreadable answer (status 502, request "request-7")`},
	"garbage":   {says(200, planted), 1, `unreadable answer (status 200, request "request-7")`},
	"cut off":   {says(200, `{"SecretString": "%s`, planted), 1, `unreadable answer (status 200, request "request-7")`},
	"hang-up":   {hangsUp, 3, "no answer"},
	"silence":   {never, 1, "context deadline exceeded"},
}

// operations has every method, by what it says that it was doing, with its first request and the
// attempts that it allows.
var operations = map[string]struct {
	asks     string
	attempts int
	do       func(context.Context, *secretsmanager.Client) error
}{
	"load tokens": {"GetSecretValue", 3, func(ctx context.Context, c *secretsmanager.Client) error {
		_, err := New(c, "fernhill", "orchard").Load(ctx, ines, "")
		return err
	}},
	"save tokens": {"PutSecretValue", 3, func(ctx context.Context, c *secretsmanager.Client) error {
		_, err := New(c, "fernhill", "orchard").Save(ctx, ines, "writer", tokens)
		return err
	}},
	"delete tokens": {"DeleteSecret", 3, func(ctx context.Context, c *secretsmanager.Client) error {
		return New(c, "fernhill", "orchard").Delete(ctx, ines)
	}},
	"read the key ring fernhill/kept":    {"GetSecretValue", 2, readRing},
	"read the application's credentials": {"GetSecretValue", 2, readApplication},
}

func TestFailures_NameTheActionAndTheServicesCodeAndNotItsText(t *testing.T) {
	for doing, o := range operations {
		for name, x := range failures {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t)
				s.always = x.answer
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if name == "silence" {
					ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
				}
				defer cancel()
				err := o.do(ctx, s.client())
				wantText(t, err, doing+": "+o.asks+": "+x.want)
				if errors.Is(err, grant.ErrNotFound) || errors.Is(err, provider.ErrNotConfigured) {
					t.Errorf("%s, %s: counts as missing", doing, name)
				}
				if n := len(s.asked); n != min(x.attempts, o.attempts) {
					t.Errorf("%s, %s: %d requests", doing, name, n)
				}
			})
		}
	}
}

// wantText checks the text of an error, and that it contains no secret.
func wantText(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" || strings.Contains(err.Error(), planted) {
		t.Error(diff)
	}
}
