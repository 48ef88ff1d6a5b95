package sandbox

import (
	"fmt"
	"net/http"
	"testing"
)

func TestFeed_ServesBoostsAfterItsDelayPageByPage(t *testing.T) {
	now := &clock{noon}
	s := New(Options{Now: now.now, RateLimit: -1})
	c, tomas := ines(t, s), as(t, s, "Tomás Herrera")
	walk := func(query string) (events []object) {
		t.Helper()
		for next := "/events.json?types=boost.created&" + query; next != ""; {
			page := c.get("%s", next).want(http.StatusOK).object()
			events = append(events, page.list("events")...)
			next, _ = page["next"].(string)
		}
		return events
	}
	todo := s.Find("Todo", "Print the serial number plates")
	for range feedPage + 10 {
		c.post(fmt.Sprintf("/recordings/%d/boosts.json", todo), map[string]any{"content": "Nice"}).want(201)
	}
	tomas.post(fmt.Sprintf("/recordings/%d/boosts.json", todo), map[string]any{"content": "Nice"}).want(201)
	if early := walk("since=0"); len(early) > 0 {
		t.Errorf("served early: %v", early)
	}
	now.at = now.at.Add(feedDelay)
	if all, his := walk("since=0"), walk(fmt.Sprintf("since=0&creators=7,%d", s.Person("Tomás Herrera").ID)); len(all) != feedPage+11 || len(his) != 1 ||
		fmt.Sprintf("%v %v", his[0]["recording_id"], his[0]["creator_id"]) != fmt.Sprint(todo, s.Person("Tomás Herrera").ID) {
		t.Errorf("%d events, his are %v", len(all), his)
	}
	for _, query := range []string{"types=boost.created&since=yesterday", "since=0&types=document.created"} {
		c.get("/events.json?%s", query).want(http.StatusBadRequest)
	}
}
