// Package ways measures how well the titles and descriptions of the tools meet the words of users.
// It ranks the tools without a model, by the words that a request shares with them.
package ways

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

func TestMain(m *testing.M) { os.Exit(agent.Main(m)) }

// What at least the descriptions must reach. Raise it when they get better; never lower it.
const minFirst = 96

const target = 90

// ways has a request and its tool on each line. Some tools may not exist yet.
//
//go:embed ways.txt
var ways string

func TestWays_LeadToTheRightToolAsOftenAsBefore(t *testing.T) {
	catalog := newCatalog(agent.Connect(t, agent.Start(t), agent.Ines))
	var first, all int
	var missed strings.Builder
	for line := range strings.Lines(ways) {
		ask, tool, found := strings.Cut(strings.TrimSpace(line), " | ")
		if !found {
			t.Fatalf("%q has no tool", line)
		}
		all++
		ranked := catalog.rank(ask)
		switch place := slices.Index(ranked, tool) + 1; place {
		case 1:
			first++
		case 0:
			fmt.Fprintf(&missed, "%-56s %-24s (does not share a word)\n", ask, tool)
		default:
			fmt.Fprintf(&missed, "%-56s %-24s number %d, after %s\n", ask, tool, place, strings.Join(ranked[:min(place-1, 3)], ", "))
		}
	}
	t.Logf("\n%sthe right tool is first for %d of %d; the target is %d", &missed, first, all, target)
	if all != 100 {
		t.Errorf("there are %d ways, not 100", all)
	}
	if first < minFirst {
		t.Errorf("the right tool is first for %d, and was for %d", first, minFirst)
	}
}

// catalog is the tools, as far as a ranking needs them.
type catalog struct {
	words  map[string][]string // of each tool: distinct words of its title and description
	spread map[string]int      // of each word: in how many tools it is
}

func newCatalog(c *agent.Client) catalog {
	made := catalog{words: map[string][]string{}, spread: map[string]int{}}
	for name, tool := range c.Tools {
		made.words[name] = words(tool.Title + " " + tool.Description)
		for _, word := range made.words[name] {
			made.spread[word]++
		}
	}
	return made
}

// rank returns the tools that share words with a request, best first. A word that few tools have
// counts more. Of two tools with the same words, the one with the shorter description is better.
func (c catalog) rank(ask string) []string {
	asked, score, ranked := words(ask), map[string]float64{}, []string{}
	for name, has := range c.words {
		for _, word := range asked {
			if slices.Contains(has, word) {
				score[name] += math.Log(1 + float64(len(c.words))/float64(c.spread[word]))
			}
		}
		if score[name] > 0 {
			ranked = append(ranked, name)
		}
	}
	slices.SortFunc(ranked, func(a, b string) int {
		if d := score[b] - score[a]; math.Abs(d) > 1e-9 {
			return int(math.Copysign(1, d))
		}
		if d := len(c.words[a]) - len(c.words[b]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return ranked
}

var (
	word    = regexp.MustCompile(`[\pL\d]+(-[\pL\d]+)*`)
	hissing = regexp.MustCompile(`(ch|sh|x|ss)es$`)
	// common are words that say nothing about a tool.
	common = strings.Fields("a an and any are as at be by do does for from have i in is it its me my not of on or that " +
		"the their them there this to what when where which who with you your")
)

// words returns the distinct words of a text in lower case, without the ending of a plural or a
// verb.
func words(text string) []string {
	var found []string
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		if slices.Contains(common, w) {
			continue
		}
		w = stem(w)
		if !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}

// stem returns a word without the s of a plural or a verb.
func stem(w string) string {
	switch {
	case len(w) <= 3 || strings.HasSuffix(w, "ss"):
		return w
	case strings.HasSuffix(w, "ies"):
		return strings.TrimSuffix(w, "ies") + "y"
	case hissing.MatchString(w):
		return strings.TrimSuffix(w, "es")
	}
	return strings.TrimSuffix(w, "s")
}
