package operations

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// mostAsked is the number of different words of a search that count.
const mostAsked = 30

// unknownWord is the weight of a word that no row has, such as a name.
const unknownWord = 1.5

// What is found must have a part of the weight of the words asked for, and of the best score.
const (
	leastKnown = 0.34
	leastScore = 0.4
)

// Search returns up to most of the rows that fit words best, the best first. Rare words weigh more
// than common ones, words that stand together more than the same words apart, and a whole name
// most. It returns nothing if most of the words are in no row.
func Search(words string, most int, rows []*Row) []*Row {
	asked := tokens(words)
	q := lookingFor{name: plain(words), asked: asked[:min(len(asked), mostAsked)], rows: len(rows), common: map[string]int{}}
	type hit struct {
		row    *Row
		fields []field
		score  float64
	}
	hits := make([]hit, len(rows))
	for i, row := range rows {
		hits[i] = hit{row: row, fields: row.fields()}
		q.count(hits[i].fields)
	}
	best := 0.0
	for i := range hits {
		hits[i].score = q.score(hits[i].row.Name, hits[i].fields)
		best = max(best, hits[i].score)
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score == 0 || h.score < leastScore*best })
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]*Row, min(most, len(hits)))
	for i := range found {
		found[i] = hits[i].row
	}
	return found
}

// lookingFor is what is asked for among some rows.
type lookingFor struct {
	name   string // the words as a name of a row
	asked  []string
	rows   int
	common map[string]int // how many rows have a word
}

// count notes which words a row has.
func (q lookingFor) count(fields []field) {
	seen := map[string]bool{}
	for _, f := range fields {
		for _, word := range f.words {
			if !seen[word] {
				seen[word] = true
				q.common[word]++
			}
		}
	}
}

// rarity returns the weight of words together.
func (q lookingFor) rarity(words ...string) (sum float64) {
	for _, word := range words {
		if n := q.common[word]; n > 0 {
			sum += math.Log(1 + float64(q.rows)/float64(n))
		} else {
			sum += unknownWord
		}
	}
	return sum
}

// score returns how well a row fits, or 0 if it has too few of the words.
func (q lookingFor) score(name string, fields []field) (score float64) {
	words := slices.Compact(slices.Sorted(slices.Values(q.asked)))
	known := 0.0
	for _, word := range words {
		weight := 0.0
		for _, f := range fields {
			if slices.Contains(f.words, word) {
				weight = max(weight, f.weight)
			}
		}
		if weight > 0 {
			known += q.rarity(word)
		}
		score += weight * q.rarity(word)
	}
	for j := 1; j < len(q.asked); j++ {
		pair := q.asked[j-1 : j+1]
		if i := slices.IndexFunc(fields, func(f field) bool { return f.has(pair[0], pair[1]) }); i >= 0 {
			score += fields[i].weight * q.rarity(pair...)
		}
	}
	own := fields[0].words
	if !slices.ContainsFunc(own, func(word string) bool { return !slices.Contains(q.asked, word) }) {
		score += wholeName * q.rarity(own...)
	}
	switch {
	case name == q.name:
		return score + 1000
	case known < leastKnown*q.rarity(words...):
		return 0
	}
	return score
}

// wholeName is the weight of each word of a name that is asked for as a whole.
const wholeName = 3

// field is a text of a row, and how much its words say about the row.
type field struct {
	words  []string
	weight float64
}

// has reports whether two words stand together in the field.
func (f field) has(a, b string) bool {
	for i := 1; i < len(f.words); i++ {
		if f.words[i-1] == a && f.words[i] == b {
			return true
		}
	}
	return false
}

// fields returns the texts of the row, those that say most about it first.
func (r *Row) fields() []field {
	return []field{{tokens(r.Name), 6}, {tokens(r.Words), 5}, {tokens(r.Does), 3}}
}

// idle are words that say nothing about an operation.
const idle = " a about all am an and are as at be by can could did do does every everyone for has have how i if in into is it its let me of on onto or our please so some tell than that the their them there these they this those to today tomorrow until us want was we week were what when where which while will with would yesterday you your "

// joined are words that people write in two ways.
var joined = strings.NewReplacer("to-do", "todo", "to do list", "todolist", "check-in", "checkin", "e-mail", "email", "set up", "create", "colour", "color", "'s", "")

// alike are words that mean the same here.
var alike = map[string]string{"new": "create", "make": "create", "add": "create", "start": "create", "remove": "delete", "show": "get", "read": "get", "see": "get", "kanban": "board", "everybody": "people", "colleague": "person"}

// tokens returns the words of a text without endings.
func tokens(text string) (found []string) {
	text = joined.Replace(strings.ToLower(text))
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.Contains(idle, " "+word+" ") {
			continue
		}
		if same, ok := alike[word]; ok {
			word = same
		}
		found = append(found, stem(word))
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

// Nearest returns the names of up to three of the rows that resemble a name that none has:
// first those that differ in few letters, then those with the same words.
func Nearest(name string, distance func(a, b string) int, rows []*Row) (names []string) {
	name = plain(name)
	for _, row := range rows {
		if len(name)-len(row.Name) <= len(name)/4 && distance(row.Name, name) <= len(name)/4 {
			names = append(names, row.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance(a, name) - distance(b, name) })
	for _, row := range Search(strings.ReplaceAll(name, "_", " "), mostNear, rows) {
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
