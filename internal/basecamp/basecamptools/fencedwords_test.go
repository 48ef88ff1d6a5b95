package basecamptools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/tool/mcptool"
)

// sameAnswers makes two calls of a client that differ in what they name, and reports it if the
// answers or the numbers of requests differ. plain removes what the calls name. What a call has
// begun to read when it finds something wrong by itself, the user's profile and people do not
// count.
func (d *toolEnv) sameAnswers(one, other toolUse, plain func(string) string) {
	d.Helper()
	var texts [2]string
	var requests [2][]string
	for i, use := range []toolUse{one, other} {
		requests[i] = d.asked(func() { texts[i], _ = d.raw(use.tool, use.in) })
		requests[i] = slices.DeleteFunc(requests[i], func(r string) bool {
			return r == "GET /my/profile.json" || strings.HasSuffix(r, "people.json") || strings.Contains(texts[i], `"INVALID_INPUT"`) || strings.Contains(texts[i], `"TOOL_NOT_ENABLED"`)
		})
		texts[i] = plain(requestID.ReplaceAllString(texts[i], ""))
	}
	if texts[0] != texts[1] || len(requests[0]) != len(requests[1]) {
		d.Errorf("%s %v, and %v:\n%.400s\nasked %s\n%.400s\nasked %s", one.tool, one.in, other.in, texts[0], requests[0], texts[1], requests[1])
	}
}

// slowly makes requests that are sent at the same time reach Basecamp before the first answer,
// which is always of the same.
func (d *toolEnv) slowly() {
	d.sandbox.Inject(sandbox.Fault{PathPrefix: "/buckets/", Delay: 20 * time.Millisecond})
	d.sandbox.Inject(sandbox.Fault{Delay: 10 * time.Millisecond})
}

var requestID = regexp.MustCompile(`"request_id":"[^"]*"`)

var longID = regexp.MustCompile(`[0-9]{7,}`)

// An item outside and an item that does not exist give the same answer for as many requests.
func TestFence_AClosedItemIsLikeAMissingOne(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, _ *aboutPlaces) {
		uses := slices.Concat(otherWays(d), usesInLaunch(d, 0), operationsInLaunch(d))
		launch, places := d.sandbox.ProjectID(launchProject), d.sandbox.Places()
		missing := func(text string) string {
			return longID.ReplaceAllStringFunc(text, func(id string) string {
				if n, _ := strconv.ParseInt(id, 10, 64); places[n] == launch || n == launch {
					return "9" + id[1:]
				}
				return id
			})
		}
		d.slowly()
		compared := 0
		for _, places := range []*fence.Places{projectsOnly(), projectsOnly(d.sandbox.ProjectID(winterKit))} {
			held := d.heldTo(fence.Fence{Read: places})
			for _, use := range uses {
				given, _ := json.Marshal(use.in)
				var other args
				if err := json.Unmarshal([]byte(missing(string(given))), &other); err != nil {
					d.Fatal(err)
				}
				if missing(string(given)) != string(given) {
					held.sameAnswers(use, toolUse{use.tool, other}, missing)
					compared++
				}
			}
		}
		if compared < 100 {
			d.Errorf("compared %d calls", compared)
		}
	})
}

// wordsOf returns the calls of a tool with a text in one of its arguments: alone, and within the
// project that the client may read.
func wordsOf(tool string, schema property, usual args, text string) (calls []toolUse) {
	for name, p := range schema.Properties {
		kind := fmt.Sprint(p.Type, p.AnyOf)
		if !strings.Contains(kind, "string") || len(p.Enum) > 0 || name == "on" { // a day
			continue
		}
		for _, project := range []string{"", "project", "project_id"} {
			in := clone(usual)
			if _, has := schema.Properties[project]; has {
				in[project] = winterKit
			} else if project != "" {
				continue
			}
			in[name] = text
			calls = append(calls, planned(tool, in))
		}
	}
	return calls
}

// near matches the names that are similar to a word, of what the client may see.
var near = regexp.MustCompile(`; (the )?nearest: (\\"[^"\\]*\\"(, )?)+|,?"nearest":\[[^]]*\]`)

// planned returns a call that changes nothing: of a tool that writes, a preview.
func planned(tool string, in args) toolUse {
	if slices.ContainsFunc(writingTools(), func(t mcptool.Tool) bool { return t.Name == tool }) {
		return toolUse{"preview", args{"tool": tool, "arguments": in}}
	}
	return toolUse{tool, in}
}

// What a client asks for in words says nothing of the texts that it may not see, whichever tool it
// asks, in whichever argument.
func TestFence_WordsTellNothingOfTextsOutside(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, _ *aboutPlaces) {
		var calls []toolUse
		const there, nowhere = "serial number plates", "serial number platez"
		for _, tool := range ofBasecamp() {
			var schema property
			if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
				d.Fatal(err)
			}
			calls = append(calls, wordsOf(tool.Name, schema, args{}, there)...)
			calls = append(calls, wordsOf(tool.Name, schema, typical(d)[tool.Name], there)...)
		}
		for row := range operations.All {
			for _, a := range row.Args {
				for _, project := range []string{"", winterKit} {
					in := clone(usual(d, row))
					in[a.Name] = there
					if project != "" {
						in["project"] = project
					}
					calls = append(calls, planned(row.Runner(), args{"operation": row.Name, "arguments": in}))
				}
			}
		}
		d.slowly()
		held := d.heldTo(fence.Fence{Read: projectsOnly(d.sandbox.ProjectID(winterKit))})
		plain := func(text string) string { return strings.ReplaceAll(near.ReplaceAllString(text, ""), nowhere, there) }
		for _, use := range calls {
			given, _ := json.Marshal(use.in)
			var other args
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(given), there, nowhere)), &other); err != nil {
				d.Fatal(err)
			}
			if strings.Contains(string(given), there) {
				held.sameAnswers(use, toolUse{use.tool, other}, plain)
			}
		}
		if len(calls) < 300 {
			d.Errorf("compared %d calls", len(calls))
		}
		if text, _ := held.raw("get_my_work", args{}); !strings.Contains(text, `"fenced":`) {
			d.Errorf("a list that names nothing does not say how much it leaves out: %.200s", text)
		}
	})
}
