package waiting

import (
	"slices"
	"strings"
	"unicode"

	"basecamp-mcp/internal/text/lazyregexp"
)

// sentence is a sentence of a spoken text. It asks if it ends in a question mark.
type sentence struct {
	text string
	asks bool
}

// sentences returns the sentences that the writer of a spoken text says. Code, quotes, addresses
// and what follows a signature are not among them.
func sentences(text string) (all []sentence) {
	code := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case code, strings.HasPrefix(line, ">"):
		case i > 0 && isSignature(line):
			return all
		default:
			all = append(all, split(said(line))...)
		}
	}
	return all
}

// isSignature reports whether a line begins the signature of a letter.
func isSignature(line string) bool {
	if line != "" && strings.Trim(line, "-_—–") == "" {
		return true
	}
	closing := strings.ToLower(strings.TrimRight(line, " ,.!"))
	return slices.Contains([]string{
		"regards", "best", "best regards", "kind regards", "best wishes", "sincerely", "cheers", "yours",
		"viele grüße", "liebe grüße", "beste grüße", "schöne grüße", "mit freundlichen grüßen", "freundliche grüße", "gruß", "lg", "vg", "mfg",
		"cordialement", "bien cordialement", "bien à toi", "bien à vous", "amicalement", "bonne journée",
		"saludos", "un saludo", "saludos cordiales", "atentamente", "un abrazo",
	}, closing)
}

var (
	codeSpan = lazyregexp.New("`[^`]*`")
	quotes   = lazyregexp.New(`(^|[\s(\[])"[^"]*"|[“”„][^“”„]*[“”]|«[^«»]*»|»[^«»]*«|‹[^‹›]*›|「[^」]*」|『[^』]*』`)
	asked    = lazyregexp.New(`(^|[\s(\[])['‘‚][^'‘‚]*?[?!.…]['’‘]`) // in single quotes, which are apostrophes too
)

// said returns a line without code, quotes and addresses.
func said(line string) string {
	line = codeSpan.ReplaceAllString(line, " ")
	words := strings.Fields(line)
	for i, word := range words {
		bare := strings.TrimRight(word, `.,;:!?)]>"'`)
		at := strings.Index(bare, "@")
		isLink := strings.Contains(bare, "://") || strings.HasPrefix(strings.TrimLeft(bare, "(<["), "www.")
		switch {
		case isLink && len(words) == 1:
			return ""
		case isLink, at > 0 && strings.Contains(bare[at:], "."):
			words[i] = word[len(bare):]
		}
	}
	line = quotes.ReplaceAllString(strings.Join(words, " "), " ")
	return asked.ReplaceAllString(line, " ")
}

// split returns the sentences of a line.
func split(line string) (all []sentence) {
	runes, from := []rune(line), 0
	add := func(to int, asks bool) {
		if text := strings.Join(strings.Fields(string(runes[from:to])), " "); text != "" {
			all = append(all, sentence{text, asks})
		}
		from = to
	}
	for i := 0; i < len(runes); i++ {
		end, asks := i, false
		for ; end < len(runes) && strings.ContainsRune(".!?…。！？؟⁇⁈⁉", runes[end]); end++ {
			asks = asks || strings.ContainsRune("?？؟⁇⁈⁉", runes[end])
		}
		if end == i {
			continue
		}
		wide := strings.ContainsRune("。！？", runes[end-1])
		doubt := i > 0 && runes[i-1] == '(' && end < len(runes) && runes[end] == ')' // "about 40 (?)"
		for end < len(runes) && strings.ContainsRune(`)]"'”’»*_`, runes[end]) {
			end++
		}
		if !doubt && (wide || end == len(runes) || !goesOn(runes[end], asks)) {
			add(end, asks)
		}
		i = end - 1
	}
	add(len(runes), false)
	return all
}

// goesOn reports whether a word, a number or an address goes on after a mark.
func goesOn(next rune, asks bool) bool {
	return unicode.IsLower(next) || unicode.IsDigit(next) || strings.ContainsRune("=&%/#-_+", next) || unicode.IsLetter(next) && !asks
}
