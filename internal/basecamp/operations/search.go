package operations

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// mostAsked is the number of different words of a search that count.
const mostAsked = 30

// Search returns up to most of the rows to keep that fit words best, the best first.
func Search(words string, most int, keep func(*Row) bool) []*Row {
	type hit struct {
		row     *Row
		weights map[string]int
		score   int
	}
	var asked []string
	for _, word := range tokens(words) {
		if len(asked) < mostAsked && !slices.Contains(asked, word) {
			asked = append(asked, word)
		}
	}
	var rows []hit
	common := map[string]int{} // how many rows have a word
	for row := range All {
		if !keep(row) {
			continue
		}
		h := hit{row: row, weights: row.weights()}
		rows = append(rows, h)
		for word := range h.weights {
			common[word]++
		}
	}
	for i, h := range rows {
		for _, word := range asked {
			rows[i].score += 1000 * h.weights[word] / (10 + common[word])
		}
		if h.row.Name == plain(words) {
			rows[i].score += 10_000
		}
	}
	rows = slices.DeleteFunc(rows, func(h hit) bool { return h.score == 0 })
	slices.SortStableFunc(rows, func(a, b hit) int { return b.score - a.score })
	found := make([]*Row, min(most, len(rows)))
	for i := range found {
		found[i] = rows[i].row
	}
	return found
}

// weights returns how much each word of the row says about it.
func (r *Row) weights() map[string]int {
	all := map[string]int{}
	for _, field := range []struct {
		text   string
		weight int
	}{{r.Does, 3}, {r.Words, 4}, {r.Name, 6}} {
		for _, word := range tokens(field.text) {
			all[word] = field.weight
		}
	}
	return all
}

// idle are words that say nothing about an operation.
const idle = " a an and as at by can do does for from has have how i in is it its me my of on or our please that the their this to us we what which who will with you your "

// tokens returns the words of a text without endings.
func tokens(text string) (found []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !strings.Contains(idle, " "+word+" ") {
			found = append(found, stem(word))
		}
	}
	return found
}

// stem returns a word without its commonest endings: logged, logging and logs are log.
func stem(word string) string {
	for _, ending := range []string{"ing", "ers", "er", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 3 {
			if n := len(rest); rest[n-1] == rest[n-2] && ending != "s" {
				return rest[:n-1]
			}
			return rest
		}
	}
	return word
}

// Nearest returns the names of up to three of the rows to keep that resemble a name that none has:
// first those that differ in few letters, then those with the same words.
func Nearest(name string, distance func(a, b string) int, keep func(*Row) bool) (names []string) {
	name = plain(name)
	for row := range All {
		if keep(row) && len(name)-len(row.Name) <= len(name)/4 && distance(row.Name, name) <= len(name)/4 {
			names = append(names, row.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance(a, name) - distance(b, name) })
	for _, row := range Search(strings.ReplaceAll(name, "_", " "), mostNear, keep) {
		if !slices.Contains(names, row.Name) {
			names = append(names, row.Name)
		}
	}
	return names[:min(mostNear, len(names))]
}

// mostNear is the number of names that resemble another one.
const mostNear = 3

// Usage returns the arguments of a row in one line. Those that are required have a *.
func (r *Row) Usage() string {
	if len(r.Args) == 0 {
		return "none"
	}
	parts := make([]string, len(r.Args))
	for i, a := range r.Args {
		parts[i] = a.Name
		if a.Need {
			parts[i] += "*"
		}
		if is := a.form(); is != "" {
			parts[i] += " (" + is + ")"
		}
	}
	return strings.Join(parts, ", ")
}

// form says what an argument takes, if its name does not.
func (a Arg) form() string {
	if a.About != "" && a.Of == "" {
		return a.About
	}
	switch a.Kind {
	case Text:
		return strings.ReplaceAll(a.Of, "|", ", ")
	case Markdown, Append:
		return "Markdown"
	case Hours:
		return "1.5 or 1:30"
	case Weekdays:
		return "weekdays"
	case Clock:
		return "such as 9:00"
	case Number:
		if a.Max > 0 {
			return fmt.Sprintf("%d to %d", a.Min, a.Max)
		}
		return fmt.Sprintf("from %d", a.Min)
	case Flag:
		return "true or false"
	case Notice:
		return "everyone, default or people"
	case Invitations:
		return "[{name, email_address}]"
	case Lists:
		return "to-do lists"
	case Tool:
		return "if there are several"
	case Item:
		return strings.ReplaceAll(a.Of, " ", ", ")
	case Named:
		return "name or id"
	case ID:
		return "id"
	}
	return ""
}
