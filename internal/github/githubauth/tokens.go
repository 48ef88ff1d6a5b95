package githubauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/provider/signon"
)

// accept returns the tokens of a valid answer, or the refusal that an invalid one means. A token of
// an OAuth App has no expires_in and lives until it is revoked. A token of a GitHub App has an
// empty scope: what it may do follows from the app's permissions.
func (c *Client) accept(t *oauth2.Token, err error) (provider.Tokens, error) {
	if err != nil {
		return provider.Tokens{}, refusal(err, c.now())
	}
	life, err := signon.Lifetime(t.Extra("expires_in"), 0)
	refreshLife, wrong := signon.Lifetime(t.Extra("refresh_token_expires_in"), 0)
	switch {
	case err != nil:
		return provider.Tokens{}, signon.Unusable(err)
	case wrong != nil:
		return provider.Tokens{}, signon.Unusable(fmt.Errorf("refresh token: %w", wrong))
	case t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer"):
		return provider.Tokens{}, signon.Unusable(errors.New("the token is not a bearer token"))
	case !signon.Sendable(t.AccessToken):
		return provider.Tokens{}, signon.Unusable(errors.New("the access token is malformed"))
	case t.RefreshToken != "" && !signon.Sendable(t.RefreshToken):
		return provider.Tokens{}, signon.Unusable(errors.New("the refresh token is malformed"))
	}
	now := c.now()
	return provider.Tokens{
		AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, ObtainedAt: now,
		ExpiresAt: expiry(now, life), RefreshExpiresAt: expiry(now, refreshLife),
		Scope: scope(t.Extra("scope")),
	}, nil
}

// expiry returns the end of a life that begins now; zero if the life has no end.
func expiry(now time.Time, life time.Duration) time.Time {
	if life == 0 {
		return time.Time{}
	}
	return now.Add(life)
}

// maxScope is the maximum length of the granted scopes in bytes.
const maxScope = 1000

// scope returns GitHub's comma-separated scopes, separated by spaces.
func scope(granted any) string {
	text, _ := granted.(string)
	if len(text) > maxScope {
		return ""
	}
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c <= ' ' || c > '~' }), " ")
}

// refusal returns the meaning of a token request that brought no tokens. It repeats no part of the
// answer.
func refusal(err error, now time.Time) *provider.Refusal {
	if answered, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := answered.Response.StatusCode
		return &provider.Refusal{
			Cause:      causeOf(status, answered.Body),
			RetryAfter: signon.RetryAfter(answered.Response.Header, now),
			Err:        fmt.Errorf("status %d", status),
		}
	}
	if sent, ok := errors.AsType[*url.Error](err); ok {
		return &provider.Refusal{Cause: provider.Unavailable, Err: signon.Unanswered(sent.Err)}
	}
	return signon.Unusable(errors.New("the answer contains no tokens")) // oauth2's own error quotes the answer
}

// causeOf classifies an answer without tokens by GitHub's error code, which counts for more than
// the status: GitHub refuses with status 200. An unknown answer does not end a grant: the user must
// not have to link GitHub again without need.
func causeOf(status int, body []byte) provider.Cause {
	if status == http.StatusTooManyRequests || status >= 500 || status/100 == 3 {
		return provider.Unavailable
	}
	var answer struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &answer)
	switch answer.Error {
	case "bad_verification_code", "bad_refresh_token", "invalid_grant", "unverified_user_email":
		return provider.Dead
	case "incorrect_client_credentials", "redirect_uri_mismatch", "invalid_client", "unauthorized_client", "application_suspended":
		return provider.Misconfigured
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound {
		return provider.Misconfigured // GitHub answers 404 to an unknown client ID
	}
	return provider.Unavailable
}
