// Package mistakes measures what follows a wrong call: whether it is refused in words that lead to
// a retry that works, accepted because its meaning is clear, or done wrongly in silence.
package mistakes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

func TestMain(m *testing.M) { os.Exit(agent.Main(m)) }

// What the tools must reach, in per cent, except maxSilent, which is a number. Tighten a limit when
// they get better; never loosen one.
const (
	minCorrected = 99 // of the calls that are refused and should be: one retry works
	minAtOnce    = 99 // of the calls whose meaning is clear: they work at once
	maxSilent    = 0  // calls that should be refused, or mean something else, and were done in silence
)

const targetCorrected = 95

// everything is the path of the tools that the tables use, below the endpoint.
const everything = "/x/basecamp,todolist,tasks,account"

// An outcome is what followed a mistake.
type outcome struct {
	kind   kind
	reason string
}

type kind int

// The kinds of outcomes, from good to bad.
const (
	atOnce      kind = iota // accepted, and done as meant
	corrected               // refused, and the retry works
	uncorrected             // refused, and the words do not lead to a retry that works
	silent                  // done, but wrongly
)

func (k kind) String() string {
	return [...]string{"at once", "corrected", "not corrected", "silent"}[k]
}

func TestMistakes_AreCorrectedAsOftenAsBefore(t *testing.T) {
	all := read(t)
	if len(all) < 500 {
		t.Errorf("there are only %d mistakes", len(all))
	}
	var outcomes []outcome
	for began := ""; began != today(); { // a run over midnight begins again, because its days have changed
		began, all = today(), read(t)
		outcomes = tryAll(t, all)
	}
	if t.Failed() {
		return
	}
	due, plain, bad, list := count(all, outcomes)
	refused, allPlain := due[corrected]+due[uncorrected], plain[atOnce]+plain[corrected]+plain[uncorrected]+plain[silent]
	correctedShare, atOnceShare := 100*due[corrected]/refused, 100*plain[atOnce]/allPlain
	t.Logf("\n%s\nof %d mistakes that should be refused: %d are; one retry corrects %d of these (%d %%, target %d %%); %d are done in silence\n"+
		"of %d calls whose meaning is clear: %d work at once (%d %%), %d after one retry, %d not, %d otherwise than meant",
		list, refused+due[silent], refused, due[corrected], correctedShare, targetCorrected, due[silent],
		allPlain, plain[atOnce], atOnceShare, plain[corrected], plain[uncorrected], plain[silent])
	if correctedShare < minCorrected {
		t.Errorf("one retry corrects %d %% of the refused calls; the limit is %d %%", correctedShare, minCorrected)
	}
	if atOnceShare < minAtOnce {
		t.Errorf("%d %% of the clear calls work at once; the limit is %d %%", atOnceShare, minAtOnce)
	}
	if bad > maxSilent {
		t.Errorf("%d wrong calls are done in silence; the limit is %d", bad, maxSilent)
	}
}

func tryAll(t *testing.T, all []mistake) []outcome {
	t.Helper()
	outcomes, library := make([]outcome, len(all)), agent.Start(t)
	t.Run("mistake", func(t *testing.T) {
		for i, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				outcomes[i] = try(t, m, library)
			})
		}
	})
	return outcomes
}

// count returns how many mistakes that should be refused, and how many whose meaning is clear, have
// each outcome, how many are silent, and a list of those that have not the best outcome.
func count(all []mistake, outcomes []outcome) (due, plain map[kind]int, bad int, list string) {
	due, plain = map[kind]int{}, map[kind]int{}
	var b strings.Builder
	for i, m := range all {
		o := outcomes[i]
		if o.kind == silent {
			bad++
		}
		best := corrected
		if m.atOnce {
			plain[o.kind]++
			best = atOnce
		} else {
			due[o.kind]++
		}
		if o.kind != best {
			fmt.Fprintf(&b, "%-14s %-13s %s: %s\n", m.name, o.kind, m.call, o.reason)
		}
	}
	return due, plain, bad, b.String()
}

// reading matches the names of tools that only read.
var reading = regexp.MustCompile(`^(get|list|search|find)`)

// try makes a mistake and its retry, on a server of its own, or on library if both only read.
func try(t *testing.T, m mistake, library string) outcome {
	t.Helper()
	start := func() *agent.Client {
		url := library
		if !reading.MatchString(m.call.tool) || !reading.MatchString(m.retry.tool) {
			url = agent.Start(t)
		}
		return agent.Connect(t, url+everything, agent.Ines)
	}
	c := start()
	got := c.Call(m.call.tool, m.call.arguments)
	if !got.Failed {
		if !m.atOnce {
			return outcome{silent, "should be refused"}
		}
		meant := start().Call(m.retry.tool, m.retry.arguments)
		if meant.Failed {
			t.Fatalf("the right call %s: %.300s", m.retry, meant.Text)
		}
		if path := difference("", meant.Value, got.Value); path != "" {
			return outcome{silent, "other than meant: " + path}
		}
		return outcome{kind: atOnce}
	}
	if reason := m.unclear(got); reason != "" {
		return outcome{uncorrected, reason}
	}
	if again := c.Call(m.retry.tool, m.retry.arguments); again.Failed {
		return outcome{uncorrected, fmt.Sprintf("the retry %s: %.200s", m.retry, cmp.Or(again.String("message"), again.Text))}
	}
	return outcome{corrected, "works only after a retry"}
}

// unclear returns why a refusal does not lead to the retry, or "" if it does.
func (m mistake) unclear(refusal agent.Answer) string {
	switch {
	case m.atOnce:
		return ""
	case !slices.Contains(m.codes, refusal.Code()):
		return fmt.Sprintf("refused with %q", refusal.Code())
	case m.names != "" && !names(refusal, m.names):
		return fmt.Sprintf("does not name %s", m.names)
	}
	for _, clue := range m.clues {
		if !strings.Contains(refusal.Text, clue) && !strings.Contains(refusal.Text, strings.ReplaceAll(clue, "_", " ")) {
			return fmt.Sprintf("does not tell %q", clue)
		}
	}
	return ""
}

// names reports whether a refusal names an argument, as a path of its validation or before a colon.
func names(refusal agent.Answer, argument string) bool {
	named := regexp.MustCompile(`(^|[\s.\]])` + regexp.QuoteMeta(argument) + `($|[:.\[])`)
	if named.MatchString(refusal.String("message")) {
		return true
	}
	return slices.ContainsFunc(refusal.List("data.validation"), func(v agent.Answer) bool {
		return named.MatchString(v.String("path"))
	})
}

// fleeting are the properties that differ between two runs of the same call.
var fleeting = regexp.MustCompile(`(^at|_at|_cursor|^local_time|^since|list_id|understood|^undo)$`)

// difference returns the path of the first property of want that got does not have, or "".
func difference(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for name, part := range w {
			if _, isText := part.(string); fleeting.MatchString(name) || name == "id" && isText {
				continue
			}
			if d := difference(path+"."+name, part, g[name]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			return fmt.Sprintf("%s has %d parts instead of %d", path, len(g), len(w))
		}
		for i, part := range w {
			if d := difference(fmt.Sprintf("%s.%d", path, i), part, g[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(want, got) {
		text, _ := json.Marshal([]any{want, got}) // of JSON, so it cannot fail
		return fmt.Sprintf("%s %.120s", path, text)
	}
	return ""
}
