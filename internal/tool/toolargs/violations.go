package toolargs

import (
	"fmt"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// maxViolations limits the size of an answer about hopeless input.
const maxViolations = 10

// Violations collects what is wrong with arguments. The zero value is empty.
type Violations struct {
	listed   []fault.Violation // at most maxViolations
	unlisted int               // further ones
}

// Add adds what is wrong with one argument.
func (v *Violations) Add(path, code, format string, args ...any) {
	if len(v.listed) == maxViolations {
		v.unlisted++
		return
	}
	if path == "" {
		path = "arguments"
	}
	v.listed = append(v.listed, fault.Violation{Path: path, Message: fmt.Sprintf(format, args...), Code: code})
}

// AddUnknown adds unknown names, each with a hint. Only the first has the offer, which is long.
func (v *Violations) AddUnknown(path string, names []string, hint func(name string) string, offer string) {
	for _, name := range names {
		if len(v.listed) == maxViolations { // a hint costs time
			v.unlisted++
			continue
		}
		v.Add(join(path, plaintext.Word(name)), "unknown_argument", "is not an argument%s%s", hint(name), offer)
		offer = ""
	}
}

// Err returns the violations as INVALID_INPUT, or nil if there are none.
func (v *Violations) Err() error {
	if len(v.listed) == 0 {
		return nil
	}
	return fault.FirstOf(len(v.listed)+v.unlisted, v.listed...)
}

// Offer returns a text that lists the names that a caller can use.
func Offer(names []string) string {
	if len(names) == 0 {
		return "there are none"
	}
	return "there are " + strings.Join(names, ", ")
}
