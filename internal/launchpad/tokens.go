package launchpad

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/grant"
)

const (
	usualLife   = 14 * 24 * time.Hour  // of an access token whose answer does not tell (B-63)
	longestLife = 366 * 24 * time.Hour // what claims to live longer is a mistake
	maxToken    = 8 << 10              // bytes
)

// accept gives the tokens of an answer when all of it makes sense, and else what its failure means.
func (c *Client) accept(t *oauth2.Token, err error) (grant.Tokens, error) {
	if err != nil {
		return grant.Tokens{}, refusal(err, c.now())
	}
	life, err := lifetime(t.Extra("expires_in"))
	switch {
	case err != nil:
		return grant.Tokens{}, unusable(err)
	case t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer"):
		return grant.Tokens{}, unusable(errors.New("the token is no bearer token"))
	case !sendable(t.AccessToken):
		return grant.Tokens{}, unusable(errors.New("the access token cannot be one"))
	case t.RefreshToken != "" && !sendable(t.RefreshToken):
		return grant.Tokens{}, unusable(errors.New("the refresh token cannot be one"))
	}
	now := c.now()
	return grant.Tokens{
		AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, ExpiresAt: now.Add(life), ObtainedAt: now,
	}, nil
}

// unusable is an answer of success that brings nothing one could keep.
func unusable(err error) *grant.Refusal {
	return &grant.Refusal{Cause: grant.Unavailable, Err: err}
}

// lifetime reads expires_in, whole seconds as a number or in digits.
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
			return 0, errors.New("expires_in is no number")
		}
		seconds = float64(n)
	default:
		return 0, errors.New("expires_in is no number")
	}
	if seconds < 1 || seconds > longestLife.Seconds() {
		return 0, errors.New("expires_in is absurd")
	}
	return time.Duration(seconds) * time.Second, nil
}

// sendable reports whether a token can be one: visible ASCII, and not too long.
func sendable(token string) bool {
	visible := func(c rune) bool { return '!' <= c && c <= '~' }
	return token != "" && len(token) <= maxToken && strings.IndexFunc(token, func(c rune) bool { return !visible(c) }) < 0
}
