package secrets

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/signin/provider"
)

// kept is the name of a secret that is read into the cache.
const kept = "fernhill/kept"

func readRing(ctx context.Context, c *secretsmanager.Client) error {
	_, _, err := NewRing(c, kept).Current(ctx)
	return err
}

func readApplication(ctx context.Context, c *secretsmanager.Client) error {
	_, _, err := NewApplication(c, kept).Credentials(ctx)
	return err
}

func TestSecret_ThatIsUnusableIsNamedWithTheReason(t *testing.T) {
	const (
		form = `is not of the form {"client_id": "...", "client_secret": "..."}`
		word = "word 2 is not a key of 32 or more letters, digits, and + / = - _"
	)
	for _, c := range []struct {
		of     string // "ring", "application" or both
		answer answer
		why    string
	}{
		{"ring application", refuses("ResourceNotFoundException"), "does not exist"},
		{"ring application", refuses("InvalidRequestException"), "does not exist"}, // its deletion is planned
		{"ring application", says(200, `{"SecretBinary": "e30="}`), "is empty"},
		{"ring application", holds(" \n"), "is empty"},
		{"ring", holds(firstKey + " " + firstKey[:31]), word},
		{"ring", holds(firstKey + "\n..." + firstKey), word},
		{"ring", holds(firstKey + "\t\"\""), word},
		{"application", holds(planted), form},
		{"application", holds(`["` + planted + `"]`), form},
		{"application", holds(`{"client_id": 4711}`), form},
		{"application", holds(`{}`), "has no client_id yet"},
		{"application", holds(`{"client_id": "  ", "client_secret": "` + planted + `"}`), "has no client_id yet"},
		{"application", holds(`{"client_id":"...","client_secret":"..."}`), "has no client_id yet"},
		{"application", holds(`{"client_id": "` + planted + `", "client_secret": "..."}`), "has no client_secret yet"},
	} {
		s := newService(t)
		s.always = c.answer
		if c.of != "application" {
			wantText(t, readRing(t.Context(), s.client()), "key ring fernhill/kept: "+c.why+
				"; check KEY_RING_SECRET, or restore the secret or its previous version, as docs/operate.md says")
		}
		if c.of != "ring" {
			wantText(t, readApplication(t.Context(), s.client()), provider.ErrNotConfigured.Error()+": secret fernhill/kept "+c.why)
		}
	}
}

// The tests of Ring hold when a secret is read again.
func TestApplication_IsReadAgainAfterFiveSecondsUntilItIsConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		a := NewApplication(s.client(), kept)
		for _, c := range []struct {
			after time.Duration
			holds string
			want  string // the client ID; empty: not configured
			asked int
		}{
			{0, "{}", "", 1},
			{5*time.Second - 1, "\n" + `{"client_id": " 4711\n", "client_secret": "s3cret "}`, "", 1},
			{1, "", "4711", 2},
			{fresh, "{}", "", 3},
		} {
			time.Sleep(c.after)
			if c.holds != "" {
				s.plant(kept, c.holds)
			}
			id, secret, err := a.Credentials(t.Context())
			if id != c.want || (secret == "s3cret") != (id != "") || errors.Is(err, provider.ErrNotConfigured) != (id == "") || len(s.asked) != c.asked {
				t.Errorf("%+v: %q, %q, %v after %d reads", c, id, secret, err, len(s.asked))
			}
		}
	})
}
