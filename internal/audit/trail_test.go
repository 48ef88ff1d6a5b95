package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/memory"
)

// slow is a Store whose writes take some time. The first ones fail with the refusals.
type slow struct {
	*memory.Store
	takes time.Duration

	mu       sync.Mutex
	ids      []string
	refusals []error
}

func (s *slow) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	var err error
	s.mu.Lock()
	s.ids = append(s.ids, e.ID)
	if len(s.refusals) > 0 {
		err, s.refusals = s.refusals[0], s.refusals[1:]
	}
	s.mu.Unlock()
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return s.Store.AddEntry(ctx, subject, e)
}

// written returns the IDs that the trail tried to write.
func (s *slow) written() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

// open returns a trail in a store, and its log.
func open(store audit.Store) (*audit.Trail, *bytes.Buffer) {
	var log bytes.Buffer
	return audit.NewTrail(store, slog.New(slog.NewTextHandler(&log, nil))), &log
}

func entry(tool string) audit.Entry {
	return audit.Entry{Time: time.Now(), Tool: tool, Outcome: audit.OK}
}

// record records an entry and returns how long that took.
func record(trail *audit.Trail, e audit.Entry) time.Duration {
	start := time.Now()
	trail.Record("37s:1", e)
	return time.Since(start)
}

func recent(t *testing.T, trail *audit.Trail) (tools []string) {
	t.Helper()
	entries, err := trail.Recent(t.Context(), "37s:1", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		tools = append(tools, e.Tool)
	}
	return tools
}

func TestRecord_WaitsThirtyMillisecondsAtMost(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{10 * time.Millisecond: 10 * time.Millisecond, time.Second: 30 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			trail, log := open(&slow{Store: memory.New(nil), takes: takes})
			if took := record(trail, entry("get_me")); took != want || len(recent(t, trail)) == 1 != (took == takes) {
				t.Errorf("a write of %v took %v", takes, took)
			}
			if err := trail.Flush(t.Context()); err != nil || len(recent(t, trail)) != 1 || log.Len() > 0 {
				t.Errorf("flushed: %v; logged %s", err, log)
			}
		})
	}
}

func TestDirectTrail_WritesEveryEntryBeforeRecordReturns(t *testing.T) {
	var log bytes.Buffer
	store := &slow{Store: memory.New(nil)}
	trail := audit.NewDirectTrail(store, slog.New(slog.NewTextHandler(&log, nil)))
	for i := range 3 * audit.PageSize { // more than may be in progress at once
		trail.Record("37s:1", entry(fmt.Sprint("tool ", i)))
	}
	store.refusals = []error{audit.ErrTaken}
	trail.Record("37s:1", entry("second try"))
	store.refusals = []error{errors.New("one"), errors.New("two")}
	trail.Record("37s:1", entry("lost"))
	if got := recent(t, trail); got[0] != "second try" || got[1] != "tool 149" || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("%v; logged %s", got, log.String())
	}
	if err := trail.Flush(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRecordWith_WaitsLongerAndRetriesTheCallersWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{Store: memory.New(nil), takes: 600 * time.Millisecond}
		trail, log := open(store)
		tries := 0
		start := time.Now()
		recorded := trail.RecordWith("37s:1", entry("create_todo"), func(ctx context.Context, subject string, e audit.Entry) error {
			if tries++; tries == 1 {
				return errors.New("no answer")
			}
			return store.AddEntry(ctx, subject, e)
		})
		if took := time.Since(start); !recorded || tries != 2 || took != 600*time.Millisecond || len(recent(t, trail)) != 1 || log.Len() > 0 {
			t.Errorf("recorded %t after %d tries and %v; logged %s", recorded, tries, took, log)
		}
		store.takes = 2 * time.Second
		start = time.Now()
		if trail.RecordWith("37s:1", entry("create_todo"), store.AddEntry); time.Since(start) != time.Second {
			t.Errorf("took %v", time.Since(start))
		}
		for range 63 {
			go trail.Record("37s:1", entry("get_me"))
		}
		synctest.Wait()
		if trail.RecordWith("37s:1", entry("create_todo"), store.AddEntry) {
			t.Error("an entry beyond the limit is not reported as dropped")
		}
		_ = trail.Flush(t.Context())
	})
}

func TestRecord_RetriesAWriteThatTimedOutWithTheSameID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{Store: memory.New(nil), takes: time.Hour}
		trail, log := open(store)
		start := time.Now()
		record(trail, entry("get_me"))
		if err := trail.Flush(t.Context()); err != nil || time.Since(start) != 6*time.Second {
			t.Errorf("flushed: %v after %v", err, time.Since(start))
		}
		if ids := store.written(); len(ids) != 2 || ids[0] != ids[1] || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("written as %v; logged %s", ids, log)
		}
	})
}

func TestRecord_RetriesUnderAnotherIDWhenItsIDIsTaken(t *testing.T) {
	store := &slow{refusals: []error{audit.ErrTaken, audit.ErrTaken}}
	trail, _ := open(store)
	trail.Record("37s:1", entry("get_me"))
	if err := trail.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids := store.written(); len(ids) != 2 || ids[0] == ids[1] {
		t.Errorf("written as %v", ids)
	}
}

func TestRecord_LogsAFailureWithoutContent(t *testing.T) {
	failure := errors.New("add an audit entry: DynamoDB: no answer")
	trail, log := open(&slow{refusals: []error{failure, failure}})
	e := entry("get_me")
	e.Arguments, e.RequestID = []audit.Argument{{Name: "project", Value: "1069479351"}}, "req-1"
	trail.Record("37s:1", e)
	if err := trail.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said := log.String(); !strings.Contains(said, "no answer") || !strings.Contains(said, "req-1") ||
		strings.Contains(said, "37s:1") || strings.Contains(said, "1069479351") {
		t.Errorf("logged %s", said)
	}
}

func TestRecord_DropsAndCountsEntriesWhenTooManyAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{Store: memory.New(nil), takes: time.Second}
		trail, log := open(store)
		var all sync.WaitGroup
		for i := range 70 {
			all.Go(func() { record(trail, entry(fmt.Sprint(i))) })
		}
		all.Wait()
		if len(store.written()) != 64 || strings.Count(log.String(), "level=WARN") != 6 || !strings.Contains(log.String(), "dropped=6") {
			t.Errorf("%d written; logged %s", len(store.written()), log)
		}
		if err := trail.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		if record(trail, entry("after")); len(store.written()) != 65 || log.Len() > 0 {
			t.Errorf("%d written; logged %s", len(store.written()), log)
		}
		_ = trail.Flush(t.Context())
	})
}

func TestFlush_ReturnsAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trail, _ := open(&slow{Store: memory.New(nil), takes: time.Second})
		if err := trail.Flush(t.Context()); err != nil {
			t.Errorf("nothing to flush: %v", err)
		}
		record(trail, entry("get_me"))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := trail.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		_ = trail.Flush(t.Context())
	})
}

func TestPage_ReturnsFiftyEntriesAtATime(t *testing.T) {
	for _, many := range []int{0, 1, 50, 51, 100, 120} {
		trail, _ := open(memory.New(nil))
		start := time.Now()
		for i := range many {
			trail.Record("37s:1", audit.Entry{Time: start.Add(time.Duration(i) * time.Millisecond), Tool: fmt.Sprint(i)})
		}
		read, pages := 0, 0
		for cursor := ""; ; pages++ {
			if pages > many {
				t.Fatalf("no end after %d pages", pages)
			}
			page, next, err := trail.Page(t.Context(), "37s:1", cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				read++
				if e.Tool != fmt.Sprint(many-read) {
					t.Fatalf("of %d, entry %d is %s", many, read, e.Tool)
				}
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if read != many || pages != max(0, many-1)/audit.PageSize {
			t.Errorf("%d of %d entries, and %d pages after the first", read, many, pages)
		}
	}
}

func TestPage_RefusesAnInvalidCursor(t *testing.T) {
	trail, _ := open(memory.New(nil))
	good := audit.NewID(time.Now())
	for _, cursor := range []string{"x", good[1:], good + "A", strings.Replace(good, "T", "t", 1), strings.Repeat("9", len(good)), strings.Repeat("x", 1<<20)} {
		if _, _, err := trail.Page(t.Context(), "37s:1", cursor); !errors.Is(err, audit.ErrCursor) {
			t.Errorf("%.50s: %v", cursor, err)
		}
	}
	if _, _, err := trail.Page(t.Context(), "37s:1", good); err != nil {
		t.Error(err)
	}
}

func TestNewID_IsOrderedByTimeInAnyZone(t *testing.T) {
	now := time.Now()
	before, same, after := audit.NewID(now.Add(-time.Nanosecond)), audit.NewID(now.In(time.FixedZone("", 7200))), audit.NewID(now.Add(time.Nanosecond))
	if before >= same || same >= after || same == audit.NewID(now) || before >= audit.OldestID(now) || same <= audit.OldestID(now) {
		t.Error(before, same, after)
	}
}

func TestClientName_IsShortAndPrintable(t *testing.T) {
	for want, said := range map[string][2]string{
		"claude-ai/0.1.0":              {"claude-ai", "0.1.0"},
		"Zoë 🚲":                        {" Zoë\x00 🚲\n", "\u202e"},
		"":                             {"", "1.0"},
		strings.Repeat("ü", 64):        {strings.Repeat("ü", 1000), ""},
		"x/" + strings.Repeat("1", 32): {"x", strings.Repeat("1", 33)},
		"ab":                           {"a\xff\u200bb", ""},
	} {
		if got := audit.ClientName(said[0], said[1]); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
