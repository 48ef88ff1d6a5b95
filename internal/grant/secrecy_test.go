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

// Neither a token nor upstream text is in an error or in the log, whatever fails.
func TestSecrets_AreInNoErrorAndNoLogLine(t *testing.T) {
	troubles := map[string]func(env *testEnv){
		"dead":          func(env *testEnv) { env.signOn.refuses(provider.Dead, 0) },
		"misconfigured": func(env *testEnv) { env.signOn.refuses(provider.Misconfigured, 0) },
		"unavailable":   func(env *testEnv) { env.signOn.refuses(provider.Unavailable, 0) },
		"talkative": func(env *testEnv) {
			env.signOn.mood = func(token string) (provider.Tokens, error) {
				return provider.Tokens{}, fmt.Errorf("cannot fetch token: secret upstream text about %s", token)
			}
		},
		"garbage": func(env *testEnv) {
			env.signOn.mood = func(string) (provider.Tokens, error) { return provider.Tokens{AccessToken: "secret-garbage"}, nil }
		},
		"slow":         func(env *testEnv) { env.signOn.takes = time.Hour },
		"store down":   func(env *testEnv) { env.store.onSave = func(provider.Tokens) error { return errDown } },
		"records down": func(env *testEnv) { env.records.onWrite = func(grant.Record) error { return errDown } },
		"leased":       func(env *testEnv) { env.write(ines, leasedFor(30*time.Second)) },
	}
	for name, trouble := range troubles {
		for _, refused := range []string{"", "secret-access-1"} {
			in(t, func(env *testEnv) {
				env.stale(-time.Hour)
				trouble(env)
				texts := []string{}
				for range 2 {
					_, err := env.AccessToken(env.Context(), ines, refused)
					for ; err != nil; err = errors.Unwrap(err) {
						texts = append(texts, err.Error())
					}
				}
				_, err := env.Connect(env.Context(), ines, "Ines Albrecht", provider.Tokens{AccessToken: "secret-unusable"})
				texts = append(texts, fmt.Sprint(err), env.log.String())
				for _, text := range texts {
					if strings.Contains(text, "secret") {
						env.Errorf("%s: %s", name, text)
					}
				}
			})
		}
	}
}
