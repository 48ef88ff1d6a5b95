package lookup

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
)

func TestMemo_EntriesExpire(t *testing.T) {
	now := time.Now()
	m := newMemo[string, int](10, unitWeight, func() time.Time { return now })
	m.put("a", 1)
	now = now.Add(Remembered - 1)
	if v, age, ok := m.get("a"); !ok || v != 1 || age != Remembered-1 {
		t.Errorf("just before it expires: %d, %v, %v", v, age, ok)
	}
	now = now.Add(1)
	if _, _, ok := m.get("a"); ok {
		t.Error("the entry did not expire")
	}
}

func TestMemo_StaysWithinItsWeight(t *testing.T) {
	m := newMemo[string, string](100, func(k, v string) int { return len(k) + len(v) }, time.Now)
	for i := range 1000 {
		m.put(strings.Repeat("k", i%40), strings.Repeat("v", i%40))
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
	m := newMemo[string, string](10, func(_, v string) int { return len(v) }, time.Now)
	for _, v := range []string{"1", "12345678", "12"} {
		m.put("a", v)
		if m.weight != len(v) {
			t.Errorf("with %q, the total weight is %d", v, m.weight)
		}
	}
	m.put("a", "1")
	m.put("b", "123")
	m.put("a", "12345678")
	if _, _, ok := m.get("b"); ok || m.weight != 8 {
		t.Errorf("total weight is %d", m.weight)
	}
}

func TestMemo_ForgetAllDropsTheMatchingEntriesAndTheirWeight(t *testing.T) {
	m := newMemo[string, string](10, func(_, v string) int { return len(v) }, time.Now)
	m.put("a1", "123")
	m.put("a2", "1")
	m.put("b1", "12")
	m.forgetAll(func(key string) bool { return strings.HasPrefix(key, "a") })
	if _, _, ok := m.get("b1"); !ok || len(m.entries) != 1 || m.weight != 2 {
		t.Errorf("%v, total weight is %d", m.entries, m.weight)
	}
}

func TestMemo_TheListsOfAProjectWeighAsMuchAsTheirGroups(t *testing.T) {
	rs := New(nil, time.Now)
	rs.todoLists.put(callerKey[int64]{}, ProjectLists{
		make([]basecamp.Todolist, 2), map[int64][]basecamp.Todolist{1: make([]basecamp.Todolist, 300), 2: make([]basecamp.Todolist, 40)},
	})
	if want := 1 + 2 + 300 + 40; rs.todoLists.weight != want {
		t.Errorf("the weight is %d, want %d", rs.todoLists.weight, want)
	}
}
