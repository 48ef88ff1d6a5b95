package basecamptools

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
)

// Tools that read fail at a read. Tools that write fail at a read, before they write, and at a
// write.
func TestEveryTool_NamesEveryUpstreamFailure(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-body at https://internal.example/path"
	for name, test := range map[string]struct {
		fault     sandbox.Fault
		code      fault.Code
		retryable bool
		doubtful  bool // a write may have been carried out
	}{
		"401":     {sandbox.Fault{Status: 401, Body: secret}, fault.TokenExpired, false, false},
		"403":     {sandbox.Fault{Status: 403, Body: secret}, fault.PermissionDenied, false, false},
		"404":     {sandbox.Fault{Status: 404, Body: secret}, fault.NotFound, false, false},
		"422":     {sandbox.Fault{Status: 422, Body: `{"error":"No."}`}, fault.InvalidInput, false, false},
		"429":     {sandbox.Fault{Status: 429, Body: secret}, fault.RateLimited, true, false},
		"500":     {sandbox.Fault{Status: 500, Body: secret}, fault.UpstreamError, true, true},
		"503":     {sandbox.Fault{Status: 503, Body: secret}, fault.UpstreamError, true, true},
		"507":     {sandbox.Fault{Status: 507, Body: secret}, fault.LimitReached, false, false},
		"dropped": {sandbox.Fault{Drop: true}, fault.UpstreamError, true, true},
		"garbage": {sandbox.Fault{Garbage: true}, fault.UpstreamError, true, true},
		"hanging": {sandbox.Fault{Hang: true}, fault.UpstreamError, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unlimited(t, func(d *toolEnv) {
				calls := typical(d)
				fails := func(tool mcptool.Tool, methods ...string) {
					d.sandbox.ClearFaults()
					time.Sleep(2 * time.Minute)
					d.raw("read_basecamp", args{"operation": "list_templates"}) // so that Basecamp counts as answering again
					for _, method := range methods {
						failure := test.fault
						failure.Method = method
						d.sandbox.Inject(failure)
					}
					var text string
					var sent []string
					asked := d.asked(func() { sent = d.written(func() { text, _ = d.raw(tool.Name, calls[tool.Name]) }) })
					var told struct {
						Code      fault.Code `json:"error_code"`
						Retryable bool
						Doubt     bool `json:"may_have_happened"`
						Message   string
					}
					if len(asked) == 0 && methods[0] == http.MethodGet {
						return // it reads nothing
					}
					if err := json.Unmarshal([]byte(text), &told); err != nil || told.Code != test.code || told.Message == "" {
						d.Errorf("%s at %v: %s", tool.Name, methods, text)
					}
					for _, leak := range []string{"s3cret", "internal.example", "sandbox-upstream", ".json"} {
						if strings.Contains(text, leak) {
							d.Errorf("%s leaks %s: %s", tool.Name, leak, text)
						}
					}
					told.Doubt = told.Doubt || strings.Contains(text, `"may_have_happened":true`)
					// The first request of upload_file may be repeated.
					repeats := (tool.Effect == mcptool.Creates || tool.Effect == mcptool.Appends) && tool.Name != "upload_file"
					switch {
					case methods[0] == http.MethodGet:
						if told.Retryable != test.retryable || told.Doubt || len(sent) > 0 {
							d.Errorf("%s at a read: sent %v, told %s", tool.Name, sent, text)
						}
					case !test.doubtful:
						if told.Retryable != test.retryable || told.Doubt {
							d.Errorf("%s: sent %v, told %s", tool.Name, sent, text)
						}
					case repeats && !told.Doubt, (repeats || tool.Effect == mcptool.Changes) && told.Doubt && (told.Retryable || len(sent) > entries(calls[tool.Name])):
						d.Errorf("%s: sent %v, told %s", tool.Name, sent, text)
					}
				}
				for _, tool := range ofBasecamp() {
					if tool.Name == "find_operation" { // it asks Basecamp for nothing
						continue
					}
					fails(tool, http.MethodGet)
					if tool.Effect != mcptool.Reads {
						fails(tool, http.MethodPost, http.MethodPut, http.MethodDelete)
					}
				}
			})
		})
	}
}

// entries returns the number of items that a call creates.
func entries(in args) int {
	if todos, ok := in["todos"].([]args); ok {
		return len(todos)
	}
	return 1
}

// Where only reads are allowed, Basecamp gets only reads.
func TestReadOnly_NoWriteReachesBasecamp(t *testing.T) {
	writes := map[string]bool{}
	for _, tool := range ofBasecamp() {
		writes[tool.Name] = tool.Effect != mcptool.Reads
	}
	for name, at := range map[string]func(d *toolEnv){
		"by a read-only endpoint": func(d *toolEnv) { d.readOnly = true },
		"by a read-only token":    func(d *toolEnv) { d.who.Scopes = []identity.Scope{identity.Read} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unlimited(t, func(d *toolEnv) {
				calls := typical(d)
				at(d)
				d.sandbox.ResetRequests()
				for _, tool := range slices.Sorted(maps.Keys(calls)) {
					answer := d.answer(tool, calls[tool])
					if refused := strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error":{"code"`); refused != writes[tool] {
						t.Errorf("%s: refused is %v: %.300s", tool, refused, answer)
					}
				}
				for _, r := range d.sandbox.Requests() {
					if r.Method != http.MethodGet {
						t.Errorf("%s %s", r.Method, r.Path)
					}
				}
			})
		})
	}
}

// Each argument of each tool is set to names that nothing has, that several things have in part,
// and that are hostile, in a company in which every name is hostile.
func TestErrors_KeepHostileNamesInTheirQuotationMarks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, mcptest.HostileNames)
		calls := typical(newToolEnv(t, sandbox.Options{RateLimit: -1}))
		seen, named := map[fault.Code]int{}, map[string]bool{}
		for _, tool := range ofBasecamp() {
			var schema struct{ Properties map[string]any }
			if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
				t.Fatal(err)
			}
			for argument := range schema.Properties {
				for _, given := range []any{"a", "Zelda" + mcptest.Hostile, []any{"a", "Zelda" + mcptest.Hostile}, mcptest.Hostile + strings.Repeat("y", 10_000)} {
					in := maps.Clone(calls[tool.Name])
					if in == nil {
						in = args{}
					}
					in[argument] = given
					text, isError := d.raw(tool.Name, in)
					if !isError {
						continue
					}
					var f mcptest.Failure
					if err := json.Unmarshal([]byte(text), &f); err != nil {
						t.Fatal(err)
					}
					seen[f.ErrorCode]++
					about, _, _ := strings.Cut(f.Message, ": ")
					named[string(f.ErrorCode)+" "+about] = true
					for _, sentence := range f.Escaping() {
						t.Errorf("%s %s = %.20v: %q", tool.Name, argument, given, sentence)
					}
				}
			}
		}
		for _, one := range []string{
			"AMBIGUOUS project", "AMBIGUOUS person", "AMBIGUOUS column", "AMBIGUOUS board", "AMBIGUOUS item", "AMBIGUOUS question", "AMBIGUOUS category",
			"AMBIGUOUS list", "AMBIGUOUS folder", "AMBIGUOUS entry", "NOT_FOUND project", "NOT_FOUND person", "NOT_FOUND column", "NOT_FOUND board", "NOT_FOUND message_id", "NOT_FOUND document_id", "NOT_FOUND item",
			"NOT_FOUND todo_id", "NOT_FOUND question", "NOT_FOUND category", "NOT_FOUND todolist_id", "NOT_FOUND chat", "NOT_FOUND folder", "CONFLICT date",
		} {
			if !named[one] {
				t.Errorf("no error is %s", one)
			}
		}
		for _, code := range []fault.Code{fault.NotFound, fault.Ambiguous, fault.InvalidInput} {
			if seen[code] < 20 {
				t.Errorf("%d errors with %s", seen[code], code)
			}
		}
	})
}
