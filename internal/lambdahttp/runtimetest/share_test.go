package runtimetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

func TestShare_LimitsAFunctionToItsShare(t *testing.T) {
	const memory = 256
	share, err := NewShare(t, memory)
	if err != nil {
		t.Skipf("this machine cannot limit a process to a share of a processor: %v", err)
	}
	busy := filepath.Join(t.TempDir(), "bootstrap")
	if err := os.WriteFile(busy, []byte("#!/bin/sh\nwhile :; do :; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f := Start(t, busy)
	if err := share.Hold(f); err != nil {
		t.Fatal(err)
	}
	held := time.Now()
	for again := time.NewTicker(50 * time.Millisecond); share.throttled(t) < 25; {
		<-again.C
		if time.Since(held) > timeout {
			t.Fatal("the function was not limited")
		}
	}
	f.Stop()
	used := f.process.ProcessState.UserTime() + f.process.ProcessState.SystemTime()
	if most := held.Sub(began) + time.Since(held)*memory/wholeProcessor + 2*period*time.Microsecond; used > most {
		t.Errorf("the function used %s of a processor; the limit is %s", used, most)
	}
}

// throttled returns how many periods ended while a process of the share had to wait.
func (s *Share) throttled(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "cpu.stat"))
	found := regexp.MustCompile(`nr_throttled (\d+)`).FindSubmatch(text)
	if err != nil || found == nil {
		t.Fatalf("%v in %s", err, text)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
