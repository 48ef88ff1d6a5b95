package grant_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// V5: no token, and nothing that upstream said, is in an error or in the log, whatever goes wrong.
func TestSecrets_AreInNoErrorAndNoLogLine(t *testing.T) {
	troubles := map[string]func(h *house){
		"dead":          func(h *house) { h.signOn.refuses(provider.Dead, 0) },
		"misconfigured": func(h *house) { h.signOn.refuses(provider.Misconfigured, 0) },
		"unavailable":   func(h *house) { h.signOn.refuses(provider.Unavailable, 0) },
		"talkative": func(h *house) {
			h.signOn.mood = func(token string) (provider.Tokens, error) {
				return provider.Tokens{}, fmt.Errorf("cannot fetch token: secret upstream text about %s", token)
			}
		},
		"garbage": func(h *house) {
			h.signOn.mood = func(string) (provider.Tokens, error) { return provider.Tokens{AccessToken: "secret-garbage"}, nil }
		},
		"slow":         func(h *house) { h.signOn.takes = time.Hour },
		"store down":   func(h *house) { h.store.onSave = func(provider.Tokens) error { return errDown } },
		"records down": func(h *house) { h.records.onWrite = func(grant.Record) error { return errDown } },
		"leased":       func(h *house) { h.write(ines, leasedFor(30*time.Second)) },
	}
	for name, trouble := range troubles {
		for _, refused := range []string{"", "secret-access-1"} {
			in(t, func(h *house) {
				h.stale(-time.Hour)
				trouble(h)
				texts := []string{}
				for range 2 {
					_, err := h.AccessToken(h.Context(), ines, refused)
					for ; err != nil; err = errors.Unwrap(err) {
						texts = append(texts, err.Error())
					}
				}
				_, err := h.Connect(h.Context(), ines, "Ines Albrecht", provider.Tokens{AccessToken: "secret-unusable"})
				texts = append(texts, fmt.Sprint(err), h.log.String())
				for _, text := range texts {
					if strings.Contains(text, "secret") {
						h.Errorf("%s: %s", name, text)
					}
				}
			})
		}
	}
}
