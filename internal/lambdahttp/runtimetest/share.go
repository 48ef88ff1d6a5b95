package runtimetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Share is a part of one processor, as Lambda gives it to a function once it has started: memory/1769 of one. Processes share
// it by a control group of their own, so it takes Linux and root.
type Share struct{ dir string }

// A megabyte is worth this part of a processor (Lambda's documentation); the period is the one after which Lambda looks again.
const (
	wholeProcessor = 1769
	period         = 20_000 // µs
)

// NewShare is what a function with so many megabytes of memory gets. It lasts until the test ends. An error says why this
// machine cannot give any.
func NewShare(tb testing.TB, memory int) (*Share, error) {
	tb.Helper()
	quota := strconv.Itoa(period * memory / wholeProcessor)
	limits := map[string]string{"cpu.cfs_period_us": strconv.Itoa(period), "cpu.cfs_quota_us": quota}
	parent := "/sys/fs/cgroup/cpu"
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil { // version 2
		limits = map[string]string{"cpu.max": quota + " " + strconv.Itoa(period)}
		parent = "/sys/fs/cgroup"
		if err := set(parent, "cgroup.subtree_control", "+cpu"); err != nil {
			return nil, err
		}
	}
	s := &Share{filepath.Join(parent, fmt.Sprintf("basecamp-mcp-%d-%d", os.Getpid(), memory))}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	tb.Cleanup(func() { _ = os.Remove(s.dir) })
	var failed []error
	for file, value := range limits {
		failed = append(failed, set(s.dir, file, value))
	}
	return s, errors.Join(failed...)
}

// Hold keeps a function to the share from now on.
func (s *Share) Hold(f *Function) error {
	return set(s.dir, "cgroup.procs", strconv.Itoa(f.process.Process.Pid))
}

func set(dir, file, value string) error {
	if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0); err != nil {
		return fmt.Errorf("limit the processor: %w", err)
	}
	return nil
}
