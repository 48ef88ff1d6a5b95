package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"basecamp-mcp/internal/store/items"
)

// lastStep is the number of writes of a round.
const lastStep = 6

// step does a write of a round: it adds an item, and replaces and moves others.
func step(ctx context.Context, s *Store, round, n int) error {
	write := engine{s}.Write
	if n%2 == 0 {
		write = engine{s}.WriteAhead
	}
	return write(ctx, func(t items.Tx) error {
		put := func(name string) error {
			return t.Put(items.Item{Key: inRound(round, name), Body: []byte(strconv.Itoa(n))})
		}
		return errors.Join(put(fmt.Sprint("done ", n)), put("latest"), t.Remove(inRound(round, fmt.Sprint("next ", n))), put(fmt.Sprint("next ", n+1)))
	})
}

func inRound(round int, name string) items.Key {
	return items.Key{Kind: "step", Owner: fmt.Sprint(round), Name: name}
}

// wantSteps stops the test unless the file has the first writes of a round, none of them in part:
// all that were reported as done, and at most one that was not. It returns their number.
func wantSteps(t *testing.T, s *Store, round, done int) int {
	t.Helper()
	found, err := engine{s}.List(t.Context(), items.Range{Kind: "step", Owner: fmt.Sprint(round)})
	must(t, err)
	n := max(0, len(found)-2)
	if n < done || n > done+1 {
		t.Fatalf("round %d: %d writes are there, %d were done", round, n, done)
	}
	for i, f := range found {
		want := fmt.Sprint("done ", i+1)
		switch i {
		case n:
			want = "latest"
		case n + 1:
			want = fmt.Sprint("next ", n+1)
		}
		if f.Name != want || string(f.Body) != strconv.Itoa(min(i+1, n)) {
			t.Fatalf("round %d, after %d writes: %q has %s, want %q", round, n, f.Name, f.Body, want)
		}
	}
	return n
}

// writeSteps writes rounds from a number on, and prints each write that is done.
func writeSteps(path string, arguments []string) error {
	s, err := openPart(path)
	if err != nil {
		return err
	}
	for round, _ := strconv.Atoi(arguments[0]); ; round++ {
		for n := 1; n <= lastStep; n++ {
			if err := step(context.Background(), s, round, n); err != nil {
				return fmt.Errorf("round %d, write %d: %w", round, n, err)
			}
			fmt.Println(round, n)
		}
	}
}

func TestKill_AtAnyMomentLosesNothingThatWasDone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	path, round := pathIn(t), 1
	for range 45 {
		p := process(t, "write", path, strconv.Itoa(round))
		done := map[int]int{}
		for killed, left := false, 1+rand.IntN(40); ; left-- {
			if left == 0 {
				must(t, p.cmd.Process.Kill())
				killed = true
			}
			var n int
			if line := p.line(); line == "" && killed {
				break
			} else if _, err := fmt.Sscan(line, &round, &n); err != nil {
				t.Fatalf("the process prints %q", line)
			}
			done[round] = n
		}
		s, err := openPart(path)
		must(t, err)
		for each, n := range done {
			wantSteps(t, s, each, n)
		}
		must(t, s.Close())
		round += 2 // the process may have begun the next round
	}
}
