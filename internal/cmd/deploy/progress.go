package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// silence is how long a command may print nothing before progress says that it still runs.
const silence = 8 * time.Second

// progress passes on what a command prints, line by line, and says that the command still runs if
// it prints nothing for a while. It leaves out the advice of sam build, which names other commands
// than docs/deploy.md.
type progress struct {
	name string

	mu    sync.Mutex
	began time.Time
	last  time.Time
}

// startProgress returns the progress of a command, which says on out that the command runs until
// ctx is done.
func startProgress(ctx context.Context, name string, out io.Writer) *progress {
	now := time.Now()
	p := &progress{name: name, began: now, last: now}
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				p.beat(out)
			}
		}
	}()
	return p
}

// beat says that the command still runs, if it was silent for long enough.
func (p *progress) beat(out io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.last) < silence {
		return
	}
	p.last = now
	_, _ = fmt.Fprintf(out, "  %s is running, %d s\n", p.name, int(now.Sub(p.began).Seconds()))
}

// stream is one of the two outputs of a command.
type stream struct {
	progress *progress
	out      io.Writer
	open     []byte // a line without its end
	advice   bool   // the rest of the output is advice
}

// adviceTitle begins the advice of sam build, which is the last thing that it prints.
const adviceTitle = "Commands you can use next"

// Write passes on whole lines.
func (s *stream) Write(b []byte) (int, error) {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	s.progress.last = time.Now()
	s.open = append(s.open, b...)
	end := bytes.LastIndexByte(s.open, '\n') + 1
	lines := s.open[:end]
	err := s.pass(lines)
	s.open = bytes.Clone(s.open[end:])
	return len(b), err
}

// Close passes on a last line that has no end.
func (s *stream) Close() error {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	return s.pass(s.open)
}

func (s *stream) pass(lines []byte) error {
	if s.advice || len(lines) == 0 {
		return nil
	}
	lines, _, s.advice = bytes.Cut(lines, []byte(adviceTitle))
	_, err := s.out.Write(lines)
	return err
}
