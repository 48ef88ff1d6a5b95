// Package lazyregexp compiles regular expressions at their first use. Compiling those of a package
// takes up to a millisecond, which a function that does not need them would spend at each cold
// start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression. Its methods do the same as the methods of [regexp.Regexp] with
// their names.
type Regexp struct {
	expression string
	compiled   func() *regexp.Regexp
}

// New returns a regular expression. An invalid one panics at its first use.
func New(expression string) Regexp {
	return Regexp{expression, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// String returns the expression.
func (r Regexp) String() string { return r.expression }

// MatchString reports whether the text contains a match.
func (r Regexp) MatchString(text string) bool { return r.compiled().MatchString(text) }

// Find returns the first match.
func (r Regexp) Find(text []byte) []byte { return r.compiled().Find(text) }

// FindString returns the first match, or "".
func (r Regexp) FindString(text string) string { return r.compiled().FindString(text) }

// FindSubmatch returns the first match and its groups.
func (r Regexp) FindSubmatch(text []byte) [][]byte { return r.compiled().FindSubmatch(text) }

// FindStringSubmatch returns the first match and its groups.
func (r Regexp) FindStringSubmatch(text string) []string {
	return r.compiled().FindStringSubmatch(text)
}

// FindAllString returns the first n matches; -1 means all.
func (r Regexp) FindAllString(text string, n int) []string {
	return r.compiled().FindAllString(text, n)
}

// FindAllStringIndex returns the positions of the first n matches; -1 means all.
func (r Regexp) FindAllStringIndex(text string, n int) [][]int {
	return r.compiled().FindAllStringIndex(text, n)
}

// FindAllStringSubmatch returns the first n matches and their groups; -1 means all.
func (r Regexp) FindAllStringSubmatch(text string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(text, n)
}

// ReplaceAllString returns the text with all matches replaced.
func (r Regexp) ReplaceAllString(text, replacement string) string {
	return r.compiled().ReplaceAllString(text, replacement)
}

// ReplaceAllStringFunc returns the text with all matches replaced by the function.
func (r Regexp) ReplaceAllStringFunc(text string, replacement func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(text, replacement)
}
