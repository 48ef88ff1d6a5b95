package signon

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/wire/upstream"
)

// The limits of a token answer.
const (
	LongestLife = 366 * 24 * time.Hour // a longer life is a mistake
	MaxToken    = 8 << 10              // bytes
)

// LongestWait limits a Retry-After, so that a wrong clock elsewhere cannot lock a user out for
// long.
const LongestWait = 24 * time.Hour

// retryAfter returns the wait of a Retry-After header; zero if it is missing or invalid.
func retryAfter(header http.Header, now time.Time) time.Duration {
	wait := upstream.RetryAfter(header, now)
	if wait == nil {
		return 0
	}
	return min(*wait, LongestWait)
}

// Lifetime returns the duration of a token answer's expires_in: whole seconds, as a number or as
// digits. It returns usual if there is none.
func Lifetime(expiresIn any, usual time.Duration) (time.Duration, error) {
	var seconds float64
	switch v := expiresIn.(type) {
	case nil:
		return usual, nil
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
	if seconds < 1 || seconds > LongestLife.Seconds() {
		return 0, errors.New("expires_in is out of range")
	}
	return time.Duration(seconds) * time.Second, nil
}

// Expiry returns the end of a life that begins now; zero if the life has no end.
func Expiry(now time.Time, life time.Duration) time.Time {
	if life == 0 {
		return time.Time{}
	}
	return now.Add(life)
}

// Sendable reports whether a token is well-formed: visible ASCII up to a maximum length.
func Sendable(token string) bool {
	visible := func(c rune) bool { return '!' <= c && c <= '~' }
	return token != "" && len(token) <= MaxToken && strings.IndexFunc(token, func(c rune) bool { return !visible(c) }) < 0
}
