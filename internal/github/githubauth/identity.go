package githubauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/upstream"
)

const (
	apiVersion = "2022-11-28" // GitHub Docs, "API versions"
	maxUser    = 1 << 20      // bytes of the answer that describes a user; real ones are far smaller
	maxLogin   = 100          // characters; GitHub's logins are shorter
)

// Subject returns the subject of the user with a GitHub ID. Logins change, so only the ID
// identifies a user.
func Subject(userID int64) string { return namespace + ":" + strconv.FormatInt(userID, 10) }

// Identity returns the user of an access token; its Name is the login. A refused token returns
// TOKEN_EXPIRED, every other failure UPSTREAM_ERROR.
func (c *Client) Identity(ctx context.Context, accessToken string) (provider.Identity, error) {
	request, err := c.request(ctx, http.MethodGet, "/user", nil)
	if err != nil {
		return provider.Identity{}, err
	}
	request.Header.Set("Authorization", "Bearer "+accessToken)
	response, err := c.API.Do(request)
	if err != nil {
		return provider.Identity{}, upstream.Unanswered(request.URL, err, unavailable()).Because(signon.Unanswered(err))
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return provider.Identity{}, fault.New(fault.TokenExpired, "GitHub does not accept this access token")
	default:
		return provider.Identity{}, unavailable().Because(fmt.Errorf("status %d", response.StatusCode))
	}
	var user struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxUser)).Decode(&user); err != nil {
		// The cause leaves out err, which quotes the answer.
		return provider.Identity{}, unavailable().Because(errors.New("the answer does not describe a user"))
	}
	if user.ID <= 0 || user.Login == "" {
		return provider.Identity{}, unavailable().Because(errors.New("no identity"))
	}
	return provider.Identity{Subject: Subject(user.ID), Name: plaintext.Label(user.Login, maxLogin)}, nil
}

// Revoke ends an access token at GitHub. It succeeds if GitHub no longer knows the token (GitHub
// Docs, REST API, "Delete an app token").
func (c *Client) Revoke(ctx context.Context, t provider.Tokens) error {
	id, secret, err := c.Credentials(ctx)
	if err != nil {
		return fmt.Errorf("read this deployment's credentials for GitHub: %w", err)
	}
	body, err := json.Marshal(map[string]string{"access_token": t.AccessToken})
	if err != nil {
		return fmt.Errorf("revoke a token: %w", err)
	}
	request, err := c.request(ctx, http.MethodDelete, "/applications/"+url.PathEscape(id)+"/token", body)
	if err != nil {
		return err
	}
	request.SetBasicAuth(id, secret)
	response, err := c.API.Do(request)
	if err != nil {
		return fmt.Errorf("revoke a token at GitHub: %w", signon.Unanswered(err))
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNoContent, http.StatusNotFound, http.StatusUnprocessableEntity:
		return nil
	}
	return fmt.Errorf("revoke a token at GitHub: status %d", response.StatusCode)
}

// request returns a request to the REST API. A nil body means none.
func (c *Client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.APIURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("prepare a request to GitHub: %w", err)
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	request.Header.Set("User-Agent", c.UserAgent)
	request.Header.Set("X-GitHub-Api-Version", apiVersion)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

func unavailable() *fault.Error {
	return fault.New(fault.UpstreamError, "GitHub returned no usable answer; try again shortly")
}
