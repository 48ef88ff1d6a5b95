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

	"basecamp-mcp/internal/basecamp/basecamptools/changes"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
)

func (d *toolEnv) changes(in args) changes.Answer {
	d.Helper()
	return call[changes.Answer](d, "get_changes", in)
}

// told goes on with a cursor until a call has no more. It returns the answers' items, and the last
// cursor.
func (d *toolEnv) told(cursor string) (items []changes.ItemNews, end string) {
	d.Helper()
	for range 2000 {
		var a changes.Answer
		if n := len(d.asked(func() { a = d.changes(args{"cursor": cursor}) })); n > changes.MostRequests {
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
func timesOf(items []changes.ItemNews) map[string]int {
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

const listsLate = 11 * time.Minute // after that, the lists are read again

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
func (d *toolEnv) crashes(b *broken, in args) changes.Answer {
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

// A week of changes is told once, item by item, also with a server that ends at every read.
func TestGetChanges_TellsEachItemOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b *broken
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper {
			b = &broken{RoundTripper: next}
			return b
		})
		cursor := d.changes(args{"since": "now", "kinds": []string{"todo"}, "project": launchProject}).Cursor
		d.sandbox.Busy(launchProject, 5_000, 70)
		time.Sleep(listsLate)
		told, want := map[string]int{}, 72 // of them, 70 changes each
		for calls, more := 0, true; more; calls++ {
			a := d.crashes(b, args{"cursor": cursor})
			for _, p := range a.Projects {
				for _, item := range p.Items {
					told[item.Item]++
				}
			}
			cursor, more = a.Cursor, a.HasMore
		}
		for item, n := range told {
			if n != 1 {
				t.Errorf("%s was told %d times", item, n)
			}
		}
		if len(told) != want {
			t.Errorf("told %d items of %d", len(told), want)
		}
		if items, _ := d.told(cursor); items != nil {
			t.Errorf("told again: %v", items)
		}
	})
}

func TestGetChanges_RefusesWhatItCannotGoOnWith(t *testing.T) {
	at(t, func(d *toolEnv) {
		cursor := d.changes(args{"project": launchProject, "mine": true}).Cursor
		for _, in := range []args{
			{"cursor": "x"}, {"cursor": cursor[:len(cursor)-2]}, {"cursor": strings.ToLower(cursor)}, {"cursor": cursor, "since": "yesterday"},
			{"cursor": cursor, "project": "Company HQ"}, {"cursor": cursor, "kinds": []string{"todo"}}, {"cursor": cursor, "exclude_person": true},
			{"since": "2031-01-01"}, {"kinds": []string{"todos"}},
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
		d.changes(args{"cursor": cursor})
		time.Sleep(changes.CursorLife + time.Minute)
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
		var items []changes.ItemNews
		for _, p := range answer.Projects {
			items = append(items, p.Items...)
		}
		writesIn := 0
		for _, n := range timesOf(items) {
			writesIn += n
		}
		t.Logf("%d requests, %d items, %d changes, %d bytes\n%s", len(asked), len(items), writesIn, len(text), text)
		if len(asked) > changes.MostRequests || len(items) != 25 || writesIn != 40 || len(text) > 7_000 {
			t.Errorf("%d requests, %d items, %d changes, %d bytes", len(asked), len(items), writesIn, len(text))
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
// Basecamp says.
func TestGetChanges_AgreesWithAFreshReading(t *testing.T) {
	worlds := 6
	if testing.Short() {
		worlds = 2
	}
	for world := range worlds {
		t.Run(fmt.Sprint(world), func(t *testing.T) {
			at(t, func(d *toolEnv) { d.follow(rand.New(rand.NewPCG(7, uint64(world)))) })
		})
	}
}

// follow makes random changes, and follows them.
func (d *toolEnv) follow(random *rand.Rand) {
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
