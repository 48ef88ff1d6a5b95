package tools

import (
	"strings"
	"testing"
	"time"
)

func TestMemo_ForgetsWithTime(t *testing.T) {
	now := time.Now()
	m := newMemo[string, int](10, one, func() time.Time { return now })
	m.put("a", 1)
	now = now.Add(remembered - 1)
	if v, age, ok := m.get("a"); !ok || v != 1 || age != remembered-1 {
		t.Errorf("just before its time: %d, %v, %v", v, age, ok)
	}
	now = now.Add(1)
	if _, _, ok := m.get("a"); ok {
		t.Error("remembered for ever")
	}
}

func TestMemo_KeepsNoMoreThanItsWeight(t *testing.T) {
	m := newMemo[string, string](100, func(k, v string) int { return len(k) + len(v) }, time.Now)
	for i := range 1000 {
		m.put(strings.Repeat("k", i%40), strings.Repeat("v", i%40))
		total := 0
		for k, e := range m.entries {
			total += len(k) + len(e.value)
		}
		if total > 100 {
			t.Fatalf("holds %d", total)
		}
	}
}

func TestMemo_ForgetsWhatItIsToldToAndItsWeight(t *testing.T) {
	m := newMemo[string, string](10, func(_, v string) int { return len(v) }, time.Now)
	m.put("a", "12345")
	m.put("b", "12345")
	m.forget("a")
	m.forget("a")
	if _, _, ok := m.get("a"); ok || m.weight != 5 {
		t.Errorf("weighs %d", m.weight)
	}
	m.put("c", "12345")
	if _, _, ok := m.get("b"); !ok {
		t.Error("all was forgotten, though there was room")
	}
}
