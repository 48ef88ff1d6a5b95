package memory

import (
	"strconv"
	"testing"
	"time"

	"basecamp-mcp/internal/storetest"
	"basecamp-mcp/internal/todolist"
)

func TestTodolists(t *testing.T) {
	storetest.Todolists(t, func(_ *testing.T, now func() time.Time) todolist.Store { return NewTodolists(now) })
}

func TestTodolists_ANewListDisplacesTheOldestOne(t *testing.T) {
	s, expires := NewTodolists(nil), time.Now().Add(time.Hour)
	for i := range mostTodolists + 1 {
		id := strconv.Itoa(i)
		_, err := s.SaveTodolist(t.Context(), todolist.Draft{Subject: "37s:1", Connection: id, ID: id, ExpiresAt: expires})
		must(t, err)
	}
	if len(s.lists.slots) != mostTodolists || len(s.latest.slots) != mostTodolists {
		t.Errorf("%d lists of %d connections", len(s.lists.slots), len(s.latest.slots))
	}
	if _, err := s.Todolist(t.Context(), "37s:1", "0"); err == nil {
		t.Error("the first list is still there")
	}
	_, err := s.LatestTodolist(t.Context(), "37s:1", strconv.Itoa(mostTodolists))
	must(t, err)
}
