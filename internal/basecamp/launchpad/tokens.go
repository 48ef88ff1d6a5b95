package launchpad

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/provider"
)

const (
	usualLife   = 14 * 24 * time.Hour  // life of an access token without expires_in (bc3-api, authentication: two weeks)
	longestLife = 366 * 24 * time.Hour // a longer life is a mistake
	maxToken    = 8 << 10              // bytes
)

// accept returns the tokens of a valid answer, or the refusal that an invalid one means.
func (c *Client) accept(t *oauth2.Token, err error) (provider.Tokens, error) {
	if err != nil {
		return provider.Tokens{}, refusal(err, c.now())
	}
	life, err := lifetime(t.Extra("expires_in"))
	switch {
	case err != nil:
		return provider.Tokens{}, unusable(err)
	case t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer"):
		return provider.Tokens{}, unusable(errors.New("the token is not a bearer token"))
	case !sendable(t.AccessToken):
		return provider.Tokens{}, unusable(errors.New("the access token is malformed"))
	case t.RefreshToken != "" && !sendable(t.RefreshToken):
		return provider.Tokens{}, unusable(errors.New("the refresh token is malformed"))
	}
	now := c.now()
	return provider.Tokens{
		AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, ExpiresAt: now.Add(life), ObtainedAt: now,
	}, nil
}

// unusable returns the refusal for a successful answer without valid tokens.
func unusable(err error) *provider.Refusal {
	return &provider.Refusal{Cause: provider.Unavailable, Err: err}
}

// lifetime returns the duration of expires_in: whole seconds, as a number or as digits.
func lifetime(expiresIn any) (time.Duration, error) {
	var seconds float64
	switch v := expiresIn.(type) {
	case nil:
		return usualLife, nil
	case float64:
		seconds = v
	case string:
		n, err := strconv.ParseUint(v, 10, 32)
		if err != nil {
			return 0, errors.New("expires_in is not a number")
		}
		seconds = float64(n)
	default:
		return 0, errors.New("expires_in is not a number")
	}
	if seconds < 1 || seconds > longestLife.Seconds() {
		return 0, errors.New("expires_in is out of range")
	}
	return time.Duration(seconds) * time.Second, nil
}

// sendable reports whether a token is well-formed: visible ASCII up to a maximum length.
func sendable(token string) bool {
	visible := func(c rune) bool { return '!' <= c && c <= '~' }
	return token != "" && len(token) <= maxToken && strings.IndexFunc(token, func(c rune) bool { return !visible(c) }) < 0
}
