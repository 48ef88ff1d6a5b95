package secrets

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// operations has every method, with its first request.
var operations = map[string]struct {
	doing string
	do    func(context.Context, *Store) error
}{
	"GetSecretValue": {"load tokens", func(ctx context.Context, s *Store) error { _, err := s.Load(ctx, ines, ""); return err }},
	"PutSecretValue": {"save tokens", func(ctx context.Context, s *Store) error { _, err := s.Save(ctx, ines, "writer", tokens); return err }},
	"DeleteSecret":   {"delete tokens", func(ctx context.Context, s *Store) error { return s.Delete(ctx, ines) }},
}

func TestStore_ErrorsNameTheActionAndTheServicesCode(t *testing.T) {
	for operation, o := range operations {
		for name, x := range map[string]struct {
			answer answer
			calls  int
			want   string
		}{
			"denied":    {refuses("AccessDeniedException"), 1, `AccessDeniedException (status 400, request "request-7")`},
			"throttled": {refuses("ThrottlingException"), 3, `ThrottlingException (status 400, request "request-7")`},
			"5xx":       {says(500, `{"__type": "InternalServiceError", "message": %q}`, planted), 3, `InternalServiceError (status 500, request "request-7")`},
			"proxy":     {says(502, `<html>%s</html>`, planted), 3, `unreadable answer (status 502, request "request-7")`},
			"garbage":   {says(200, `{"SecretString": %s`, planted), 1, `unreadable answer (status 200, request "request-7")`},
			"cut off":   {says(200, `{"SecretString": "%s`, planted), 1, `unreadable answer (status 200, request "request-7")`},
		} {
			synctest.Test(t, func(t *testing.T) {
				s := withSecret(t, inesSecret, "{}")
				s.will(operation, times(9, x.answer)...)
				err := o.do(t.Context(), New(s.wired(), "fernhill/", ""))
				wantText(t, err, o.doing+": "+operation+": "+x.want)
				if n := len(s.inputs[operation]); n != x.calls {
					t.Errorf("%s, %s: %d calls, want %d", operation, name, n, x.calls)
				}
			})
		}
	}
}

func TestStore_EndsWithItsContext(t *testing.T) {
	for operation, o := range operations {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t)
			s.will(operation, times(9, never)...)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			start := time.Now()
			err := o.do(ctx, New(s.wired(), "fernhill/", ""))
			if took := time.Since(start); took != 2*time.Second || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v after %s", operation, err, took)
			}
			wantText(t, err, o.doing+": "+operation+": context deadline exceeded")
		})
	}
}

func TestStore_SaysWhyThereWasNoAnswer(t *testing.T) {
	for operation, o := range operations {
		synctest.Test(t, func(t *testing.T) {
			refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
			c := client("https://secretsmanager.example", wire(func(*http.Request) (*http.Response, error) { return nil, refused }))
			err := o.do(t.Context(), New(c, "fernhill/", ""))
			if !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			wantText(t, err, o.doing+": "+operation+`: Post "https://secretsmanager.example/": dial tcp: connection refused`)
		})
	}
}

func TestStore_ReportsMissingCredentials(t *testing.T) {
	for operation, o := range operations {
		expired := errors.New("the role's credentials have expired")
		c := secretsmanager.New(client("https://secretsmanager.example", nil).Options(), func(o *secretsmanager.Options) {
			o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{}, expired
			})
		})
		err := o.do(t.Context(), New(c, "fernhill/", ""))
		if !errors.Is(err, expired) || !strings.HasPrefix(err.Error(), o.doing+": "+operation+": ") ||
			!strings.Contains(err.Error(), expired.Error()) {
			t.Errorf("got %v", err)
		}
		wantQuiet(t, err)
	}
}

func TestFailure_OmitsTextThatNetHTTPQuotes(t *testing.T) {
	broken := errors.New(`net/http: HTTP/1.x transport connection broken: malformed MIME header: missing colon: "` + planted + `"`)
	wantText(t, &failure{"load tokens", &smithyhttp.RequestSendError{Err: broken}}, "load tokens: transport connection broken")
}
