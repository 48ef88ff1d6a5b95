// Package plaintext makes foreign text fit to show: it removes invisible characters, and cuts long
// Markdown without cutting a character, a link or a code block in two. It knows no provider.
package plaintext

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	enclosingKeycap    = '\u20e3'
	blackFlag          = '\U0001f3f4'
)

// Clean removes invisible and bidi control characters from plain text (titles, names, chat lines),
// so that a model reads what a person sees. Line feeds and tabs stay. Other line breaks become line
// feeds or spaces. Joiners stay where they change how letters look, as in Persian and Sinhala (RFC
// 5892, A.1 and A.2). Joiners, variation selectors and the tags of flags stay inside emoji. Invalid
// UTF-8 becomes U+FFFD.
func Clean(text string) string {
	from := firstUnclean(text)
	if from == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:from])
	prev, _ := utf8.DecodeLastRuneInString(text[:from])
	for i := from; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if flag := flagTags(prev, text[i:]); flag > 0 {
			b.WriteString(text[i : i+flag])
			i, prev = i+flag, blackFlag
			continue
		}
		i += size
		joins := (r == zeroWidthJoiner || r == zeroWidthNonJoiner) && joinsLetters(b.String(), r, text[i:])
		if !joins {
			r = cleanRune(prev, r, next)
		}
		if r >= 0 {
			b.WriteRune(r)
			prev = r
		}
	}
	return b.String()
}

// joinsLetters reports whether a joiner between two texts changes how letters look.
func joinsLetters(before string, joiner rune, after string) bool {
	const near = 8 * utf8.UTFMax // letters with their marks
	notLetter := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }
	before = strings.ToValidUTF8(before[max(0, len(before)-near):], "")
	before = before[strings.LastIndexFunc(before, notLetter)+1:]
	after = strings.ToValidUTF8(after[:min(len(after), near)], "")
	if end := strings.IndexFunc(after, notLetter); end >= 0 {
		after = after[:end]
	}
	_, err := joiners().ToUnicode(before + string(joiner) + after)
	return err == nil && before != ""
}

// joiners returns the rules of RFC 5892 for joiners, without any other rule for host names.
var joiners = sync.OnceValue(func() *idna.Profile { return idna.New(idna.CheckJoiners(true)) })

// flagTags returns the length of the tags at the start of a text that make a black flag the flag of
// England, Scotland or Wales.
func flagTags(prev rune, text string) int {
	if prev != blackFlag {
		return 0
	}
	for _, country := range []string{"gbeng", "gbsct", "gbwls"} {
		tags := strings.Map(func(r rune) rune { return r + 0xe0000 }, country) + "\U000e007f"
		if strings.HasPrefix(text, tags) {
			return len(tags)
		}
	}
	return 0
}

// firstUnclean returns the index of the first character that Clean may change, or the length.
func firstUnclean(text string) int {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if (c < ' ' && c != '\n' && c != '\t') || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError || Invisible(r) || IsVariation(r) {
			return i
		}
		i += size
	}
	return len(text)
}

// cleanRune returns what r becomes between prev (as kept) and next; -1 removes it.
func cleanRune(prev, r, next rune) rune {
	switch {
	case r == '\r' && next != '\n', r == '\u2028', r == '\u2029':
		return '\n'
	case r == '\v', r == '\f':
		return ' '
	case r == zeroWidthJoiner && (isEmoji(prev) || IsVariation(prev)) && isEmoji(next):
		return r
	case IsVariation(r):
		if IsVariation(prev) || (prev < utf8.RuneSelf && next != enclosingKeycap) {
			return -1 // a selector varies one visible character; a run of them can hide text
		}
		return r
	case Invisible(r):
		return -1
	}
	return r
}

// Invisible reports whether a character shows nothing, or changes how other characters are shown:
// controls, line separators, and Unicode's Default_Ignorable_Code_Point except variation selectors.
func Invisible(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r <= 0x9f, r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff0 && r <= 0xfffb:
		return true
	case r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0: // fillers
		return true
	case r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a:
		return true
	case r >= 0xe0000 && r <= 0xe0fff:
		return !IsVariation(r)
	}
	return false
}

// IsVariation reports whether r is a variation selector.
func IsVariation(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180d || r == 0x180f
}

// isEmoji reports whether r may be an emoji. It accepts too much, because it decides only whether a
// joiner between two characters stays.
func isEmoji(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff || r == 0xa9 || r == 0xae
}

// Label returns a name from a user or client in a form that is safe to store, log and show: one
// line of at most limit characters (runes), without characters that are invisible or change the
// direction of text. Unlike Clean it also removes the characters that join an emoji: two labels
// that look the same should be the same.
func Label(name string, limit int) string {
	if isLabel(name, limit) {
		return name
	}
	prev := ' '
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case r == zeroWidthNonJoiner, r == zeroWidthJoiner && unicode.Is(unicode.M, prev): // Clean has kept it
		case r == unicode.ReplacementChar, !unicode.IsPrint(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		prev = r
		return r
	}, Clean(name))
	line := strings.Join(strings.Fields(visible), " ")
	return strings.TrimSpace(line[:runeIndex(line, limit)])
}

// isLabel reports whether a name is a label already. It knows only ASCII: most names need no more.
func isLabel(name string, limit int) bool {
	space := true // before this character
	for i := range len(name) {
		c := name[i]
		if c < ' ' || c > '~' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return len(name) <= limit && (name == "" || !space)
}

// maxQuoted limits a name in a sentence, in characters.
const maxQuoted = 100

var escapes = strings.NewReplacer("\n", " ", "\t", " ", `"`, `\"`, `\`, `\\`)

// Quote returns a name, or a text that a client sent, as it stands in a sentence of this server: on
// one line, without invisible characters, in quotation marks, with `"` and `\` escaped. After 100
// characters it ends in …. A name cannot look like a part of the sentence.
func Quote(name string) string {
	name = Clean(name)
	if end := runeIndex(name, maxQuoted); end < len(name) {
		name = name[:wholeCharacter(name, end)] + "…"
	}
	return `"` + escapes.Replace(name) + `"`
}

// Word returns a name that a client sent, such as that of a tool or an argument, without quotation
// marks. A name that they would change is quoted.
func Word(name string) string {
	if quoted := Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// QuoteAll returns several names for a sentence, with commas between them.
func QuoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Quote(name)
	}
	return strings.Join(quoted, ", ")
}
