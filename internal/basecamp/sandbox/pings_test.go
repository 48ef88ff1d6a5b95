package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPings_AreFoundOrMadeForTheirPeople(t *testing.T) {
	s := newSandbox(t)
	c, hanna := ines(t, s), as(t, s, "Hanna Koivisto")
	listed := c.all("/circles.json")
	if len(listed) != 2 || len(hanna.all("/circles.json")) != 1 || len(as(t, s, "Priya Raman").all("/circles.json")) != 0 {
		t.Fatal(listed)
	}
	known := c.post("/circles.json", object{"user_ids": []int64{s.Person("Hanna Koivisto").ID}}).want(201).object()
	if known.text("id") != listed[0].text("id") {
		t.Error(known)
	}
	// Those who cannot be pinged are dropped without a word.
	fresh := c.post("/circles.json", object{"user_ids": []int64{s.Person("Priya Raman").ID, s.Person("Lieke van der Meer").ID}}).want(201).object()
	if len(fresh.list("people")) != 2 || len(c.all("/circles.json")) != 2 {
		t.Error(fresh)
	}
	c.post("/circles.json", object{"user_ids": []int64{s.Person("Lieke van der Meer").ID}}).want(422)
	as(t, s, "Lieke van der Meer").get("/circles.json").want(403)
	as(t, s, "Priya Raman").get("/circles/%s.json", known.text("id")).want(404)

	lines := fresh["links"].(map[string]any)["lines"].(string)
	_, chat, _ := strings.Cut(lines, "/chats/")
	path := "/chats/" + chat
	c.post(path, object{"content": "Hello."}).want(201)
	hanna.get("%s", path).want(404)
	if got := c.all("/circles.json"); len(got) != 3 || got[0].text("id") != fresh.text("id") {
		t.Error(got)
	}
	told := as(t, s, "Priya Raman").get("/my/readings.json").object().list("unreads")
	if !slices.ContainsFunc(told, func(n object) bool { return n.text("section") == "pings" && len(n.list("participants")) == 1 }) {
		t.Error("nothing told Priya of the ping")
	}
}

func TestBoosts_AreOnWhatCanBeBoosted(t *testing.T) {
	s := newSandbox(t)
	c, sam := ines(t, s), as(t, s, "Sam Okafor")
	message := s.Find("Message", "We have a date")
	path := fmt.Sprintf("/recordings/%d/boosts.json", message)
	mine := c.post(path, object{"content": "Hooray"}).want(201).object()
	sam.post(path, object{"content": "👍"}).want(201)
	if got := c.all("%s", path); len(got) != 2 || got[0].text("booster", "name") != "Ines Albrecht" {
		t.Error(got)
	}
	if got := c.get("/messages/%d.json", message).object().text("boosts_count"); got != "2" {
		t.Error(got)
	}
	c.post(path, object{"content": "Seventeen letters"}).want(422)
	c.post(fmt.Sprintf("/recordings/%d/boosts.json", s.ToolID(launch, "vault")), object{"content": "x"}).want(404)
	one := fmt.Sprintf("/boosts/%s.json", mine.text("id"))
	sam.delete(one).want(403)
	if got := c.get("%s", one).want(200).object().text("recording", "title"); got != "We have a date" {
		t.Error(got)
	}
	c.delete(one).want(204)
	c.get("%s", one).want(404)
}
