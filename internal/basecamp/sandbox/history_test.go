package sandbox

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEvents_ListAddedAndRemovedAssignees(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	card := s.Find("Kanban::Card", "Kickstand plate, 8 mm back")
	noemie, mateusz := s.Person("Noémie Laurent").ID, s.Person("Mateusz Wójcik").ID
	c.put(fmt.Sprintf("/card_tables/cards/%d.json", card), object{"assignee_ids": []int64{mateusz}}).want(200)
	c.put(fmt.Sprintf("/card_tables/cards/%d.json", card), object{"due_on": "2031-05-14"}).want(200)
	c.put(fmt.Sprintf("/card_tables/cards/%d.json", card), object{"title": "Kickstand plate, 9 mm back"}).want(200)
	events := c.get("/recordings/%d/events.json", card).want(200).list()
	for i, want := range []string{"content_changed", "due_date_changed", "assignment_changed"} {
		if got := events[i].text("action"); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	want := fmt.Sprintf("map[added_person_ids:[%d] removed_person_ids:[%d]]", mateusz, noemie)
	if diff := cmp.Diff(want, events[2].text("details")); diff != "" {
		t.Error(diff)
	}
}
