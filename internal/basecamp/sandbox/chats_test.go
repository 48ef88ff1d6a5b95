package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestChat_HasRecentLines(t *testing.T) {
	s := newSandbox(t)
	lines := ines(t, s).all("/chats/%d/lines.json", s.ToolID(launch, "chat"))
	kinds := map[string]int{}
	today := 0
	for _, l := range lines {
		kinds[l.text("type")]++
		at, err := time.Parse(time.RFC3339, l.text("created_at"))
		if err != nil {
			t.Fatal(err)
		}
		if noon.Sub(at) < 24*time.Hour {
			today++
		}
		if noon.Sub(at) > 10*24*time.Hour {
			t.Errorf("the newest line of %s is old", at)
		}
	}
	if len(lines) < 160 || today < 60 {
		t.Errorf("%d lines, %d in the last day", len(lines), today)
	}
	if kinds["Chat::Lines::Text"] < 100 || kinds["Chat::Lines::RichText"] < 5 || kinds["Chat::Lines::Upload"] < 5 {
		t.Error(kinds)
	}
}

func TestLines_AreOldestFirstUnlessDirectionIsDesc(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/chats/%d/lines.json", s.ToolID(launch, "chat"))
	up, down := c.all("%s", path), c.all("%s?sort=created_at&direction=desc", path)
	slices.Reverse(down)
	if len(up) != len(down) || up[0].text("created_at") > up[1].text("created_at") {
		t.Fatal("order")
	}
	for i := range up {
		if up[i].text("id") != down[i].text("id") {
			t.Fatalf("line %d differs", i)
		}
	}
}

func TestLine_IsPlainTextUnlessItIsHTML(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/chats/%d/lines.json", s.ToolID(launch, "chat"))
	plain := c.post(path, object{"content": "a < b & <strong>c</strong>"}).want(201).object()
	if plain.text("type") != "Chat::Lines::Text" || plain.text("content") != "a < b & <strong>c</strong>" {
		t.Error(plain)
	}
	rich := c.post(path, object{"content": "<strong>now</strong>", "content_type": "text/html"}).want(201).object()
	if rich.text("type") != "Chat::Lines::RichText" || rich.text("title") != "now" {
		t.Error(rich)
	}
	if !strings.Contains(rich.text("app_url"), "@"+rich.text("id")) {
		t.Error(rich.text("app_url"))
	}
	c.post(path, object{"content": "\n"}).want(422)
	lines := c.all("%s", path)
	if lines[len(lines)-1].text("id") != rich.text("id") {
		t.Error("the new line is not the last one")
	}
}

func TestLine_IsChangedByItsAuthorAndDeletedByAuthorsAndAdministrators(t *testing.T) {
	s := newSandbox(t)
	hanna, sam := as(t, s, "Hanna Koivisto"), as(t, s, "Sam Okafor")
	lines := fmt.Sprintf("/chats/%d/lines", s.ToolID(launch, "chat"))
	id := hanna.post(lines+".json", object{"content": "hello"}).want(201).object().text("id")
	path := lines + "/" + id + ".json"
	sam.put(path, object{"content": "bye"}).want(http.StatusForbidden)
	sam.delete(path).want(http.StatusForbidden)
	hanna.put(path, object{"content": "hello <em>all</em>"}).want(204)
	if got := hanna.get("%s", path).object(); got.text("type") != "Chat::Lines::RichText" || got.text("content") != "hello <em>all</em>" {
		t.Error(got)
	}
	ines(t, s).delete(path).want(204)
	hanna.get("%s", path).want(404)
}

func TestChats_AreListedAcrossProjectsWithoutDisabledOnes(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	var projects []string
	for _, chat := range c.all("/chats.json") {
		projects = append(projects, chat.text("bucket", "name")+": "+chat.text("title"))
	}
	for _, want := range []string{"Cargo Bike Launch: Chat", "Workshop & Tools: Workshop floor", "Workshop & Tools: Spare parts"} {
		if !slices.Contains(projects, want) {
			t.Errorf("no %s in %v", want, projects)
		}
	}
	if slices.Contains(projects, "Customer Care: Chat") {
		t.Error("a disabled chat is listed")
	}
}

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
