package secrets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// service is a Secrets Manager in memory for the real client. Its consistency can be delayed. It
// has the documented behaviour that moto lacks: sizes, the quota of versions, names that stay
// taken.
type service struct {
	t       testing.TB
	late    int // how often a new secret is not found at first
	lingers int // how often a name is still taken after its secret was deleted permanently
	most    int // versions a secret can have

	mu      sync.Mutex
	secrets map[string]*secret
	doomed  map[string]int      // how often a name will still be taken
	instead map[string][]answer // what operations answer next, whatever they should
	always  answer              // what every operation answers, whatever it should
	asked   []string            // the operations, in order
}

type secret struct {
	versions  []*request // newest last
	scheduled bool       // for deletion
	unseen    int
}

// request has the fields of all operations.
type request struct {
	SecretID     string `json:"SecretId"`
	Name         string
	VersionID    string `json:"VersionId"`
	Token        string `json:"ClientRequestToken"`
	SecretString string
	Force        bool `json:"ForceDeleteWithoutRecovery"`
	Tags         []struct{ Key, Value string }
}

// answer is one reply of the service.
type answer func(w http.ResponseWriter, r *http.Request)

func newService(t testing.TB) *service {
	return &service{t: t, most: 100, secrets: map[string]*secret{}, doomed: map[string]int{}, instead: map[string][]answer{}}
}

// client returns a client without a network, for tests with a fake clock.
func (s *service) client() *secretsmanager.Client { return client("https://secretsmanager.example", s) }

func (s *service) store() *Store { return New(s.client(), "fernhill", "orchard") }

// RoundTrip lets the service answer.
func (s *service) RoundTrip(r *http.Request) (got *http.Response, err error) {
	defer func() {
		if recover() != nil {
			err = io.ErrUnexpectedEOF
		}
	}()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	in, body := &request{}, json.NewDecoder(r.Body)
	if err := body.Decode(in); err != nil || !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
		s.t.Errorf("not a signed request: %v", err)
	}
	s.answer(strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager."), in)(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

func client(endpoint string, transport http.RoundTripper) *secretsmanager.Client {
	return secretsmanager.New(secretsmanager.Options{
		Region:       "eu-central-1",
		BaseEndpoint: aws.String(endpoint),
		HTTPClient:   &http.Client{Transport: transport},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDFERNHILL", SecretAccessKey: "not-a-key"}, nil
		}),
	})
}

// will sets the next answers of an operation.
func (s *service) will(operation string, times int, a answer) {
	s.instead[operation] = slices.Repeat([]answer{a}, times)
}

// wants stops the test unless these operations were requested, in this order, since the last call
// of wants.
func (s *service) wants(t *testing.T, operations ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.asked, operations) {
		t.Fatalf("asked for %q, want %q", s.asked, operations)
	}
	s.asked = nil
}

// plant adds a secret.
func (s *service) plant(name, text string) {
	s.secrets[name] = &secret{versions: []*request{{Token: "planted-version-00000000000000000", SecretString: text}}}
}

func (s *service) answer(operation string, in *request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, operation)
	queue := s.instead[operation]
	long := func(id string) bool { return id != "" && (len(id) < 32 || len(id) > 64) }
	switch {
	case s.always != nil:
		return s.always
	case len(queue) > 0:
		s.instead[operation] = queue[1:]
		return queue[0]
	case len(in.SecretString) > 65_536 || long(in.Token) || long(in.VersionID):
		return refuses("InvalidParameterException")
	}
	return s.do(operation, in)
}

// do does what an operation does, as far as the state of the secret allows it.
func (s *service) do(operation string, in *request) answer {
	name := in.SecretID + in.Name
	found := s.secrets[name]
	switch {
	case operation == "DeleteSecret" && in.Force:
		if found != nil {
			s.doomed[name] = s.lingers
		}
		delete(s.secrets, name)
	case s.doomed[name] > 0:
		s.doomed[name]--
		return refuses("InvalidRequestException")
	case found == nil && operation == "CreateSecret":
		s.secrets[name] = &secret{versions: []*request{in}, unseen: s.late}
	case found == nil:
		return refuses("ResourceNotFoundException")
	case operation == "RestoreSecret":
		found.scheduled = false
	case found.scheduled:
		return refuses("InvalidRequestException")
	case found.unseen > 0 && operation != "CreateSecret":
		found.unseen--
		return refuses("ResourceNotFoundException")
	case operation == "GetSecretValue":
		return found.get(in.VersionID)
	default:
		return found.add(operation, in, s.most)
	}
	return says(http.StatusOK, `{}`)
}

func (s *secret) get(version string) answer {
	for _, v := range slices.Backward(s.versions) {
		if version == "" || v.Token == version {
			return holds(v.SecretString)
		}
	}
	return refuses("ResourceNotFoundException")
}

func (s *secret) add(operation string, in *request, most int) answer {
	i := slices.IndexFunc(s.versions, func(v *request) bool { return v.Token == in.Token })
	switch {
	case i >= 0 && s.versions[i].SecretString == in.SecretString: // a repeat
	case i >= 0 || operation == "CreateSecret":
		return refuses("ResourceExistsException")
	case len(s.versions) >= most:
		return refuses("LimitExceededException")
	default:
		s.versions = append(s.versions, in)
	}
	return says(http.StatusOK, `{}`)
}

// holds returns the answer with the text of a secret.
func holds(text string) answer {
	quoted, _ := json.Marshal(text) // never fails for a string
	return says(http.StatusOK, `{"SecretString": %s}`, quoted)
}

// planted is a secret that answers quote and errors must not contain.
const planted = "bcx-planted-4f9d"

// refuses returns an error whose text quotes a secret.
func refuses(code string) answer {
	return says(http.StatusBadRequest, `{"__type": %q, "message": "no, not with %s"}`, code, planted)
}

func says(status int, format string, arguments ...any) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-RequestId", "request-7")
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, format, arguments...)
	}
}

// never does not answer.
func never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// hangsUp closes the connection.
func hangsUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
