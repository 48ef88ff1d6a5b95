package basecamptools

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptest"
)

func (d *toolEnv) changes(in args) changesAnswer {
	d.Helper()
	return call[changesAnswer](d, "get_changes", in)
}

// told goes on with a cursor until a call has no more. It returns the answers' items, and the last
// cursor.
func (d *toolEnv) told(cursor string) (items []itemNews, end string) {
	d.Helper()
	for range 2000 {
		var a changesAnswer
		if n := len(d.asked(func() { a = d.changes(args{"cursor": cursor}) })); n > mostChangeRequests {
			d.Errorf("a call sent %d requests", n)
		}
		for _, p := range a.Projects {
			items = append(items, p.Items...)
		}
		if cursor = a.Cursor; !a.HasMore {
			return items, cursor
		}
	}
	d.Fatal("no end of the changes")
	return nil, ""
}

// timesOf returns how often something happened, by what it is: "renamed 3 times" counts 3.
func timesOf(items []itemNews) map[string]int {
	counts := map[string]int{}
	for _, item := range items {
		for said := range strings.SplitSeq(item.What, ", ") {
			what, n := said, 1
			if i := strings.LastIndexByte(strings.TrimSuffix(said, " times"), ' '); strings.HasSuffix(said, " times") {
				what = said[:i]
				_, _ = fmt.Sscan(said[i:], &n)
			}
			counts[what] += n
		}
	}
	return counts
}

const (
	feedLate  = 31 * time.Second // after that, the feed has an event
	listsLate = 11 * time.Minute // after that, the lists are read again
)

// broken calls a server that ends at the n-th request to Basecamp.
type broken struct {
	http.RoundTripper
	left int
	end  context.CancelFunc
}

func (b *broken) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.left--; b.left == 0 && b.end != nil {
		b.end()
		return nil, context.Canceled
	}
	return b.RoundTripper.RoundTrip(r)
}

// crashes makes a call end at each of its requests, and then lets it succeed.
func (d *toolEnv) crashes(b *broken, in args) changesAnswer {
	d.Helper()
	for n := 1; ; n++ {
		var ctx context.Context
		ctx, b.end = context.WithCancel(context.Background())
		b.left = n
		mcptest.Post(ctx, d.handler(), d.who, mcptest.Message("tools/call", mcptest.ToolCall(d, "get_changes", in)), nil)
		whole := b.left > 0
		b.end()
		if synctest.Wait(); whole {
			break
		}
	}
	b.left, b.end = 0, nil
	return d.changes(in)
}

// A feed of 100,000 events: each change is told once, also with a server that ends at every read,
// in a feed that repeats events, and with transactions that commit late.
func TestGetChanges_TellsEachChangeOnce(t *testing.T) {
	total := 100_000
	if testing.Short() {
		total = 5_000
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b *broken
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper {
			b = &broken{RoundTripper: next}
			return b
		})
		cursor := d.changes(args{"since": "now", "kinds": []string{"todo"}, "project": launchProject}).Cursor
		d.sandbox.SetFeed(sandbox.Feed{Late: 20 * time.Second})
		d.sandbox.Busy(launchProject, total/2, 70)
		d.sandbox.SetFeed(sandbox.Feed{Twice: true})
		d.sandbox.Busy(launchProject, total/2, 70)
		time.Sleep(feedLate)
		calls, got := 0, 0
		for {
			in := args{"cursor": cursor}
			var a changesAnswer
			if calls%50 == 0 {
				a = d.crashes(b, in)
			} else {
				a = d.changes(in)
			}
			calls++
			for _, p := range a.Projects {
				got += timesOf(p.Items)["renamed"]
			}
			if cursor = a.Cursor; !a.HasMore {
				break
			}
		}
		if got != total {
			t.Errorf("told %d changes of %d in %d calls", got, total, calls)
		}
		t.Logf("%d calls", calls)
		if items, _ := d.told(cursor); items != nil {
			t.Errorf("told again: %v", items)
		}
	})
}

// What the feed refuses or loses, the lists say: each item is told in its newest state.
func TestGetChanges_GoesOnAfterARefusalOfTheFeed(t *testing.T) {
	refuse := func(status int, body string) func(*toolEnv) {
		return func(d *toolEnv) {
			d.sandbox.Inject(sandbox.Fault{PathPrefix: "/events", Times: 1, Status: status, Body: body})
		}
	}
	for name, happens := range map[string]func(*toolEnv){
		"409":              refuse(http.StatusConflict, `{"error":"x","position_digest":"a","filters_digest":"b"}`),
		"invalid_position": refuse(http.StatusBadRequest, `{"error":"x","reason":"invalid_position"}`),
		"invalid_filter":   refuse(http.StatusBadRequest, `{"error":"x","reason":"invalid_filter"}`),
		"raised epoch":     func(d *toolEnv) { d.sandbox.RaiseEpoch(0) },
		"403":              refuse(http.StatusForbidden, `{"error":"Forbidden"}`),
		"404":              refuse(http.StatusNotFound, `{"error":"Not Found"}`),
	} {
		for _, known := range []bool{true, false} { // whether the connection has seen an event
			t.Run(fmt.Sprint(name, " ", known), func(t *testing.T) {
				at(t, func(d *toolEnv) {
					cursor := d.changes(args{"since": "now", "kinds": []string{"todo", "comment"}}).Cursor
					first, second := d.sandbox.Find("Todo", "Print the serial number plates"), d.sandbox.Find("Todo", "Get the declaration of conformity signed")
					if known {
						d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", second), "")
						time.Sleep(feedLate)
						var items []itemNews
						if items, cursor = d.told(cursor); len(items) != 1 {
							t.Errorf("before: %v", items)
						}
					}
					d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", first), "")
					time.Sleep(time.Hour)
					happens(d)
					items, end := d.told(cursor)
					if len(items) != 1 || items[0].Item != fmt.Sprint("todo:", first) || items[0].What != "completed" {
						t.Errorf("after: %v", items)
					}
					if items, _ := d.told(end); items != nil {
						t.Errorf("again: %v", items)
					}
				})
			})
		}
	}
}

func TestGetChanges_RefusesWhatItCannotGoOnWith(t *testing.T) {
	at(t, func(d *toolEnv) {
		cursor := d.changes(args{"project": launchProject, "mine": true}).Cursor
		for _, in := range []args{
			{"cursor": "x"}, {"cursor": cursor[:len(cursor)-2]}, {"cursor": strings.ToLower(cursor)}, {"cursor": cursor, "since": "yesterday"},
			{"cursor": cursor, "project": "Company HQ"}, {"cursor": cursor, "kinds": []string{"todo"}}, {"cursor": cursor, "exclude_person": true},
			{"since": "2031-01-01"}, {"kinds": []string{}}, {"kinds": []string{"todos"}},
		} {
			d.fails(fault.InvalidInput, "get_changes", in)
		}
		for _, change := range []func(*toolEnv){
			func(d *toolEnv) { d.who.Account = 7 }, func(d *toolEnv) { d.who.Key = []byte("another connection") },
		} {
			other := *d
			change(&other)
			other.fails(fault.InvalidInput, "get_changes", args{"cursor": cursor}, "another person, account or connection", "since")
		}
		d.as("Priya Raman").fails(fault.InvalidInput, "get_changes", args{"cursor": cursor}, "another person")
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/events", Times: 1, Status: http.StatusBadRequest, Body: `{"error":"x"}`})
		if f := d.fails(fault.UpstreamError, "get_changes", args{"cursor": cursor}); f.Retryable {
			t.Error("a request that Basecamp did not understand is to be sent again")
		}
		d.changes(args{"cursor": cursor})
		time.Sleep(changeCursorLife + time.Minute)
		d.fails(fault.InvalidInput, "get_changes", args{"cursor": cursor}, "older than 30 days", "since")
	})
}

func TestGetChanges_CostsLittle(t *testing.T) {
	at(t, func(d *toolEnv) {
		cursor := d.changes(args{}).Cursor
		if asked := d.asked(func() { d.changes(args{"cursor": cursor}) }); len(asked) != 1 {
			t.Errorf("nothing new: %v", asked)
		}
		_, cursor = d.told(cursor)
		d.aDay()
		var text string
		asked := d.asked(func() { text, _ = d.raw("get_changes", args{"cursor": cursor}) })
		answer := d.changes(args{"cursor": cursor})
		var items []itemNews
		for _, p := range answer.Projects {
			items = append(items, p.Items...)
		}
		changes := 0
		for _, n := range timesOf(items) {
			changes += n
		}
		t.Logf("%d requests, %d items, %d changes, %d bytes\n%s", len(asked), len(items), changes, len(text), text)
		if len(asked) > mostChangeRequests || len(items) != 25 || changes != 40 || len(text) > 7_000 {
			t.Errorf("%d requests, %d items, %d changes, %d bytes", len(asked), len(items), changes, len(text))
		}
	})
}

// aDay makes 40 changes of 25 items in a day.
func (d *toolEnv) aDay() {
	todos := d.sandbox.OpenTodos(launchProject)
	for i, id := range todos[:20] {
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", id), `{"content":"<div>The second sample is here, and it fits.</div>"}`)
		if i < 15 {
			d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", id), "")
		}
		time.Sleep(time.Hour)
	}
	board := d.sandbox.ToolID(launchProject, "message_board")
	for range 5 {
		d.meanwhile("POST", fmt.Sprintf("/message_boards/%d/messages.json", board), `{"subject":"What we saw today","content":"<div>Two frames passed the test.</div>","status":"active"}`)
		time.Sleep(time.Minute)
	}
}

func TestGetChanges_SaysThatGitHubIsNotConfigured(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := d.changes(args{"since": "now", "sources": []string{"github"}})
		if len(got.LeftOut) != 1 || !strings.Contains(got.LeftOut[0], "has not configured GitHub") || got.Cursor == "" {
			d.Errorf("got %+v", got)
		}
	})
}

// A client that follows the changes of random worlds knows in the end what a fresh reading of
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
			cursor = d.catchUp(cursor, titles, completed, seen)
		}
	}
	time.Sleep(listsLate)
	cursor = d.catchUp(cursor, titles, completed, seen)
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
		if !completed[ref] {
			d.Errorf("%s is not known to be completed", ref)
		}
	}
	if items, _ := d.told(cursor); items != nil {
		d.Errorf("again: %v", items)
	}
}

// catchUp notes what changed since a cursor, and returns the last one.
func (d *toolEnv) catchUp(cursor string, titles map[string]string, completed map[string]bool, seen map[string]int) string {
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
	return cursor
}
