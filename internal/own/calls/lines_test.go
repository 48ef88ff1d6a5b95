package calls_test

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

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/store/memory"
)

// slow is a Store whose writes of lines take some time. The first ones fail with the refusals.
type slow struct {
	*memory.Store
	takes time.Duration

	mu       sync.Mutex
	ids      []string
	refusals []error
}

func (s *slow) AddLine(ctx context.Context, subject string, e calls.Entry) error {
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
	return s.Store.AddLine(ctx, subject, e)
}

// written returns the IDs that the log tried to write.
func (s *slow) written() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

// open returns the record of calls in a store, and the log of its failures.
func open(store calls.Store) (*calls.Log, *bytes.Buffer) {
	var log bytes.Buffer
	return calls.New(store, slog.New(slog.NewTextHandler(&log, nil)), nil), &log
}

// line writes the line of a call and returns how long that took.
func line(l *calls.Log, tool string) time.Duration {
	start := time.Now()
	l.Line("37s:1", calls.Entry{
		Time: start, Tool: tool, Outcome: calls.OK, RequestID: "req-1", Arguments: []calls.Argument{{Name: "project", Value: "1069479351"}},
	})
	return time.Since(start)
}

func recent(t *testing.T, l *calls.Log) (tools []string) {
	t.Helper()
	lines, err := l.Recent(t.Context(), "37s:1", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range lines {
		tools = append(tools, e.Tool)
	}
	return tools
}

func TestLine_ReturnsOnceTheLineIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, log := open(&slow{Store: memory.New(nil), takes: 100 * time.Millisecond})
		if took := line(l, "get_me"); took != 100*time.Millisecond || len(recent(t, l)) != 1 || log.Len() > 0 {
			t.Errorf("took %v; logged %s", took, log)
		}
	})
}

func TestLine_IsTriedTwiceAndItsFailureLoggedWithoutContent(t *testing.T) {
	for _, x := range []struct {
		store  *slow
		after  time.Duration
		sameID bool
	}{
		{&slow{takes: time.Hour}, time.Second, true},
		{&slow{refusals: []error{calls.ErrTaken, calls.ErrTaken}}, 0, false},
		{&slow{refusals: []error{errors.New("no answer"), errors.New("no answer")}}, 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, log := open(x.store)
			start := time.Now()
			line(l, "get_me")
			if ids := x.store.written(); len(ids) != 2 || (ids[0] == ids[1]) != x.sameID || time.Since(start) != x.after {
				t.Errorf("written as %v, after %v", ids, time.Since(start))
			}
			if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "req-1") || strings.Contains(said, "37s:1") || strings.Contains(said, "1069479351") {
				t.Errorf("logged %s", said)
			}
		})
	}
}

func TestPage_ReturnsFiftyLinesAtATime(t *testing.T) {
	for _, many := range []int{0, 50, 51} {
		l, _ := open(memory.New(nil))
		for i := range many {
			line(l, fmt.Sprint(i))
		}
		page, next, err := l.Page(t.Context(), "37s:1", "")
		if err != nil || len(page) != min(many, 50) || (next != "") != (many > 50) {
			t.Errorf("of %d: %d, then %q, %v", many, len(page), next, err)
		}
		if next == "" {
			continue
		}
		if page, next, err = l.Page(t.Context(), "37s:1", next); err != nil || len(page) != 1 || page[0].Tool != "0" || next != "" {
			t.Errorf("of %d: at last %+v, then %q, %v", many, page, next, err)
		}
	}
}

func TestPage_RefusesAnInvalidCursor(t *testing.T) {
	l, _ := open(memory.New(nil))
	good := calls.NewID(time.Now())
	for _, cursor := range []string{"x", good[1:], good + "a", "v" + good[1:], strings.ToUpper(good), strings.Repeat("9", len(good)), strings.Repeat("x", 1<<20)} {
		if _, _, err := l.Page(t.Context(), "37s:1", cursor); !errors.Is(err, calls.ErrCursor) {
			t.Errorf("%.50s: %v", cursor, err)
		}
	}
	if _, _, err := l.Page(t.Context(), "37s:1", good); err != nil {
		t.Error(err)
	}
}

func TestNewID_IsOrderedByTimeInAnyZone(t *testing.T) {
	now := time.Now()
	before, same, after := calls.NewID(now.Add(-time.Millisecond)), calls.NewID(now.In(time.FixedZone("", 7200))), calls.NewID(now.Add(time.Millisecond))
	if before >= same || same >= after || same == calls.NewID(now) || before >= calls.OldestID(now) || same <= calls.OldestID(now) {
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
		if got := calls.ClientName(said[0], said[1]); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
