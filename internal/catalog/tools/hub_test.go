package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp"
	basecampsandbox "basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/github"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/wire/upstream"

	"github.com/google/jsonschema-go/jsonschema"
)

// world is Ines Albrecht with all toolsets, a Basecamp and a GitHub.
type world struct {
	mcptest.Client
	basecamp *basecampsandbox.Sandbox
	github   *githubsandbox.Server
	tasks    *task.Tasks
	silent   map[string]bool // hosts that do not answer
	unlinked bool            // whether GitHub is not linked
	fails    func() *http.Response
	delay    time.Duration // of each answer
	cut      *cutting      // nil: the process lives
	mu       sync.Mutex
	sent     []string
}

// outputs returns the tools' schemas of answers, and which tools are lists.
func outputs(tools []mcptool.Tool) (schemas map[string]*jsonschema.Resolved, lists map[string]bool) {
	schemas, lists = map[string]*jsonschema.Resolved{}, map[string]bool{}
	for _, tool := range tools {
		schemas[tool.Name], lists[tool.Name] = mcptest.Schema(tool.OutputSchema()), mcptest.IsList(tool.InputSchema())
	}
	return schemas, lists
}

// inWorld runs a test on a fake clock.
func inWorld(t *testing.T, work func(w *world)) {
	t.Helper()
	schemas, lists := outputs(catalog())
	delete(lists, "get_activity") // has shapes of its own
	synctest.Test(t, func(t *testing.T) {
		w := &world{silent: map[string]bool{}}
		told := func(problem string) { t.Errorf("undocumented: %s", problem) }
		w.basecamp = basecampsandbox.New(basecampsandbox.Options{Undocumented: told})
		w.github = githubsandbox.New(githubsandbox.Options{Undocumented: told})
		w.tasks = task.New(memory.New(nil), nil)
		bc, gh := clients(t, basecamp.Config{Transport: w.through(w.basecamp.Transport()), Tokens: basecampTokens{w}.Credential},
			github.Config{Transport: w.through(w.github.Transport()), Tokens: githubTokens{w}.Credential})
		sources := Sources{Basecamp: bc, GitHub: gh, Lists: checklist.New(memory.New(nil), nil), Tasks: w.tasks, Links: hub.New(cutLinks{memory.New(nil), w}, nil), Connections: func(context.Context) (Connections, error) {
			return Connections{Upstreams: []UpstreamConnection{{Provider: "GitHub", ReconnectURL: "https://fernhill.example/link"}}}, nil
		}}
		server := mcptool.NewServer(Catalog(sources), mcptool.Options{
			Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler), Meter: upstream.Meter,
			Calls: calls.New(memory.New(nil), slog.New(slog.DiscardHandler), nil), Restorers: sources.Restorers(),
		})
		w.Client = mcptest.Client{
			TB: t, Handler: server.Handler(mcptool.Selection{Toolsets: []string{"basecamp", "github", Tasks, Todolist, Hub}}), Schemas: schemas, Lists: lists,
			Caller: identity.Caller{Subject: "Ines Albrecht", Connection: "laptop", Session: "s1", Scopes: identity.AllScopes()},
		}
		work(w)
	})
}

// clients returns clients of the two sandboxes.
func clients(t testing.TB, ofBasecamp basecamp.Config, ofGitHub github.Config) (*basecamp.Client, *github.Client) {
	ofBasecamp.BaseURL, ofBasecamp.UserAgent, ofBasecamp.Outside = basecampsandbox.BaseURL, "test (a@fernhill.example)", ofBasecamp.Transport
	ofGitHub.APIURL, ofGitHub.WebURL, ofGitHub.UserAgent, ofGitHub.Unlimited = githubsandbox.APIURL, githubsandbox.URL, ofBasecamp.UserAgent, true
	company, err := basecamp.New(ofBasecamp)
	code, failed := github.New(ofGitHub)
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	return company, code
}

// linking returns links that are kept in memory.
func linking() *hub.Hub { return hub.New(memory.New(nil), nil) }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// through notes requests, and lets those to silent hosts hang.
func (w *world) through(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		for part := range w.silent {
			if strings.Contains(r.URL.String(), part) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
		}
		write := isWrite(r)
		if write && w.cut.next() {
			return nil, errDown
		}
		time.Sleep(w.delay) // synctest's clock
		w.mu.Lock()
		w.sent = append(w.sent, r.Method+" "+r.URL.Path)
		w.mu.Unlock()
		if w.fails != nil {
			answer := w.fails()
			if answer == nil {
				return nil, errDown
			}
			answer.Request = r
			return answer, nil
		}
		answer, err := next.RoundTrip(r)
		if write && w.cut.next() {
			return nil, errDown
		}
		return answer, err
	})
}

// isWrite reports whether a request changes something.
func isWrite(r *http.Request) bool {
	if r.Method == http.MethodGet || r.GetBody == nil || !strings.HasSuffix(r.URL.Path, "/graphql") {
		return r.Method != http.MethodGet
	}
	body, _ := r.GetBody()
	text, _ := io.ReadAll(body)
	return strings.Contains(string(text), "mutation")
}

// cutting kills the process before or after one of its writes: nothing that it does later arrives.
type cutting struct {
	mu   sync.Mutex
	left int
}

// next reports whether the process is dead at this point.
func (c *cutting) next() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left--
	return c.left < 0
}

// cutLinks is a store of links whose writes are cut.
type cutLinks struct {
	hub.Store
	w *world
}

func (s cutLinks) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	if s.w.cut.next() {
		return errDown
	}
	if err := s.Store.SaveHub(ctx, subject, rows...); err != nil || !s.w.cut.next() {
		return err
	}
	return errDown
}

type basecampTokens struct{ w *world }

func (c basecampTokens) Credential(ctx context.Context, _ string) (basecamp.Credential, error) {
	caller, _ := identity.From(ctx)
	return basecamp.Credential{AccessToken: c.w.basecamp.IssueToken(c.w.basecamp.Person(caller.Subject).ID), Account: c.w.basecamp.Account(), Person: caller.Subject}, nil
}

type githubTokens struct{ w *world }

func (c githubTokens) Credential(ctx context.Context, _ string) (github.Credential, error) {
	caller, _ := identity.From(ctx)
	if c.w.unlinked {
		f := fault.New(fault.NotLinked, "link GitHub")
		f.Link = &fault.Link{Provider: "github", Reason: fault.NeverLinked}
		return github.Credential{}, f
	}
	login := strings.ToLower(strings.NewReplacer("van der Meer", "vdmeer", " ", "-").Replace(caller.Subject))
	return github.Credential{AccessToken: c.w.github.Person(login).Token, Person: login, Login: login, Scope: "repo project read:org"}, nil
}

func call[T any](w *world, tool string, arguments input) T {
	w.Helper()
	return mcptest.Call[T](w.Client, tool, arguments)
}

const (
	hubTodo  = "Book the photographer for the launch pictures"
	hubIssue = "fernhill-bikes/configurator#1"
)

func (w *world) todo() string { return fmt.Sprint("todo:", w.basecamp.Find("Todo", hubTodo)) }

func (w *world) task(title string) string {
	w.Helper()
	return "task:" + call[personalTask](w, "add_task", input{"title": title}).ID
}

func (w *world) link(a, b string, more ...any) linkAnswer {
	w.Helper()
	in := input{"a": a, "b": b}
	for i := 0; i < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	return call[linkAnswer](w, "link", in)
}

func TestLink_LinksWhatIsNamedInAnyWay(t *testing.T) {
	inWorld(t, func(w *world) {
		mine, todo := w.task("Photos"), w.todo()
		for _, x := range []struct {
			a, b    string
			more    []any
			linked  bool
			changed bool
		}{
			{"Photos", hubTodo, nil, true, true},
			{todo, mine, nil, true, false},
			{mine, todo, []any{"follow", false}, true, true},
			{mine, hubIssue, nil, true, true},
			{githubsandbox.URL + "/" + strings.Replace(hubIssue, "#", "/issues/", 1), todo, nil, true, true},
			{mine, hubIssue, []any{"remove", true}, false, true},
			{hubIssue, mine, []any{"remove", true}, false, false},
		} {
			got := w.link(x.a, x.b, x.more...)
			if got.Linked != x.linked || got.Changed != x.changed || got.A.Title == "" || got.A.State != hub.Open || (got.Note != "") != (!x.changed && !x.linked) {
				t.Errorf("%s and %s: %+v", x.a, x.b, got)
			}
		}
	})
}

func TestLink_NamesWhatIsWrong(t *testing.T) {
	inWorld(t, func(w *world) {
		mine := w.task("Photos")
		for _, x := range []struct {
			in    input
			code  fault.Code
			words string
		}{
			{input{"a": mine, "b": mine}, fault.InvalidInput, "b: is the same thing"},
			{input{"a": mine, "b": "todo:17"}, fault.NotFound, ""},
			{input{"a": mine, "b": "fernhill-bikes/configurator#99999"}, fault.NotFound, ""},
			{input{"a": mine, "b": "Nothing of this kind"}, fault.NotFound, "b: "},
			{input{"a": "task:" + noTask, "b": mine}, fault.NotFound, "a: must be the id of a task"},
			{input{"a": mine, "b": "comment:17"}, fault.InvalidInput, "b: must be of type"},
		} {
			w.Fails(x.code, "link", x.in, x.words)
		}
		w.task(hubTodo)
		w.Fails(fault.Ambiguous, "link", input{"a": mine, "b": hubTodo}, "several things have the title")
		for i := range 5 {
			w.link(mine, w.task(fmt.Sprint("Copy ", i)))
		}
		w.Fails(fault.LimitReached, "link", input{"a": mine, "b": w.todo()}, "has 5 links")
		w.unlinked = true
		w.Fails(fault.NotLinked, "link", input{"a": mine, "b": hubIssue}, "link GitHub")
	})
}

func TestLink_OfAnotherPersonIsNotSeen(t *testing.T) {
	inWorld(t, func(w *world) {
		mine := w.task("Photos")
		w.link(mine, w.todo())
		call[map[string]any](w, "set_completed", input{"item": w.todo(), "completed": true})
		other := &world{Client: w.Client}
		other.Caller.Subject = "Priya Raman"
		hers := other.task("Photos")
		if page := call[taskPage](other, "list_tasks", nil); page.Total != 1 || page.Tasks[0].Completed {
			t.Errorf("%+v", page)
		}
		other.Fails(fault.NotFound, "link", input{"a": mine, "b": hers}, "")
	})
}

func TestTasks_AreDoneWhenWhatTheyFollowIs(t *testing.T) {
	inWorld(t, func(w *world) {
		follows, alone, other := w.task("Follows"), w.task("Alone"), w.task("Other")
		w.link(follows, w.todo())
		w.link(alone, w.todo(), "follow", false)
		want := func(when string, done ...string) {
			t.Helper()
			for _, status := range []string{"all", "pending", "completed"} {
				page := call[taskPage](w, "list_tasks", input{"status": status})
				count := map[string]int{"all": 3, "pending": 3 - len(done), "completed": len(done)}[status]
				if page.Total != count || len(page.Tasks) != count {
					t.Errorf("%s, %s: %+v", when, status, page)
				}
				for _, listed := range page.Tasks {
					if listed.Completed != strings.Contains(strings.Join(done, " "), listed.ID) {
						t.Errorf("%s, %s: %+v", when, status, listed)
					}
				}
			}
		}
		want("at first")
		call[map[string]any](w, "set_completed", input{"item": w.todo(), "completed": true})
		want("done in Basecamp", follows)
		for tool, in := range map[string]input{"complete_task": {"task_id": follows, "completed": false}, "update_task": {"task_id": follows, "description": "Two days"}} {
			if got := call[map[string]any](w, tool, in); got["completed"] != true || tool == "complete_task" && !strings.Contains(fmt.Sprint(got["note"]), "reopen that") {
				t.Errorf("%s: %+v", tool, got)
			}
		}
		call[map[string]any](w, "set_completed", input{"item": w.todo(), "completed": false})
		want("reopened there")
		call[map[string]any](w, "set_item_status", input{"item": w.todo(), "status": "trashed"})
		time.Sleep(time.Minute) // synctest's clock: what was read is a minute old
		want("trashed")
		call[taskState](w, "complete_task", input{"task_id": other})
		want("one is completed here", other)
	})
}

// Whatever a provider answers, a link is refused, a promotion makes nothing, and the day says what
// it lacks.
func TestHub_SurvivesEveryFailureOfTheProviders(t *testing.T) {
	says := func(status int, body string) func() *http.Response {
		return func() *http.Response {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"60"}}, Body: io.NopCloser(strings.NewReader(body))}
		}
	}
	for name, fails := range map[string]func() *http.Response{
		"401": says(401, "{}"), "403": says(403, "{}"), "404": says(404, "{}"), "429": says(429, "{}"), "500": says(500, "<html>"),
		"garbage": says(200, "\x00{"), "no connection": func() *http.Response { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				mine, todo := w.task("Polish the brass horn"), w.todo()
				w.link(mine, hubIssue)
				time.Sleep(5 * time.Minute) // synctest's clock
				w.fails = fails
				for tool, in := range map[string]input{
					"link":    {"a": mine, "b": todo},
					"promote": {"from": []any{input{"item": mine}}, "to": "basecamp", "list": "https://3.basecamp.com/1/buckets/2/todolists/3"},
				} {
					if text, failed := w.Raw(tool, in); !failed || strings.Contains(text, "secret") {
						t.Errorf("%s: %s", tool, text)
					}
				}
				if got := call[dayAnswer](w, "my_day", nil); len(got.Coverage) == 0 || got.Tasks.Count != 1 {
					t.Errorf("%+v", got)
				}
				if text, failed := w.Raw("get_waiting", nil); !failed {
					t.Errorf("get_waiting: %s", text)
				}
				if page := call[taskPage](w, "list_tasks", nil); page.Tasks[0].Completed || (page.Note == "") != (name == "404") {
					t.Errorf("%+v", page)
				}
				w.fails = nil
				time.Sleep(5 * time.Minute) // synctest's clock
				if got := w.link(mine, todo, "remove", true); got.Changed {
					t.Error("linked after all")
				}
			})
		})
	}
}
