package basecamptools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/tool/mcptool"
)

// aboutPlaces notes what requests are about, as Basecamp sees them: the places of all that a path,
// a query or a body names. The read of an item by its ID alone is noted apart, because its answer
// is how the server learns the project.
type aboutPlaces struct {
	next   http.RoundTripper
	mu     sync.Mutex
	places func() map[int64]int64
	known  map[int64]int64
	about  map[int64][]string // requests, by place
	bare   map[int64][]string // reads of one item by its ID
	across []string           // reads of all projects
	writes []string           // all requests that are not reads
	public []string           // all that does not go to Basecamp
}

func (a *aboutPlaces) begin() {
	a.known, a.about, a.bare, a.across, a.writes, a.public = a.places(), map[int64][]string{}, map[int64][]string{}, nil, nil, nil
}

var (
	bareItem = regexp.MustCompile(`^/[0-9]+/[a-z_/]+/([0-9]+)\.json$`)
	idsIn    = regexp.MustCompile(`[0-9]{4,}`)
)

func (a *aboutPlaces) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		body = readAll(r)
	}
	_, below, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	line := fmt.Sprint(r.Method, " ", below, " ", r.URL.RawQuery, " ", body)
	a.note(r, below, line, body)
	return a.next.RoundTrip(r)
}

// note keeps a request by the places that it is about.
func (a *aboutPlaces) note(r *http.Request, below, line, body string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == http.MethodGet && !idsIn.MatchString(below) {
		a.across = append(a.across, line)
	}
	if r.URL.Host == "files.example" {
		a.public = append(a.public, line)
	}
	if r.Method != http.MethodGet {
		a.writes = append(a.writes, line)
	}
	named := idsIn.FindAllString(below+" "+r.URL.RawQuery, -1)
	if project, inside := strings.CutPrefix(below, "buckets/"); inside { // it finds only what is in the project
		named = idsIn.FindAllString(project, 1)
	}
	if r.Method != http.MethodGet && json.Valid([]byte(body)) {
		named = append(named, idsIn.FindAllString(body, -1)...)
	}
	for _, text := range named {
		id, _ := strconv.ParseInt(text, 10, 64)
		place := a.known[id]
		switch {
		case place == 0:
		case r.Method == http.MethodGet && bareItem.MatchString(r.URL.Path) && !strings.HasPrefix(below, "projects/"):
			a.bare[place] = append(a.bare[place], line)
		default:
			a.about[place] = append(a.about[place], line)
		}
	}
}

// outside returns the requests about other places than those of a fence.
func (a *aboutPlaces) outside(places *fence.Places) (requests []string) {
	for place, about := range a.about {
		if !places.HasProject(place) {
			requests = append(requests, about...)
		}
	}
	return requests
}

// titlesOutside returns the titles of what is in other places than those of a fence, and in none of
// them. Short ones are words that other texts have.
func titlesOutside(d *toolEnv, places *fence.Places) (titles []string) {
	all := map[string]bool{} // whether it is outside
	at := d.sandbox.Places()
	for name, described := range d.sandbox.World() {
		found := quotedTitle.FindStringSubmatch(described)
		id, _ := strconv.ParseInt(name[strings.LastIndex(name, " ")+1:], 10, 64)
		if len(found) < 2 || len(found[1]) < 14 || at[id] == 0 {
			continue
		}
		was, known := all[found[1]]
		all[found[1]] = !places.HasProject(at[id]) && (was || !known)
	}
	for title, outside := range all {
		if outside {
			titles = append(titles, title)
		}
	}
	return titles
}

var quotedTitle = regexp.MustCompile(`^"([^"\\]*)"`)

// titleTold returns a title that an answer has and the arguments do not, or "".
func titleTold(titles []string, text string, in any) string {
	given, _ := json.Marshal(in)
	i := slices.IndexFunc(titles, func(title string) bool {
		return strings.Contains(text, title) && !bytes.Contains(given, []byte(title))
	})
	if i < 0 {
		return ""
	}
	return titles[i]
}

// fencing runs work in a Fernhill whose requests are noted.
func fencing(t *testing.T, work func(d *toolEnv, a *aboutPlaces)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := &aboutPlaces{}
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper {
			a.next = next
			return a
		})
		d.keepUndo()
		a.places = d.sandbox.Places
		a.begin()
		work(d, a)
	})
}

// heldTo returns the environment of a client with a fence, of the same person.
func (d *toolEnv) heldTo(f fence.Fence) *toolEnv {
	other := *d
	other.who.Fence, other.who.Connection = f, "held"
	return &other
}

func projectsOnly(projects ...int64) *fence.Places { return &fence.Places{Projects: projects} }

// toolUse is a call with arguments.
type toolUse struct {
	tool string
	in   args
}

// usesInLaunch returns calls of all tools about the launch project: the usual ones, count variants
// of each, and a preview of those that write.
func usesInLaunch(d *toolEnv, count int) (calls []toolUse) {
	usually := typical(d)
	delete(usually, "change_project") // it is about another project
	for _, tool := range ofBasecamp() {
		in := usually[tool.Name]
		if in == nil {
			continue
		}
		calls = append(calls, toolUse{tool.Name, in})
		if tool.Effect != mcptool.Reads {
			calls = append(calls, toolUse{"preview", args{"tool": tool.Name, "arguments": in}})
		}
		v := variants{Rand: rand.New(rand.NewPCG(7, uint64(len(calls))))}
		if json.Unmarshal(tool.InputSchema(), &v.schema) != nil || len(v.schema.Properties) == 0 {
			continue
		}
		for range count {
			calls = append(calls, toolUse{tool.Name, v.of(in)})
		}
	}
	return append(calls, toolUse{"undo", args{}})
}

// operationsInLaunch returns a call of each operation.
func operationsInLaunch(d *toolEnv) (calls []toolUse) {
	for row := range operations.All {
		calls = append(calls, toolUse{row.Runner(), args{"operation": row.Name, "arguments": usual(d, row)}})
	}
	return calls
}

// otherWays returns calls that name things in the launch project in other ways than the usual ones.
func otherWays(d *toolEnv) (calls []toolUse) {
	launch, todo := d.sandbox.ProjectID(launchProject), d.sandbox.Find("Todo", "Print the serial number plates")
	message, list := d.sandbox.Find("Message", colourVote), d.sandbox.FindIn(launchProject, "Todolist", "Launch checklist")
	address := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/%d", d.sandbox.Account(), launch, todo)
	for _, project := range []any{launch, launchProject, "cargo", address} {
		for _, tool := range []string{"list_todos", "list_messages", "list_documents", "get_project_tools"} {
			calls = append(calls, toolUse{tool, args{"project_id": project}})
		}
		calls = append(calls, toolUse{"list_schedule_entries", args{"project": project}}, toolUse{"search", args{"query": "brake", "project": project}}, toolUse{"get_activity", args{"project": project}},
			toolUse{"create_message", args{"project": project, "subject": "A", "body": "B"}})
	}
	for _, item := range []string{fmt.Sprint(todo), fmt.Sprint("todo:", todo), address, "Print the serial number plates", fmt.Sprint("message:", message)} {
		for _, tool := range []string{"get_item", "list_comments"} {
			calls = append(calls, toolUse{tool, args{"item": item}})
		}
		calls = append(calls, toolUse{"create_comment", args{"item": item, "body": "Seen."}}, toolUse{"set_completed", args{"item": item, "completed": true}},
			toolUse{"set_item_status", args{"items": []string{item}, "status": "trashed"}}, toolUse{"edit_text", args{"item": item, "append": "More."}},
			toolUse{"change_basecamp", args{"operation": "follow", "arguments": args{"item": item}}})
	}
	return append(calls,
		toolUse{"create_todos", args{"list": fmt.Sprint(list), "todos": []args{{"content": "New"}}}},
		toolUse{"undo", args{"last": 3}},
	)
}

// quiet are the tools that tell nothing of a project.
var quiet = []string{"get_me", "find_operation", "list_people"}

func TestFence_NoToolAsksForWhatIsOutside(t *testing.T) {
	t.Parallel()
	count := 4
	if testing.Short() {
		count = 1
	}
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		kit := projectsOnly(d.sandbox.ProjectID(winterKit))
		titles := append(titlesOutside(d, kit), launchProject)
		uses := slices.Concat(otherWays(d), usesInLaunch(d, count), operationsInLaunch(d))
		for _, use := range append(otherWays(d), usesInLaunch(d, 0)...) { // also fills what is remembered for the person
			a.begin()
			text, failed := d.raw(use.tool, use.in)
			tells := len(a.outside(kit))+len(a.bare) > 0 || strings.Contains(text, launchProject)
			if of := fmt.Sprint(use.in["tool"]); !tells && !failed && !slices.Contains(quiet, use.tool) && !slices.Contains(quiet, of) {
				d.Errorf("%s %v: without a fence, it asks nothing of the launch (quiet in fenced_test.go lists the tools that need not), and answers %.300s", use.tool, use.in, text)
			}
		}
		for _, places := range []*fence.Places{projectsOnly(), kit} {
			held := d.heldTo(fence.Fence{Read: places})
			for _, use := range uses {
				a.begin()
				text, _ := held.raw(use.tool, use.in)
				if requests, title := a.outside(places), titleTold(titles, text, use.in); len(requests) > 0 || title != "" {
					d.Errorf("%s %v: asked %q, told %q; answered %.400s", use.tool, use.in, requests, title, text)
				}
			}
		}
	})
}

func TestFence_WritesOnlyInside(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		kit := projectsOnly(d.sandbox.ProjectID(winterKit))
		uses := slices.Concat(usesInLaunch(d, 0), operationsInLaunch(d))
		if !testing.Short() {
			uses = append(uses, usesInLaunch(d, 2)...)
		}
		held := d.heldTo(fence.Fence{Write: kit})
		before := d.sandbox.World()
		read := 0
		for _, use := range uses {
			a.begin()
			text, failed := held.raw(use.tool, use.in)
			if len(a.writes) > 0 {
				d.Errorf("%s %v: wrote %q; answered %.300s", use.tool, use.in, a.writes, text)
			}
			if !failed {
				read++
			}
		}
		if diff := differences(before, d.sandbox.World()); len(diff) > 0 || read < 50 {
			d.Errorf("%d calls read; changed %s", read, diff)
		}
	})
}

func TestFence_ToolsWorkInside(t *testing.T) {
	t.Parallel()
	inside := func(d *toolEnv) *toolEnv {
		places := projectsOnly(d.sandbox.ProjectID(launchProject), d.sandbox.ProjectID("Customer Care"))
		return d.heldTo(fence.Fence{Read: places, Write: places})
	}
	run := func(d *toolEnv, use toolUse) {
		if text, failed := inside(d).raw(use.tool, use.in); failed {
			d.Errorf("%s %v: %.400s", use.tool, use.in, text)
		}
	}
	writes := func(use toolUse) bool {
		return use.tool == "undo" || slices.ContainsFunc(writingTools(), func(tool mcptool.Tool) bool { return tool.Name == use.tool })
	}
	var usual []toolUse
	fencing(t, func(d *toolEnv, _ *aboutPlaces) {
		usual = usesInLaunch(d, 0)
		for _, use := range append(usual, otherWays(d)...) {
			if !writes(use) {
				run(d, use)
			}
		}
	})
	for _, use := range usual {
		if writes(use) { // in a world that no other call has changed
			fencing(t, func(d *toolEnv, _ *aboutPlaces) { run(d, use) })
		}
	}
}
