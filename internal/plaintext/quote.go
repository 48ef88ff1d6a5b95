package plaintext

import "strings"

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
