package grant

import (
	"fmt"
	"testing"
	"time"
)

func TestMemo_ForgetsAtItsTimeIfItHasOne(t *testing.T) {
	m, now := newMemo[int](), time.Now()
	m.put(ines, 1, now, now.Add(time.Minute))
	if v, ok := m.get(ines, now.Add(time.Minute-1)); !ok || v != 1 {
		t.Errorf("just before its time: %d, %v", v, ok)
	}
	if _, ok := m.get(ines, now.Add(time.Minute)); ok || len(m.entries) != 0 {
		t.Error("cached past its time")
	}
	m.put(ines, 1, now, time.Time{})
	if v, ok := m.get(ines, now.AddDate(10, 0, 0)); !ok || v != 1 {
		t.Errorf("without a time, after ten years: %d, %v", v, ok)
	}
}

func TestMemo_KeepsTheLatestRead(t *testing.T) {
	m, now := newMemo[int](), time.Now()
	m.put(ines, 2, now, now.Add(time.Minute))
	m.put(ines, 1, now.Add(-time.Second), now.Add(time.Hour))
	if v, _ := m.get(ines, now); v != 2 {
		t.Errorf("cached %d", v)
	}
	m.drop(ines)
	if _, ok := m.get(ines, now); ok {
		t.Error("cached after drop")
	}
}

func TestMemo_IsBounded(t *testing.T) {
	m, now := newMemo[int](), time.Now()
	for i := range 3 * memoSize {
		subject := fmt.Sprintf("37s:%d", i)
		m.put(subject, i, now, now.Add(time.Minute))
		if v, ok := m.get(subject, now); !ok || v != i || len(m.entries) != i%memoSize+1 {
			t.Fatalf("%s: %d, %v, of %d", subject, v, ok, len(m.entries))
		}
	}
}

const ines = "37s:1001"
