package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/task"
)

func keyOf(subject, name string, now time.Time) idempotency.Record {
	return idempotency.Record{Subject: subject, Tool: "t", Key: name, Claim: name, State: idempotency.Done, ExpiresAt: now.Add(idempotency.Kept)}
}

// useUp stores as many keys of a user as the user may have.
func useUp(t *testing.T, s *Store, now time.Time, subject string) {
	t.Helper()
	if testing.Short() {
		t.Skip("writes ten thousand items")
	}
	all := make([]items.Item, idempotency.MostKeys)
	for i := range all {
		r := keyOf(subject, fmt.Sprint(i), now)
		all[i] = itemOf(t, callKey(r), r, r.ExpiresAt)
	}
	s.fill(t, all)
}

func callKey(r idempotency.Record) items.Key {
	return items.Key{Kind: "call", Owner: r.Subject, Name: r.Tool + " " + digest(r.Key)}
}

func TestClaimCall_AKeyLivesItsDayAndAUserHasALimit(t *testing.T) {
	now := time.Now()
	s := openAt(t, pathIn(t), func() time.Time { return now })
	claim := func(subject, name string) error {
		_, err := s.ClaimCall(t.Context(), keyOf(subject, name, now))
		return err
	}
	must(t, claim("37s:2", "old"))
	useUp(t, s, now, "37s:1")
	must(t, s.sweep(t.Context()))
	for _, name := range []string{"0", "1", fmt.Sprint(idempotency.MostKeys - 1)} {
		if err := claim("37s:1", name); !errors.Is(err, idempotency.ErrTaken) {
			t.Errorf("key %s: %v", name, err)
		}
	}
	if err := claim("37s:2", "old"); !errors.Is(err, idempotency.ErrTaken) {
		t.Errorf("the key of another user: %v", err)
	}
	if err := claim("37s:1", "new"); !errors.Is(err, idempotency.ErrFull) {
		t.Errorf("a key above the limit: %v", err)
	}
	must(t, claim("37s:2", "new"))
	must(t, claim("37s:3", "new"))
	now = now.Add(idempotency.Kept)
	must(t, claim("37s:1", "new"))
}

// addOnce adds a task with an idempotency key, as the tool does, and returns its answer.
func addOnce(s *Store) (string, error) {
	ctx := identity.With(context.Background(), identity.Caller{Subject: "37s:1"})
	runner := idempotency.NewRunner(s, slog.New(slog.DiscardHandler), s.now)
	call := idempotency.Call{Subject: "37s:1", Tool: "add_task", Key: "k", Asked: "a", Stored: true}
	result, err := runner.Do(ctx, call, func(ctx context.Context) ([]byte, error) {
		added, err := task.New(s, s.now).Add(ctx, "Order bells", "", "")
		return []byte(added.ID), err
	})
	return string(result), err
}

// addTaskOnce adds a task, and dies at a step.
func addTaskOnce(path string, arguments []string) error {
	last, _ := strconv.Atoi(arguments[0])
	steps := 0
	s, err := openPart(path, func(string) {
		if steps++; steps == last {
			die()
		}
	})
	if err != nil {
		return err
	}
	id, err := addOnce(s)
	if err != nil {
		return err
	}
	fmt.Println(id)
	return s.Close()
}

func TestKill_ACutCallRepeatedWithItsKeyIsDoneOnceForCertain(t *testing.T) {
	dir := t.TempDir()
	for step := 1; ; step++ {
		if step > 100 {
			t.Fatal("the call does not end")
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.db", step))
		first := process(t, "once", path, strconv.Itoa(step)).line()
		ended := first != ""
		s := openAt(t, path, nil)
		left, _, err := s.Tasks(t.Context(), "37s:1", task.Filter{Status: task.All, Limit: 10})
		must(t, err)
		second, err := addOnce(s)
		if err != nil {
			t.Fatalf("killed at step %d: the repeat answers %v", step, err)
		}
		if len(left) == 1 {
			first = left[0].ID
		}
		third, err := addOnce(s)
		tasks, _, listErr := s.Tasks(t.Context(), "37s:1", task.Filter{Status: task.All, Limit: 10})
		if err != nil || listErr != nil || len(tasks) != 1 || first != "" && first != second || second != third || tasks[0].ID != second {
			t.Fatalf("killed at step %d: answers %q, %q, %q (%v); %d tasks", step, first, second, third, err, len(tasks))
		}
		if ended {
			return
		}
	}
}

func TestAddTask_OfTwoCallsWithTheSameKeyOneAddsTheTask(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	answers := make(chan string, 8)
	for range cap(answers) {
		go func() {
			id, err := addOnce(s)
			answers <- fmt.Sprint(id, err)
		}()
	}
	first := <-answers
	for range cap(answers) - 1 {
		if next := <-answers; next != first {
			t.Errorf("answers %q and %q", first, next)
		}
	}
	if n := s.count(t, "task"); n != 1 {
		t.Errorf("%d tasks", n)
	}
}

func TestAddTask_AboveTheLimitOfKeysAddsNothing(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	useUp(t, s, time.Now(), "37s:1")
	if _, err := addOnce(s); !errors.Is(err, idempotency.ErrFull) || s.count(t, "task") != 0 {
		t.Errorf("%v, %d tasks", err, s.count(t, "task"))
	}
}
