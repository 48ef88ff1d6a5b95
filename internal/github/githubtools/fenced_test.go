package githubtools

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/tool/mcptool"
)

// asks notes what is asked of GitHub: paths, and the names and variables of documents.
type asks struct {
	next  http.RoundTripper
	lines []string
}

var documentOf = regexp.MustCompile(`(?:query|mutation) (\w+)`)

func (a *asks) RoundTrip(r *http.Request) (*http.Response, error) {
	line := r.Method + " " + r.URL.Path
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var sent struct {
			Query     string
			Variables json.RawMessage
		}
		_ = json.Unmarshal(body, &sent)
		line = documentOf.FindStringSubmatch(sent.Query)[1] + " " + string(sent.Variables)
	}
	a.lines = append(a.lines, line)
	return a.next.RoundTrip(r)
}

func fencing(t *testing.T) (*toolEnv, *asks) {
	t.Helper()
	a := &asks{}
	d := newToolEnvOn(t, func(next http.RoundTripper) http.RoundTripper {
		a.next = next
		return a
	})
	return d, a
}

// heldTo returns the environment of a client with a fence.
func (d *toolEnv) heldTo(f fence.Fence) *toolEnv {
	other := *d
	other.fence = f
	return &other
}

// exempt matches what a client may send that is held to other places: it asks for a person, for
// lists that are screened, or for one thing by its node ID, whose answer says its place.
var exempt = regexp.MustCompile(`^(GET /api/v3/(user|search/issues)$|(Viewer|Owners?|Organizations|Reach|Scope|ViewerProjects|OwnerProjects|ReachableProjects|ProjectByID|ViewerProject|Item|StateOf\w+) )`)

// uses has calls of all tools about the launch and the configurator, in different ways to name
// them.
func uses(d *toolEnv) (calls []toolUse) {
	for _, c := range costs {
		calls = append(calls, toolUse{c.tool, c.with})
	}
	board := call[struct{ ID string }](d, "get_project", args{"project": launch}).ID
	item := call[struct{ Items []struct{ ID string } }](d, "list_project_items", args{"project": launch}).Items[0].ID
	return append(calls,
		toolUse{"get_project", args{"project": board}}, toolUse{"list_project_items", args{"project": board}},
		toolUse{"get_project", args{"project": sandbox.URL + "/orgs/fernhill-bikes/projects/1"}},
		toolUse{"update_project", args{"project": board, "title": "Autumn"}},
		toolUse{"get_field_value", args{"project": board, "item": item, "field": "Status"}},
		toolUse{"set_field_value", args{"project": board, "item": item, "field": "Notes", "value": "New"}},
		toolUse{"get_issue", args{"issue": sandbox.URL + "/" + configurator + "/issues/2"}},
		toolUse{"list_projects", args{}}, toolUse{"get_project", args{"project": "1", "owner": "fernhill-bikes"}},
	)
}

type toolUse struct {
	tool string
	with args
}

// lists reports whether the call asks for no place by its name, so that its answer is screened.
func (u toolUse) lists() bool {
	return u.tool == "list_projects" || u.tool == "find" && u.with["repo"] == nil || u.tool == "list_issues" && u.with["repo"] == nil
}

func TestFence_NoToolAsksForWhatIsOutside(t *testing.T) {
	elsewhere := &fence.Places{Repos: []string{"fernhill-bikes/handbook"}, Boards: []string{"fernhill-bikes/999"}}
	inside := &fence.Places{Repos: []string{strings.ToUpper(configurator)}, Boards: []string{launch, "fernhill-bikes/3", ines + "/1"}}
	first, _ := fencing(t)
	for _, use := range uses(first) {
		run := func(f fence.Fence) (answer string, others []string) {
			d, a := fencing(t)
			answer = d.heldTo(f).caller().Answer("github_"+use.tool, use.with)
			return answer, slices.DeleteFunc(a.lines, exempt.MatchString)
		}
		answer, asked := run(fence.Fence{Read: elsewhere})
		if refused := strings.Contains(answer, fence.Code); len(asked) > 0 || tells(answer) || refused == use.lists() {
			t.Errorf("%s %v: asked %q; answered %.600s", use.tool, use.with, asked, answer)
		}
		for _, f := range []fence.Fence{{}, {Read: inside}} {
			answer, asked = run(f)
			isMade := use.tool == "create_project" && f.Read != nil // it would be in no place
			if blind := len(asked) == 0 && !tells(answer) && !use.lists(); strings.Contains(answer, "isError") != isMade || blind && !isMade {
				t.Errorf("%s %v: asked %q with the fence %v; answered %.600s", use.tool, use.with, asked, f.Read, answer)
			}
		}
		answer, asked = run(fence.Fence{Write: elsewhere})
		writes := slices.ContainsFunc(asked, func(line string) bool { return !strings.HasPrefix(line, "GET ") && !readsOnly.MatchString(line) })
		if writes {
			t.Errorf("%s %v: wrote %q; answered %.300s", use.tool, use.with, asked, answer)
		}
	}
}

// Each write answers the ID that undoes it, or why nothing does, under any limits of its client and
// if what it changes was read before.
func TestFence_IsToldHowToUndo(t *testing.T) {
	inside := &fence.Places{Repos: []string{configurator, "fernhill-bikes/handbook"}, Boards: []string{launch, "fernhill-bikes/3", ines + "/1"}}
	for _, f := range []fence.Fence{{}, {Lockdown: true}, {NoPings: true}, {Write: inside}, {Read: inside}, {Read: inside, Write: inside}} {
		for _, use := range costs {
			if effectOf(use.tool) == mcptool.Reads {
				continue
			}
			d := withUndo(t).heldTo(f)
			d.caller().Raw("preview", args{"tool": "github_" + use.tool, "arguments": use.with})
			text, failed := d.caller().Raw("github_"+use.tool, use.with)
			if failed && !strings.Contains(text, fence.Code) || !failed && strings.Contains(text, `"undo":"u`) == strings.Contains(text, `"no_undo":"`) {
				t.Errorf("%s %s for %s: %.300s", use.tool, use.what, f.Text(), text)
			}
		}
	}
}

// A client takes back what it may write, and nothing else.
func TestFence_UndoesOnlyInside(t *testing.T) {
	elsewhere := fence.Fence{Read: &fence.Places{Repos: []string{"fernhill-bikes/handbook"}, Boards: []string{"fernhill-bikes/999"}}}
	readsOnly := fence.Fence{Write: elsewhere.Read}
	inside := fence.Fence{Read: &fence.Places{Repos: []string{configurator}, Boards: []string{launch}}}
	for _, x := range manyParts {
		d, a := fencing(t)
		d = d.withUndo()
		d.does(append(x.first, x.toolUse)...)
		written, code := d.sandbox.World(), d.codes(1)
		for _, f := range []fence.Fence{elsewhere, readsOnly} {
			a.lines = nil
			answer := d.heldTo(f).caller().Answer("undo", args{"ids": code})
			others := slices.DeleteFunc(a.lines, exempt.MatchString)
			if lines := differences(written, d.sandbox.World()); len(lines) > 0 || f.Read != nil && len(others) > 0 || strings.Contains(answer, `result\":\"undone`) || tells(answer) {
				t.Errorf("%s: asked %q, changed %v; answered %.600s", x.what, others, lines, answer)
			}
		}
		for _, never := range []string{"", x.never} { // undone, and undone again
			who := d.heldTo(inside)
			if never != "" { // why not is told about what can be read
				who = d
			}
			if u := undoes(who, args{"ids": d.codes(1)}).Undone[0]; u.Result != "undone" && (never == "" || !strings.Contains(fmt.Sprint(u), never)) {
				t.Errorf("%s: %+v", x.what, u)
			}
		}
	}
}

// tells reports whether an answer says something about a board or an issue.
func tells(answer string) bool {
	return strings.Contains(answer, `"number\":`) || strings.Contains(answer, `"title\":`)
}

var readsOnly = regexp.MustCompile(`^(OwnerProject|Items|Contents?|Places|Repository|Owners?|Owned|Organizations|Reach|Scope|Pulls|Thread|Vocabulary|Status|MoreFields|ProjectByID) `)

func TestFence_LeavesOutTheIssuesOfOtherRepositories(t *testing.T) {
	d, _ := fencing(t)
	type page struct {
		Items  []struct{ Ref string }
		Fenced int
	}
	all := call[page](d, "list_project_items", args{"project": launch, "limit": 100})
	held := call[page](d.heldTo(fence.Fence{Read: &fence.Places{Repos: []string{configurator}, Boards: []string{launch}}}), "list_project_items", args{"project": launch, "limit": 100})
	other := func(i struct{ Ref string }) bool { return i.Ref != "" && !strings.HasPrefix(i.Ref, configurator+"#") }
	if held.Fenced == 0 || !slices.ContainsFunc(all.Items, other) || slices.ContainsFunc(held.Items, other) {
		t.Errorf("of %d items, got %d and %d left out", len(all.Items), len(held.Items), held.Fenced)
	}
}
