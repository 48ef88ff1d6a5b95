package sandbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// Stories are facts, each told by the requests of a fresh sandbox.
type stories map[string][]step

// A step is a request with its answer.
type step struct {
	who   string // the beginning of a person's name; Ines Albrecht if empty
	ask   string // "made = POST /todos": the method, ALL for all pages of a list, and where the answer is kept
	body  string // JSON
	want  int    // the status
	holds string // JSON that the answer holds, see held
}

// reference matches what stands for an ID or a text in a request: {Todo: Order cartons} for a
// recording, {Todo: Order cartons @ Winter Kit} for one of a project, {Person: Sam Okafor},
// {Project: Winter Kit}, {chat: Winter Kit} for a tool, {made.id} for a part of a kept answer.
var reference = regexp.MustCompile(`\{(?:([\w:]+): ([^}@]+?)(?: @ ([^}]+))?|(\w+)\.([\w.]+))\}`)

func (all stories) run(t *testing.T) {
	t.Helper()
	for fact, steps := range all {
		t.Run(fact, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil { // Find knows no such item
					t.Error(p)
				}
			}()
			s, kept := newSandbox(t), map[string]any{}
			for _, one := range steps {
				one.take(t, s, kept)
			}
		})
	}
}

func (one step) take(t *testing.T, s *Sandbox, kept map[string]any) {
	t.Helper()
	fill := func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(m string) string {
			parts := reference.FindStringSubmatch(m)
			return fmt.Sprint(meant(s, kept, parts))
		})
	}
	who := s.People()[slices.IndexFunc(s.People(), func(p Person) bool { return strings.HasPrefix(p.Name, one.who) })]
	c := as(t, s, who.Name)
	name, ask, keeps := strings.Cut(one.ask, " = ")
	if !keeps {
		ask = one.ask
	}
	method, path, _ := strings.Cut(fill(ask), " ")
	if method == "SEND" { // a file of this name
		method, path = "POST", "/attachments?name="+path
		c = c.with("Content-Type", "text/plain")
	}
	route, query, _ := strings.Cut(path, "?")
	path = route + ".json?" + query
	var body any
	if one.body != "" {
		body = []byte(fill(one.body))
	}
	var got any
	if method == "ALL" {
		got = plainJSON(t, c.all("%s", path))
	} else if r := c.do(method, path, body).want(one.want); len(r.body) > 0 {
		r.decode(&got)
	}
	if keeps {
		kept[name] = got
	}
	if one.holds == "" {
		return
	}
	var want any
	response{t: t, body: []byte(fill(one.holds))}.decode(&want)
	if problem := held(got, want, ""); problem != "" {
		t.Errorf("%s %s:%s", one.who, one.ask, problem)
	}
}

func plainJSON(t *testing.T, value any) (plain any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	response{t: t, body: data}.decode(&plain)
	return plain
}

// meant returns what a reference stands for.
func meant(s *Sandbox, kept map[string]any, parts []string) any {
	kind, title, project := parts[1], parts[2], parts[3]
	switch {
	case kind == "":
		at := kept[parts[4]]
		for key := range strings.SplitSeq(parts[5], ".") {
			if list, ok := at.([]any); ok {
				n, _ := strconv.Atoi(key)
				at = list[n]
			} else {
				at = at.(map[string]any)[key]
			}
		}
		return at
	case kind == "Person":
		return s.Person(title).ID
	case kind == "Project":
		return s.ProjectID(title)
	case unicode.IsLower(rune(kind[0])):
		return s.ToolID(title, kind)
	case project != "":
		return s.FindIn(project, kind, title)
	}
	return s.Find(kind, title)
}

// held returns what an answer lacks of what is wanted. An object has the wanted fields; null is
// also a field that is missing. A list has as many items, and after "..." some more. A wanted text
// is what an object is called. "#3" is a list of three, "#>3" a longer one, and "~text" contains
// text.
func held(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if problem := held(object[name], value, at+"."+name); problem != "" {
				return problem
			}
		}
		return ""
	case []any:
		items, _ := got.([]any)
		if len(want) > 0 && want[0] == "..." {
			for _, value := range want[1:] {
				if !slices.ContainsFunc(items, func(item any) bool { return held(item, value, at) == "" }) {
					return fmt.Sprintf("%s: no %v in %.2000v", at, value, apply(items, titled))
				}
			}
			return ""
		}
		if len(items) != len(want) {
			return fmt.Sprintf("%s: %d items, want %d: %.900v", at, len(items), len(want), apply(items, titled))
		}
		for i := range want {
			if problem := held(items[i], want[i], fmt.Sprintf("%s[%d]", at, i)); problem != "" {
				return problem
			}
		}
		return ""
	}
	return said(got, want, at)
}

// callings are the fields by which an object is called.
var callings = []string{"name", "title", "content", "summary"}

// titled returns the title or name of an object, and other values as they are.
func titled(value any) any {
	object, _ := value.(map[string]any)
	for _, name := range callings {
		if object[name] != nil {
			return object[name]
		}
	}
	return value
}

// said does the same for a wanted text or number.
func said(got, want any, at string) string {
	text := fmt.Sprint(want)
	fits := fmt.Sprint(got) == text
	switch got := got.(type) {
	case map[string]any:
		fits = slices.ContainsFunc(callings, func(name string) bool { return got[name] == want })
	case []any:
		n, _ := strconv.Atoi(strings.TrimPrefix(text, "#>"))
		fits = fits || text == fmt.Sprintf("#%d", len(got)) || strings.HasPrefix(text, "#>") && len(got) > n
	case string:
		part, contains := strings.CutPrefix(text, "~")
		fits = fits || contains && strings.Contains(got, part)
	}
	if fits {
		return ""
	}
	if items, ok := got.([]any); ok {
		return fmt.Sprintf("%s has %d items, want %v", at, len(items), want)
	}
	return fmt.Sprintf("%s is %.200v, want %v", at, got, want)
}
