// Package naming compares names as people type them, and finds those that are similar to a name.
package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold removes what users omit when they type a name: case, accents, the form of apostrophes and
// hyphens, and repeated spaces.
func Fold(name string) string { return strings.Join(strings.Fields(folded(name)), " ") }

func folded(text string) string {
	text = strings.ToLower(text)
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == '‘', r == '’', r == 'ʼ':
			return '\''
		case r == '‐': // NFKD turns a non-breaking hyphen into it
			return '-'
		}
		return r
	}, norm.NFKD.String(text))
}

// foldRune returns the text by which r is compared. For an accent, it returns "".
func foldRune(r rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToLower(r))
	}
	return folded(string(r))
}

// Exactly returns the items whose name is the text, in any case. If there are none, it looks for
// the text without quotes and dots.
func Exactly[T any](items []T, name string, nameOf func(T) string) []T {
	return named(items, name, nameOf, func(whole, name string) bool { return whole == name })
}

// Containing returns the items whose name contains the text, in any case, as HasPart
// says, or likewise without quotes and dots.
func Containing[T any](items []T, name string, nameOf func(T) string) []T {
	return named(items, name, nameOf, HasPart)
}

func named[T any](items []T, name string, nameOf func(T) string, is func(whole, name string) bool) []T {
	for _, fold := range []func(string) string{Fold, bare} {
		wanted := fold(name)
		var found []T
		for _, item := range items {
			if is(fold(nameOf(item)), wanted) {
				found = append(found, item)
			}
		}
		if len(found) > 0 || wanted == "" {
			return found
		}
	}
	return nil
}

// Marks are the quotes and dots that users leave out of a title, or write in another form.
const Marks = "\"'`´‘’‚‛“”„‟«»‹›….。"

// bare does what Fold does, and removes Marks. A name of only marks becomes "".
func bare(name string) string {
	return Fold(strings.Map(func(r rune) rune {
		if strings.ContainsRune(Marks, r) {
			return -1
		}
		return r
	}, name))
}

// HasPart reports whether a name has a part that can mean it: one of fewer than three letters, only
// where a word begins. Chinese and Japanese words begin anywhere.
func HasPart(name, part string) bool {
	first, _ := utf8.DecodeRuneInString(part)
	anywhere := utf8.RuneCountInString(part) >= 3 || unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana)
	return part != "" && (anywhere && strings.Contains(name, part) || BeginsWord(name, part))
}

// BeginsWord reports whether a part occurs in a name at the start of a word: Okafor does in Sam
// Okafor, ann does not in Hanna.
func BeginsWord(name, part string) bool {
	for at := 0; ; at++ {
		i := strings.Index(name[at:], part)
		if i < 0 {
			return false
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(name[:at]); at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
	}
}

// Abbreviates reports whether a name is another one with a shortened last word: "sam o." is short
// for "sam okafor".
func Abbreviates(short, name string) bool {
	first, begin, _ := strings.Cut(short, " ")
	begin, dotted := strings.CutSuffix(begin, ".")
	last := name[strings.LastIndexByte(name, ' ')+1:]
	return dotted && begin != "" && strings.HasPrefix(name, first+" ") && strings.HasPrefix(last, begin)
}
