package toolargs

import (
	"slices"
	"strings"
)

// leaveOut removes the arguments that count as absent, at any depth. It is the only place that
// says what an argument means if a model fills in what it leaves open:
//
//	null             absent, unless the limits say that it is a value
//	""               absent, except a text, which becomes empty
//	blanks           absent, except a word; in what a tool writes they are refused
//	the word "null"  absent, except a word to look for or to put in place
//	the word "none"  clears the field where the limits say so, and is a word elsewhere
//	[]               an empty list
//
// A note tells of a value that was not null. A required argument that is absent is asked for; an
// empty one is refused by its own check, which says more.
func (l *lenient) leaveOut(path string, s *Schema, value any) {
	switch given := value.(type) {
	case []any:
		for i := range given {
			if s.items != nil {
				l.leaveOut(path+"[]", s.items, given[i])
			}
		}
	case map[string]any:
		for _, p := range s.properties {
			value, sent := given[p.name]
			at := join(path, p.name)
			switch {
			case !sent || p.takesNull:
			case value == nil:
				delete(given, p.name)
				l.changed = true
			case p.isAbsent(value):
				delete(given, p.name)
				l.note(at + ": " + show(value) + " -> absent")
			default:
				l.leaveOut(at, p.Schema, value)
			}
		}
	}
}

// isAbsent reports whether a value is a text that counts as absent.
func (p property) isAbsent(value any) bool {
	given, ok := value.(string)
	switch word := strings.TrimSpace(given); {
	case !ok:
		return false
	case word == "":
		return !p.required && !p.mayBeEmpty() && (given == "" || !p.isWord && !isWritten(p.name))
	default:
		return !p.isWord && strings.EqualFold(word, "null")
	}
}

// isWritten reports whether an argument is what a tool writes, where blanks are a mistake.
func isWritten(name string) bool {
	return name == "append" || slices.Contains(titles, name) || slices.Contains(texts, name)
}

// mayBeEmpty reports whether "" is a value: a text, or what a change can clear, unless its limits
// ask for characters.
func (p property) mayBeEmpty() bool {
	isText := slices.Contains(texts, p.name) || p.name == "bio"
	return p.kind == text && p.enum == nil && p.minLength == nil && !p.clears && (isText || p.changes || p.nullable)
}
