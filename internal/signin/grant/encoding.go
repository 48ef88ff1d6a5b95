package grant

import (
	"encoding/json"
	"errors"
	"fmt"

	"basecamp-mcp/internal/signin/provider"
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
	Layout int `json:"v"`
	provider.Tokens
}

// EncodeTokens returns the text in which Stores keep tokens: the same for the same tokens, so that
// a version always has one content. Errors: ErrTooLarge.
func EncodeTokens(t provider.Tokens) (string, error) {
	text, err := json.Marshal(encodedTokens{layout, t})
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
	var e encodedTokens
	switch err := json.Unmarshal([]byte(text), &e); {
	case err == nil && e.Layout > layout:
		return provider.Tokens{}, fmt.Errorf("holds layout %d, and this version of the program knows %d", e.Layout, layout)
	case err != nil, e.Layout != layout, e.AccessToken == "":
		return provider.Tokens{}, errUndecodable
	}
	return e.Tokens, nil
}
