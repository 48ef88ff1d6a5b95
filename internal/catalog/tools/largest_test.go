package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/github"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/proof/docstest"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/wire/upstream"
)

// What a call may take at its largest input. A unit of work is a byte that it looks at, or ten
// comparisons of letters. BenchmarkLargestInput measures the processor time of a unit.
const (
	mostWork     = 25_000_000
	mostRequests = 80
	mostBody     = 1_000_000 // bytes of a message, of the 1 MiB that the server accepts
	longestLogin = 39        // on GitHub, without spaces
)

// effort is what one call took.
type effort struct{ bytes, work, requests int }

func (e effort) most(other effort) effort {
	return effort{max(e.bytes, other.bytes), max(e.work, other.work), max(e.requests, other.requests)}
}

// office is a server of all tools for one person of both sandboxes. No limit of rates makes a call
// wait, so that its time does not bound its requests.
type office struct {
	mcptest.Client
	spent func() (requests, work int) // of the latest call
}

// token returns a function that finds the same credential for everybody.
func token[C any](c C) func(context.Context, string) (C, error) {
	return func(context.Context, string) (C, error) { return c, nil }
}

func newOffice(t testing.TB) *office {
	t.Helper()
	fernhill, hub := sandbox.New(sandbox.Options{RateLimit: -1}), githubsandbox.New(githubsandbox.Options{})
	ines := fernhill.People()[0]
	company, code := clients(t, basecamp.Config{
		Transport: fernhill.Transport(), Unlimited: true, Tokens: token(basecamp.Credential{AccessToken: ines.Token, Account: fernhill.Account(), Person: ines.Name}),
	}, github.Config{
		Transport: hub.Transport(),
		Tokens:    token(github.Credential{AccessToken: hub.Person("ines-albrecht").Token, Person: "ines", Login: "ines-albrecht", Scope: "repo project read:org"}),
	})
	o := &office{}
	server := mcptool.NewServer(Catalog(Sources{
		Basecamp: company, GitHub: code, Lists: checklist.New(memory.New(nil), nil), Tasks: task.New(memory.New(nil), nil), Links: linking(),
		Connections: func(context.Context) (Connections, error) { return Connections{}, nil },
	}), mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler), Meter: o.meter, Calls: calls.New(memory.New(nil), slog.New(slog.DiscardHandler), nil)})
	o.Client = mcptest.Client{TB: t, Handler: server.Handler(mcptool.Selection{Toolsets: Toolsets()}), Caller: identity.Caller{Subject: ines.Name, Scopes: identity.AllScopes()}}
	return o
}

func (o *office) meter(ctx context.Context) (context.Context, func() int) {
	ctx, count := upstream.Meter(ctx)
	o.spent = func() (requests, work int) { return upstream.Spent(ctx) }
	return ctx, count
}

// take makes a call and returns what it took.
func (o *office) take(tool string, in input) (effort, mcptest.Failure) {
	o.Helper()
	o.spent = func() (int, int) { return 0, 0 }
	sent := mcptest.ToolCall(o, tool, in)
	w := mcptest.Post(context.Background(), o.Handler, o.Caller, mcptest.Message("tools/call", sent), nil)
	var failed mcptest.Failure
	if result := mcptest.Result[mcptest.ToolResult](o, w.Body.Bytes()); result.IsError {
		_ = json.Unmarshal([]byte(result.Content[0].Text), &failed)
	}
	requests, work := o.spent()
	return effort{len(sent), work + len(sent), requests}, failed
}

// shape is the part of an input schema that a largest input is made from.
type shape struct {
	Type       string
	Properties map[string]shape
	Items      *shape
	Enum       []string
	Maximum    *int
	MaxItems   *int
}

// largest returns the largest value of a shape. limits holds what refusals said about paths; the
// limit without a path is that of all texts.
func (s shape) largest(path string, limits map[string]int) any {
	switch {
	case s.Properties != nil:
		all := input{}
		for name, p := range s.Properties {
			all[name] = p.largest(strings.TrimPrefix(path+"."+name, "."), limits)
		}
		return all
	case s.Type == "array":
		items := make([]any, s.length(path, limits))
		for i := range items {
			items[i] = s.Items.largest(path+"[]", limits)
			if text, ok := items[i].(string); ok && s.Items.Enum == nil {
				items[i] = fmt.Sprint(i) + text[min(len(text), len(fmt.Sprint(i))):] // no two are the same
			}
		}
		return items
	case s.Enum != nil:
		return s.Enum[0]
	case s.Type == "integer" && s.Maximum != nil:
		return *s.Maximum
	case s.Type == "integer":
		return 1
	case s.Type == "boolean":
		return true
	}
	most := limits[""]
	if known, told := limits[path]; told {
		most = min(most, known)
	}
	if strings.Contains(path, "[]") { // no text in a list is longer than 2,000 characters
		most = min(most, 2000)
	}
	if most == longestLogin {
		return "brake-lever-brake-lever-brake-lever-bra"
	}
	return strings.Repeat("brake lever ", most/12+1)[:most]
}

// length returns the length of the longest list.
func (s shape) length(path string, limits map[string]int) int {
	most := 200
	if strings.Contains(path, "[]") {
		most = 20 // in each of the entries, so that the whole fits into a message
	}
	if s.MaxItems != nil {
		most = *s.MaxItems
	}
	if known, told := limits[path]; told {
		most = min(most, known)
	}
	return most
}

// fitting are values that arguments must have so that a call goes on to its work.
var fitting = input{
	"project": "Cargo Bike Launch", "project_id": "Cargo Bike Launch", "due_on": "tomorrow", "starts_on": "tomorrow", "since": "last_7_days", "until": "today",
	"from": "today", "to": "in 2 weeks", "date": "today", "starts_at": "tomorrow 3pm", "ends_at": "tomorrow 5pm", "time_zone": "Europe/Berlin",
	"file_name": "a.txt",
	"repo":      "fernhill-bikes/configurator", "issue": "fernhill-bikes/configurator#2", "milestone": "Spring launch", "types": []string{"todo"},
}

// apart are arguments that a call does not take together with its others.
var apart = map[string][]string{
	"set_completed": {"item"}, "update_issue": {"append", "find", "replace", "state_reason"}, "edit_text": {"append", "edits"},
	"get_message": {"offset"}, "get_document": {"offset"}, "todolist__set": {"if_revision", "list_id"},
	"list_todos": {"todoset_id"}, "list_work": {"since", "until"}, "upload_file": {"content_base64", "source_url"},
}

// said finds the limit that an answer says an argument has.
var said = regexp.MustCompile(`(?:at most|longer than|up to) (\d[\d,]*)`)

// largestInputs returns the largest inputs of a tool: with everything that it takes, without a
// project, and with titles that exist.
func (o *office) largestInputs(tool mcptool.Tool) []input {
	var s shape
	if err := json.Unmarshal(tool.InputSchema(), &s); err != nil {
		o.Fatal(err)
	}
	for _, name := range append([]string{"cursor", "owner", "idempotency_key", "confirm_title", "page", "position"}, apart[strings.TrimPrefix(tool.Name, "github_")]...) {
		delete(s.Properties, name)
	}
	for name := range s.Properties {
		if replaced, isAdd := strings.CutPrefix(name, "add_"); isAdd {
			delete(s.Properties, replaced)
		}
	}
	whole := o.learn(tool.Name, s)
	inputs := []input{whole, sound(whole).(input)}
	for _, project := range []string{"project", "project_id"} {
		if whole[project] != nil {
			inputs = append(inputs, lacking(whole, project))
		}
	}
	for _, batch := range []string{"items", "todos"} {
		if named, isList := whole[batch].([]any); isList && s.Properties[batch].Items.Properties == nil {
			titled := sound(whole).(input)
			titled[batch] = o.titles(len(named))
			inputs = append(inputs, titled, lacking(titled, "project"))
		}
	}
	return inputs
}

// existing are names of things that exist, so that a call goes on to its writes.
var existing = input{
	"list": "Launch checklist", "todolist_id": "Launch checklist", "item": "todo:Call the insurer about demo rides",
	"todo": "Call the insurer about demo rides", "todo_id": "Call the insurer about demo rides", "card": "Kickstand plate, 8 mm back", "column": "In progress",
	"add_assignees": "me", "assignee": "me", "person": "me", "creator": "me",
	"assignees": []any{}, "remove_assignees": []any{}, "notify": []any{}, "mentions": []any{}, "participants": []any{},
	"board": nil, "category": nil, "folder": nil, "schedule": nil, "chat": nil, "todoset_id": nil, "message_board_id": nil, "inbox": nil, "audience": nil,
}

// sound returns a value with names that exist.
func sound(value any) any {
	switch v := value.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = sound(v[i])
		}
		return all
	case input:
		all := input{}
		for name, value := range v {
			all[name] = sound(value)
			for _, known := range []input{fitting, existing} {
				if fits, ok := known[name]; ok && value != true && name != "project" {
					all[name] = fits
				}
			}
		}
		return all
	}
	return value
}

func lacking(in input, name string) input {
	rest := maps.Clone(in)
	delete(rest, name)
	return rest
}

// learn makes calls until none of the limits refuses the input.
func (o *office) learn(tool string, s shape) input {
	limits := map[string]int{"": 100_000}
	for range 60 {
		in := s.largest("", limits).(input)
		for name, value := range fitting {
			if _, takes := in[name]; takes && !(name == "project" && strings.HasPrefix(tool, "github_")) {
				in[name] = value
			}
		}
		if _, takes := in["project"]; takes && strings.HasPrefix(tool, "github_") {
			in["project"] = "fernhill-bikes/1"
		}
		if len(mcptest.ToolCall(o, tool, in)) > mostBody {
			limits[""] /= 2
			continue
		}
		took, failed := o.take(tool, in)
		if took.requests > 0 || !learned(limits, failed.Data.Validation) {
			return in
		}
	}
	o.Fatalf("%s: no end of limits", tool)
	return nil
}

// learned notes the limits that violations tell. A list that is too long in bytes gets shorter
// texts.
func learned(limits map[string]int, violations []fault.Violation) (more bool) {
	for _, v := range violations {
		path := regexp.MustCompile(`\[\d+\]`).ReplaceAllString(v.Path, "[]")
		found := said.FindStringSubmatch(v.Message)
		switch {
		case found != nil && strings.HasPrefix(v.Message, "must be names of"):
			path += "[]"
		case found != nil:
		case v.Code == "invalid_reference":
			found = []string{"", "1000"}
		case v.Code == "too_long":
			found = []string{"", "255"}
		default:
			continue
		}
		if strings.Contains(v.Message, "bytes") {
			path, found[1] = "", strconv.Itoa(limits[""]/2)
		}
		most, _ := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
		if before, known := limits[path]; !known || most < before {
			limits[path], more = most, true
		}
	}
	return more
}

// titles returns the titles of open to-dos, no two the same.
func (o *office) titles(n int) (titles []string) {
	w := mcptest.Post(context.Background(), o.Handler, o.Caller, mcptest.Message("tools/call", mcptest.ToolCall(o, "list_todos", input{"project_id": "Cargo Bike Launch", "limit": 100})), nil)
	var list struct{ Items []struct{ Title string } }
	if err := json.Unmarshal(mcptest.Result[mcptest.ToolResult](o, w.Body.Bytes()).StructuredContent, &list); err != nil {
		o.Fatal(err)
	}
	for _, item := range list.Items {
		if !slices.Contains(titles, item.Title) && len(titles) < n {
			titles = append(titles, item.Title)
		}
	}
	return titles
}

// published returns the bounds in the document, by tool.
func published(t *testing.T) map[string]effort {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("testdata", "largest.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "<!-- largest inputs:")
	section, _, _ = strings.Cut(section, "<!-- end of")
	all := map[string]effort{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([\\d,]+) \\| ([\\d,]+) \\| ([\\d,]+) \\|$").FindAllStringSubmatch(section, -1) {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(strings.ReplaceAll(row[i+2], ",", ""))
		}
		all[row[1]] = effort{n[0], n[1], n[2]}
	}
	return all
}

// The rows of the document are bounds: which of several requests at once is first changes what a
// call takes a little.
func TestLargestInput_OfEveryToolStaysWithinItsBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	o, before := newOffice(t), published(t)
	var rows strings.Builder
	for _, tool := range catalog() {
		var most effort
		for i, in := range o.largestInputs(tool) {
			took, failed := o.take(tool.Name, in)
			if took.work > mostWork || took.requests > mostRequests {
				t.Errorf("%s, input %d: %+v, %.300s", tool.Name, i, took, failed.Message)
			}
			most = most.most(took)
		}
		bound := before[tool.Name]
		switch {
		case bound == bound.most(most) && (!updateGolden || bound.work <= max(above(500_000), 4*most.work)): // it may stay
		case !updateGolden:
			t.Errorf("%s: took %+v, above its bounds %+v", tool.Name, most, bound)
		default:
			bound = effort{above(most.bytes), min(mostWork, above(max(500_000, 2*most.work))), min(mostRequests, above(most.requests+2))}
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %d |\n", tool.Name, thousands(bound.bytes), thousands(bound.work), bound.requests)
	}
	docstest.Section(t, "internal/catalog/tools/testdata/largest.md", "largest inputs", "| tool | bytes of the input | work | requests |\n|---|---|---|---|\n"+rows.String())
}

// above returns a number with one or two digits that is at least a tenth larger than n.
func above(n int) int {
	n += (n + 9) / 10
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// thousands returns a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
