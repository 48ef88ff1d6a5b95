package launchpad

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/provider/signon"
)

// usualLife is the life of an access token without expires_in (bc3-api, authentication: two weeks).
const usualLife = 14 * 24 * time.Hour

// accept returns the tokens of a valid answer, or the refusal that an invalid one means.
func (c *Client) accept(t *oauth2.Token, err error) (provider.Tokens, error) {
	if err != nil {
		return provider.Tokens{}, refusal(err, c.now())
	}
	life, err := signon.Lifetime(t.Extra("expires_in"), usualLife)
	switch {
	case err != nil:
		return provider.Tokens{}, signon.Unusable(err)
	case t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer"):
		return provider.Tokens{}, signon.Unusable(errors.New("the token is not a bearer token"))
	case !signon.Sendable(t.AccessToken):
		return provider.Tokens{}, signon.Unusable(errors.New("the access token is malformed"))
	case t.RefreshToken != "" && !signon.Sendable(t.RefreshToken):
		return provider.Tokens{}, signon.Unusable(errors.New("the refresh token is malformed"))
	}
	now := c.now()
	return provider.Tokens{
		AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, ExpiresAt: now.Add(life), ObtainedAt: now,
	}, nil
}
