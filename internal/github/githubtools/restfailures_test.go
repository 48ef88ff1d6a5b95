package githubtools

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// told is everything that the answer of a failed call says.
type told struct {
	Code       fault.Code
	Message    string
	Retryable  bool
	Wait       int // seconds
	About      fault.Resource
	Upstream   fault.Upstream // its request ID only says whether there is one
	Link       *fault.Link
	RateLimit  *fault.RateLimit
	Validation []fault.Violation
	Candidates []fault.Candidate
	Nearest    []fault.Candidate
	Doubt      bool
}

// refusal calls a tool that must fail, and returns its answer without unknown fields.
func (d *toolEnv) refusal(tool string, arguments args) told {
	d.Helper()
	text, isError := d.caller().Raw("github_"+tool, arguments)
	if token := d.sandbox.Person(d.login).Token; strings.Contains(text, "planted") || token != "" && strings.Contains(text, token) {
		d.Errorf("%s: a secret or words of GitHub are in %s", tool, text)
	}
	var f struct {
		ErrorCode         fault.Code `json:"error_code"`
		Message           string     `json:"message"`
		Retryable         bool       `json:"retryable"`
		RetryAfterSeconds int        `json:"retry_after_seconds"`
		Data              struct {
			Tool            string            `json:"tool"`
			Code            int               `json:"code"`
			Resource        fault.Resource    `json:"resource"`
			Upstream        fault.Upstream    `json:"upstream"`
			Link            *fault.Link       `json:"link"`
			RateLimit       *fault.RateLimit  `json:"rate_limit"`
			Validation      []fault.Violation `json:"validation"`
			Candidates      []fault.Candidate `json:"candidates"`
			Nearest         []fault.Candidate `json:"nearest"`
			MayHaveHappened bool              `json:"may_have_happened"`
		} `json:"data"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil || !isError || f.Data.Tool != "github_"+tool || f.Data.Code != f.ErrorCode.Number() {
		d.Fatalf("%s %v: %v in %.600s", tool, arguments, err, text)
	}
	t := told{
		f.ErrorCode, f.Message, f.Retryable, f.RetryAfterSeconds, f.Data.Resource, f.Data.Upstream, f.Data.Link, f.Data.RateLimit,
		f.Data.Validation, f.Data.Candidates, f.Data.Nearest, f.Data.MayHaveHappened,
	}
	if t.Upstream.RequestID != "" {
		t.Upstream.RequestID = "yes"
	}
	return t
}

// answers returns a fault of the sandbox with a status, a body, and headers as pairs.
func answers(status int, body string, headers ...string) sandbox.Fault {
	f := sandbox.Fault{Status: status, Body: body, Header: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		f.Header.Set(headers[i], headers[i+1])
	}
	return f
}

// upstreamOf returns what a failure says about an answer of GitHub.
func upstreamOf(status int, words string) fault.Upstream {
	return fault.Upstream{Provider: "github", Status: status, Message: words, RequestID: "yes"}
}

// restRefusal is one way in which a request of the REST API fails. THING in a message is what the
// request is about.
type restRefusal struct {
	fault sandbox.Fault
	want  told // of a read
	reads int  // requests of a read; 0 means 1
	// inDoubt means that a write may have been carried out. repeats is how often an update is sent; 0
	// means 1.
	inDoubt bool
	repeats int
}

const (
	trouble = "GitHub is having trouble; try again in a moment"
	later   = "GitHub limited this user's requests; try again in "
	denied  = "GitHub does not allow the user to do this; an owner can grant more access to the THING"
	nowhere = "GitHub has no THING, or the user may not see it"
)

func scopeLink(scope string) *fault.Link {
	return &fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{scope}}
}

var restRefusals = map[string]restRefusal{
	"403 primary limit": {
		fault: answers(403, `{"message": "planted"}`, "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100"),
		want: told{Code: fault.RateLimited, Message: later + "300 s", Retryable: true, Wait: 300, Upstream: upstreamOf(403, "rate limited"),
			RateLimit: &fault.RateLimit{Limit: new(5000), Remaining: new(0), Reset: new(int64(946685100))}},
	},
	"502": {
		fault: answers(502, "<html>planted"), inDoubt: true, reads: 3, repeats: 2,
		want: told{Code: fault.UpstreamError, Message: trouble, Retryable: true, Upstream: upstreamOf(502, "server error")},
	},
	"connection reset": {
		fault: sandbox.Fault{Drop: true}, inDoubt: true, reads: 3, repeats: 2,
		want: told{Code: fault.UpstreamError, Message: "GitHub could not be reached; try again in a moment", Retryable: true,
			Upstream: fault.Upstream{Provider: "github", Message: "no answer"}},
	},
	"slow": {
		fault: sandbox.Fault{Hang: true}, inDoubt: true, reads: 2,
		want: told{Code: fault.UpstreamError, Message: "GitHub did not answer in time; try again, or ask for less at once", Retryable: true,
			Upstream: fault.Upstream{Provider: "github", Message: "no answer"}},
	},
	"HTML": {
		fault: answers(200, "<html>planted"), inDoubt: true,
		want: told{Code: fault.UpstreamError, Message: "GitHub returned an invalid response; try again in a moment", Retryable: true,
			Upstream: upstreamOf(200, "not the JSON expected")},
	},
}

// notSure has the messages of writes of unknown outcome.
var notSure = map[string]string{
	"create_issue":      "GitHub may have created this issue, but did not confirm it; look for it with github_list_issues before you retry",
	"create_milestone":  "GitHub may have created this milestone, but did not confirm it; if you retry, GitHub refuses a title that exists",
	"add_issue_comment": "GitHub may have added this comment, but did not confirm it; look for it with github_get_issue before you retry",
	"update_issue":      "GitHub may have made this change, but did not confirm it; read the issue before you retry",
}

// rest calls a tool while requests of a method fail, and holds its answer and the number of these
// requests against what is wanted.
func (x restRefusal) rest(t *testing.T, name, method, tool string, with args, want told, requests int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t)
		failing := x.fault
		failing.Method, failing.PathPrefix = method, "/repos/"
		d.sandbox.Inject(failing)
		got := d.refusal(tool, with)
		want.Message = strings.ReplaceAll(want.Message, "THING", want.About.Type+" "+want.About.ID)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %s (-want +got): %s", name, tool, diff)
		}
		sent := 0
		for _, r := range d.sandbox.Requests() {
			if r.Method == method && r.Document == "" {
				sent++
			}
		}
		if sent != requests {
			t.Errorf("%s, %s: %d requests, want %d", name, tool, sent, requests)
		}
	})
}

func TestREST_EveryRefusalOfARead(t *testing.T) {
	for name, x := range restRefusals {
		x.want.About = fault.Resource{Type: "issue", ID: configurator + "#77"}
		x.rest(t, name, "GET", "get_issue", args{"issue": configurator + "#77"}, x.want, max(1, x.reads))
		x.want.About = fault.Resource{Type: "repository", ID: configurator}
		x.rest(t, name, "GET", "list_issues", args{"repo": configurator, "labels": []string{"bug"}}, x.want, max(1, x.reads))
		// The milestone is read before the issue is created.
		x.rest(t, name, "GET", "create_issue", args{"repo": configurator, "title": "Bell", "milestone": "Someday"}, x.want, max(1, x.reads))
	}
}

func TestREST_EveryRefusalOfAWrite(t *testing.T) {
	for name, x := range restRefusals {
		want := x.want
		if x.inDoubt {
			want.Retryable, want.Wait, want.Doubt = false, 0, true
		}
		for _, tool := range []string{"create_issue", "create_milestone", "add_issue_comment"} {
			with := args{"repo": configurator, "title": "Bell"}
			want.About = fault.Resource{Type: "repository", ID: configurator}
			if tool == "add_issue_comment" {
				with, want.About = args{"issue": configurator + "#77", "body": "Fixed"}, fault.Resource{Type: "issue", ID: configurator + "#77"}
			}
			if x.inDoubt {
				want.Message = notSure[tool]
			}
			x.rest(t, name, "POST", tool, with, want, 1)
		}
		want.Message, want.Retryable, want.Wait = x.want.Message, x.want.Retryable, x.want.Wait
		x.rest(t, name, "PATCH", "update_issue", args{"issue": configurator + "#77", "title": "Bell"}, want, max(1, x.repeats))
		if x.inDoubt {
			want.Message, want.Retryable, want.Wait = notSure["update_issue"], false, 0
		}
		x.rest(t, name, "PATCH", "update_issue", args{"issue": configurator + "#77", "append": "Bell"}, want, max(1, x.repeats))
	}
}

func TestRESTLimits_AWaitOfZeroInAnOutageIsNotTakenAtItsWord(t *testing.T) {
	for name, x := range map[string]struct {
		wait  string
		least time.Duration
	}{
		"zero": {"0", 3 * time.Second}, "past": {"Fri, 31 Dec 1999 23:59:59 GMT", 3 * time.Second}, "garbage": {"soon", 3 * time.Second},
		"years": {"2147483647", 3 * time.Second}, "five": {"5", 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			d.sandbox.Inject(answers(http.StatusServiceUnavailable, "", "Retry-After", x.wait))
			start := time.Now()
			f := d.refusal("get_issue", args{"issue": configurator + "#77"})
			if took := time.Since(start); took < x.least || took > x.least+time.Second || len(d.sandbox.Requests()) != 3 || f.RateLimit != nil {
				t.Errorf("%s: %d requests in %s, %+v", name, len(d.sandbox.Requests()), took, f)
			}
			if want := map[string]int{"five": 5}[name]; f.Wait != want {
				t.Errorf("%s: wait %d", name, f.Wait)
			}
		})
	}
}
