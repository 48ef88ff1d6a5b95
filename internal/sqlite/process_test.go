package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/sealkey"
	"basecamp-mcp/internal/task"
)

// parts are what a process that a test starts does, by name. It ends with the test process.
var parts = map[string]func(path string, arguments []string) error{
	"write": writeJournal, "rival": beRival, "hold": holdLock, "measure": measure, "once": addTaskOnce,
}

func TestMain(m *testing.M) {
	part := os.Getenv("SQLITE_TEST_PART")
	if part == "" {
		os.Exit(m.Run())
	}
	if err := parts[part](os.Args[1], os.Args[2:]); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// other is a process that shares a file with the test.
type other struct {
	*testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	in    io.Writer
}

// process starts a process that does a part.
func process(t *testing.T, part, path string, arguments ...string) *other {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{path}, arguments...)...)
	cmd.Env = append(os.Environ(), "SQLITE_TEST_PART="+part)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	p := &other{t, cmd, bufio.NewScanner(out), in}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// line returns the next line, or an empty one at the end.
func (p *other) line() string {
	p.Helper()
	if !p.lines.Scan() {
		return ""
	}
	if strings.HasPrefix(p.lines.Text(), "failed:") {
		p.Fatal(p.lines.Text())
	}
	return p.lines.Text()
}

// wants stops the test unless this is the next line.
func (p *other) wants(line string) {
	p.Helper()
	if got := p.line(); got != line {
		p.Fatalf("the process prints %q, want %q", got, line)
	}
}

func (p *other) tell(line string) {
	p.Helper()
	_, err := fmt.Fprintln(p.in, line)
	must(p.T, err)
}

func openPart(path string, at func(string)) (*Store, error) {
	return Open(context.Background(), path, Options{Keys: sealkey.InFile(path), at: at})
}

// die ends this process as kill -9 does.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	panic(fmt.Sprint("still alive: ", err))
}

// writeJournal writes the rounds from a number on, and prints each write that is done. If a second
// number is given, the process dies at that step.
func writeJournal(path string, arguments []string) error {
	round, _ := strconv.Atoi(arguments[0])
	last, _ := strconv.Atoi(arguments[1])
	steps := 0
	s, err := openPart(path, func(string) {
		if steps++; steps == last {
			die()
		}
	})
	if err != nil {
		return err
	}
	for ; ; round++ {
		for _, w := range journal(round) {
			if err := w.do(context.Background(), s); err != nil {
				return fmt.Errorf("round %d, %s: %w", round, w.name, err)
			}
			fmt.Println(round, w.name)
		}
		if last > 0 {
			fmt.Println("end")
			return s.Close()
		}
	}
}

// holdLock begins a write and does not end it.
func holdLock(path string, _ []string) error {
	s, err := openPart(path, nil)
	if err != nil {
		return err
	}
	s.at = func(step string) {
		if step == "begun" {
			fmt.Println("holding")
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}
	}
	return s.SaveClient(context.Background(), authserver.Client{ID: "c"})
}

// beRival rotates the first refresh token of each round that the test names, and then adds tasks.
func beRival(path string, arguments []string) error {
	s, err := openPart(path, nil)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for told := bufio.NewScanner(os.Stdin); told.Scan(); {
		if told.Text() == "tasks" {
			for i := range 50 {
				id := fmt.Sprintf("%s-%d", arguments[0], i)
				if err := s.AddTask(context.Background(), "37s:1", task.Task{ID: id, Title: id}, 1000); err != nil {
					return err
				}
			}
			fmt.Println("added")
			continue
		}
		round, _ := strconv.Atoi(told.Text())
		switch err := rotate(s, round, arguments[0]); {
		case err == nil:
			fmt.Println("won")
		case errors.Is(err, authserver.ErrConflict):
			fmt.Println("lost")
		default:
			return err
		}
	}
	return s.Close()
}

// rotate does the rotation of a round, with tokens of a rival's own.
func rotate(s *Store, round int, rival string) error {
	p := newPage(round)
	f, old, err := s.Refresh(context.Background(), p.name, p.hash("refresh1"))
	if err != nil {
		return err
	}
	if f.Generation != 1 { // another rival has won before this one has looked
		return authserver.ErrConflict
	}
	f.Generation++
	old.RotatedAt = time.Now()
	next := authserver.Refresh{Hash: p.hash(rival), Generation: 2, ExpiresAt: f.ExpiresAt}
	return s.Rotate(context.Background(), f, old, next, authserver.Access{Hash: p.hash("access" + rival), ExpiresAt: f.ExpiresAt})
}
