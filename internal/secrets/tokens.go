package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

const (
	// layout is the version of the format in which tokens are stored.
	layout = 1
	// maxSecret is the maximum size of a secret in bytes.
	maxSecret = 65536
)

// errUndecodable does not describe the stored text, which may contain a token.
var errUndecodable = errors.New("holds something that is not tokens")

type payload struct {
	Layout       int       `json:"v"`
	Revision     int64     `json:"rev"`
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token"`
	ExpiresAt    time.Time `json:"expires_at"`
	ObtainedAt   time.Time `json:"obtained_at"`
	// Without these two, the text equals the text of earlier releases.
	Scope            string    `json:"scope,omitzero"`
	RefreshExpiresAt time.Time `json:"refresh_expires_at,omitzero"`
}

// encode returns the same text for the same tokens, so that a version always has one content.
func encode(t provider.Tokens) (string, error) {
	text, err := json.Marshal(payload{
		layout, t.Revision, t.AccessToken, t.RefreshToken, t.ExpiresAt.UTC(), t.ObtainedAt.UTC(), t.Scope, t.RefreshExpiresAt.UTC(),
	})
	if err != nil {
		return "", fmt.Errorf("encode: %w", err) // only for a year with five digits
	}
	if len(text) > maxSecret {
		return "", grant.ErrTooLarge
	}
	return string(text), nil
}

func decode(text string) (provider.Tokens, error) {
	var p payload
	if json.Unmarshal([]byte(text), &p) != nil {
		return provider.Tokens{}, errUndecodable
	}
	if p.Layout > layout {
		return provider.Tokens{}, fmt.Errorf("holds layout %d, and this version of the program knows %d", p.Layout, layout)
	}
	if p.Layout != layout || p.AccessToken == "" {
		return provider.Tokens{}, errUndecodable
	}
	return provider.Tokens{
		Revision:     p.Revision,
		AccessToken:  p.AccessToken,
		RefreshToken: p.RefreshToken,
		ExpiresAt:    p.ExpiresAt,
		ObtainedAt:   p.ObtainedAt,
		Scope:        p.Scope, RefreshExpiresAt: p.RefreshExpiresAt,
	}, nil
}
