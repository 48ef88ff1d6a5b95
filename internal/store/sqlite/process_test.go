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

	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/sealkey"
)

// parts are what a process that a test starts does, by name. It ends with the test process.
var parts = map[string]func(path string, arguments []string) error{
	"write": writeSteps, "add": addUp, "hold": holdLock,
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

func openPart(path string) (*Store, error) {
	return Open(context.Background(), path, Options{Keys: sealkey.InFile(path)})
}

// put writes one item.
func put(ctx context.Context, s *Store, name, body string) error {
	return engine{s}.Write(ctx, func(t items.Tx) error {
		return t.Put(items.Item{Key: items.Key{Kind: "k", Name: name}, Body: []byte(body)})
	})
}

// has reports whether there is an item.
func has(t *testing.T, s *Store, name string) bool {
	t.Helper()
	found, err := engine{s}.Find(t.Context(), items.Key{Kind: "k", Name: name})
	must(t, err)
	return len(found) > 0
}

// holdLock begins a write and does not end it.
func holdLock(path string, _ []string) error {
	s, err := openPart(path)
	if err != nil {
		return err
	}
	return engine{s}.Write(context.Background(), func(items.Tx) error {
		fmt.Println("holding")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

// addUp adds 50 to a number, one after the other, once the test tells it to begin.
func addUp(path string, _ []string) error {
	s, err := openPart(path)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	bufio.NewScanner(os.Stdin).Scan()
	for range 50 {
		err := engine{s}.Write(context.Background(), func(t items.Tx) error {
			k := items.Key{Kind: "k", Name: "number"}
			found, err := t.Find(k)
			n := 0
			if len(found) > 0 {
				n, _ = strconv.Atoi(string(found[0].Body))
			}
			return errors.Join(err, t.Put(items.Item{Key: k, Body: []byte(strconv.Itoa(n + 1))}))
		})
		if err != nil {
			return err
		}
	}
	fmt.Println("added")
	return s.Close()
}

func TestProcesses_LoseNoWriteOfEachOther(t *testing.T) {
	path := pathIn(t)
	s := openAt(t, path, nil)
	var rivals []*other
	for range 3 {
		p := process(t, "add", path)
		p.wants("ready")
		rivals = append(rivals, p)
	}
	for _, p := range rivals {
		_, err := fmt.Fprintln(p.in)
		must(t, err)
	}
	for _, p := range rivals {
		p.wants("added")
	}
	if found, err := (engine{s}).Find(t.Context(), items.Key{Kind: "k", Name: "number"}); err != nil || string(found[0].Body) != "150" {
		t.Errorf("%v, %v", found, err)
	}
}

func TestLock_AWriteThatWaitsTooLongIsToldAndAReadDoesNotWait(t *testing.T) {
	path := pathIn(t)
	s := openAt(t, path, nil)
	s.wait = 50 * time.Millisecond
	p := process(t, "hold", path)
	p.wants("holding")
	err := put(t.Context(), s, "c", "1")
	if err == nil || !strings.Contains(err.Error(), "has locked the file for 50ms") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	s.wait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := put(ctx, s, "c", "1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a deadline: got %v", err)
	}
	if has(t, s, "c") {
		t.Error("what was not written is there")
	}
	must(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
	must(t, put(t.Context(), s, "c", "1"))
}
