package basecamptools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/tool/mcptool"
)

// property is an argument in an input schema.
type property struct {
	Type       any
	Enum       []string
	Items      *property
	Properties map[string]property
	AnyOf      []property
}

// variants makes calls of a tool from a typical one.
type variants struct {
	*rand.Rand
	schema property
}

// wordsFor are values of arguments by a part of their name. The last entry is for all others.
var wordsFor = []struct {
	part   string
	values []string
}{
	{"_on", []string{"friday", "2031-02-03", "in 2 weeks", "none", "tomorrow"}},
	{"_at", []string{"2031-02-03T10:00", "2031-02-03", "tomorrow 9:00"}},
	{"date", []string{"today", "yesterday"}},
	{"assignees", []string{"me", "Sam Okafor", "Priya Raman", "Nobody at all"}},
	{"participants", []string{"me", "Priya Raman"}},
	{"mentions", []string{"Sam Okafor"}},
	{"column", []string{"Done", "Triage", "In progress"}},
	{"list", []string{"Launch checklist", "After the launch"}},
	{"title", []string{"Weld", "Größe & Maß <b>", "A title"}},
	{"body", []string{"One.\n\nTwo, @Sam Okafor.", "* a\n* b", "**Bold** & <i>plain</i>", ""}},
	{"", []string{"Some text", "Zwei\n\nAbsätze", "1"}},
}

func (v variants) word(name string) string {
	for _, w := range wordsFor {
		if strings.Contains(name, w.part) {
			return w.values[v.IntN(len(w.values))]
		}
	}
	return ""
}

// value returns a value of an argument.
func (v variants) value(name string, p property) any {
	kind := fmt.Sprint(p.Type)
	if len(p.AnyOf) > 0 {
		kind = fmt.Sprint(p.AnyOf[v.IntN(len(p.AnyOf))].Type)
	}
	switch {
	case len(p.Enum) > 0:
		return p.Enum[v.IntN(len(p.Enum))]
	case kind == "boolean":
		return v.IntN(2) == 0
	case kind == "integer", kind == "number":
		return v.IntN(5)
	case kind == "array" && p.Items != nil:
		var list []any
		for range v.IntN(3) {
			list = append(list, v.value(name, *p.Items))
		}
		return list
	case kind == "object":
		object := map[string]any{}
		for _, member := range slices.Sorted(maps.Keys(p.Properties)) {
			if v.IntN(2) == 0 {
				object[member] = v.value(member, p.Properties[member])
			}
		}
		return object
	}
	return v.word(name)
}

// of returns a typical call with up to three other arguments.
func (v variants) of(typical args) args {
	in := maps.Clone(typical)
	names := slices.Sorted(maps.Keys(v.schema.Properties))
	for range v.IntN(4) {
		name := names[v.IntN(len(names))]
		switch {
		case name == "idempotency_key":
		case v.IntN(8) == 0:
			delete(in, name)
		case v.IntN(4) > 0 || in[name] == nil:
			in[name] = v.value(name, v.schema.Properties[name])
		}
	}
	return in
}

var errorCode = regexp.MustCompile(`error_code\\":\\"([A-Z_]*)`)

// refusal returns the error code of an answer. The codes of wrong arguments count as one: of
// several wrong ones, a call names the one that it finds first, and its plan may find another one.
func refusal(answer string) string {
	code := errorCode.FindStringSubmatch(answer)
	switch {
	case code == nil:
		return ""
	case slices.Contains([]string{"INVALID_INPUT", "NOT_FOUND", "AMBIGUOUS"}, code[1]):
		return "wrong arguments"
	}
	return code[1]
}

// Every call that writes is planned as it is carried out, and fails as a plan where it fails.
func TestPreview_PlansWhatTheCallSends(t *testing.T) {
	t.Parallel()
	each := 40
	if testing.Short() {
		each = 8
	}
	for _, tool := range writingTools() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				done := 0
				for round := range 4 { // each in a new world: calls change it
					done += comparePlans(t, tool, uint64(round), each/4)
				}
				if done == 0 {
					t.Errorf("of %d calls, not one wrote something", each)
				}
			})
		})
	}
}

// comparePlans plans and makes variants of a call, and returns how many wrote something.
func comparePlans(t *testing.T, tool mcptool.Tool, seed uint64, count int) (done int) {
	t.Helper()
	d, sent := newSending(t)
	v := variants{Rand: rand.New(rand.NewPCG(seed, 7))}
	if err := json.Unmarshal(tool.InputSchema(), &v.schema); err != nil {
		t.Fatal(err)
	}
	usual := typical(d)[tool.Name]
	for range count {
		in := v.of(usual)
		planned, wouldBe, is := d.planAndCall(sent, tool.Name, in)
		if failed := strings.Contains(is, `"isError":true`); failed || strings.Contains(wouldBe, `"isError":true`) {
			if len(sent.writes) == 0 && refusal(is) != refusal(wouldBe) || !failed {
				t.Errorf("%v:\nplanned %.700s\ncalled  %.700s", in, wouldBe, is)
			}
			sent.writes = nil
			continue
		}
		holdToPlan(t, fmt.Sprint(tool.Name, in), planned, sent.writes)
		if len(sent.writes) > 0 {
			done++
		}
		sent.writes = nil
	}
	return done
}

// Every operation that changes something is planned as it is carried out, with all of its arguments
// and with some of them.
func TestPreview_PlansWhatOperationsSend(t *testing.T) {
	each, compared := 12, 0
	if testing.Short() {
		each = 1
	}
	r := rand.New(rand.NewPCG(3, 4))
	operating(t, true, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
		if !row.Changes() {
			return
		}
		sent := sentWrites{to: s.next}
		s.next = &sent
		all := in["arguments"].(args)
		for round := range each {
			some := args{}
			for name, value := range all {
				if round == 0 || r.IntN(3) > 0 {
					some[name] = value
				}
			}
			planned, wouldBe, is := d.planAndCall(&sent, row.Runner(), args{"operation": row.Name, "arguments": some})
			if failed := strings.Contains(is, `"isError":true`); failed != strings.Contains(wouldBe, `"isError":true`) {
				t.Errorf("%s %v:\nplanned %.700s\ncalled  %.700s", row.Name, some, wouldBe, is)
			} else if !failed {
				holdToPlan(t, fmt.Sprint(row.Name, some), planned, sent.writes)
				compared += len(sent.writes)
			}
			for _, w := range planned {
				if w.What == "" {
					t.Errorf("%s: planned %+v", row.Name, w)
				}
			}
			sent.writes = nil
			s.sent = ""
		}
	})
	if compared == 0 {
		t.Error("no operation wrote")
	}
	t.Log(compared, "writes")
}
