package grant

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"basecamp-mcp/internal/provider"
)

const (
	// layout is the version of the format of encoded tokens.
	layout = 1
	// maxTokens is the maximum size of encoded tokens in bytes: that of a secret in Secrets Manager.
	maxTokens = 65_536
)

// errUndecodable does not describe the stored text, which may contain a token.
var errUndecodable = errors.New("holds something that is not tokens")

type encodedTokens struct {
	Layout           int       `json:"v"`
	Revision         int64     `json:"rev"`
	AccessToken      string    `json:"access_token"`
	RefreshToken     string    `json:"refresh_token"`
	ExpiresAt        time.Time `json:"expires_at"`
	ObtainedAt       time.Time `json:"obtained_at"`
	Scope            string    `json:"scope,omitzero"`
	RefreshExpiresAt time.Time `json:"refresh_expires_at,omitzero"`
}

// EncodeTokens returns the text in which Stores keep tokens: the same for the same tokens, so that
// a version always has one content. Errors: ErrTooLarge.
func EncodeTokens(t provider.Tokens) (string, error) {
	text, err := json.Marshal(encodedTokens{
		layout, t.Revision, t.AccessToken, t.RefreshToken, t.ExpiresAt.UTC(), t.ObtainedAt.UTC(), t.Scope, t.RefreshExpiresAt.UTC(),
	})
	if err != nil {
		return "", fmt.Errorf("encode: %w", err) // only for a year with five digits
	}
	if len(text) > maxTokens {
		return "", ErrTooLarge
	}
	return string(text), nil
}

// DecodeTokens returns the tokens in a text of EncodeTokens. Its errors say what the storage holds
// instead, and contain nothing of the text.
func DecodeTokens(text string) (provider.Tokens, error) {
	var p encodedTokens
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
