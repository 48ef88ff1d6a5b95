// Package work holds the work that the peers in Go share: it reads a person or a page of to-dos
// from the upstream, and makes the same answers as the server that they are compared with. It uses
// the same libraries as that server, without its checks.
package work

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Token is the access token that the upstream expects.
const Token = "bench-access-token"

// Account is the account that all requests name.
const Account = 5000001

// Upstream reads from a stand-in for Basecamp.
type Upstream struct {
	origin string
	client *http.Client
}

// get decodes the document at a path of the account into v.
func (u *Upstream) get(ctx context.Context, path string, v any) error {
	url := fmt.Sprintf("%s/%d/%s", u.origin, Account, path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("request %s: %w", path, err)
	}
	request.Header.Set("Authorization", "Bearer "+Token)
	response, err := u.client.Do(request)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("read %s: status %d", path, response.StatusCode)
	}
	if err := json.NewDecoder(response.Body).Decode(v); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}
