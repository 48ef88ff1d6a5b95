package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// holder is a small file next to the database, in which a process notes that it writes. Another
// process that waits too long can then name it. SQLite's own locks do not say who holds them.
type holder struct {
	file *os.File
	note []byte // of this process
	none []byte // as long as note
}

// noteSize is the size of the file. A note is padded, so that one write replaces another.
const noteSize = 160

func openHolder(path, program string) (*holder, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the path of the store
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d %s %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339), program)
	h := &holder{file: file, note: bytes.Repeat([]byte(" "), noteSize), none: bytes.Repeat([]byte(" "), noteSize)}
	copy(h.note, note)
	return h, nil
}

// take notes that this process writes. A failed note only makes a message of another process less
// precise.
func (h *holder) take() { _, _ = h.file.WriteAt(h.note, 0) }

// leave notes that this process no longer writes.
func (h *holder) leave() { _, _ = h.file.WriteAt(h.none, 0) }

func (h *holder) close() error {
	if h == nil {
		return nil
	}
	return h.file.Close()
}

// describe says who holds the lock. A program that is not this server leaves no note.
func (h *holder) describe() string {
	const unknown = "another program that has the file open holds the lock, such as a database viewer or a backup"
	note := make([]byte, noteSize)
	n, _ := h.file.ReadAt(note, 0)
	words := strings.Fields(string(note[:n]))
	if len(words) < 3 {
		return unknown
	}
	pid, err := strconv.Atoi(words[0])
	if err != nil || !running(pid) {
		return unknown
	}
	return fmt.Sprintf("%s (process %d, started %s) holds the lock", strings.Join(words[2:], " "), pid, words[1])
}

// running reports whether there is a process. Windows cannot send the signal to one that exists.
func running(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
