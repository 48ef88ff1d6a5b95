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
// has the documented behaviour that other fakes lack: sizes, the quota of versions, names that stay
// taken.
type service struct {
	t       testing.TB
	late    int // how often a new secret is not found at first
	lingers int // how often a name is still taken after its secret was deleted permanently
	most    int // versions a secret can have

	mu      sync.Mutex
	secrets map[string]*secret
	doomed  map[string]int        // how often a name will still be taken
	instead map[string][]answer   // what operations answer next, whatever they should
	asked   []string              // the operations, in order
	inputs  map[string][]*request // of each operation
}

type secret struct {
	versions  []*request // newest last
	tags      map[string]string
	scheduled bool // for deletion
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

func (r *request) name() string { return r.SecretID + r.Name }

// answer is one reply of the service.
type answer func(w http.ResponseWriter, r *http.Request)

func newService(t testing.TB) *service {
	return &service{
		t: t, most: 100, secrets: map[string]*secret{}, doomed: map[string]int{},
		instead: map[string][]answer{}, inputs: map[string][]*request{},
	}
}

// served returns a client of the service over a local network connection.
func (s *service) served(t *testing.T) *secretsmanager.Client {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return client(server.URL, http.DefaultTransport)
}

// wired returns a client without a network, for tests with a fake clock.
func (s *service) wired() *secretsmanager.Client {
	return client("https://secretsmanager.example", wire(s.wire))
}

func (s *service) wire(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w(r)
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
func (s *service) will(operation string, answers ...answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[operation] = append(s.instead[operation], answers...)
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

// last returns the last request of an operation.
func (s *service) last(t *testing.T, operation string) *request {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inputs[operation]) == 0 {
		t.Fatalf("%s was not asked", operation)
	}
	return s.inputs[operation][len(s.inputs[operation])-1]
}

// plant adds a secret.
func (s *service) plant(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets[name] = &secret{versions: []*request{{Token: plantedVersion, SecretString: text}}}
}

const plantedVersion = "planted-version-00000000000000000"

// schedule schedules a secret for deletion, like an operator in the console.
func (s *service) schedule(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets[name].scheduled = true
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.")
	in := &request{}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, in)
	}
	if err != nil || !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
		s.t.Errorf("not a signed request: %v", err)
	}
	s.answer(operation, in)(w, r)
}

func (s *service) answer(operation string, in *request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, operation)
	s.inputs[operation] = append(s.inputs[operation], in)
	if queue := s.instead[operation]; len(queue) > 0 {
		s.instead[operation] = queue[1:]
		return queue[0]
	}
	do, ok := map[string]func(*request) answer{
		"CreateSecret": s.create, "PutSecretValue": s.put, "GetSecretValue": s.get,
		"RestoreSecret": s.restore, "DeleteSecret": s.remove,
	}[operation]
	if !ok {
		s.t.Errorf("asked for %s, which this program may not do", operation)
		return refuses("AccessDeniedException")
	}
	if len(in.SecretString) > 65536 || in.Token != "" && (len(in.Token) < 32 || len(in.Token) > 64) ||
		in.VersionID != "" && (len(in.VersionID) < 32 || len(in.VersionID) > 64) {
		return refuses("InvalidParameterException")
	}
	if s.doomed[in.name()] > 0 && operation != "DeleteSecret" {
		s.doomed[in.name()]--
		return refuses("InvalidRequestException")
	}
	return do(in)
}

func (s *service) create(in *request) answer {
	if in.Token == "" {
		return refuses("InvalidParameterException")
	}
	if old := s.secrets[in.Name]; old != nil {
		if old.scheduled {
			return refuses("InvalidRequestException")
		}
		if v := old.version(in.Token); v == nil || v.SecretString != in.SecretString {
			return refuses("ResourceExistsException")
		}
		return written(in)
	}
	made := &secret{versions: []*request{in}, tags: map[string]string{}, unseen: s.late}
	for _, tag := range in.Tags {
		made.tags[tag.Key] = tag.Value
	}
	s.secrets[in.Name] = made
	return written(in)
}

func (s *service) put(in *request) answer {
	found, refusal := s.find(in)
	if refusal != nil {
		return refusal
	}
	if v := found.version(in.Token); v != nil {
		if v.SecretString != in.SecretString {
			return refuses("ResourceExistsException")
		}
		return written(in)
	}
	if len(found.versions) >= s.most {
		return refuses("LimitExceededException")
	}
	found.versions = append(found.versions, in)
	return written(in)
}

func (s *service) get(in *request) answer {
	found, refusal := s.find(in)
	if refusal != nil {
		return refusal
	}
	v := found.versions[len(found.versions)-1]
	if in.VersionID != "" {
		v = found.version(in.VersionID)
	}
	if v == nil {
		return refuses("ResourceNotFoundException")
	}
	return says(http.StatusOK, `{"Name": %q, "VersionId": %q, "SecretString": %s}`, in.SecretID, v.Token, quoted(v.SecretString))
}

func (s *service) restore(in *request) answer {
	if s.secrets[in.SecretID] == nil {
		return refuses("ResourceNotFoundException")
	}
	s.secrets[in.SecretID].scheduled = false
	return says(http.StatusOK, `{}`)
}

func (s *service) remove(in *request) answer {
	switch {
	case !in.Force && s.secrets[in.SecretID] == nil:
		return refuses("ResourceNotFoundException")
	case !in.Force:
		s.secrets[in.SecretID].scheduled = true
	case s.secrets[in.SecretID] != nil:
		delete(s.secrets, in.SecretID)
		s.doomed[in.SecretID] = s.lingers
	}
	return says(http.StatusOK, `{}`)
}

func (s *service) find(in *request) (*secret, answer) {
	found := s.secrets[in.SecretID]
	switch {
	case found == nil:
		return nil, refuses("ResourceNotFoundException")
	case found.scheduled:
		return nil, refuses("InvalidRequestException")
	case found.unseen > 0:
		found.unseen--
		return nil, refuses("ResourceNotFoundException")
	}
	return found, nil
}

func (s *secret) version(id string) *request {
	if i := slices.IndexFunc(s.versions, func(v *request) bool { return v.Token == id }); i >= 0 {
		return s.versions[i]
	}
	return nil
}

func written(in *request) answer {
	return says(http.StatusOK, `{"Name": %q, "VersionId": %q}`, in.name(), in.Token)
}

func quoted(text string) []byte {
	b, _ := json.Marshal(text) // never fails for a string
	return b
}

// planted is a secret that answers quote and errors must not contain.
const planted = "bcx-planted-4f9d"

// refuses returns an error whose text quotes a secret.
func refuses(code string) answer {
	return says(http.StatusBadRequest, `{"__type": %q, "message": %q}`, code, "no, not with "+planted)
}

func says(status int, format string, arguments ...any) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.Header().Set("X-Amzn-RequestId", "request-7")
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, format, arguments...)
	}
}

// never does not answer.
func never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// times returns the same answer n times.
func times(n int, a answer) []answer { return slices.Repeat([]answer{a}, n) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// withSecret returns a service that has a secret.
func withSecret(t *testing.T, name, text string) *service {
	s := newService(t)
	s.plant(name, text)
	return s
}
