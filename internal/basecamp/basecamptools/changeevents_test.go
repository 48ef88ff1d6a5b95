package basecamptools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
)

// polled is the answer to events/poll.
type polled struct {
	Result struct {
		Events []struct {
			ID   string `json:"eventId"`
			Name string
			At   time.Time `json:"timestamp"`
			Data struct{ Item, Title, What, Who, Excerpt string }
		}
		Cursor             string
		Truncated, HasMore bool
		NextPoll           int64  `json:"nextPollMs"`
		Type               string `json:"resultType"`
	}
	Error struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

func (d *toolEnv) rpc(method string, params any, into any) {
	d.Helper()
	encoded, err := json.Marshal(params)
	if err != nil {
		d.Fatal(err)
	}
	body := mcptest.Post(context.Background(), d.handler(), d.who, mcptest.Message(method, string(encoded)), nil).Body.Bytes()
	if err := json.Unmarshal(body, into); err != nil {
		d.Fatalf("%s: %v in %s", method, err, body)
	}
}

func (d *toolEnv) poll(name, cursor string, more args) (p polled) {
	d.Helper()
	params := args{"name": name, "cursor": cursor}
	maps.Copy(params, more)
	if cursor == "" {
		params["cursor"] = nil
	}
	d.rpc("events/poll", params, &p)
	return p
}

func TestEvents_AreListedForPolls(t *testing.T) {
	at(t, func(d *toolEnv) {
		var list struct {
			Result struct {
				Type   string `json:"resultType"`
				Events []struct {
					Name     string
					Delivery []string
					Input    map[string]any `json:"inputSchema"`
				}
			}
		}
		d.rpc("events/list", args{}, &list)
		if len(list.Result.Events) != 25 || list.Result.Type != "complete" || list.Result.Events[0].Name != "basecamp.boost.created" || !slices.Equal(list.Result.Events[0].Delivery, []string{"poll"}) {
			t.Errorf("got %+v", list)
		}
		for _, hello := range []string{"initialize", "server/discover"} {
			var said any
			d.rpc(hello, args{"protocolVersion": "2025-11-25", "capabilities": args{}, "clientInfo": args{"name": "test", "version": "1"}}, &said)
			if text := fmt.Sprint(said); hello == "initialize" && !strings.Contains(text, "extensions:map[io.modelcontextprotocol/events:map[listChanged:false]]") {
				t.Errorf("%s: %s", hello, text)
			}
		}
		for _, method := range []string{"events/stream", "events/subscribe", "events/unsubscribe"} {
			var p polled
			if d.rpc(method, args{"name": "basecamp.todo.created"}, &p); p.Error.Code != -32026 {
				t.Errorf("%s: %+v", method, p.Error)
			}
		}
	})
}

func TestEventsPoll_RefusesInTheWordsOfTheDraft(t *testing.T) {
	at(t, func(d *toolEnv) {
		const name = "basecamp.todo.completed"
		cursor := d.poll(name, "", nil).Result.Cursor
		for _, c := range []struct {
			name, cursor string
			more         args
			code         int
		}{
			{"basecamp.todo.reopened", "", nil, -32023}, {"todo.completed", "", nil, -32023},
			{name, "x", nil, -32602}, {"basecamp.todo.created", cursor, nil, -32602}, {name, cursor, args{"arguments": args{"mine": true}}, -32602},
			{name, "", args{"arguments": args{"list": 1}}, -32602}, {name, "", args{"arguments": args{"project": "No such project"}}, -32023},
			{name, "", args{"maxEvents": 0}, -32602}, {name, "", args{"maxAgeMs": -1}, -32602}, {name, "", args{"maxEvents": "many"}, -32602},
		} {
			if got := d.poll(c.name, c.cursor, c.more); got.Error.Code != c.code {
				t.Errorf("%v: %+v", c, got)
			}
		}
		other := d.as("Priya Raman")
		if got := other.poll(name, cursor, nil); got.Error.Code != -32602 {
			t.Errorf("the cursor of another person: %+v", got)
		}
		other.who.Scopes = nil
		if got := other.poll(name, "", nil); got.Error.Code != -32024 {
			t.Errorf("without a scope: %+v", got)
		}
		old, err := changeState{Filter: changeFilter{Type: "todo.completed"}}.seal(identity.With(t.Context(), d.who), time.Now().Add(-changeCursorLife-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.poll(name, old, nil); !got.Result.Truncated || got.Result.Cursor == "" || got.Error.Code != 0 {
			t.Errorf("an old cursor: %+v", got)
		}
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/events", Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"90"}}})
		if got := d.poll(name, "", nil); got.Error.Code != -32025 || got.Error.Data["nextPollMs"].(float64) < 60_000 {
			t.Errorf("limited: %+v", got)
		}
	})
}

// A client that polls every 100 ms is told to wait longer, and sends no more than its share.
func TestEventsPoll_SlowsDownAHastyClient(t *testing.T) {
	at(t, func(d *toolEnv) {
		const name = "basecamp.todo.completed"
		first := d.poll(name, "", nil)
		began, longest, limited := time.Now(), int64(0), 0
		sent := len(d.asked(func() {
			for range 300 {
				got := d.poll(name, first.Result.Cursor, nil)
				if longest = max(longest, got.Result.NextPoll); got.Error.Code != 0 {
					limited++
					if wait, _ := got.Error.Data["nextPollMs"].(float64); got.Error.Code != -32025 || wait <= 0 {
						t.Fatalf("%+v", got.Error)
					}
				}
				time.Sleep(100 * time.Millisecond)
			}
		}))
		took := time.Since(began)
		if most := 45 * (1 + int(took/(10*time.Second))); longest < 2*first.Result.NextPoll || sent > most {
			t.Errorf("%d requests in %s, %d refused; next in %d ms, at first in %d ms", sent, took, limited, longest, first.Result.NextPoll)
		}
	})
}

func TestEventsPoll_ReturnsEventsInParts(t *testing.T) {
	at(t, func(d *toolEnv) {
		const name = "basecamp.todo.content_changed"
		cursor := d.poll(name, "", nil).Result.Cursor
		d.sandbox.Busy(launchProject, 130, 10)
		time.Sleep(feedLate)
		var ids []string
		for {
			p := d.poll(name, cursor, args{"maxEvents": 40})
			for _, e := range p.Result.Events {
				ids = append(ids, e.ID)
			}
			if cursor = p.Result.Cursor; !p.Result.HasMore {
				break
			}
		}
		if len(ids) != 130 || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 130 {
			t.Errorf("%d events", len(ids))
		}
		d.sandbox.Busy(launchProject, 5, 5)
		time.Sleep(time.Hour)
		if p := d.poll(name, cursor, args{"maxAgeMs": 60_000}); len(p.Result.Events) != 0 || !p.Result.Truncated {
			t.Errorf("old events: %+v", p)
		}
	})
}

// A client that polls by both ways, in random worlds, knows in the end what a fresh reading of
// Basecamp says: with the feed, and without it.
func TestGetChanges_AgreesWithAFreshReading(t *testing.T) {
	worlds := 6
	if testing.Short() {
		worlds = 2
	}
	for _, feed := range []bool{true, false} {
		for world := range worlds {
			t.Run(fmt.Sprint(feed, world), func(t *testing.T) {
				at(t, func(d *toolEnv) { d.follow(rand.New(rand.NewPCG(7, uint64(world))), feed) })
			})
		}
	}
}

// follow makes random changes, and follows them.
func (d *toolEnv) follow(random *rand.Rand, feed bool) {
	if !feed {
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/events", Status: http.StatusForbidden, Body: `{"error":"Forbidden"}`})
	}
	cursor := d.changes(args{"since": "now"}).Cursor
	done := d.poll("basecamp.todo.completed", "", nil).Result.Cursor
	titles, completed, seen := map[string]string{}, map[string]bool{}, map[string]int{}
	wantTitle, wantDone := map[string]string{}, map[string]bool{}
	board := d.sandbox.ToolID(launchProject, "message_board")
	todos := d.sandbox.OpenTodos(launchProject)
	documents := []int64{d.sandbox.Find("Document", "Assembly handbook"), d.sandbox.FindIn(launchProject, "Document", "Three sentences")}
	for step := range 40 {
		todo := todos[random.IntN(len(todos))]
		switch random.IntN(5) {
		case 0:
			if ref := fmt.Sprint("todo:", todo); !wantDone[ref] {
				d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", todo), "")
				wantDone[ref] = true
			}
		case 1:
			title := fmt.Sprint("To-do of step ", step)
			d.meanwhile("PUT", fmt.Sprintf("/todos/%d.json", todo), fmt.Sprintf(`{"content":%q}`, title))
			wantTitle[fmt.Sprint("todo:", todo)] = title
		case 2:
			d.meanwhile("POST", fmt.Sprintf("/message_boards/%d/messages.json", board), fmt.Sprintf(`{"subject":"Post %d","content":"x","status":"active"}`, step))
			wantTitle[fmt.Sprint("post ", step)] = fmt.Sprint("Post ", step)
		case 3:
			document := documents[random.IntN(len(documents))]
			title := fmt.Sprint("Document of step ", step)
			d.meanwhile("PUT", fmt.Sprintf("/documents/%d.json", document), fmt.Sprintf(`{"title":%q,"content":"x"}`, title))
			wantTitle[fmt.Sprint("document:", document)] = title
		}
		time.Sleep(time.Duration(random.IntN(200)) * time.Second)
		if random.IntN(3) == 0 {
			cursor, done = d.catchUp(cursor, done, titles, completed, seen)
		}
	}
	time.Sleep(listsLate)
	cursor, _ = d.catchUp(cursor, done, titles, completed, seen)
	for ref, title := range wantTitle {
		if strings.HasPrefix(ref, "post ") {
			if seen[title] != 1 {
				d.Errorf("%s was told %d times", title, seen[title])
			}
		} else if titles[ref] != title {
			d.Errorf("%s is called %q, want %q", ref, titles[ref], title)
		}
	}
	for ref := range wantDone {
		if !completed[ref] || seen["done "+ref] != 1 {
			d.Errorf("%s: known %v, polled %d times", ref, completed[ref], seen["done "+ref])
		}
	}
	if items, _ := d.told(cursor); items != nil {
		d.Errorf("again: %v", items)
	}
}

// catchUp follows the changes by both ways.
func (d *toolEnv) catchUp(cursor, done string, titles map[string]string, completed map[string]bool, seen map[string]int) (string, string) {
	items, cursor := d.told(cursor)
	for _, item := range items {
		titles[item.Item] = item.Title
		if strings.Contains(item.What, "completed") || item.Completed {
			completed[item.Item] = true
		}
		if strings.Contains(item.What, "created") {
			seen[item.Title]++
		}
	}
	for {
		p := d.poll("basecamp.todo.completed", done, nil)
		if p.Error.Code != 0 {
			d.Fatalf("%+v", p.Error)
		}
		for _, e := range p.Result.Events {
			seen["done "+e.Data.Item]++
		}
		if done = p.Result.Cursor; !p.Result.HasMore {
			return cursor, done
		}
	}
}
