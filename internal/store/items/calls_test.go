package items_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/memory"
)

// addOnce adds a task with an idempotency key, as the tool does, and returns its answer. cut ends
// the call at a step.
func addOnce(ctx context.Context, s *items.Store, cut string) (string, error) {
	ctx = identity.With(ctx, identity.Caller{Subject: "37s:1"})
	l := calls.New(s, slog.New(slog.DiscardHandler), nil)
	c := calls.Start(ctx, calls.Entry{Time: time.Now(), Tool: "add_task"})
	answer, err := l.Once(ctx, c, calls.Key{Tool: "add_task", Key: "k"}, true, func(ctx context.Context) ([]byte, error) {
		if err := l.Claim(ctx, c); err != nil || cut == "before the task" {
			return nil, errors.Join(err, errLocked)
		}
		added, err := task.New(s, nil).Add(ctx, "Order bells", "", "")
		return []byte(added.ID), err
	})
	if cut == "" && c.Claimed() {
		err = errors.Join(err, l.End(ctx, c))
	}
	return string(answer), err
}

func TestAddTask_ACutCallRepeatedWithItsKeyIsDoneOnceForCertain(t *testing.T) {
	for _, cut := range []string{"before the task", "before the end", ""} {
		s := memory.New(nil)
		first, _ := addOnce(t.Context(), s.Store, cut)
		answers := make(chan string, 8)
		for range cap(answers) {
			go func() {
				id, err := addOnce(t.Context(), s.Store, "")
				answers <- fmt.Sprint(id, err)
			}()
		}
		tasks := map[string]bool{}
		for range cap(answers) {
			tasks[<-answers] = true
		}
		left, _, err := s.Tasks(t.Context(), "37s:1", task.Filter{Status: task.All, Limit: 10})
		if err != nil || len(left) != 1 || len(tasks) != 1 || !tasks[left[0].ID+"<nil>"] || first != "" && first != left[0].ID {
			t.Errorf("cut %s: %q, then %v, and %d tasks, %v", cut, first, tasks, len(left), err)
		}
	}
}

// A user's keys of the last day never displace each other.
func TestClaimCall_AUserOfALocalServerHasALimitOfKeys(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	e := memory.NewEngine(clock)
	s := items.New(e, items.Options{Keys: newKeys(), Now: clock, Local: true})
	claim := func(subject, name string) error {
		r := calls.Record{Entry: calls.Entry{ID: calls.NewID(now), Time: now}}
		_, err := s.ClaimCall(t.Context(), subject, r, &calls.Key{Key: name, Call: r.ID, ExpiresAt: now.Add(calls.Kept)})
		return err
	}
	must(t, claim("37s:1", "0"))
	must(t, e.Write(t.Context(), func(tx items.Tx) (err error) {
		for i := range calls.MostKeys - 1 {
			err = errors.Join(err, tx.Put(items.Item{Key: items.Key{Kind: "key", Owner: "37s:1", Name: fmt.Sprint(i)}, Body: []byte("{}"), Expires: now.Add(calls.Kept)}))
		}
		return err
	}))
	if err := claim("37s:1", "0"); !errors.Is(err, calls.ErrKeyTaken) {
		t.Errorf("the first key: %v", err)
	}
	if err := claim("37s:1", "new"); !errors.Is(err, calls.ErrFull) {
		t.Errorf("a key above the limit: %v", err)
	}
	if _, err := addOnce(t.Context(), s, ""); !errors.Is(err, calls.ErrFull) {
		t.Errorf("a task with a key above the limit: %v", err)
	}
	must(t, claim("37s:2", "new"))
	now = now.Add(calls.Kept)
	must(t, claim("37s:1", "new"))
}

// A person who can write to the store cannot make undo bring back another text.
func TestOpposite_IsSealedAndBoundToItsDeploymentUserAndCall(t *testing.T) {
	e, now := memory.NewEngine(time.Now), time.Now()
	store := func(stack string, k keys) *items.Store { return items.New(e, items.Options{Keys: k, Stack: stack}) }
	own := store("fernhill", newKeys())
	stored := func(subject, id string) items.Key { return items.Key{Kind: "opposite", Owner: subject, Name: id} }
	bodies := map[string][]byte{}
	for _, id := range []string{"u1", "u2"} {
		r := calls.Record{Entry: calls.Entry{ID: id, Time: now}, Revision: 1}
		_, err := own.ClaimCall(t.Context(), "37s:1", r, nil)
		must(t, err)
		r.Revision++
		must(t, own.ChangeCall(t.Context(), "37s:1", r, []byte(strings.Repeat("planted old text", 9)), nil))
		found, err := e.Find(t.Context(), stored("37s:1", id))
		must(t, err)
		bodies[id] = found[0].Body
	}
	if bytes.Equal(bodies["u1"], bodies["u2"]) || bytes.Contains(bodies["u1"], []byte("planted")) {
		t.Errorf("stored %s and %s", bodies["u1"], bodies["u2"])
	}
	var o struct {
		Key    string
		Sealed []byte
	}
	must(t, json.Unmarshal(bodies["u1"], &o))
	o.Sealed = o.Sealed[:len(o.Sealed)-9]
	cut, err := json.Marshal(o)
	must(t, err)
	plant(t, e, stored("37s:2", "u1"), string(bodies["u1"]))
	plant(t, e, stored("37s:1", "u3"), string(bodies["u1"]))
	plant(t, e, stored("37s:1", "u4"), string(cut))
	plant(t, e, stored("37s:1", "u5"), "{}")
	for _, x := range []struct {
		s           *items.Store
		subject, id string
	}{
		{own, "37s:2", "u1"}, {own, "37s:1", "u3"}, {own, "37s:1", "u4"}, {own, "37s:1", "u5"}, {own, "37s:1", "u6"},
		{store("meadow", newKeys()), "37s:1", "u1"}, {store("fernhill", keys{}), "37s:1", "u1"},
	} {
		if _, err := x.s.Opposite(t.Context(), x.subject, x.id); !errors.Is(err, calls.ErrNotFound) {
			t.Errorf("%s %s: %v", x.subject, x.id, err)
		}
	}
	if _, err := store("fernhill", nil).Opposite(t.Context(), "37s:1", "u1"); !errors.Is(err, errLocked) {
		t.Errorf("a key out of reach: %v", err)
	}
	unsealed := store("fernhill", nil)
	lost := calls.Record{Entry: calls.Entry{ID: "u7", Time: now}, Revision: 2, State: calls.Done}
	_, err = unsealed.ClaimCall(t.Context(), "37s:1", calls.Record{Entry: lost.Entry, Revision: 1}, nil)
	must(t, err)
	if err := unsealed.ChangeCall(t.Context(), "37s:1", lost, []byte("old"), nil); !errors.Is(err, errLocked) {
		t.Errorf("a call that cannot seal its opposite: %v", err)
	}
	ended, err := unsealed.WritingCalls(t.Context(), "37s:1", "u7", "u8", 1)
	if must(t, err); len(ended) != 1 || ended[0].State != calls.Done || ended[0].Cannot != calls.NotKept {
		t.Errorf("its record: %+v", ended)
	}
	if plain, err := own.Opposite(t.Context(), "37s:1", "u1"); err != nil || string(plain) != strings.Repeat("planted old text", 9) {
		t.Errorf("%q, %v", plain, err)
	}
}
