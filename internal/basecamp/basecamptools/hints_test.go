package basecamptools

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
	requests "basecamp-mcp/internal/wire/upstream"
)

// What an earlier call learned only says what to ask for: the answer is always of now.
func TestHints_DoNotMakeAnAnswerOld(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Todo", "Print the serial number plates")
		before := call[todos.Todo](d, "get_todo", args{"todo_id": id})
		other := d.sandbox.FindIn(launch, "Todolist", "Test rides")
		d.meanwhile(http.MethodPut, fmt.Sprintf("/todos/%d/position.json", id), fmt.Sprintf(`{"position":1,"parent_id":%d}`, other))
		if after := call[todos.Todo](d, "get_todo", args{"todo_id": id}); after.List == nil || after.List.ID != other || before.List.ID == other {
			d.Errorf("the to-do was in %+v, is in %+v, want %d", before.List, after.List, other)
		}
		frame := args{"project": launch, "board": frame}
		shown := call[work.Board](d, "get_board", frame)
		var full []int // columns with cards
		for i, c := range shown.Columns {
			if len(c.Cards) > 0 {
				full = append(full, i)
			}
		}
		from, into := full[0], full[1]
		moved, to := shown.Columns[from].Cards[0].ID, shown.Columns[into].ID
		d.meanwhile(http.MethodPost, fmt.Sprintf("/card_tables/cards/%d/moves.json", moved), fmt.Sprintf(`{"column_id":%d,"position":1}`, to))
		now := call[work.Board](d, "get_board", frame)
		if cards := now.Columns[into].Cards; len(cards) == 0 || cards[0].ID != moved || slices.ContainsFunc(now.Columns[from].Cards, func(c work.CardItem) bool { return c.ID == moved }) {
			d.Errorf("card %d is not in column %d: %+v", moved, to, now.Columns)
		}
	})
}

// Otherwise the read that the call certainly needs waits behind all of them, for its slots and for
// the rate.
func TestExpectHinted_StartsOnlyAFewReads(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := newResolver(d.client, time.Now), identity.With(d.Context(), d.who)
		wide := work.CardsHint(7, "")
		many := make([]int64, 60)
		for i := range many {
			many[i] = int64(i + 1)
		}
		rs.Learn(ctx, wide, many...)
		var started atomic.Int64
		lookup.ExpectHinted(ctx, rs.Resolver, wide, func(_ context.Context, id int64) (int64, error) { return started.Add(1), nil })
		synctest.Wait()
		if started.Load() != 10 {
			d.Errorf("%d reads were started", started.Load())
		}
	})
}

func TestHints_AreKnownOnlyToTheirUserInTheirAccount(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, known := newResolver(d.client, time.Now), work.CardsHint(7, "")
		rs.Learn(identity.With(d.Context(), d.who), known, 5)
		if ids := rs.Hinted(identity.With(d.Context(), d.who), known); !slices.Equal(ids, []int64{5}) {
			d.Errorf("the user is hinted at %v", ids)
		}
		if ids := rs.Hinted(identity.With(d.Context(), d.as("Priya Raman").who), known); ids != nil {
			d.Errorf("another user is hinted at %v", ids)
		}
		credential := d.tokens[d.who.Subject]
		credential.Account = d.sandbox.OtherAccount()
		d.tokens[d.who.Subject] = credential
		if ids := rs.Hinted(identity.With(d.Context(), d.who), known); ids != nil {
			d.Errorf("in another account, the user is hinted at %v", ids)
		}
	})
}

// A read that was started before it was known to be needed fails without a trace.
func TestAhead_ItsFailureDoesNotMatterIfItWasNotNeeded(t *testing.T) {
	for name, f := range map[string]sandbox.Fault{"404": {Status: 404}, "500": {Status: 500}, "401": {Status: 401}, "hanging": {Hang: true}} {
		at(t, func(d *toolEnv) {
			f.PathPrefix = "/recordings/"
			d.sandbox.Inject(f)
			id := d.sandbox.FindIn(launch, "Todo", "Print the serial number plates") // it has no comments
			if got := call[todos.Todo](d, "get_todo", args{"todo_id": id}); got.Title == "" || len(got.LeftOut) > 0 {
				d.Errorf("%s: got %+v", name, got)
			}
			d.fails(fault.NotFound, "get_message", args{"message_id": 1}, "message 1")
		})
	}
}

// lingering is a transport whose requests take time to end after they were cancelled.
type lingering struct {
	http.RoundTripper
	running, ended *atomic.Int64
}

func (l lingering) RoundTrip(r *http.Request) (*http.Response, error) {
	l.running.Add(1)
	defer l.running.Add(-1)
	response, err := l.RoundTripper.RoundTrip(r)
	if err != nil {
		l.ended.Add(1)
		time.Sleep(time.Second)
	}
	return response, err
}

// A function on Lambda is frozen once it has answered, and its requests with it. What was cancelled
// leaves no trace: not in later answers, and not in the log.
func TestAhead_ACallEndsAfterItsEarlyReads(t *testing.T) {
	at(t, func(d *toolEnv) {
		var log strings.Builder
		transport := lingering{d.sandbox.Transport(), new(atomic.Int64), new(atomic.Int64)}
		client, err := basecamp.New(basecamp.Config{BaseURL: sandbox.BaseURL, UserAgent: "test (test@fernhill.example)", Transport: transport, Tokens: d.Credential})
		if err != nil {
			d.Fatal(err)
		}
		d.server = mcptool.NewServer(New(client, nil, nil).Toolsets(), mcptool.Options{
			Name: "test", Version: "1", Log: slog.New(slog.NewJSONHandler(&log, nil)), Meter: requests.Meter, Waited: requests.Waited,
		})
		quiet := d.sandbox.FindIn(launch, "Todo", "Print the serial number plates") // it has no comments
		busy := d.sandbox.FindIn(launch, "Kanban::Card", weldPass)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/recordings/", Hang: true})
		call[todos.Todo](d, "get_todo", args{"todo_id": quiet})
		d.fails(fault.NotFound, "get_message", args{"message_id": 1}, "message 1")
		d.fails(fault.NotFound, "get_item", args{"card": 1}, "card 1")
		if transport.running.Load() > 0 || transport.ended.Load() < 3 {
			d.Errorf("%d requests are still running, %d were cancelled", transport.running.Load(), transport.ended.Load())
		}
		if lines := log.String(); strings.Count(lines, `"outcome":"ok"`) != 1 || strings.Count(lines, `"outcome":"NOT_FOUND"`) != 2 || strings.Contains(lines, "UPSTREAM_ERROR") {
			d.Errorf("the log says %s", lines)
		}
		d.sandbox.ClearFaults()
		start := time.Now()
		if shown := readCard(d, args{"card": busy}); len(shown.Comments) == 0 || len(shown.LeftOut) > 0 || shown.LastMove == nil {
			d.Errorf("the card has %d comments, without %v", len(shown.Comments), shown.LeftOut)
		}
		if waited := time.Since(start); waited > time.Second { // for the rate of requests
			d.Errorf("the next call waited for %v", waited)
		}
	})
}

// The list of a to-do is read with the to-do if any earlier answer has named it.
func TestGetTodo_AfterAnyListTakesOneRound(t *testing.T) {
	const title = "Print the serial number plates"
	for tool, in := range map[string]args{
		"list_todos":   {"project_id": launch, "todolist_id": "Launch checklist", "limit": 100},
		"list_work":    {"project": launch, "kind": "todo", "limit": 100},
		"get_my_work":  {"limit": 100},
		"search":       {"query": title},
		"create_todos": {"project": launch, "list": "Launch checklist", "todos": []args{{"content": "Order labels"}}},
	} {
		unlimited(t, func(d *toolEnv) {
			shown, isError := d.raw(tool, in)
			if isError {
				t.Fatalf("%s: %s", tool, shown)
			}
			id := d.sandbox.FindIn(launch, "Todo", title)
			switch {
			case tool == "create_todos":
				id = d.sandbox.FindIn(launch, "Todo", "Order labels")
			case tool == "get_my_work":
				id = ofType(t, shown, `"list":`)
			case !strings.Contains(shown, fmt.Sprint(id)):
				t.Fatalf("%s does not show %d: %.2000s", tool, id, shown)
			}
			if made, requests := d.chain("get_todo", args{"todo_id": id}); made.length != 1 {
				t.Errorf("after %s, a chain of %d: %s", tool, made.length, strings.Join(requests, "; "))
			}
		})
	}
}

// ofType returns the ID of the first item of an answer about the caller's work that has a field.
func ofType(t *testing.T, shown, field string) int64 {
	t.Helper()
	for part := range strings.SplitSeq(shown, `{"id":`) {
		digits, _, _ := strings.Cut(part, ",")
		if id, err := strconv.ParseInt(digits, 10, 64); err == nil && strings.Contains(part, field) && strings.Contains(part, `"type":"todo"`) {
			return id
		}
	}
	t.Fatalf("no item with %s: %.2000s", field, shown)
	return 0
}

// A list of projects says which tools they have.
func TestGetBoard_AfterTheListOfProjectsNeedsNoProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[any](d, "list_projects", args{"limit": 100})
		for _, request := range d.asked(func() { call[work.Board](d, "get_board", args{"project": d.sandbox.ProjectID(launch), "board": frame}) }) {
			if strings.Contains(request, "/projects") {
				d.Errorf("sent %s", request)
			}
		}
	})
}

// The days that are asked for before the time zone is known contain those of every time zone.
func TestAnywhere_ContainsTheWindowOfEveryTimeZone(t *testing.T) {
	for hour := range 24 {
		now := time.Date(2026, 3, 28, hour, 30, 0, 0, time.UTC)
		rs := newResolver(nil, func() time.Time { return now })
		for _, in := range []struct{ from, to string }{{"", ""}, {"2026-03-01", ""}, {"", "2026-05-01"}, {"2026-03-01", "2026-03-01"}} {
			wide, ok := rs.Calendar.Anywhere(in.from, in.to, calendar.UsualDays)
			if !ok {
				t.Fatalf("%+v: no window", in)
			}
			for _, zone := range []string{"Etc/GMT+12", "Pacific/Honolulu", "America/New_York", "UTC", "Europe/Berlin", "Asia/Kolkata", "Pacific/Kiritimati"} {
				where, err := time.LoadLocation(zone)
				if err != nil {
					t.Fatal(err)
				}
				exact := func(text string, otherwise time.Time) string {
					if text != "" {
						return text
					}
					return otherwise.Format(time.DateOnly)
				}
				from := exact(in.from, now.In(where))
				first, _ := time.Parse(time.DateOnly, from)
				to := exact(in.to, first.AddDate(0, 0, calendar.UsualDays))
				if wide.From.Format(time.DateOnly) > from || wide.To.AddDate(0, 0, -1).Format(time.DateOnly) < to {
					t.Errorf("%v %+v in %s: %s to %s is not within %v", now, in, zone, from, to, wide)
				}
			}
		}
		for _, in := range []struct{ from, to string }{{"friday", ""}, {"", "in 2 weeks"}, {"2026-03-02", "2026-03-01"}, {"2026-03-02", "2029-03-01"}, {"2026-03-02T10:00", ""}} {
			if wide, ok := rs.Calendar.Anywhere(in.from, in.to, calendar.UsualDays); ok {
				t.Errorf("%+v: %v", in, wide)
			}
		}
	}
}
