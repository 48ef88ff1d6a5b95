package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// step returns an item of a checklist.
func step(content string, status any, activeForm string) args {
	return args{"content": content, "status": status, "activeForm": activeForm}
}

// build returns the checklist of the examples with the given statuses.
func build(statuses ...any) []args {
	steps := []args{step("Run build", "", "Running build"), step("Fix errors", "", "Fixing errors"), step("Run tests", "", "Running tests")}
	for i, status := range statuses {
		steps[i]["status"] = status
	}
	return steps
}

func pending(contents ...string) []args {
	steps := make([]args, len(contents))
	for i, content := range contents {
		steps[i] = step(content, "pending", content+"...")
	}
	return steps
}

// counts returns a summary.
func counts(total, pending, inProgress, completed int) args {
	return args{"total": total, "pending": pending, "in_progress": inProgress, "completed": completed}
}

// set replaces a checklist and returns its ID.
func (a *agent) set(steps []args, more ...args) (id string) {
	a.Helper()
	return a.must("todolist__set", merged(args{"todos": steps}, more...)).at("list_id").(string)
}

func merged(arguments args, more ...args) args {
	for _, m := range more {
		maps.Copy(arguments, m)
	}
	return arguments
}

// refusesList sets an invalid checklist. It checks that the message names the error, and that the
// stored list is unchanged.
func (a *agent) refusesList(steps []args, code, names string) {
	a.Helper()
	kept := a.must("todolist__get", nil).text
	r := a.refuses("todolist__set", args{"todos": steps}, strings.ToUpper(code), names)
	want := any(args{"code": code, "message": r.at("message")})
	if a.way == bridged { // its error is the message
		want = r.at("message")
	}
	if diff := cmp.Diff(want, r.at("error")); diff != "" {
		a.Errorf("%s (-want +got):\n%s", r.text, diff)
	}
	if after := a.must("todolist__get", nil).text; after != kept {
		a.Errorf("a list that was refused has changed %s to %s", kept, after)
	}
}

// holds reads a checklist and compares it. Without an ID in the arguments, it reads the latest one.
func (a *agent) holds(steps []args, arguments any) {
	a.Helper()
	got := a.must("todolist__get", arguments)
	if diff := cmp.Diff(decoded([]byte(a.encoded(steps))), got.at("todos")); diff != "" {
		a.Errorf("(-want +got):\n%s", diff)
	}
}

var checklistRules = slices.Concat(checklistShapes, checklistContents, checklistFaults, checklistOwners)

var checklistShapes = []rule{
	{"the tools are todolist__get and todolist__set", func(a *agent) {
		offered := a.offered()
		for _, name := range []string{"todolist__get", "todolist__set"} {
			if offered[name] == nil {
				a.Errorf("%s is not offered", name)
			}
		}
	}},
	{"reading needs no argument and takes no other", func(a *agent) {
		input := a.offered()["todolist__get"]["input"].(args)
		if input["type"] != "object" || input["additionalProperties"] != false || input["required"] != nil {
			a.Errorf("%v", input)
		}
		a.must("todolist__get", args{})
		a.must("todolist__get", nil)
		a.refuses("todolist__get", args{"x": 1}, "INVALID_INPUT", "x")
	}},
	{"what is set is described to the last character", func(a *agent) {
		input := a.offered()["todolist__set"]["input"].(args)
		items := input["properties"].(args)["todos"].(args)["items"].(args)
		got := []any{input["required"], input["additionalProperties"], items["required"], items["additionalProperties"]}
		want := []any{[]any{"todos"}, false, []any{"content", "status", "activeForm"}, false}
		texts := items["properties"].(args)
		got = append(got, texts["content"].(args)["minLength"], texts["activeForm"].(args)["minLength"], texts["status"].(args)["enum"])
		want = append(want, 1.0, 1.0, []any{"pending", "in_progress", "completed"})
		if diff := cmp.Diff(want, got); diff != "" {
			a.Errorf("(-want +got):\n%s", diff)
		}
		a.refuses("todolist__set", args{}, "INVALID_INPUT", "todos")
		a.refuses("todolist__set", args{"todos": build("pending", "pending", "pending"), "x": 1}, "INVALID_INPUT", "x")
		a.refuses("todolist__set", args{"todos": []args{merged(step("a", "pending", "b"), args{"id": 1})}}, "INVALID_INPUT", "id")
	}},
	{"setting tells the summary, reading the list, and neither an id nor a time of an item", func(a *agent) {
		steps := build("completed", "in_progress", "pending")
		told := a.must("todolist__set", args{"todos": steps})
		id := told.at("list_id")
		a.answers("todolist__get", args{"list_id": id},
			args{"todos": steps, "summary": counts(3, 1, 1, 1), "list_id": id, "revision": 1})
		if diff := cmp.Diff(any(args{"summary": told.at("summary"), "list_id": id, "revision": 1.0}), any(told.said)); diff != "" {
			a.Errorf("(-want +got):\n%s", diff)
		}
	}},
	{"T-26, A-08 reading only reads, setting twice is setting once, and neither is of the open world", func(a *agent) {
		a.declared("todolist__get", args{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
		a.declared("todolist__lists", args{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
		a.declared("todolist__set", args{"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
	}},
}

// declared checks the annotations of a tool. The bridge has no annotations.
func (a *agent) declared(tool string, hints args) {
	a.Helper()
	definition := a.offered()[tool]
	if a.way == bridged {
		return
	}
	got, _ := definition["annotations"].(args)
	if diff := cmp.Diff(merged(args{"title": definition["title"]}, hints), got); diff != "" || definition["title"] == "" {
		a.Errorf("%s (-want +got):\n%s", tool, diff)
	}
}

var checklistContents = []rule{
	{"a new person's list is empty", func(a *agent) {
		a.answers("todolist__get", args{}, args{"todos": []args{}, "summary": counts(0, 0, 0, 0), "revision": 0})
	}},
	{"setting replaces the list, which comes back to the byte and in its order", func(a *agent) {
		a.set(pending("one", "two", "three"))
		steps := []args{
			step("  schön 🚲👩‍🔧\u2028\t<b>&amp;</b> \x00\"\\", "pending", "\u00a0 e\u0301 \n "),
			step("b", "pending", "B"), step("a", "completed", "A"), step("日本", "in_progress", "日"),
		}
		a.set(steps)
		a.holds(steps, nil)
	}},
	{"an empty list clears it", func(a *agent) {
		id := a.set(build("pending", "pending", "pending"))
		a.answers("todolist__set", args{"todos": []args{}, "list_id": id}, args{"summary": counts(0, 0, 0, 0), "list_id": id, "revision": 2})
		a.answers("todolist__get", args{"list_id": id}, args{"todos": []args{}, "summary": counts(0, 0, 0, 0), "list_id": id, "revision": 2})
	}},
	{"the parts add up", func(a *agent) {
		steps := slices.Concat(build("completed", "in_progress", "completed"), pending("a", "b", "c", "d"))
		for n := range len(steps) + 1 {
			id := a.set(steps[:n])
			got := a.must("todolist__get", args{"list_id": id})
			summary := got.at("summary").(args)
			parts := summary["pending"].(float64) + summary["in_progress"].(float64) + summary["completed"].(float64)
			if summary["total"] != parts || parts != float64(n) || len(got.at("todos").([]any)) != n {
				a.Errorf("%d items: %s", n, got.text)
			}
		}
	}},
	{"the examples give the summaries that are printed with them", func(a *agent) {
		var id any
		for i, example := range []struct {
			steps []args
			want  args
		}{
			{build("pending", "pending", "pending"), counts(3, 3, 0, 0)},
			{build("in_progress", "pending", "pending"), counts(3, 2, 1, 0)},
			{build("completed", "in_progress", "pending"), counts(3, 1, 1, 1)},
			// the session goes on to its end
			{build("completed", "completed", "in_progress"), counts(3, 0, 1, 2)},
			{build("completed", "completed", "completed"), counts(3, 0, 0, 3)},
		} {
			arguments := args{"todos": example.steps}
			if i > 0 {
				arguments["list_id"] = id
			} else {
				id = a.set(example.steps)
			}
			if i == 2 {
				a.set(example.steps, args{"list_id": id})
				got := a.must("todolist__get", args{}) // the example of reading
				want := decoded([]byte(a.encoded(args{"todos": example.steps, "summary": example.want})))
				if diff := cmp.Diff(want, any(args{"todos": got.at("todos"), "summary": got.at("summary")})); diff != "" {
					a.Errorf("(-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(decoded([]byte(a.encoded(example.want))), a.must("todolist__set", arguments).at("summary")); diff != "" {
				a.Errorf("example %d (-want +got):\n%s", i+1, diff)
			}
		}
	}},
	{"any status follows any, items come, go and move, and may be the same", func(a *agent) {
		statuses := []any{"pending", "in_progress", "completed"}
		id := a.set(pending("Run build"))
		for _, from := range statuses {
			for _, to := range statuses {
				a.set([]args{step("Run build", from, "Running build")}, args{"list_id": id})
				a.set([]args{step("Run build", to, "Running build")}, args{"list_id": id})
			}
		}
		for _, steps := range [][]args{pending("a", "b", "c"), pending("c", "a"), pending("a", "a", "a"), build("completed", "completed", "completed")} {
			a.set(steps, args{"list_id": id})
			a.holds(steps, args{"list_id": id})
		}
	}},
}

var checklistFaults = []rule{
	{"one item may be in progress, not two", func(a *agent) {
		a.set(build("pending", "pending", "pending"))
		a.set(build("pending", "in_progress", "pending"))
		a.refusesList(build("in_progress", "completed", "in_progress"), "multiple_in_progress", "todos[2]")
	}},
	{"blank texts are refused", func(a *agent) {
		a.set(pending("kept"))
		for _, blank := range []string{"", " ", "  \t\n", "\u00a0", "\u3000", "\u2003\u00a0\r\n"} {
			a.refusesList([]args{step("a", "pending", "b"), step(blank, "pending", "b")}, "empty_content", "todos[1].content")
			a.refusesList([]args{step("a", "pending", blank)}, "empty_active_form", "todos[0].activeForm")
		}
	}},
	{"another status is refused, and so is a missing one", func(a *agent) {
		a.set(pending("kept"))
		for _, status := range []any{"done", "PENDING", "", " pending", nil, 1, true, []string{"pending"}} {
			a.refusesList([]args{step("a", status, "b")}, "invalid_status", "todos[0].status")
		}
		a.refusesList([]args{{"content": "a", "activeForm": "b"}}, "invalid_status", "todos[0].status")
	}},
	{"what is wrong with a list is told with a code of its own, and changes nothing", func(a *agent) {
		a.set(pending("kept"))
		a.refusesList(build("pending", "pending", "nope"), "invalid_status", "todos[2]")
		a.holds(pending("kept"), nil)
	}},
	{"of several faults the first is told", func(a *agent) {
		a.set(pending("kept"))
		long := strings.Repeat("x", 1001)
		for _, c := range []struct {
			steps []args
			code  string
			names string
		}{
			{[]args{step("a", "in_progress", "b"), step("c", "in_progress", "d"), step("e", "no", "f")}, "invalid_status", "todos[2].status"},
			{[]args{step("a", "no", "b"), step("", "no", "")}, "invalid_status", "todos[0].status"},
			{[]args{step("", "no", "")}, "empty_content", "todos[0].content"},
			{[]args{step("a", "no", "")}, "empty_active_form", "todos[0].activeForm"},
			{[]args{step(long, "no", "")}, "content_too_long", "todos[0].content"},
			{[]args{step("a", "no", long)}, "active_form_too_long", "todos[0].activeForm"},
			{slices.Repeat([]args{step("", "no", "")}, 201), "list_too_large", "200"},
			{[]args{{}}, "empty_content", "todos[0].content"},
		} {
			a.refusesList(c.steps, c.code, c.names)
		}
	}},
	{"a list has limits, which its description tells", func(a *agent) {
		description := a.offered()["todolist__set"]["description"].(string)
		for _, limit := range []string{"200 items", "1,000 characters", "64 KB"} {
			if !strings.Contains(description, limit) {
				a.Errorf("%q does not tell of %s", description, limit)
			}
		}
		full := slices.Repeat(pending("a"), 200)
		a.set(full)
		a.refusesList(append(full, step("b", "pending", "c")), "list_too_large", "200")
		a.set([]args{step(strings.Repeat("🚲", 1000), "pending", strings.Repeat("🚲", 1000))})
		a.refusesList([]args{step(strings.Repeat("🚲", 1001), "pending", "b")}, "content_too_long", "todos[0].content")
		a.refusesList([]args{step("a", "pending", strings.Repeat("é", 1001))}, "active_form_too_long", "todos[0].activeForm")
		heavy := step(strings.Repeat("x", 900), "pending", strings.Repeat("x", 900))
		a.set(slices.Repeat([]args{heavy}, 35))
		a.refusesList(slices.Repeat([]args{heavy}, 36), "list_too_large", "65536")
	}},
	{"a list that is not there is an unknown list", func(a *agent) {
		for _, id := range []string{"x", "abcdefghijklmnopqrstuvwxyz", strings.Repeat("a", 26) + "#", "../1", "🚲"} {
			for tool, arguments := range map[string]args{"todolist__get": {}, "todolist__set": {"todos": pending("a")}} {
				a.refuses(tool, merged(arguments, args{"list_id": id}), "UNKNOWN_LIST", "todolist__set without list_id")
			}
		}
	}},
}

var checklistOwners = []rule{
	{"no user sees another user's list, even with its ID", func(a *agent) {
		id := a.set(pending("hers"))
		priya := a.agentOf("priya", a.way)
		priya.holds([]args{}, nil)
		priya.refuses("todolist__get", args{"list_id": id}, "UNKNOWN_LIST", "")
		for _, more := range []args{{}, {"if_revision": 1}} {
			priya.refuses("todolist__set", merged(args{"list_id": id, "todos": pending("his")}, more), "UNKNOWN_LIST", "")
		}
		priya.set(pending("his"))
		a.holds(pending("hers"), nil)
		a.holds(pending("hers"), args{"list_id": id})
		for _, who := range []*agent{a, priya} {
			if got := who.must("todolist__lists", nil); got.at("total") != 1.0 {
				a.Errorf("lists %s", got.text)
			}
		}
	}},
	{"two lists of one person are independent", func(a *agent) {
		first := a.set(pending("first"))
		second := a.reopened().set(pending("second"))
		if first == second {
			a.Fatalf("both are %s", first)
		}
		a.set(pending("first", "more"), args{"list_id": first})
		a.holds(pending("first", "more"), args{"list_id": first})
		a.holds(pending("second"), args{"list_id": second})
		var ids []string
		for _, item := range a.must("todolist__lists", nil).at("items").([]any) {
			ids = append(ids, item.(args)["list_id"].(string))
		}
		if diff := cmp.Diff([]string{first, second}, ids); diff != "" { // the last written first
			a.Errorf("(-want +got):\n%s", diff)
		}
	}},
	{"a list outlives its connection", func(a *agent) {
		id := a.set(pending("kept"))
		for _, w := range []way{handshake, stateless, bridged} {
			again := a.agentOf("ines", w)
			again.holds([]args{}, nil) // what another connection wrote is not meant by saying nothing
			again.holds(pending("kept"), args{"list_id": id})
		}
	}},
	{"a list is found by its id from call to call, with a session each or none", func(a *agent) {
		id := a.set(pending("a"))
		for i := range 3 {
			steps := pending("a", fmt.Sprint(i))
			a.reopened().set(steps, args{"list_id": id})
			a.reopened().holds(steps, args{"list_id": id})
		}
		none := *a
		none.session = ""
		none.holds(pending("a", "2"), nil) // the last one that this connection wrote
		if other := none.set(pending("b")); other == id {
			a.Error("outside a session, a list was set without its ID")
		}
		none.holds(pending("b"), nil)
		if a.way == handshake {
			a.holds(pending("a", "2"), nil)
			a.reopened().holds([]args{}, nil)
		}
	}},
	{"a list is set only at the expected revision; without one, the last call wins", func(a *agent) {
		id := a.set(pending("one"))
		at := func(n int) args { return args{"list_id": id, "if_revision": n} }
		a.set(pending("two"), at(1))
		for _, other := range []int{0, 1, 3} {
			r := a.refuses("todolist__set", merged(args{"todos": pending("lost")}, at(other)), "CONFLICT", "revision 2")
			if want := any(args{"type": "revision", "id": "2"}); !cmp.Equal(want, r.at("data", "resource")) {
				a.Errorf("%s does not tell the revision", r.text)
			}
		}
		a.holds(pending("two"), args{"list_id": id})
		a.holds(pending("one"), args{"list_id": id, "revision": 1})
		a.set(pending("three"), args{"list_id": id})
		a.refuses("todolist__get", args{"list_id": id, "revision": 1}, "UNKNOWN_REVISION", "3")
		a.holds(pending("three"), args{"list_id": id})
		a.refuses("todolist__set", args{"todos": pending("a"), "list_id": id, "if_revision": -1}, "INVALID_INPUT", "if_revision")
	}},
}
