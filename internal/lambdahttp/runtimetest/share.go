package runtimetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Share is a fraction of one processor. Lambda limits a started function to memory/1769 of a
// processor. Share does the same with a control group, so it needs Linux and root.
type Share struct{ dir string }

const (
	wholeProcessor = 1769   // MB for a whole processor (Lambda documentation, "Configure Lambda function memory")
	period         = 20_000 // µs after which Lambda compares the use with the share
)

// NewShare returns the share of a function with this many megabytes of memory. It lasts until the
// test ends. An error says why this machine cannot limit a processor.
func NewShare(tb testing.TB, memory int) (*Share, error) {
	tb.Helper()
	quota := strconv.Itoa(period * memory / wholeProcessor)
	limits := map[string]string{"cpu.cfs_period_us": strconv.Itoa(period), "cpu.cfs_quota_us": quota}
	parent := "/sys/fs/cgroup/cpu"
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil { // cgroup version 2
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

// Hold limits a function to the share from now on.
func (s *Share) Hold(f *Function) error {
	return set(s.dir, "cgroup.procs", strconv.Itoa(f.process.Process.Pid))
}

func set(dir, file, value string) error {
	if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0); err != nil {
		return fmt.Errorf("limit the processor: %w", err)
	}
	return nil
}
