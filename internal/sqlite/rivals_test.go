package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/task"
)

func TestProcesses_OneOfThreeRotatesARefreshToken(t *testing.T) {
	path := pathIn(t)
	s := openAt(t, path, nil)
	var rivals []*other
	for i := range 3 {
		p := process(t, "rival", path, fmt.Sprint("rival", i))
		p.wants("ready")
		rivals = append(rivals, p)
	}
	for round := 1; round <= 10; round++ {
		for _, w := range journal(round)[:5] { // up to the redeemed code
			must(t, w.do(t.Context(), s))
		}
		for _, p := range rivals {
			p.tell(fmt.Sprint(round))
		}
		winner := -1
		for i, p := range rivals {
			switch line := p.line(); {
			case line == "won" && winner < 0:
				winner = i
			case line != "lost":
				t.Fatalf("round %d: process %d prints %q after process %d has won", round, i, line, winner)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: no process has won", round)
		}
		page := newPage(round)
		for i := range rivals {
			_, _, err := s.Refresh(t.Context(), page.name, page.hash(fmt.Sprint("rival", i)))
			if (err == nil) != (i == winner) {
				t.Errorf("round %d: the token of process %d: %v; process %d has won", round, i, err, winner)
			}
		}
	}
	for _, p := range rivals {
		p.tell("tasks")
	}
	for _, p := range rivals {
		p.wants("added")
	}
	if _, total, err := s.Tasks(t.Context(), "37s:1", task.Filter{Status: task.All, Limit: 1}); err != nil || total != 150 {
		t.Errorf("%d tasks, %v", total, err)
	}
}

func TestLock_AWriteThatWaitsTooLongIsToldAndAReadDoesNotWait(t *testing.T) {
	path := pathIn(t)
	s := openAt(t, path, nil)
	s.wait = 50 * time.Millisecond
	p := process(t, "hold", path)
	p.wants("holding")
	err := s.SaveClient(t.Context(), authserver.Client{ID: "c"})
	if err == nil || !strings.Contains(err.Error(), "has locked the file for 50ms") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	s.wait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.SaveClient(ctx, authserver.Client{ID: "c"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a deadline: got %v", err)
	}
	if _, err := s.Client(t.Context(), "c"); !errors.Is(err, authserver.ErrNotFound) {
		t.Errorf("a read while another process writes: %v", err)
	}
	must(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
	must(t, s.SaveClient(t.Context(), authserver.Client{ID: "c", ExpiresAt: time.Now().Add(time.Hour)}))
}
