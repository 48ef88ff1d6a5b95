package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The vectors of event_feed.md, "Filter digests".
func TestFeed_PositionsBelongToAFilter(t *testing.T) {
	hundred := make([]string, 100)
	for i := range hundred {
		hundred[i] = fmt.Sprint(i + 1)
	}
	c := ines(t, newSandbox(t))
	position := url.QueryEscape(c.get("/events.json?creators=1").want(200).object().text("position"))
	for query, want := range map[string]string{
		"":                      "44136fa355b3678a",
		"types=message.created": "38b223c13c89dc89",
		"types=todo.completed,message.created&buckets=2,1":            "90108e436c72bfd1",
		"types=todo.completed,message.created&buckets=2,1&creators=9": "5d0b83594d8e5630",
		"buckets=1,01":                          "e545e11ffb55966a",
		"buckets=" + strings.Join(hundred, ","): "e2acd9c77b72cd99",
		"performers=9":                          "97c45ef5d7ed59c2",
		"exclude_performers=9":                  "e52acfcd22b34d9e",
		"actor_types=agent":                     "cfcc84d9873823db",
	} {
		refused := c.get("/events.json?position=%s&%s", position, query).want(http.StatusConflict).object()
		if refused.text("filters_digest") != want || refused.text("position_digest") == want {
			t.Errorf("%s: %v", query, refused)
		}
	}
}

// feedClock returns a sandbox with a clock, and a person who reads the feed.
func feedClock(t *testing.T) (*Sandbox, *clock, caller) {
	now := &clock{noon}
	s := New(Options{Now: now.now, RateLimit: -1})
	return s, now, ines(t, s)
}

// walk follows the feed to the end of its walk, and returns the types of the events.
func (c caller) walk(query string) (types []string, position string) {
	c.t.Helper()
	next := "/events.json?" + query
	for range 2000 {
		page := c.get("%s", next).want(http.StatusOK).object()
		for _, e := range page.list("events") {
			types = append(types, e.text("event_type"))
		}
		position = url.QueryEscape(page.text("position"))
		if page["next"] == nil {
			return types, position
		}
		next = page.text("next")
	}
	c.t.Fatal("no end of the walk")
	return nil, ""
}

func TestFeed_ServesEventsAfterItsDelayOnce(t *testing.T) {
	s, now, c := feedClock(t)
	_, position := c.walk("since=now")
	todo := s.Find("Todo", "Print the serial number plates")
	c.put(fmt.Sprintf("/todos/%d.json", todo), map[string]any{"content": "Print 120 plates", "description": "Soon", "due_on": "2031-06-01"}).want(200)
	c.post(fmt.Sprintf("/todos/%d/completion.json", todo), nil).want(204)
	c.delete(fmt.Sprintf("/todos/%d/completion.json", todo)).want(204)
	if types, _ := c.walk("position=" + position); types != nil {
		t.Errorf("served early: %v", types)
	}
	if types, _ := c.walk("since=now"); types != nil {
		t.Errorf("served to who enters now: %v", types)
	}
	now.at = now.at.Add(feedDelay)
	types, later := c.walk("position=" + position)
	if got := strings.Join(types, " "); !strings.HasPrefix(got, "todo.content_changed todo.description_changed") || !strings.HasSuffix(got, " todo.completed") {
		t.Errorf("got %s", got)
	}
	if types, _ := c.walk("position=" + later); types != nil {
		t.Errorf("served again: %v", types)
	}
}

func TestFeed_LosesRepeatsAndEnds(t *testing.T) {
	s, now, c := feedClock(t)
	_, position := c.walk("since=now")
	s.SetFeed(Feed{Late: time.Minute})
	s.Busy(launch, 1, 1)
	s.SetFeed(Feed{})
	last := s.Busy(launch, 250, 10)
	now.at = now.at.Add(feedDelay)
	types, passed := c.walk("position=" + position)
	if len(types) != 250 {
		t.Errorf("%d events, without the late one", len(types))
	}
	now.at = now.at.Add(time.Hour)
	if types, _ := c.walk("position=" + passed); types != nil {
		t.Errorf("the late event is served: %v", types)
	}
	s.SetFeed(Feed{Twice: true})
	if types, _ := c.walk("position=" + passed); len(types) != 1 {
		t.Errorf("repeats %v", types)
	}
	s.SetFeed(Feed{})
	s.RaiseEpoch(last - 20)
	gone := c.get("/events.json?position=%s&types=", position).want(http.StatusGone).object()
	types, _ = c.walk(strings.SplitN(gone.text("resume"), "?", 2)[1])
	if all, _ := c.walk("since=0"); len(types) == 0 || len(types) > 20 || len(all) != len(types) {
		t.Errorf("%v resumes with %d events, since=0 with %d", gone, len(types), len(all))
	}
}

func TestFeed_NamesTheReasonOfARefusal(t *testing.T) {
	s, _, c := feedClock(t)
	_, position := c.walk("since=now")
	s.SetFeed(Feed{Gone: "boost.created"})
	for query, reason := range map[string]string{
		"position=x":                               "invalid_position",
		"position=" + position + "x":               "invalid_position",
		"since=yesterday":                          "invalid_position",
		"since=99999999999999999999":               "invalid_position",
		"types=document.created":                   "invalid_filter",
		"types=boost.created":                      "invalid_filter",
		"buckets=Launch":                           "invalid_filter",
		"buckets=" + strings.Repeat("7,", 3) + "x": "invalid_filter",
	} {
		if got := c.get("/events.json?%s", query).want(http.StatusBadRequest).object().text("reason"); got != reason {
			t.Errorf("%s: %s", query, got)
		}
	}
	stranger := caller{t, s, s.Stranger().Token, s.OtherAccount(), http.Header{}}
	if got := stranger.get("/events.json?position=%s", position).want(400).object().text("reason"); got != "invalid_position" {
		t.Errorf("a position of another account: %s", got)
	}
}
