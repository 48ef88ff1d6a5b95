package basecamptools

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
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
// share one. A row that fails has written nothing.
//
// Strings of before, tool, in, holds, says and writes may have these in braces:
//
//	{Document:Handbook}        the ID of the item with this type and title
//	{Vault:Frame@Company HQ}   the same within a project
//	{project:Company HQ}       the ID of a project
//	{person:Priya Raman}       the ID of a person
//	{list:Parking lot@Project} the ID of a to-do list or group of a project
//	{tool:chat@Company HQ}     the ID of a project's first tool of this kind
//	{tool:chat 1@Company HQ}   the ID of its second one
//	{account}                  the ID of the account
//	{.items.0.id}, {0.id}      what the last answer holds at this path, and that of the first call
//
// A string that is nothing else becomes a number if it is one.
type row struct {
	fact   string
	as     string   // who calls; Ines Albrecht if empty
	before []string // "PUT /path {body}", "FAULT 403 /path body", "CLEAR" or "WAIT 48h", beforehand
	setup  func(d *toolEnv)
	tool   string // or "GET /path", which asks Basecamp directly; that of the table if empty
	in     args   // added to those of the table; nil takes one away
	each   []args // if set, the same holds for the call with each of these added
	short  bool   // ask lists for what they show by default

	fails    fault.Code
	holds    holds
	says     says     // what the text of the answer has, or the message of the failure
	misses   []string // what the text does not have
	requests int      // how many reach Basecamp, at most; 0 does not count them
	writes   []string // method and path of the requests that change data, in order
	then     []row    // calls afterwards, in the same company
}

type says = []string

// holds are values of an answer by path: "items.0.title". A star stands for all elements, which
// gives a list without repeats: "items.*.author.name". A # gives their number. The value nil is for
// what is missing, null or empty. A list is compared with a list and a value with a value; has,
// some, least and a func(any) bool check otherwise.
type holds map[string]any

type (
	has   string // is text, or in a list as JSON, that contains this
	least int    // is a number that is not below this one
)

// some is for a value that is not empty.
const some = least(-1 << 31)

// cases runs the rows with a tool and arguments that each row adds to.
func cases(t *testing.T, tool string, usual args, rows ...row) {
	t.Helper()
	var shared []row
	for _, r := range rows {
		if r.sharing(tool) {
			shared = append(shared, r)
		}
	}
	if len(shared) > 0 {
		unlimited(t, func(d *toolEnv) {
			for _, r := range shared {
				(&caseRun{toolEnv: d, tool: tool, usual: usual}).run(r, r.fact)
			}
		})
	}
	for _, r := range rows {
		if !r.sharing(tool) {
			t.Run(r.fact, func(t *testing.T) {
				unlimited(t, func(d *toolEnv) { (&caseRun{toolEnv: d, tool: tool, usual: usual}).run(r, r.fact) })
			})
		}
	}
}

// sharing reports whether a row leaves the company as it is.
func (r row) sharing(usual string) bool {
	if r.tool != "" {
		usual = r.tool
	}
	reads := r.fails != "" || strings.HasPrefix(usual, "GET ") || slices.ContainsFunc(ofBasecamp(), func(tool mcptool.Tool) bool { return tool.Name == usual && tool.Effect == mcptool.Reads })
	return reads && r.before == nil && r.setup == nil && r.requests == 0 && !slices.ContainsFunc(r.then, func(next row) bool { return !next.sharing(usual) })
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
	for i, next := range r.then {
		if next.fact == "" {
			next.fact = strconv.Itoa(i + 1)
		}
		if next.as == "" {
			next.as = r.as
		}
		c.run(next, fact+", then "+next.fact)
	}
}

func (c *caseRun) prepare(r row) {
	c.Helper()
	for _, change := range r.before {
		change = c.fill(change).(string)
		verb, rest, _ := strings.Cut(change, " ")
		target, body, _ := strings.Cut(rest, " ")
		switch verb {
		case "FAULT":
			status, _ := strconv.Atoi(target)
			prefix, content, _ := strings.Cut(body, " ")
			c.sandbox.Inject(sandbox.Fault{PathPrefix: prefix, Status: status, Body: content})
		case "CLEAR":
			c.sandbox.ClearFaults()
		case "WAIT":
			wait, err := time.ParseDuration(target)
			if err != nil {
				c.Fatal(err)
			}
			time.Sleep(wait)
		default:
			c.meanwhile(verb, target, body)
		}
	}
	if r.setup != nil {
		r.setup(c.toolEnv)
	}
}

func (c *caseRun) call(r row, more args, fact string) {
	c.Helper()
	tool, in := c.tool, args{}
	if r.tool != "" {
		tool = r.tool
	} else {
		maps.Copy(in, c.usual)
	}
	maps.Copy(in, r.in)
	maps.Copy(in, more)
	maps.DeleteFunc(in, func(_ string, v any) bool { return v == nil })
	who := *c.toolEnv
	d := &who
	if r.as != "" {
		d = c.as(r.as)
	}
	d.short = d.short || r.short
	var text string
	var failed bool
	asked := d.asked(func() { text, failed = c.answerOf(d, tool, in) })
	where := func() string { return fmt.Sprintf("%s: %s %v", fact, tool, in) }
	answer, err := exactly(text)
	if err != nil || failed != (r.fails != "") {
		c.Fatalf("%s: %v %s", where(), err, text)
	}
	c.answers = append(c.answers, answer)
	if code := valueAt(answer, "error_code"); failed && code != string(r.fails) {
		c.Errorf("%s: want %s, got %s", where(), r.fails, text)
	}
	for _, words := range r.says {
		if said := spoken(answer, text); !strings.Contains(said, fmt.Sprint(c.fill(words))) {
			c.Errorf("%s: does not say %q: %.3000s", where(), words, said)
		}
	}
	for _, words := range r.misses {
		if strings.Contains(text, words) {
			c.Errorf("%s: says %q: %.3000s", where(), words, text)
		}
	}
	for path, want := range r.holds {
		if got := valueAt(answer, path); !matches(got, c.filled(want)) {
			c.Errorf("%s: %s is %v, want %v", where(), path, asJSON(got), want)
		}
	}
	c.holdRequests(r, asked, where)
}

// holdRequests compares the requests of a call with what its row says.
func (c *caseRun) holdRequests(r row, asked []string, where func() string) {
	c.Helper()
	if r.requests != 0 && len(asked) > r.requests {
		c.Errorf("%s: %d requests: %s", where(), len(asked), strings.Join(asked, "\n"))
	}
	var want []string
	for _, w := range r.writes {
		want = append(want, fmt.Sprint(c.fill(w)))
	}
	if got := writesIn(asked); (r.writes != nil || r.fails != "") && !slices.Equal(got, want) {
		c.Errorf("%s: wrote %v, want %v", where(), got, want)
	}
}

// answerOf returns the answer of a tool, or of Basecamp.
func (c *caseRun) answerOf(d *toolEnv, tool string, in args) (text string, failed bool) {
	c.Helper()
	if path, direct := strings.CutPrefix(tool, "GET "); direct {
		return string(upstream[json.RawMessage](d, fmt.Sprint(c.fill(path)))), false
	}
	return d.raw(tool, c.filled(in))
}

// spoken returns the text of an answer, or the message of a failure with all its violations.
func spoken(answer any, text string) string {
	message, failed := valueAt(answer, "message").(string)
	if !failed || valueAt(answer, "error_code") == nil {
		return text
	}
	if violations, ok := valueAt(answer, "data.validation").([]any); ok {
		for _, v := range violations {
			message += fmt.Sprintf("\n%v: %v", valueAt(v, "path"), valueAt(v, "message"))
		}
	}
	return message
}

// valueAt returns what an answer holds at a path, or nil.
func valueAt(answer any, path string) any {
	name, rest, more := strings.Cut(path, ".")
	var inner any
	switch v := answer.(type) {
	case map[string]any:
		inner = v[name]
	case []any:
		if name == "#" {
			return json.Number(strconv.Itoa(len(v)))
		}
		if name == "*" {
			return distinctAt(v, rest, more)
		}
		if i, err := strconv.Atoi(name); err == nil && i < len(v) {
			inner = v[i]
		}
	}
	if more {
		return valueAt(inner, rest)
	}
	return inner
}

// distinctAt returns what the elements of a list hold at a path, each value once.
func distinctAt(list []any, path string, more bool) any {
	values := []any{}
	for _, element := range list {
		found := []any{element}
		if more {
			found[0] = valueAt(element, path)
			if inner, ok := found[0].([]any); ok && strings.Contains("."+path, ".*") {
				found = inner
			}
		}
		for _, value := range found {
			if !slices.ContainsFunc(values, func(known any) bool { return reflect.DeepEqual(known, value) }) {
				values = append(values, value)
			}
		}
	}
	return values
}

// matches reports whether a value is as a row wants it.
func matches(got, want any) bool {
	list, isList := got.([]any)
	switch want := want.(type) {
	case nil:
		return empty(got)
	case least:
		n, err := strconv.Atoi(fmt.Sprint(got))
		return want == some && !empty(got) || err == nil && n >= int(want)
	case has:
		text, ok := got.(string)
		return strings.Contains(text, string(want)) || !ok && strings.Contains(asJSON(got), string(want))
	case func(any) bool:
		return want(got)
	case []any:
		return reflect.DeepEqual(got, want)
	}
	return reflect.DeepEqual(got, want) || isList && len(list) == 1 && reflect.DeepEqual(list[0], want)
}

func empty(v any) bool {
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	return v == nil || v == "" || v == false || v == json.Number("0") || isList && len(list) == 0 || isObject && len(object) == 0
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

var inBraces = regexp.MustCompile(`\{(\d*)\.([\w.]+)\}|\{([A-Za-z_]+(?:::[A-Za-z]+)*)(?::([^{}@"]+)(?:@([^{}"]+))?)?\}`)

// fill replaces what a string has in braces.
func (c *caseRun) fill(s string) any {
	c.Helper()
	filled := inBraces.ReplaceAllStringFunc(s, func(found string) string {
		part := inBraces.FindStringSubmatch(found)
		if path := part[2]; path != "" {
			i := len(c.answers) - 1
			if part[1] != "" {
				i, _ = strconv.Atoi(part[1])
			}
			value := valueAt(c.answers[i], path)
			if text, ok := value.(string); ok {
				return text
			}
			return asJSON(value)
		}
		return fmt.Sprint(c.idOf(part[3], part[4], part[5]))
	})
	if _, err := strconv.Atoi(filled); err == nil && inBraces.FindString(s) == s && s != "" {
		return json.Number(filled)
	}
	return filled
}

// idOf returns the ID of something in the made-up company.
func (c *caseRun) idOf(kind, name, project string) int64 {
	switch {
	case kind == "account":
		return c.sandbox.Account()
	case kind == "project":
		return c.sandbox.ProjectID(name)
	case kind == "person":
		return c.sandbox.Person(name).ID
	case kind == "list":
		return c.sandbox.TodolistID(project, name)
	case kind == "tool":
		name, nth, _ := strings.Cut(name, " ")
		i, _ := strconv.Atoi(nth)
		return c.sandbox.ToolIDs(project, name)[i]
	case project != "":
		return c.sandbox.FindIn(project, kind, name)
	}
	return c.sandbox.Find(kind, name)
}

// filled returns a value as JSON has it, with all its strings filled.
func (c *caseRun) filled(v any) any {
	c.Helper()
	switch v := v.(type) {
	case nil, least, func(any) bool:
		return v
	case has:
		return has(fmt.Sprint(c.fill(string(v))))
	}
	plain, err := exactly(asJSON(v))
	if err != nil {
		c.Fatal(err)
	}
	return c.fillAll(plain)
}

func (c *caseRun) fillAll(v any) any {
	switch v := v.(type) {
	case string:
		return c.fill(v)
	case []any:
		for i := range v {
			v[i] = c.fillAll(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = c.fillAll(v[name])
		}
	}
	return v
}
