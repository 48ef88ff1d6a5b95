package githubauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
)

// readMore reads what only GitHub's answers have. A token of an OAuth App has no expires_in and
// lives until it is revoked. A token of a GitHub App has an empty scope, because what it may do
// follows from the app's permissions, and a refresh token, which is dead once GitHub has answered a
// refresh (GitHub Docs, "Refreshing user access tokens").
func readMore(answer *oauth2.Token, t *provider.Tokens) error {
	life, err := signon.Lifetime(answer.Extra("refresh_token_expires_in"), 0)
	if err != nil {
		return fmt.Errorf("refresh token: %w", err)
	}
	t.RefreshExpiresAt, t.Scope = signon.Expiry(t.ObtainedAt, life), scope(answer.Extra("scope"))
	return nil
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
