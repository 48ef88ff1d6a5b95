package memo

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

func TestMemo_EntriesExpire(t *testing.T) {
	now := time.Now()
	m := New[string, int](10, Units, func() time.Time { return now })
	m.Put(t.Context(), "a", 1)
	now = now.Add(Life - 1)
	if v, age, ok := m.Get(t.Context(), "a"); !ok || v != 1 || age != Life-1 {
		t.Errorf("just before it expires: %d, %v, %v", v, age, ok)
	}
	now = now.Add(1)
	if _, _, ok := m.Get(t.Context(), "a"); ok {
		t.Error("the entry did not expire")
	}
}

func TestMemo_StaysWithinItsWeight(t *testing.T) {
	m := New[string, string](100, func(k, v string) int { return len(k) + len(v) }, time.Now)
	for i := range 1000 {
		m.Put(t.Context(), strings.Repeat("k", i%40), strings.Repeat("v", i%40))
		total := 0
		for k, e := range m.entries {
			total += len(k) + len(e.value)
		}
		if total > 100 {
			t.Fatalf("total weight is %d", total)
		}
	}
}

func TestMemo_AValueThatIsReplacedCountsWithItsNewWeight(t *testing.T) {
	m := New[string, string](10, func(_, v string) int { return len(v) }, time.Now)
	for _, v := range []string{"1", "12345678", "12"} {
		m.Put(t.Context(), "a", v)
		if m.weight != len(v) {
			t.Errorf("with %q, the total weight is %d", v, m.weight)
		}
	}
	m.Put(t.Context(), "a", "1")
	m.Put(t.Context(), "b", "123")
	m.Put(t.Context(), "a", "12345678")
	if _, _, ok := m.Get(t.Context(), "b"); ok || m.weight != 8 {
		t.Errorf("total weight is %d", m.weight)
	}
}

func TestMemo_ForgetAllDropsTheMatchingEntriesAndTheirWeight(t *testing.T) {
	m := New[string, string](10, func(_, v string) int { return len(v) }, time.Now)
	m.Put(t.Context(), "a1", "123")
	m.Put(t.Context(), "a2", "1")
	m.Put(t.Context(), "b1", "12")
	m.ForgetAll(t.Context(), func(key string) bool { return strings.HasPrefix(key, "a") })
	if _, _, ok := m.Get(t.Context(), "b1"); !ok || len(m.entries) != 1 || m.weight != 2 {
		t.Errorf("%v, total weight is %d", m.entries, m.weight)
	}
}

func TestMemo_IsNotForAClientThatMayReadLess(t *testing.T) {
	m := New[string, int](10, Units, time.Now)
	held := identity.With(t.Context(), identity.Caller{Fence: fence.Fence{Read: &fence.Places{}}})
	m.Put(t.Context(), "a", 1)
	m.Put(held, "b", 2)
	if _, _, ok := m.Get(held, "a"); ok {
		t.Error("it sees what another client read")
	}
	if _, _, ok := m.Get(t.Context(), "b"); ok {
		t.Error("another client sees only what it may read")
	}
}
