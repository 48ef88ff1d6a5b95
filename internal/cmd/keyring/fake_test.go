package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/envelope"
)

const (
	arn      = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:KeyRingSecret-ab12cd"
	table    = "fernhill-Table-1"
	planted  = "bcx-planted-4f9d"
	firstKey = planted + "-first-key-of-the-ring-with-64-characters-0123456789abcdef"
	oneKey   = `{"current": "k1", "k1": "` + firstKey + `"}`
)

// account has one key ring and one table, and a clock of its own.
type account struct {
	mu       sync.Mutex
	now      time.Time
	versions map[string]version // of the ring, by ID
	labels   map[string]string  // the IDs of versions, by label
	sealed   []string           // versions of tokens
	broken   map[string]bool    // operations that are refused
	asked    map[string]int     // operations
	meantime func()             // happens before the next change
}

type version struct {
	text   string
	stored time.Time
}

func newAccount() *account {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	return &account{
		now: now.Add(time.Hour), versions: map[string]version{"v0": {oneKey, now}}, labels: map[string]string{"AWSCURRENT": "v0"},
		broken: map[string]bool{}, asked: map[string]int{},
	}
}

// input has the fields of all operations.
type input struct {
	SecretID     string   `json:"SecretId"`
	Label        string   `json:"VersionStage"`
	Labels       []string `json:"VersionStages"`
	Token        string   `json:"ClientRequestToken"`
	SecretString string
	To           string `json:"MoveToVersionId"`
	From         string `json:"RemoveFromVersionId"`
	TableName    string
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var in input
	_ = json.NewDecoder(r.Body).Decode(&in)
	if a.meantime != nil && operation == "PutSecretValue" {
		meantime := a.meantime
		a.meantime = nil
		meantime()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[operation]++
	w.Header().Set("Date", a.now.Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	answer := map[string]any(nil)
	switch {
	case a.broken[operation]:
	case operation == "Scan" && in.TableName == table:
		answer = a.scan()
	case in.SecretID != arn:
	case operation == "GetSecretValue":
		if v, ok := a.versions[a.labels[in.Label]]; ok {
			answer = map[string]any{"VersionId": a.labels[in.Label], "SecretString": v.text, "CreatedDate": v.stored.Unix()}
		}
	case operation == "PutSecretValue":
		a.versions[in.Token] = version{in.SecretString, a.now}
		answer = map[string]any{}
	case operation == "UpdateSecretVersionStage" && a.labels["AWSCURRENT"] == in.From:
		a.labels["AWSCURRENT"], a.labels["AWSPREVIOUS"] = in.To, in.From
		answer = map[string]any{}
	}
	if answer == nil {
		code := "AccessDeniedException"
		if in.Label == "AWSPREVIOUS" || in.TableName != "" && in.TableName != table {
			code = "ResourceNotFoundException"
		}
		w.WriteHeader(http.StatusBadRequest)
		answer = map[string]any{"__type": code, "message": "not with " + planted}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (a *account) scan() map[string]any {
	items := []any{}
	for _, v := range a.sealed {
		items = append(items, map[string]any{"sk": map[string]string{"S": "V#" + v}})
	}
	return map[string]any{"Items": items, "ConsumedCapacity": map[string]any{"CapacityUnits": 1}}
}

// seals adds sealed tokens.
func (a *account) seals(key envelope.Key, n int) {
	for i := range n {
		a.sealed = append(a.sealed, fmt.Sprintf("e1.%s.%s.%d", key.ID, key.Fingerprint(), i))
	}
}

// reseal replaces all tokens by tokens of a key.
func (a *account) reseal(key envelope.Key) {
	n := len(a.sealed)
	a.sealed = nil
	a.seals(key, n)
}

// key returns a key of the ring that is in use.
func (a *account) key(t *testing.T, id string) envelope.Key {
	t.Helper()
	var ring map[string]any
	if err := json.Unmarshal([]byte(a.versions[a.labels["AWSCURRENT"]].text), &ring); err != nil {
		t.Fatal(err)
	}
	secret, _ := ring[id].(string)
	return envelope.Key{ID: id, Secret: []byte(secret)}
}

// runs returns a function that runs the command, and stops the test if the command prints a key.
func (a *account) runs(t *testing.T) func(steps ...string) (string, error) {
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return func(steps ...string) (string, error) {
		t.Helper()
		return a.run(t, server.URL, append([]string{"-ring", arn, "-table", table}, steps...)...)
	}
}

func (a *account) run(t *testing.T, origin string, arguments ...string) (string, error) {
	t.Helper()
	environment := map[string]string{"AWS_ENDPOINT_URL": origin, "AWS_ACCESS_KEY_ID": "AKIDFERNHILL", "AWS_SECRET_ACCESS_KEY": "not-a-key"}
	var out strings.Builder
	err := run(t.Context(), arguments, func(name string) string { return environment[name] }, &out)
	said := out.String()
	if err != nil {
		said += err.Error()
	}
	for _, v := range a.versions {
		var members map[string]any
		_ = json.Unmarshal([]byte(v.text), &members)
		for id, secret := range members {
			if text, ok := secret.(string); ok && id != "current" && id != "switched" && strings.Contains(said, text[:min(8, len(text))]) {
				t.Fatalf("the key %s is in %q", id, said)
			}
		}
	}
	if strings.Contains(said, planted) {
		t.Fatalf("a secret is in %q", said)
	}
	return out.String(), err
}
