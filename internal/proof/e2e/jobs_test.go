package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// group is a line of jobs.txt that begins with @, and the jobs up to the next one.
type group struct {
	Name, Path, As string
	Calls, Errors  int // what all its jobs may cost together
	Tokens         int // the same; zero: any number
	jobs           []*job
}

// job is one request of a user, and what an agent does for it that knows only tools/list.
type job struct {
	ask                   string
	Calls, Tokens         int // what it may cost alone; zero: any number
	lines                 []string
	calls, errors, tokens int // what it cost
}

// readJobs reads jobs.txt, whose first lines say how it is written.
func readJobs(t *testing.T) (groups []*group) {
	t.Helper()
	text, err := os.ReadFile("jobs.txt")
	zone, zoneErr := time.LoadLocation("Europe/Berlin") // of the users
	if err != nil || zoneErr != nil {
		t.Fatal(err, zoneErr)
	}
	now := time.Now().In(zone)
	names := []string{"{hour}", now.Add(-time.Hour).Format(time.RFC3339), "{monday}", now.AddDate(0, 0, (7-int(now.Weekday()))%7+1).Format(time.DateOnly)}
	for n := -40; n <= 40; n++ {
		names = append(names, fmt.Sprintf("{day%+d}", n), now.AddDate(0, 0, n).Format(time.DateOnly))
	}
	names = append(names, "LAUNCH", `"Cargo Bike Launch"`, "SHOP", `"fernhill-bikes/configurator"`, "SEASON", `"fernhill-bikes/1"`)
	var g *group
	for line := range strings.Lines(strings.NewReplacer(names...).Replace(string(text))) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case line[0] == '@':
			g = &group{As: "ines"}
			groups = append(groups, g)
			err = json.Unmarshal([]byte(line[1:]), g)
		case line[0] == '#':
			ask, limits, limited := strings.Cut(line[2:], " | ")
			j := &job{ask: ask}
			if g.jobs = append(g.jobs, j); limited {
				err = json.Unmarshal([]byte(limits), j)
			}
		default:
			j := g.jobs[len(g.jobs)-1]
			j.lines = append(j.lines, line)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return groups
}

// Each job has a server of its own. Never raise a limit of jobs.txt.
func TestJobs_CostNoMoreThanBefore(t *testing.T) {
	t.Parallel()
	for _, g := range readJobs(t) {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("job", func(t *testing.T) {
				for i, j := range g.jobs {
					t.Run(fmt.Sprint(i+1), func(t *testing.T) {
						t.Parallel()
						r := jobRun{t: t, job: j, group: g, server: startWith(t, []string{"-store", "memory"}, "LOG_LEVEL=error")}
						for _, line := range j.lines {
							for call := range strings.SplitSeq(line, " && ") {
								r.do(call)
							}
						}
					})
				}
			})
			var all job
			var table strings.Builder
			fmt.Fprintf(&table, "\n%2s  %-86s %5s %6s %6s\n", "", g.Name, "calls", "errors", "tokens")
			for i, j := range g.jobs {
				fmt.Fprintf(&table, "%2d  %-86s %5d %6d %6d\n", i+1, j.ask, j.calls, j.errors, j.tokens)
				all.calls, all.errors, all.tokens = all.calls+j.calls, all.errors+j.errors, all.tokens+j.tokens
				if j.Calls > 0 && j.calls > j.Calls || j.Tokens > 0 && j.tokens > j.Tokens {
					t.Errorf("%q takes %d calls and %d tokens; the limits are %d and %d", j.ask, j.calls, j.tokens, j.Calls, j.Tokens)
				}
			}
			t.Logf("%s    %-86s %5d %6d %6d", table.String(), "all", all.calls, all.errors, all.tokens)
			if all.calls > g.Calls || all.errors > g.Errors || g.Tokens > 0 && all.tokens > g.Tokens {
				t.Errorf("%d calls, %d errors, %d tokens; the limits are %d, %d and %d", all.calls, all.errors, all.tokens, g.Calls, g.Errors, g.Tokens)
			}
		})
	}
}

// jobRun is one job at work.
type jobRun struct {
	t *testing.T
	*job
	*group
	*server
	projects string // the IDs to which the client is held
	answers  []any
}

var (
	// called matches a call: who calls what, perhaps to the end of a list, and what to expect.
	called = regexp.MustCompile(`^(?:(-)(\w*) )?(\S+?)(\*?)(?: ([{"].*?))?(?: => (.*))?$`)
	// expectation matches a path, a comparison, and JSON.
	expectation = regexp.MustCompile(`^(.+?) (=|!=|~|!~|#|#>)(?: (.*))?$`)
	// reference matches ${2.items.0.id}, a part of the second answer; ${#2.items}, the length of a
	// list; and ${2.date|today}, which is today if the answer has no date.
	reference = regexp.MustCompile(`\$\{(#?)(\d+)\.?([^}|]*)\|?([^}]*)\}`)
	// step matches a part of a path: a member, an index, a range or *, and which elements to keep.
	step = regexp.MustCompile(`^([^.\[\]]*)((?:\[[^\]]*\])*)(?:\.|$)`)
)

// do makes the call of a line, and checks the answer.
func (r *jobRun) do(line string) {
	m := called.FindStringSubmatch(line)
	if m == nil {
		r.t.Fatalf("%s is no call", line)
	}
	arguments, who := any(map[string]any{}), m[2]
	if m[5] != "" {
		arguments = r.expanded(r.decoded(m[5]))
	}
	tool := fmt.Sprint(r.expanded(m[3]))
	if tool == "projects" {
		r.projects = fmt.Sprint(arguments)
		return
	}
	if who == "" {
		who = r.As
	}
	r.answers = append(r.answers, r.asked(who, tool, arguments.(map[string]any), m[1] == "", m[4] != ""))
	for want := range strings.SplitSeq(m[6], "; ") {
		if want != "" && !r.holds(want) {
			e := expectation.FindStringSubmatch(want)
			r.t.Errorf("%q: %s\nwants %s, not %.900s", r.ask, line, want, encoded(at(r.answers[len(r.answers)-1], e[1])))
		}
	}
}

// asked calls a tool, or calls it until its list ends: the answer then has all items and all pages.
func (r *jobRun) asked(who, tool string, arguments map[string]any, counted, toEnd bool) any {
	all, pages := []any{}, []any{}
	for range 20 {
		a := message{
			method: "tools/call", bearer: "sandbox-" + who, path: r.Path, header: map[string]string{"X-MCP-Projects": r.projects},
			params: map[string]any{"name": tool, "arguments": arguments},
		}.post(r.t, r.server)
		var read result
		text := a.body
		if json.Unmarshal(a.Result, &read) == nil {
			text = read.text()
		}
		failed := a.Result == nil || read.IsError
		if counted {
			r.calls, r.tokens = r.calls+1, r.tokens+tokenCount(r.t, text)
		}
		if failed {
			if r.t.Logf("%s %v: %.600s", tool, arguments, text); !counted {
				r.t.FailNow()
			}
			r.errors++
		}
		var value any = text
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		_ = decoder.Decode(&value) // what is not JSON stays a text
		if members, ok := value.(map[string]any); ok && strings.Contains(string(a.Result), `"type":"image"`) {
			members["image"] = true
		}
		if !toEnd {
			return value
		}
		items, _ := at(value, "items").([]any)
		cursor, more := at(value, "next_cursor").(string)
		if all, pages = append(all, items...), append(pages, value); !more {
			return map[string]any{"items": all, "pages": pages}
		}
		arguments["cursor"] = cursor
	}
	r.t.Fatalf("%s did not end after 20 pages", tool)
	return nil
}

// holds reports whether the latest answer is as expected.
func (r *jobRun) holds(want string) bool {
	m := expectation.FindStringSubmatch(want)
	if m == nil {
		r.t.Fatalf("%s is no expectation", want)
	}
	got := at(r.answers[len(r.answers)-1], fmt.Sprint(r.expanded(m[1])))
	list, _ := got.([]any)
	var value any
	if m[3] != "" {
		value = r.expanded(r.decoded(m[3]))
	}
	wanted, many := value.([]any)
	if !many {
		wanted = []any{value}
	}
	length, _ := strconv.Atoi(fmt.Sprint(value))
	same := func(v any) func(any) bool { return func(w any) bool { return encoded(v) == encoded(w) } }
	has := func(v any) bool {
		if list != nil {
			return slices.ContainsFunc(list, same(v))
		}
		return strings.Contains(encoded(got), strings.Trim(encoded(v), `"`))
	}
	switch m[2] {
	case "=":
		return same(got)(value)
	case "!=":
		return !same(got)(value)
	case "~":
		return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(v any) bool { return !has(v) })
	case "!~":
		return got != nil && !slices.ContainsFunc(wanted, has)
	case "#":
		return len(list) == length
	}
	return len(list) > length // #>
}

// expanded replaces all references. One that is a whole text stands for any JSON.
func (r *jobRun) expanded(value any) any {
	resolved := func(found string) any {
		m := reference.FindStringSubmatch(found)
		n, _ := strconv.Atoi(m[2])
		got := at(r.answers[n-1], m[3])
		if list, _ := got.([]any); m[1] != "" {
			return json.Number(fmt.Sprint(len(list)))
		}
		if got == nil && m[4] != "" {
			return m[4]
		}
		return got
	}
	switch v := value.(type) {
	case string:
		if reference.FindString(v) == v && v != "" {
			return resolved(v)
		}
		return reference.ReplaceAllStringFunc(v, func(found string) string { return fmt.Sprint(resolved(found)) })
	case []any:
		for i := range v {
			v[i] = r.expanded(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = r.expanded(v[key])
		}
	}
	return value
}

// at returns the part of a value at a path such as items[title=Bell].*.id, or nil. A member of a
// list is that of its first element.
func at(value any, path string) any {
	if path == "" || path == "." {
		return value
	}
	m := step.FindStringSubmatch(path)
	rest := path[len(m[0]):]
	list, isList := value.([]any)
	index, noIndex := strconv.Atoi(m[1])
	switch {
	case isList && m[1] == "*":
		all := []any{}
		for _, element := range list {
			found := at(element, rest)
			if nested, ok := found.([]any); ok {
				all = append(all, nested...)
			} else if found != nil {
				all = append(all, found)
			}
		}
		return all
	case isList && noIndex != nil:
		return at(at(value, "0"), path)
	case isList && index < len(list):
		value = list[index]
	default:
		members, _ := value.(map[string]any)
		value = members[m[1]]
	}
	for kept := range strings.SplitSeq(strings.Trim(m[2], "[]"), "][") {
		list, isList := value.([]any)
		if i := strings.IndexAny(kept, "=<>~"); isList && i > 0 {
			value = slices.DeleteFunc(slices.Clone(list), func(element any) bool {
				field, want := at(element, kept[:i]), kept[i+1:]
				text := fmt.Sprint(field)
				return field == nil || !map[byte]bool{'=': text == want, '<': text < want, '>': text > want, '~': strings.Contains(text, want)}[kept[i]]
			})
		}
	}
	return at(value, rest)
}

func (r *jobRun) decoded(text string) (value any) {
	r.t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		r.t.Fatalf("%s: %v", text, err)
	}
	return value
}

func encoded(value any) string {
	text, _ := json.Marshal(value) // it was JSON
	return string(text)
}
