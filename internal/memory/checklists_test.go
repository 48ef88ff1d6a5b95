package memory

import (
	"strconv"
	"testing"
	"time"

	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/storetest"
)

func TestChecklists(t *testing.T) {
	storetest.Checklists(t, func(_ *testing.T, now func() time.Time) checklist.Store { return NewChecklists(now) })
}

func TestChecklists_ANewListDisplacesTheOldestOne(t *testing.T) {
	s, expires := NewChecklists(nil), time.Now().Add(time.Hour)
	for i := range mostChecklists + 1 {
		id := strconv.Itoa(i)
		_, err := s.SaveChecklist(t.Context(), checklist.Draft{Subject: "37s:1", Connection: id, ID: id, ExpiresAt: expires})
		must(t, err)
	}
	if len(s.lists.slots) != mostChecklists || len(s.latest.slots) != mostChecklists {
		t.Errorf("%d lists of %d connections", len(s.lists.slots), len(s.latest.slots))
	}
	if _, err := s.Checklist(t.Context(), "37s:1", "0"); err == nil {
		t.Error("the first list is still there")
	}
	_, err := s.LatestChecklist(t.Context(), "37s:1", strconv.Itoa(mostChecklists))
	must(t, err)
}
