package basecamptools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

// A row is a behaviour of a tool: a call, what its answer holds, and what reaches Basecamp. It
// reads like a line of documentation:
//
//	cases(t, "create_document", args{"project": launch, "title": "Bells", "body": "Louder."},
//		row{fact: "a folder can be named", in: args{"folder": "Frame"},
//			writes: []string{"POST /vaults/{Vault:Frame@Cargo Bike Launch}/documents.json"},
//			holds:  holds{"title": "Bells", "status": "active"},
//			then:   []row{{tool: "GET /documents/{.id}.json", holds: holds{"title": "Bells"}}}},
//		row{fact: "a title is required", in: args{"title": " "},
//			fails: fault.InvalidInput, says: says{"title: must not be blank"}},
//	)
//
// Rows that write, count requests or prepare something run in a company of their own. All others
// share one. A row that fails has written nothing. No row has Basecamp's rate limit.
//
// Strings of before, tool, in, holds, says and writes may have these in braces:
//
//	{Document:Handbook}        the ID of the item with this type and title
//	{Vault:Frame@Company HQ}   the same within a project
//	{project:Company HQ}       the ID of a project
//	{person:Priya Raman}       the ID of a person
//	{tool:chat@Company HQ}     the ID of a project's first tool of this kind
//	{tool:chat 1@Company HQ}   the ID of its second one
//	{account}                  the ID of the account
//	{.items.0.id}, {0.id}      what the last answer holds at this path, and that of the first call
//
// A string that is nothing else becomes what it stands for: a number, or an object.
type row struct {
	fact   string
	as     string   // who calls; Ines Albrecht if empty
	before []string // what a colleague does beforehand, directly: "PUT /path {body}"
	faults faults   // of Basecamp, from then on
	setup  func(d *toolEnv)
	tool   string // or "GET /path", which asks Basecamp directly; that of the table if empty
	in     args   // added to those of the table; nil takes one away
	each   []args // if set, the same holds for the call with each of these added

	fails    fault.Code
	holds    holds
	says     says     // what the text of the answer has, or the message or a violation of the failure
	misses   []string // what the text does not have
	requests int      // how many reach Basecamp; 0 does not count them
	atMost   int      // a bound of how many reach Basecamp; 0 does not count them
	bytes    int      // a bound of how long the answer is; 0 does not measure it
	writes   []string // method and path of the requests that change data, in order
	then     []row    // calls afterwards, in the same company
}

type (
	says   = []string
	faults = []sandbox.Fault
)

// holds are values of an answer by path: "items.0.title". A # gives the number of elements. A star
// stands for all elements: with a list, for what they hold in order; with another value, it holds
// for each, and there is one. The value nil is for what is missing, null or empty.
type holds map[string]any

type (
	has   string // is text, or JSON, that contains this
	least int    // is a number, or a text or list of a length, that is not below this one
	most  int    // is one that is not above
)

// some is for a value that is not empty.
const some = least(1)

// invalid returns a row of a call that is refused with words, and writes nothing.
func invalid(fact string, in args, words ...string) row {
	return row{fact: fact, in: in, fails: fault.InvalidInput, says: words}
}

// cases runs the rows with a tool and arguments that each row adds to.
func cases(t *testing.T, tool string, usual args, rows ...row) {
	t.Helper()
	run := func(t *testing.T, rows ...row) {
		unlimited(t, func(d *toolEnv) {
			for _, r := range rows {
				(&caseRun{toolEnv: d, tool: tool, usual: usual}).run(r, r.fact)
			}
		})
	}
	shares := func(r row) bool { return r.sharing(tool) }
	run(t, lookup.Matching(rows, shares)...)
	for _, r := range slices.DeleteFunc(rows, shares) {
		t.Run(r.fact, func(t *testing.T) { run(t, r) })
	}
}

// sharing reports whether a row leaves the company as it is.
func (r row) sharing(usual string) bool {
	name := cmp.Or(r.tool, usual)
	reads := r.fails != "" || strings.HasPrefix(name, "GET ") || slices.ContainsFunc(ofBasecamp(), func(tool mcptool.Tool) bool { return tool.Name == name && tool.Effect == mcptool.Reads })
	return reads && r.before == nil && r.faults == nil && r.setup == nil && r.requests+r.atMost == 0 && !slices.ContainsFunc(r.then, func(next row) bool { return !next.sharing(usual) })
}

// caseRun is the run of one row with its answers.
type caseRun struct {
	*toolEnv
	tool    string
	usual   args
	answers []any
}

func (c *caseRun) run(r row, fact string) {
	c.Helper()
	c.prepare(r)
	calls := r.each
	if calls == nil {
		calls = []args{nil}
	}
	for _, more := range calls {
		c.call(r, more, fact)
	}
	for _, next := range r.then {
		next.as = cmp.Or(next.as, r.as)
		c.run(next, fact+", then "+next.fact)
	}
}

func (c *caseRun) prepare(r row) {
	c.Helper()
	for _, change := range r.before {
		method, rest, _ := strings.Cut(c.fill(change), " ")
		path, body, _ := strings.Cut(rest, " ")
		c.meanwhile(method, path, body)
	}
	for _, f := range r.faults {
		f.PathPrefix, f.Body = c.fill(f.PathPrefix), c.fill(f.Body)
		c.sandbox.Inject(f)
	}
	if r.setup != nil {
		r.setup(c.toolEnv)
	}
}

func (c *caseRun) call(r row, more args, fact string) {
	c.Helper()
	tool, in := cmp.Or(r.tool, c.tool), args{}
	if r.tool == "" {
		maps.Copy(in, c.usual)
	}
	maps.Copy(in, r.in)
	maps.Copy(in, more)
	maps.DeleteFunc(in, func(_ string, v any) bool { return v == nil })
	var text string
	var isError bool
	asked := c.asked(func() { text, isError = c.answerOf(r.as, tool, in) })
	what := fmt.Sprintf("%s: %s %v", fact, tool, in)
	answer, err := exactly(text)
	if err != nil || isError != (r.fails != "") {
		c.Fatalf("%s: %v %s", what, err, text)
	}
	c.answers = append(c.answers, answer)
	c.holdText(r, text, what)
	for path, want := range r.holds {
		if got := valueAt(answer, path); !matches(got, c.filled(want)) {
			c.Errorf("%s: %s is %v, want %v", what, path, asJSON(got), want)
		}
	}
	if n := len(asked); r.requests != 0 && n != r.requests || r.atMost != 0 && n > r.atMost {
		c.Errorf("%s: %d requests: %s", what, n, strings.Join(asked, "\n"))
	}
	var want []string
	for _, w := range r.writes {
		want = append(want, c.fill(w))
	}
	if got := writesIn(asked); (r.writes != nil || r.fails != "") && !slices.Equal(got, want) {
		c.Errorf("%s: wrote %v, want %v", what, got, want)
	}
}

// holdText compares the words of an answer with what its row says.
func (c *caseRun) holdText(r row, text, what string) {
	c.Helper()
	if r.bytes != 0 && len(text) > r.bytes {
		c.Errorf("%s: %d bytes: %.3000s", what, len(text), text)
	}
	contains := func(words string) bool { return strings.Contains(text, words) }
	if r.fails != "" {
		var f failed
		if err := json.Unmarshal([]byte(text), &f); err != nil || f.ErrorCode != r.fails {
			c.Errorf("%s: want %s, got %s", what, r.fails, text)
		}
		contains = func(words string) bool { return mcptest.Says(f.Message, f.Data.Validation, words) }
	}
	for _, words := range r.says {
		if !contains(c.fill(words)) {
			c.Errorf("%s: does not say %q: %.3000s", what, words, text)
		}
	}
	for _, words := range r.misses {
		if strings.Contains(text, words) {
			c.Errorf("%s: says %q: %.3000s", what, words, text)
		}
	}
}

// answerOf returns the answer of a tool, or of Basecamp.
func (c *caseRun) answerOf(as, tool string, in args) (text string, isError bool) {
	c.Helper()
	if path, direct := strings.CutPrefix(tool, "GET "); direct {
		return string(upstream[json.RawMessage](c.toolEnv, c.fill(path))), false
	}
	d := c.toolEnv
	if as != "" {
		d = d.as(as)
	}
	return d.raw(tool, c.filled(in))
}

// every is what all elements of a list hold.
type every []any

// valueAt returns what an answer holds at a path, or nil.
func valueAt(answer any, path string) any {
	if path == "" {
		return answer
	}
	name, rest, _ := strings.Cut(path, ".")
	if object, ok := answer.(map[string]any); ok {
		return valueAt(object[name], rest)
	}
	list, isList := answer.([]any)
	switch i, err := strconv.Atoi(name); {
	case name == "#" && isList:
		return json.Number(strconv.Itoa(len(list)))
	case name == "*":
		values := every{}
		for _, element := range list {
			value := valueAt(element, rest)
			if inner, ok := value.(every); ok {
				values = append(values, inner...)
			} else {
				values = append(values, value)
			}
		}
		return values
	case err == nil && i < len(list):
		return valueAt(list[i], rest)
	}
	return nil
}

// matches reports whether a value is as a row wants it.
func matches(got, want any) bool {
	list, isList := want.([]any)
	if all, ok := got.(every); ok && !isList {
		return len(all) > 0 && !slices.ContainsFunc(all, func(one any) bool { return !matches(one, want) })
	} else if ok {
		return reflect.DeepEqual([]any(all), list)
	}
	switch want := want.(type) {
	case nil:
		return size(got) == 0
	case least:
		return size(got) >= int(want)
	case most:
		return size(got) <= int(want)
	case has:
		text, ok := got.(string)
		return strings.Contains(text, string(want)) || !ok && strings.Contains(asJSON(got), string(want))
	}
	return reflect.DeepEqual(got, want)
}

// size returns a number, or the length of a text, list or object. It is 1 for true.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case json.Number:
		n, _ := v.Float64()
		return int(n)
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

// exactly decodes JSON whose numbers may be IDs beyond what a float64 holds.
func exactly(text string) (v any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&v)
	return v, err
}

func asJSON(v any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	return strings.TrimSpace(text.String())
}

const braces = `\{(\d*)\.([\w.*#]+)\}|\{([A-Za-z_]+(?:::[A-Za-z]+)*)(?::([^{}@"]+)(?:@([^{}"]+))?)?\}`

var (
	inBraces = regexp.MustCompile(braces)
	alone    = regexp.MustCompile(`"(?:` + braces + `)"`)
)

// fill replaces what a text has in braces.
func (c *caseRun) fill(s string) string {
	return inBraces.ReplaceAllStringFunc(s, func(found string) string { return fmt.Sprint(c.meant(found)) })
}

// filled returns a value as JSON has it, with all its strings filled.
func (c *caseRun) filled(v any) any {
	c.Helper()
	switch v := v.(type) {
	case nil, least, most:
		return v
	case has:
		return has(c.fill(string(v)))
	}
	plain, err := exactly(c.fill(alone.ReplaceAllStringFunc(asJSON(v), func(found string) string { return asJSON(c.meant(strings.Trim(found, `"`))) })))
	if err != nil {
		c.Fatal(err)
	}
	return plain
}

// meant returns what something in braces stands for.
func (c *caseRun) meant(found string) any {
	part := inBraces.FindStringSubmatch(found)
	kind, name, project := part[3], part[4], part[5]
	switch {
	case part[1] != "":
		i, _ := strconv.Atoi(part[1])
		return valueAt(c.answers[i], part[2])
	case part[2] != "":
		return valueAt(c.answers[len(c.answers)-1], part[2])
	case kind == "account":
		return c.sandbox.Account()
	case kind == "project":
		return c.sandbox.ProjectID(name)
	case kind == "person":
		return c.sandbox.Person(name).ID
	case kind == "tool":
		name, nth, _ := strings.Cut(name, " ")
		i, _ := strconv.Atoi(nth)
		return c.sandbox.ToolIDs(project, name)[i]
	case project != "":
		return c.sandbox.FindIn(project, kind, name)
	}
	return c.sandbox.Find(kind, name)
}
