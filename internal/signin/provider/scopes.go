package provider

import (
	"slices"
	"strings"
)

// Scopes describes the scopes that users can grant at a provider. The zero value belongs to a
// provider without scopes.
type Scopes struct {
	First    []string            // what a first sign-in asks for
	Permits  map[string]string   // in words, by scope: "read projects"
	Includes map[string][]string // the narrower scopes that a scope contains
}

// Names returns the scopes of a text that spaces separate, as Tokens.Scope is.
func Names(scope string) []string { return strings.Fields(scope) }

// Join returns all scopes of several lists, each once, in the order of their first use.
func Join(lists ...[]string) []string {
	var all []string
	for _, scope := range slices.Concat(lists...) {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// Missing returns the scopes of asked that are not granted, neither by name nor as part of a
// broader scope.
func (s Scopes) Missing(granted, asked []string) []string {
	return slices.DeleteFunc(Join(asked), func(scope string) bool {
		return slices.ContainsFunc(granted, func(g string) bool { return g == scope || slices.Contains(s.Includes[g], scope) })
	})
}

// Words says what scopes permit, without those that a broader one among them contains. An unknown
// scope appears by its name.
func (s Scopes) Words(scopes []string) []string {
	var words []string
	for _, scope := range Join(scopes) {
		if slices.ContainsFunc(scopes, func(other string) bool { return slices.Contains(s.Includes[other], scope) }) {
			continue
		}
		if text, known := s.Permits[scope]; known {
			scope = text
		}
		words = append(words, scope)
	}
	return words
}
