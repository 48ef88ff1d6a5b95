package basecamptools

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
)

// undone is the answer of undo.
type undone struct {
	Undone []struct {
		ID, Tool, Result, Reason string
		Except                   []string
		Writes                   []struct {
			What, Type, ID, Result, Reason, By, At string
			Left, Now                              map[string]any
		}
	}
	Changes []struct {
		ID, Tool, Client, Reason string
		Undoable                 bool
		Items                    []struct{ Type, ID, Title string }
	}
	Note string
}

// keepUndo makes the environment's server keep how writes are undone.
func (d *toolEnv) keepUndo() {
	d.server = d.serverWith(calls.New(memory.New(nil), slog.New(slog.DiscardHandler), nil))
}

// undoing runs a test without Basecamp's rate limit, on a server that keeps how writes are undone.
func undoing(t *testing.T, work func(d *toolEnv)) {
	t.Helper()
	unlimited(t, func(d *toolEnv) {
		d.short = true
		d.keepUndo()
		work(d)
	})
}

// differences returns what differs between two worlds.
func differences(before, after map[string]string) (lines []string) {
	for name, was := range before {
		if now := after[name]; now != was {
			lines = append(lines, fmt.Sprintf("%s: %s\n      now: %s", name, was, now))
		}
	}
	for name, now := range after {
		if _, had := before[name]; !had {
			lines = append(lines, fmt.Sprintf("%s is new: %s", name, now))
		}
	}
	slices.Sort(lines)
	return lines
}

// irreversible are the tools whose typical call cannot be undone.
var irreversible = []string{"administer_basecamp", "change_basecamp", "post_chat_line"}

// Each write answers the ID that undoes it, or why nothing does, under no limits and under any of
// its client. A client that is held to another place undoes nothing of it, does not see it, and
// leaves it to others.
func TestUndo_PutsTheWorldBackAfterEveryToolUnderEveryLimit(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]func(*fence.Places) fence.Fence{
		"no limits":    func(*fence.Places) fence.Fence { return fence.Fence{} },
		"no pings":     func(*fence.Places) fence.Fence { return fence.Fence{NoPings: true} },
		"some written": func(places *fence.Places) fence.Fence { return fence.Fence{Write: places} },
		"some read":    func(places *fence.Places) fence.Fence { return fence.Fence{Read: places} },
		"little of all": func(places *fence.Places) fence.Fence {
			return fence.Fence{Read: places, Write: places, Lockdown: true}
		},
	} {
		for _, tool := range writingTools() {
			t.Run(tool.Name+" with "+name, func(t *testing.T) {
				t.Parallel()
				undoing(t, func(d *toolEnv) {
					held := d.heldTo(limits(projectsOnly(d.sandbox.ProjectID(launchProject), d.sandbox.ProjectID(winterKit))))
					held.putsBack(tool.Name, typical(d)[tool.Name], d.heldTo(fence.Fence{Read: projectsOnly(d.sandbox.ProjectID("Customer Care"))}))
				})
			})
		}
	}
}

// putsBack makes a call, and undoes it, and without limits also the undo. A client that is held
// elsewhere cannot.
func (d *toolEnv) putsBack(tool string, in args, elsewhere *toolEnv) {
	before := d.sandbox.World()
	if d.who.Fence.Bounds() {
		d.raw("preview", args{"tool": tool, "arguments": in})
	}
	text, failed := d.raw(tool, in)
	if failed && strings.Contains(text, fence.Code) {
		return
	}
	written := d.sandbox.World()
	var answer struct {
		Undo   string
		NoUndo string `json:"no_undo"`
	}
	if err := json.Unmarshal([]byte(text), &answer); failed || err != nil || (answer.Undo == "") != slices.Contains(irreversible, tool) || (answer.Undo == "") == (answer.NoUndo == "") {
		d.Fatalf("%s", text)
	}
	for _, attempt := range []args{{"last": 1}, {"ids": []string{answer.Undo}}} {
		text, _ := elsewhere.raw("undo", attempt)
		if lines := differences(written, d.sandbox.World()); len(lines) > 0 || strings.Contains(text, tool) || strings.Contains(text, `"undone"`) {
			d.Errorf("from elsewhere: %s %v", text, lines)
		}
	}
	if answer.Undo == "" && d.who.Fence.Bounds() { // undo may not show it
		return
	}
	u := call[undone](d, "undo", args{"last": 1})
	if answer.Undo == "" {
		if len(u.Undone) != 1 || u.Undone[0].Result != "cannot" || u.Undone[0].Reason != answer.NoUndo || answer.NoUndo == "" || strings.Contains(answer.NoUndo, "not known") {
			d.Errorf("%+v of %s", u, text)
		}
		return
	}
	if lines := differences(before, d.sandbox.World()); len(lines) > 0 || len(u.Undone) != 1 || u.Undone[0].Result != "undone" || u.Undone[0].ID != answer.Undo {
		d.Errorf("%+v %s", u, strings.Join(lines, "\n"))
	}
	if d.who.Fence.Bounds() {
		return
	}
	d.fails("INVALID_INPUT", "undo", args{"ids": []string{answer.Undo}}, "undone already")
	again := call[undone](d, "undo", args{"ids": []string{call[undone](d, "undo", nil).Changes[0].ID}}).Undone[0]
	if lines := differences(written, d.sandbox.World()); again.Tool != "undo" || again.Result == "undone" && len(lines) > 0 {
		d.Errorf("undone twice: %+v %s", again, strings.Join(lines, "\n"))
	}
}

// todoFields are the fields of a to-do that a call and a colleague change, with the call's values
// and the colleague's.
var todoFields = []struct{ argument, field, body, mine, theirs string }{
	{"title", "content", "content", "Print all plates", "Print no plates"},
	{"notes", "description", "description", "On *steel*.", "<div>On brass.</div>"},
	{"due_on", "due_on", "due_on", "2031-02-03", "2032-03-04"},
	{"starts_on", "starts_on", "starts_on", "2030-02-03", "2030-03-04"},
}

// Whatever a colleague changed since stays, in random worlds.
func TestUndo_NeverOverwritesAnotherPersonsChange(t *testing.T) {
	worlds := 600
	if testing.Short() {
		worlds = 200
	}
	undoing(t, func(d *toolEnv) {
		r := rand.New(rand.NewPCG(1, 2))
		todo := d.sandbox.Find("Todo", "Print the serial number plates")
		path := fmt.Sprintf("/todos/%d.json", todo)
		results := map[string]int{}
		for range worlds {
			time.Sleep(time.Minute) // of the test's own time
			before := upstream[record](d, path)
			item := args{"item": fmt.Sprint("todo:", todo)}
			mine, theirs := map[string]bool{}, map[string]bool{}
			for _, f := range todoFields {
				if r.IntN(2) == 0 && !equalFold(before[f.field], f.mine) {
					item[f.argument], mine[f.field] = f.mine, true
				}
			}
			if len(mine) == 0 {
				continue
			}
			answer := call[map[string]any](d, "update_work", args{"items": []args{item}})
			written := upstream[record](d, path)
			edit := map[string]any{}
			for _, f := range todoFields {
				edit[f.body] = written[f.field]
				if r.IntN(4) == 0 {
					edit[f.body] = fmt.Sprint(f.theirs)
					theirs[f.field] = fmt.Sprint(written[f.field]) != f.theirs
				}
			}
			if slices.Contains(slices.Collect(maps.Values(theirs)), true) {
				body, _ := json.Marshal(edit)
				d.meanwhile(http.MethodPut, path, string(body))
			}
			meanwhile := upstream[record](d, path)
			code, _ := answer["undo"].(string)
			if code == "" {
				continue
			}
			u := call[undone](d, "undo", args{"ids": []string{code}}).Undone[0]
			results[u.Result]++
			holdRestored(t, u.Result, before, written, meanwhile, upstream[record](d, path))
			if u.Result == "refused" && (len(u.Writes) != 1 || len(u.Writes[0].Now) == 0 || u.Writes[0].By == "" || u.Writes[0].At == "") {
				t.Errorf("%+v", u)
			}
		}
		if results["refused"] == 0 || results["undone"] == 0 {
			t.Errorf("%v", results)
		}
	})
}

func equalFold(value any, text string) bool { return fmt.Sprint(value) == text }

// holdRestored compares a to-do before a call, after it, after a colleague's change, and after
// undo.
func holdRestored(t *testing.T, result string, before, written, meanwhile, now map[string]any) {
	t.Helper()
	for _, f := range todoFields {
		was, left, then, is := before[f.field], written[f.field], meanwhile[f.field], now[f.field]
		switch {
		case result == "refused" && is != then:
			t.Errorf("%s: refused, but %v became %v", f.field, then, is)
		case then != left && is != then:
			t.Errorf("%s: a colleague's %v became %v", f.field, then, is)
		case result == "undone" && then == left && is != was:
			t.Errorf("%s: %v, not %v", f.field, is, was)
		}
	}
}

func TestUndo_OfCallsThatItNames(t *testing.T) {
	keeps := func(d *toolEnv) { d.keepUndo() }
	of := args{"ids": says{"{0.undo}"}}
	dated := func(starts string) args {
		return args{"project": winterKit, "dates": args{"starts_on": starts, "ends_on": "2031-01-31"}}
	}
	cases(t, "undo", nil, row{fact: "a list that was made", setup: keeps, tool: "create_todolist", in: args{"project": launch, "name": "After the launch"}, then: []row{
		{in: args{"ids": says{"uzzzz"}}, fails: fault.NotFound, says: says{"uzzzz"}}, {as: "Priya Raman", in: of, fails: fault.NotFound},
		invalid("", args{"last": 0}, "last"), invalid("", args{"last": 1, "ids": says{"{0.undo}"}}, "one of"), invalid("", args{"since": "yesterday"}, "zone"),
		{tool: "preview", in: args{"tool": "undo", "arguments": args{"last": 1}}, fails: fault.InvalidInput, says: says{"no preview"}},
		{holds: holds{"changes.#": 1, "changes.0.undoable": true, "changes.0.items.0.title": "After the launch"}},
		{in: args{"since": "1999-12-31T23:00:00Z"}, holds: holds{"undone.#": 1, "undone.0.result": "undone"}},
		invalid("", of, "undone already"), {in: args{"last": 5}, holds: holds{"undone": nil, "note": some}},
	}}, row{fact: "a boost that was taken back", setup: keeps, tool: "boost", in: args{"item": richItem, "text": "Nice"}, then: []row{
		{tool: "boost", in: args{"item": richItem, "text": "Nice", "remove": true}}, {in: args{"ids": says{"{1.undo}"}}, holds: holds{"undone.0.result": "undone"}},
		{tool: "GET /recordings/{0.id}/boosts.json", holds: holds{"#": 1, "0.content": "Nice"}},
	}}, row{fact: "the dates of a project", setup: keeps, tool: "change_project", in: dated("2031-01-06"), holds: holds{"no_undo": "the project had no dates, and dates can be removed only in Basecamp"}, then: []row{
		{tool: "change_project", in: dated("2031-01-07")}, {tool: "change_project", in: args{"project": winterKit, "name": "Kit"}}, {in: args{"last": 2}, holds: holds{"undone.*.result": says{"undone", "undone"}}},
		{tool: "GET /projects/{0.id}.json", holds: holds{"name": winterKit, "start_date": "2031-01-06", "end_date": "2031-01-31"}},
	}})
}

// A preview says before the call that what undoes it is too large to keep.
func TestPreview_SaysThatUndoIsTooLarge(t *testing.T) {
	undoing(t, func(d *toolEnv) {
		long := func(word string) string { return strings.Repeat(word+" ", 60_000/len(word)) }
		made := call[map[string]any](d, "create_document", args{"project": launchProject, "title": "Long", "body": long("steel")})
		for _, test := range []struct {
			body, undo string
		}{{long("brass"), ""}, {long("aluminium") + long("brass"), "large"}} {
			in := args{"item": fmt.Sprintf("document:%.0f", made["id"]), "body": test.body}
			p := call[map[string]any](d, "preview", args{"tool": "edit_text", "arguments": in})
			answer := call[map[string]any](d, "edit_text", in)
			if large := answer["no_undo"] != nil; large != (test.undo != "") || (p["no_undo"] != nil) != large || p["undo"] != nil {
				t.Errorf("%d bytes: preview %v, call %v", len(test.body), p["no_undo"], answer["no_undo"])
			}
		}
	})
}

// Eight calls of different tools are taken back at once, in random orders.
func TestUndo_PutsTheWorldBackAfterEightCalls(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		undoing(t, func(d *toolEnv) {
			calls, all := typical(d), writingTools()
			before := d.sandbox.World()
			var made []string
			r := rand.New(rand.NewPCG(uint64(round), 9))
			for _, i := range r.Perm(len(all)) {
				name := all[i].Name
				if slices.Contains(irreversible, name) || len(made) == 8 {
					continue
				}
				// a call before may have moved its item
				if text, failed := d.raw(name, calls[name]); !failed && strings.Contains(text, `"undo":"u`) {
					made = append(made, name)
				}
			}
			u := call[undone](d, "undo", args{"last": len(made)})
			for _, one := range u.Undone {
				if one.Result != "undone" {
					t.Errorf("%v: %+v", made, one)
				}
			}
			for _, line := range differences(before, d.sandbox.World()) {
				t.Errorf("%v: %s", made, line)
			}
		})
	}
}

// An operation that changes something in the sandbox is taken back, or says why it is not. What
// find_operation names is the tool undo exactly if that takes the operation back.
func TestUndo_PutsTheWorldBackAfterEveryOperation(t *testing.T) {
	restored := 0
	operating(t, true, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
		if !row.Changes() {
			return
		}
		d.keepUndo()
		missing := false // what the write asks for is not in the sandbox
		s.next = noticing{s.next, &missing}
		before := d.sandbox.World()
		answer := call[map[string]any](d, row.Runner(), in)
		kept := answer["undo"] != nil
		if named := row.TakenBack() == "undo"; named != (kept || answer["no_undo"] == "it changed nothing") {
			t.Errorf("%s: names %q, but the call answers %v", row.Name, row.TakenBack(), answer)
		}
		u := call[undone](d, "undo", args{"last": 1}).Undone
		switch {
		case len(u) != 1 && (kept || !missing):
			t.Errorf("%s: %+v", row.Name, u)
		case kept && u[0].Result != "undone", !kept && !missing && (u[0].Result != "cannot" || u[0].Reason != answer["no_undo"]):
			t.Errorf("%s: %+v of %v", row.Name, u, answer)
		case kept && !missing:
			restored++
			for _, line := range differences(before, d.sandbox.World()) {
				t.Errorf("%s: %s", row.Name, line)
			}
		}
		known := []string{"", operations.Final, "Basecamp's trash"}
		if operations.Find(row.TakenBackBy) == nil && !slices.Contains(known, row.TakenBackBy) && !slices.ContainsFunc(ofBasecamp(), func(tool mcptool.Tool) bool { return tool.Name == row.TakenBackBy }) {
			t.Errorf("%s: there is no %s", row.Name, row.TakenBackBy)
		}
	})
	if restored == 0 {
		t.Error("no operation was taken back")
	}
	t.Log(restored, "operations were taken back")
}

// noticing notices writes to what does not exist.
type noticing struct {
	to      http.RoundTripper
	missing *bool
}

func (n noticing) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := n.to.RoundTrip(r)
	if err == nil && r.Method != http.MethodGet && response.StatusCode == http.StatusNotFound {
		*n.missing = true
	}
	return response, err
}
