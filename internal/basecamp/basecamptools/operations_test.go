package basecamptools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/basecamp/sandbox/documented"
	"basecamp-mcp/internal/report/fault"
)

// standIn answers what the sandbox does not have as the pages do, and notes the last request of an
// operation. With fault, it answers that request with a failure.
type standIn struct {
	next  http.RoundTripper
	table documented.Table
	row   *operations.Row
	sent  string // the request of the operation
	fault *sandbox.Fault
	t     testing.TB
}

// old is an item as the pages about several operations show one.
const old = `{"id":77,"status":"active","title":"Old","name":"Old","description":"<div>Old</div>","content":"<div>Old</div>","color":"blue","service_name":"Old",
"types":["Todo"],"active":true,"payload_url":"https://old.example","command_url":"https://old.example","document_type":"doc","url":"https://old.example/x","icon":"*","service":{"name":"Dropbox"}}`

func (s *standIn) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	path := strings.TrimSuffix(strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 2)[1], ".json")
	final := r.Method == cmp.Or(s.row.Method, http.MethodGet) && fits(s.row.Path, path)
	if final && s.sent == "" {
		s.sent = strings.TrimSpace(fmt.Sprintf("%s %s%s %s", r.Method, path, asked(r.URL.RawQuery), body))
		s.hold(r, path, body)
	}
	if final && s.fault != nil {
		return s.fails(r), nil
	}
	answer, err := s.next.RoundTrip(r)
	if err != nil || answer.StatusCode != http.StatusNotFound || s.table.Find(r.Method, strings.Split(path, "/")) == nil {
		return answer, err
	}
	return respond(r, s.answerOf(r, path, final)), nil
}

// answerOf returns what a page shows as the answer of a request.
func (s *standIn) answerOf(r *http.Request, path string, final bool) string {
	items := ""
	if final {
		items = s.row.Items
	}
	for row := range operations.All {
		if !final && r.Method == http.MethodGet && row.Method == "" && fits(row.Path, path) {
			items = row.Items
		}
	}
	switch {
	case r.Method == http.MethodDelete:
		return ""
	case items == ".":
		return "[" + old + "]"
	case items != "":
		return `{"` + items + `":[` + old + `]}`
	}
	return old
}

// hold holds a request against the routes, parameters and fields of the pages.
func (s *standIn) hold(r *http.Request, path string, body []byte) {
	route := s.table.Find(r.Method, strings.Split(path, "/"))
	if route == nil {
		s.t.Errorf("%s: no page has %s %s", s.row.Name, r.Method, path)
		return
	}
	if unknown := route.Query(r.URL.Query()); len(unknown) > 0 {
		s.t.Errorf("%s: no page has the parameters %v", s.row.Name, unknown)
	}
	var fields map[string]json.RawMessage
	if len(body) > 0 && json.Unmarshal(body, &fields) != nil {
		s.t.Errorf("%s: body %s", s.row.Name, body)
	}
	if unknown := route.Fields(fields); len(unknown) > 0 {
		s.t.Errorf("%s: no page has the fields %v", s.row.Name, unknown)
	}
	if (len(body) > 0) != (r.Header.Get("Content-Type") != "") {
		s.t.Errorf("%s: Content-Type %q with a body of %d bytes", s.row.Name, r.Header.Get("Content-Type"), len(body))
	}
}

func (s *standIn) fails(r *http.Request) *http.Response {
	switch {
	case s.fault.Garbage:
		return respond(r, `<html>{"id":`)
	case s.fault.Hang: // too large
		answer := respond(r, "")
		answer.Body, answer.ContentLength = io.NopCloser(io.LimitReader(zeros{}, 17<<20)), -1
		return answer
	}
	answer := respond(r, s.fault.Body)
	answer.StatusCode = s.fault.Status
	return answer
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func respond(r *http.Request, body string) *http.Response {
	status := http.StatusOK
	if body == "" {
		status = http.StatusNoContent
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

func asked(query string) string {
	if query == "" {
		return ""
	}
	return "?" + query
}

// fits reports whether a path is that of a row.
func fits(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return len(want) == len(got) && slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") })
}

// usual returns arguments for every argument of a row, by what it is.
func usual(d *toolEnv, row *operations.Row) args {
	items := map[string]string{
		"message": fmt.Sprint("message:", d.sandbox.Find("Message", colourVote)), "todolist": fmt.Sprint("todolist:", d.sandbox.FindIn(launchProject, "Todolist", "Launch checklist")),
		"question": fmt.Sprint("question:", d.sandbox.Find("Question", daily)), "upload": fmt.Sprint("upload:", d.sandbox.Find("Upload", "launch-budget.csv")),
		"forward": fmt.Sprint("forward:", d.sandbox.Find("Inbox::Forward", "Offer: rims with a wider bed")), "": fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", weldPass)),
		"todo": fmt.Sprint("todo:", d.sandbox.Find("Todo", "Call the insurer about demo rides")),
	}
	in := args{}
	for _, a := range row.Args {
		kind, _, _ := strings.Cut(a.Of, " ")
		choice, _, _ := strings.Cut(a.Of, "|")
		switch a.Kind {
		case operations.Text:
			in[a.Name] = choice
			if choice == "" {
				in[a.Name] = "New"
			}
		case operations.Texts:
			in[a.Name] = []string{"Todo"}
		case operations.Markdown, operations.Append:
			in[a.Name] = "It is **in**."
		case operations.Date, operations.PastDate:
			in[a.Name] = "2000-01-03"
		case operations.Clock:
			in[a.Name] = "9:30"
		case operations.Hours:
			in[a.Name] = "1:30"
		case operations.Weekdays:
			in[a.Name] = []string{"monday", "Fri"}
		case operations.Number:
			in[a.Name] = max(2, a.Min)
		case operations.Flag:
			in[a.Name] = true
		case operations.Project:
			in[a.Name] = launchProject
		case operations.Projects:
			in[a.Name] = []string{launchProject}
		case operations.Person:
			in[a.Name] = "Priya Raman"
		case operations.People, operations.Notice:
			in[a.Name] = []string{"Priya Raman"}
			if a.Name == "remove" {
				in[a.Name] = []string{"me"}
			}
		case operations.Notifications:
			in[a.Name] = "all"
		case operations.Invitations:
			in[a.Name] = []args{{"name": "Ada Ok", "email_address": "ada@ok.example"}}
		case operations.Item:
			in[a.Name] = items[kind]
		case operations.Lists:
			in[a.Name] = []string{"Launch checklist"}
			if a.Name == "untrack" {
				in[a.Name] = []string{"Brakes and wheels"}
			}
		case operations.Tool:
			switch a.Of {
			case "":
				in[a.Name] = "Schedule"
			case "kanban_board":
				in[a.Name] = "Frame design"
			}
		case operations.Column:
			in[a.Name] = "Next"
		case operations.Named:
			in[a.Name] = "Old"
			if name := map[string]string{"list_templates": "Bike launch", "list_message_types": "FYI"}[a.Of]; name != "" {
				in[a.Name] = name
			}
		case operations.ID:
			in[a.Name] = 77
		}
	}
	return in
}

// operating runs a test for each row, with a stand-in for Basecamp: the same for all rows, or a new
// one for each.
func operating(t *testing.T, fresh bool, work func(d *toolEnv, s *standIn, row *operations.Row, in args)) {
	t.Parallel()
	table := documented.Read()
	synctest.Test(t, func(t *testing.T) {
		var d *toolEnv
		s := &standIn{table: table, t: t}
		for row := range operations.All {
			if d == nil || fresh && row.Changes() {
				d = newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper {
					s.next = next
					return s
				})
			}
			time.Sleep(2 * time.Minute) // of the test's own time: a failure of the row before stops no request
			s.row, s.sent, s.fault = row, "", nil
			in := args{"operation": row.Name, "arguments": usual(d, row)}
			work(d, s, row, in)
		}
	})
}

// The file holds the request of each operation with all of its arguments. Read it against the row's
// page before you accept a change with UPDATE_GOLDEN=1.
func TestOperations_SendWhatTheirPagesDocument(t *testing.T) {
	var requests strings.Builder
	operating(t, true, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
		names := placesIn(d)
		text, failed := d.raw(row.Runner(), in)
		if failed || s.sent == "" {
			d.Errorf("%s %v: sent %q, answered %.600s", row.Name, in, s.sent, text)
		}
		fmt.Fprintf(&requests, "%-28s %s\n", row.Name, readable(names, s.sent))
		if !strings.HasPrefix(text, `{"operation":"`+row.Name) && !strings.Contains(text, `"operation":"`+row.Name+`"`) {
			d.Errorf("%s: answered %.300s", row.Name, text)
		}
	})
	const file = "testdata/operations.txt"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(requests.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := os.ReadFile(file)
	if string(want) != requests.String() {
		t.Errorf("%s differs from what is sent; read the change, and accept it with UPDATE_GOLDEN=1:\n%s", file, requests.String())
	}
}

// placesIn returns what ids of the sandbox stand for.
func placesIn(d *toolEnv) map[int64]string {
	return map[int64]string{
		d.sandbox.ProjectID(launchProject): "PROJECT", d.sandbox.Find("Message", colourVote): "MESSAGE", d.sandbox.FindIn(launchProject, "Todolist", "Launch checklist"): "LIST",
		d.sandbox.Find("Question", daily): "QUESTION", d.sandbox.Find("Upload", "launch-budget.csv"): "FILE", d.sandbox.Find("Kanban::Card", weldPass): "CARD",
		d.sandbox.Find("Todo", "Call the insurer about demo rides"): "TODO", d.sandbox.Person("Priya Raman").ID: "PRIYA",
		d.sandbox.Find("Inbox::Forward", "Offer: rims with a wider bed"): "FORWARD",
	}
}

// readable replaces the ids in a request by what they stand for.
func readable(names map[int64]string, sent string) string {
	for id, name := range names {
		sent = strings.ReplaceAll(sent, strconv.FormatInt(id, 10), name)
	}
	return longNumber.ReplaceAllString(longSGID.ReplaceAllString(sent, "SGID"), "ID")
}

var (
	longNumber = regexp.MustCompile(`\b\d{9,}\b`)
	longSGID   = regexp.MustCompile(`\w{40,}=*--\w+`)
)

func TestOperations_HaveAnOutcomeForEveryFailure(t *testing.T) {
	for name, test := range map[string]struct {
		fault sandbox.Fault
		code  fault.Code
	}{
		"401": {sandbox.Fault{Status: 401, Body: "s3cret"}, fault.TokenExpired}, "403": {sandbox.Fault{Status: 403, Body: "s3cret"}, fault.PermissionDenied},
		"404": {sandbox.Fault{Status: 404, Body: "s3cret"}, fault.NotFound}, "422": {sandbox.Fault{Status: 422, Body: `{"error":"No."}`}, fault.InvalidInput},
		"429": {sandbox.Fault{Status: 429, Body: "s3cret"}, fault.RateLimited}, "500": {sandbox.Fault{Status: 500, Body: "s3cret"}, fault.UpstreamError},
		"503": {sandbox.Fault{Status: 503, Body: "s3cret"}, fault.UpstreamError}, "507": {sandbox.Fault{Status: 507, Body: "s3cret"}, fault.LimitReached},
		"an agent": {sandbox.Fault{Status: 403, Body: `{"error":"x","reason":"agent_not_permitted"}`}, fault.PermissionDenied},
		"garbage":  {sandbox.Fault{Garbage: true}, fault.UpstreamError}, "too large": {sandbox.Fault{Hang: true}, fault.UpstreamError},
	} {
		t.Run(name, func(t *testing.T) {
			operating(t, false, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
				s.fault = &test.fault
				text, failed := d.raw(row.Runner(), in)
				var told struct {
					Code    fault.Code `json:"error_code"`
					Message string
				}
				if err := json.Unmarshal([]byte(text), &told); err != nil || !failed || told.Code != test.code || strings.Contains(text, "s3cret") || s.sent == "" {
					if row.Method == http.MethodDelete && test.fault.Status == 0 && !failed { // its answer is not read
						return
					}
					d.Errorf("%s: sent %q, answered %.400s", row.Name, s.sent, text)
				}
				if name == "an agent" && !strings.Contains(told.Message, "agent accounts") {
					d.Errorf("%s: %s", row.Name, told.Message)
				}
			})
		})
	}
}
