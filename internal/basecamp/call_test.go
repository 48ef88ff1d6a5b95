package basecamp

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

var calls = map[string]func(context.Context, *Client) error{"GET": read5, "POST": post, "PUT": put, "DELETE": remove}

func TestARefusedTokenIsReplacedOnce(t *testing.T) {
	for method, call := range calls {
		keys, sent := tokens("stale", "good"), []string(nil)
		c := client(t, Config{Tokens: keys.Credential, Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Header.Get("Authorization"))
			if sent[len(sent)-1] == "Bearer stale" {
				w.WriteHeader(401)
				return
			}
			says(200, `{"id": 5}`)(w, r)
		})})
		if err := call(t.Context(), c); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if diff := cmp.Diff([]string{"Bearer stale", "Bearer good"}, sent); diff != "" {
			t.Errorf("%s sent %s", method, diff)
		}
		if diff := cmp.Diff([]string{"stale"}, keys.refused); diff != "" {
			t.Errorf("%s: refused %s", method, diff)
		}
	}
}

func TestAUserWhoIsNotConnectedCausesNoRequest(t *testing.T) {
	own := fault.New(fault.TokenExpired, "connect")
	source := func(context.Context, string) (Credential, error) { return Credential{}, own }
	c := client(t, Config{Tokens: source, Transport: transport(unreachable(t))})
	for method, call := range calls {
		if f := wantFault(t, call(t.Context(), c), fault.TokenExpired); f != own {
			t.Errorf("%s: %v", method, f)
		}
	}
	if _, err := c.Account(t.Context()); fault.From(err) != own {
		t.Errorf("account: %v", err)
	}
}

func TestANewTokenOfAnotherUserIsNotUsed(t *testing.T) {
	source := func(_ context.Context, refused string) (Credential, error) {
		if refused != "" {
			return Credential{AccessToken: "theirs", Account: 77001, Person: "idris"}, nil
		}
		return Credential{AccessToken: "mine", Account: 77001, Person: "nora"}, nil
	}
	var asked int
	c := client(t, Config{Tokens: source, Transport: transportOf(counted(&asked, says(401, "")))})
	wantFault(t, read5(t.Context(), c), fault.InternalError)
	if asked != 1 {
		t.Errorf("%d requests", asked)
	}
}
