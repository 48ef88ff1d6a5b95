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
