package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpu returns the processor time that a process has used so far, by its own clock
// (clock_getcpuclockid(3)): user and system time of all its threads.
func (p *process) cpu() (time.Duration, error) {
	const wholeProcess = 2 // CPUCLOCK_SCHED
	var spent unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|wholeProcess), &spent); err != nil {
		return 0, fmt.Errorf("read the clock of %s: %w", p.peer.name, err)
	}
	return time.Duration(spent.Nano()), nil
}

// peak returns the most memory that a process has held so far, in bytes.
func (p *process) peak() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the memory of %s: %w", p.peer.name, err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("the status of %s names no memory", p.peer.name)
	}
	kilobytes, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return kilobytes << 10, err
}

// load returns the machine's load averages.
func load() string {
	averages, err := os.ReadFile("/proc/loadavg")
	fields := bytes.Fields(averages)
	if err != nil || len(fields) == 0 {
		return "unknown"
	}
	return string(fields[0])
}
