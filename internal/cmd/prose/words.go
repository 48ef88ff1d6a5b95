package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scope is where a text stands, as a set of bits.
type scope uint

const (
	inComment scope = 1 << iota
	inFunctionComment
	inString // and in the name of a test
	inDocument
)

var scopes = map[string]scope{
	"any":  inComment | inFunctionComment | inString | inDocument,
	"text": inComment | inFunctionComment | inDocument,
	"func": inFunctionComment,
}

// phrase is a row of words.txt. Each word is a list of alternatives.
type phrase struct {
	words  [][]string
	unless []string // words that excuse it, right before or after it
	scope  scope
	advice string
}

// dictionary holds the phrases by their first word.
type dictionary map[string][]phrase

// parseWords reads words.txt, whose first lines describe its format.
func parseWords(list string) (dictionary, error) {
	words := dictionary{}
	n := 0
	for line := range strings.Lines(list) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.SplitN(line, ";", 4)
		if len(columns) != 4 {
			return nil, fmt.Errorf("words.txt:%d: %d columns, want 4", n, len(columns))
		}
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		p := phrase{scope: scopes[columns[0]], unless: strings.Fields(columns[2]), advice: columns[3]}
		if p.scope == 0 || p.advice == "" {
			return nil, fmt.Errorf("words.txt:%d: unknown scope %q or no advice", n, columns[0])
		}
		for word := range strings.FieldsSeq(columns[1]) {
			p.words = append(p.words, strings.Split(word, "|"))
		}
		if len(p.words) == 0 {
			return nil, fmt.Errorf("words.txt:%d: no words", n)
		}
		for _, first := range p.words[0] {
			words[first] = append(words[first], p)
		}
	}
	return words, nil
}

// check reports each phrase of a text that the dictionary has for its scope.
func (d dictionary) check(text []word, in scope, report reporter) {
	for i := range text {
		for _, p := range d[text[i].lower] {
			if p.scope&in != 0 && p.matches(text, i) {
				said := make([]string, len(p.words))
				for k := range said {
					said[k] = text[i+k].lower
				}
				report(text[i].line, fmt.Sprintf("%q: %s", strings.Join(said, " "), p.advice))
			}
		}
	}
}

// matches reports whether the phrase begins at a word of a text.
func (p phrase) matches(text []word, at int) bool {
	if at+len(p.words) > len(text) {
		return false
	}
	for i, alternatives := range p.words {
		if !slices.Contains(alternatives, text[at+i].lower) {
			return false
		}
	}
	before, after := at-1, at+len(p.words)
	return (before < 0 || !slices.Contains(p.unless, text[before].lower)) &&
		(after >= len(text) || !slices.Contains(p.unless, text[after].lower))
}

// word is a word in lower case, or a punctuation mark.
type word struct {
	lower string
	line  int
}

// tokenize splits a text into words. A name with a dot, hyphen or underscore in it, such as
// audit.Entry, is one word. A blank line is a full stop.
func tokenize(text string, line int) []word {
	var words []word
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == '\n':
			line++
			if rest := strings.TrimLeft(text[1:], " \t"); strings.HasPrefix(rest, "\n") {
				words = append(words, word{lower: ".", line: line})
			}
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			size = wordLength(text)
			words = append(words, word{lower: strings.ToLower(text[:size]), line: line})
		case !unicode.IsSpace(r):
			words = append(words, word{lower: text[:size], line: line})
		}
		text = text[size:]
	}
	return words
}

// wordLength returns the length in bytes of the word at the start of a text.
func wordLength(text string) int {
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if !strings.ContainsRune("._-'", r) || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return i
		}
	}
	return len(text)
}

// unquote blanks what stands between pairs of a quotation mark: it is a literal and not our words.
// Line breaks stay. A mark without a partner in the next 400 bytes is left alone.
func unquote(text string, mark byte) string {
	out := []byte(text)
	for i := 0; i < len(out); i++ {
		if out[i] != mark {
			continue
		}
		length := strings.IndexByte(text[i+1:min(len(text), i+400)], mark)
		if length < 0 {
			continue
		}
		for k := i; k <= i+1+length; k++ {
			if out[k] != '\n' {
				out[k] = ' '
			}
		}
		out[i] = '"'
		i += 1 + length
	}
	return string(out)
}
