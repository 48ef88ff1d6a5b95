package waiting

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
)

// hit is a place in a sentence that means people: several, if they share the name there. It is
// strong if it is a mention, or follows an "@".
type hit struct {
	from, to int
	people   []int64
	strong   bool
}

// hits returns where a sentence means people, in order. The writer does not mean himself.
func (t *Talk) hits(text string, mentioned []richtext.Person, by int64) (all []hit) {
	before, skip := ' ', 0
	for i, r := range text {
		last := before
		before = r
		if i < skip {
			continue
		}
		h := hit{from: i, to: i + utf8.RuneLen(r), strong: true}
		if n := richtext.Mention(r); n >= 0 && n < len(mentioned) {
			h.people = []int64{t.personOf(mentioned[n])}
		} else if h.strong = last == '@'; !naming.InWord(last) && (h.strong || unicode.IsUpper(r)) {
			h.people, h.to = t.named(text[i:])
			h.to += i
		}
		if len(h.people) == 0 || slices.Equal(h.people, []int64{by}) {
			continue
		}
		if last == '@' {
			h.from--
		}
		skip, all = h.to, append(all, h)
	}
	return all
}

// named returns the people whose name begins a text, and its length. Of those who share a first
// name, the first letter of a last name behind it tells one.
func (t *Talk) named(text string) (people []int64, length int) {
	found, length := t.names().Begin(text)
	if len(found) > 1 {
		rest, _ := strings.CutPrefix(text[length:], " ")
		initial, size := utf8.DecodeRuneInString(rest)
		next, _ := utf8.DecodeRuneInString(rest[min(size, len(rest)):])
		if unicode.IsUpper(initial) && !naming.InWord(next) {
			named := slices.DeleteFunc(slices.Clone(found), func(id int64) bool {
				_, last, _ := strings.Cut(t.people[id].Name, " ")
				return !strings.HasPrefix(last, string(initial))
			})
			if len(named) > 0 {
				found, length = named, length+1+size
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), length
}

var (
	greeting = lazyregexp.New(`(?i)^(?:(?:hi|hey|hello|hallo|hej|moin|servus|dear|liebe[rs]?|guten (?:morgen|tag|abend)|good (?:morning|afternoon|evening)|` +
		`bonjour|bonsoir|salut|coucou|ch[eè]re?|hola|buenos días|buenas(?: tardes| noches)?|querid[oa]|ciao|thanks|thank you|danke|vielen dank|merci|gracias|` +
		`ok|okay|and|und|et|y|so|also|but|aber|mais|pero)\b[\s,]*)*$`)
	joint  = lazyregexp.New(`(?i)^(?:[\s,/&+]|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bor\b|\boder\b|\bou\b|\bo\b)*$`)
	second = lazyregexp.New(`(?i)(?:^|[^\pL])(?:you|your|u|du|dir|dich|dein\pL*|ihr|euch|tu|te|toi|vous|votre|tes|ton|tú|ti|usted|tus?|` +
		`kannst|könntest|hast|weißt|bist|willst|magst|peux|pourrais|as|sais|puedes|podrías|sabes|tienes|quieres)(?:$|[^\pL])`)
)

// calls returns which of a sentence's hits call people: those at its beginning or its end.
func (s sentence) calls(hits []hit) (called []hit) {
	if len(hits) == 0 {
		return nil
	}
	if greeting.MatchString(strings.TrimLeft(s.text[:hits[0].from], "¿¡ ")) {
		n := 1
		for n < len(hits) && joint.MatchString(s.text[hits[n-1].to:hits[n].from]) {
			n++
		}
		rest := strings.TrimLeft(s.text[hits[n-1].to:], " ")
		next, _ := utf8.DecodeRuneInString(rest)
		if hits[0].strong || rest == "" || strings.ContainsRune(",:;!?.–—-", next) || s.asks && second.MatchString(rest) {
			called = append(called, hits[:n]...)
		}
	}
	n := len(hits) - 1
	if strings.Trim(s.text[hits[n].to:], " ?!.…)") != "" || len(called) > n {
		return called
	}
	for n > 0 && joint.MatchString(s.text[hits[n-1].to:hits[n].from]) {
		n--
	}
	before := strings.TrimRight(s.text[:hits[n].from], " ¿¡")
	if last, _ := utf8.DecodeLastRuneInString(before); hits[n].strong || strings.ContainsRune(",–—-:", last) {
		called = append(called, hits[max(n, len(called)):]...)
	}
	return called
}
