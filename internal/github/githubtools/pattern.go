package githubtools

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled at its first use. Compiling all of them takes
// three milliseconds, which a process that serves no GitHub must not spend at its start.
type pattern struct{ compiled func() *regexp.Regexp }

func form(expression string) pattern {
	return pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

func (p pattern) MatchString(text string) bool  { return p.compiled().MatchString(text) }
func (p pattern) FindString(text string) string { return p.compiled().FindString(text) }
func (p pattern) FindStringSubmatch(text string) []string {
	return p.compiled().FindStringSubmatch(text)
}
