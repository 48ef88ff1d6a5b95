package sqlite

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wantWrites stops the test unless the file has every write that was reported as done, at most one
// that was not, and no part of a write.
func wantWrites(t *testing.T, s *Store, round int, done []string) {
	t.Helper()
	visible := 0
	for i, w := range journal(round) {
		seen, err := w.seen(t.Context(), s)
		switch {
		case err != nil:
			t.Fatalf("round %d, %s: %v", round, w.name, err)
		case !seen && i < len(done):
			t.Fatalf("round %d: %q was done and is lost", round, w.name)
		case seen && i != visible:
			t.Fatalf("round %d: %q is there, and an earlier write is not", round, w.name)
		case seen:
			visible++
		}
	}
	if visible > len(done)+1 {
		t.Fatalf("round %d: %d writes are there, %d were done", round, visible, len(done))
	}
}

func TestKill_BetweenAnyTwoStepsLosesNothingThatWasDone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, stride := t.TempDir(), 1
	if raceEnabled { // processes start slowly, and a dead one has no races
		stride = 13
	}
	for step := 1; ; step += stride {
		if step > 1000 {
			t.Fatal("the journal does not end")
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.db", step))
		p := process(t, "write", path, "1", strconv.Itoa(step))
		var done []string
		line := p.line()
		for ; line != "" && line != "end"; line = p.line() {
			done = append(done, line)
		}
		s := openAt(t, path, nil)
		wantWrites(t, s, 1, done)
		for _, w := range journal(1)[len(done):] { // the next process goes on
			if seen, _ := w.seen(t.Context(), s); !seen {
				must(t, w.do(t.Context(), s))
			}
		}
		wantWrites(t, s, 1, make([]string, len(journal(1))))
		if line == "end" {
			t.Logf("killed at every step up to %d, in strides of %d", step-stride, stride)
			return
		}
	}
}

func TestKill_AtAnyMomentLosesNothingThatWasDone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	path := pathIn(t)
	rounds := map[int][]string{}
	round, deaths := 1, 12
	if raceEnabled {
		deaths = 2
	}
	for range deaths {
		p := process(t, "write", path, strconv.Itoa(round), "0")
		for range 1 + rand.IntN(40) {
			number, name, _ := strings.Cut(p.line(), " ")
			round, _ = strconv.Atoi(number)
			rounds[round] = append(rounds[round], name)
		}
		must(t, p.cmd.Process.Kill())
		for line := p.line(); line != ""; line = p.line() { // what it did until it died
			number, name, _ := strings.Cut(line, " ")
			round, _ = strconv.Atoi(number)
			rounds[round] = append(rounds[round], name)
		}
		s := openAt(t, path, nil)
		for each, done := range rounds {
			wantWrites(t, s, each, done)
		}
		round++
		round++ // the process may have begun the next round
	}
	hold(t, path, func(*Store) {})
}
