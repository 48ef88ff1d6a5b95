package basecamp

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

func TestEveryStatusHasItsFault(t *testing.T) {
	for status, want := range map[int]struct {
		code      fault.Code
		retryable bool
	}{
		301: {fault.UpstreamError, false},
		400: {fault.InvalidInput, false},
		401: {fault.TokenExpired, false},
		402: {fault.UpstreamError, false},
		403: {fault.PermissionDenied, false},
		404: {fault.NotFound, false},
		405: {fault.InternalError, false},
		406: {fault.InternalError, false},
		408: {fault.UpstreamError, true},
		409: {fault.Conflict, false},
		410: {fault.NotFound, false},
		413: {fault.InvalidInput, false},
		415: {fault.InternalError, false},
		418: {fault.UpstreamError, false},
		422: {fault.InvalidInput, false},
		429: {fault.RateLimited, true},
		500: {fault.UpstreamError, true},
		502: {fault.UpstreamError, true},
		503: {fault.UpstreamError, true},
		504: {fault.UpstreamError, true},
		507: {fault.LimitReached, false},
		520: {fault.UpstreamError, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := wantFault(t, read5(t.Context(), answering(t, says(status, "", "X-Request-Id", "req-1"))), want.code)
			if f.Retryable != want.retryable || f.MayHaveHappened {
				t.Errorf("%d: %+v", status, f)
			}
			if f.Upstream.Provider != "basecamp" || f.Upstream.Status != status || f.Upstream.RequestID != "req-1" {
				t.Errorf("%d: upstream %+v", status, f.Upstream)
			}
			if diff := cmp.Diff(&fault.Resource{Type: "todo", ID: "5"}, f.Resource); diff != "" {
				t.Errorf("%d: resource %s", status, diff)
			}
		})
	}
}

func TestRefusalsWithDifferentRemediesHaveDifferentMessages(t *testing.T) {
	messages := map[string]bool{}
	for _, answer := range []http.HandlerFunc{
		says(403, ""),
		says(403, "", "WWW-Authenticate", `Bearer error="insufficient_scope", scope="full"`),
		says(403, `{"error":"forbidden","error_description":"no","reason":"agent_not_permitted"}`),
		says(404, ""),
		says(404, "", "Reason", "Account Inactive"),
	} {
		f := fault.From(read5(t.Context(), answering(t, answer)))
		messages[f.Message] = true
	}
	if len(messages) != 5 {
		t.Errorf("messages: %v", messages)
	}
}

func TestNotFound_SaysWhatIsMissing(t *testing.T) {
	c, ctx := answering(t, says(404, "")), t.Context()
	for words, err := range map[string]error{
		"no todolist 5001,":                   errOf(TodolistAt.Get(ctx, c, 5001)),
		"no groups of todolist 5001,":         errOf(GroupsIn.Page(ctx, c, 1, 5001)),
		"no to-dos of todolist 5001,":         errOf(TodosIn.Page(ctx, c, 1, 5001)),
		"no list of items of project 2001,":   errOf(RecordingsIn[Listed]("Message", 2001, "active", Sorted("updated_at", "desc")).Page(ctx, c, 1)),
		"no categories of project 2001,":      errOf(CategoriesIn.All(ctx, c, 2001)),
		"no comments of item 7,":              errOf(CommentsOn.Page(ctx, c, 1, 7)),
		"no history of item 7,":               errOf(EventsOf.In(2001).Page(ctx, c, 1, 7)),
		"no messages of message board 12,":    errOf(MessagesIn.Page(ctx, c, 1, 12)),
		"no chat line 9,":                     errOf(LineAt.Get(ctx, c, 8, 9)),
		"no occurrences of schedule entry 6,": errOf(OccurrenceOn("20261201").Get(ctx, c, 6)),
		"no message board 12,":                errOf(MessagesIn.Post(ctx, c, map[string]any{}, 12)),
		"no item 7,":                          errOf(CommentsOn.Post(ctx, c, map[string]any{"content": "x"}, 7)),
		"no name of this account,":            errOf(OwnAccount.Get(ctx, c)),
		"no profile of this user,":            errOf(Me.Get(ctx, c)),
		"nothing there, or the user may not":  errOf(c.Search(ctx, Search{Text: "x"}, 1)),
	} {
		if f := wantFault(t, err, fault.NotFound); !strings.Contains(f.Message, words) {
			t.Errorf("want %q, got %q", words, f.Message)
		}
	}
	f := wantFault(t, errOf(Me.Get(t.Context(), answering(t, says(404, "")))), fault.NotFound)
	if f.Resource != nil {
		t.Errorf("resource %+v", f.Resource)
	}
}

func TestRateLimit_ContainsOnlyTheFiguresOfTheAnswer(t *testing.T) {
	number, reset, seconds := 50, int64(1780000000), 12
	for name, x := range map[string]struct {
		headers []string
		want    *fault.RateLimit
		wait    time.Duration
	}{
		"no header": {nil, nil, 0},
		"invalid":   {[]string{"X-RateLimit-Limit", "many", "Retry-After", "later"}, nil, 0},
		"a wait":    {[]string{"Retry-After", "12"}, &fault.RateLimit{RetryAfter: &seconds}, 12 * time.Second},
		"figures": {
			[]string{"X-RateLimit-Limit", "50", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1780000000"},
			&fault.RateLimit{Limit: &number, Remaining: new(int), Reset: &reset}, 0,
		},
	} {
		f := wantFault(t, read5(withTimeout(t, time.Second), answering(t, says(429, "", x.headers...))), fault.RateLimited)
		if diff := cmp.Diff(x.want, f.RateLimit); diff != "" || f.RetryAfter != x.wait {
			t.Errorf("%s: wait %s, %s", name, f.RetryAfter, diff)
		}
	}
}

func TestAnInvalidAnswerIsAnUpstreamErrorAndNotNotFound(t *testing.T) {
	for name, body := range map[string]string{
		"not JSON": "?", "HTML": "<html>", "empty": "", "null": "null", "a list": "[]", "a number": "5", "empty object": "{}",
		"truncated": `{"id": 5, "conte`, "a word as ID": `{"id": "five"}`, "a fraction as ID": `{"id": 5.5}`, "too large an ID": `{"id": "99999999999999999999"}`,
		"wrong type": `{"id": 5, "creator": []}`, "invalid time": `{"id": 5, "created_at": "yesterday"}`, "two values": `{"id": 5}{"id": 6}`,
	} {
		f := wantFault(t, read5(t.Context(), answering(t, says(200, body, "X-Request-Id", "req-1"))), fault.UpstreamError)
		if !f.Retryable || f.Upstream.Status != 200 || f.Upstream.RequestID != "req-1" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for name, body := range map[string]string{"null": "null", "an object": `{"id": 5}`, "strings": `["a"]`, "empty": ""} {
		err := errOf(TodosIn.Page(t.Context(), answering(t, says(200, body)), 1, 5))
		if f := wantFault(t, err, fault.UpstreamError); !f.Retryable {
			t.Errorf("a list: %s: %+v", name, f)
		}
	}
}

func TestAFaultContainsNoSecrets(t *testing.T) {
	const token, planted = "s3cr3t-token", "planted-secret"
	headers := []string{"X-Request-Id", planted + "\t!", "Reason", planted, "WWW-Authenticate", planted, "Retry-After", planted, "Location", "https://" + planted + ".example/" + planted}
	bodies := []string{
		planted, `{"error": "` + token + `", "at": "https://` + planted + `.example"}`, `{"reason": "` + planted + `"}`,
		"<html>" + planted, `{"id": 5, "created_at": "` + planted + `"}`, `[{"id": "` + planted + `"}]`,
	}
	for _, status := range []int{200, 302, 304, 400, 401, 403, 404, 405, 406, 409, 410, 415, 418, 422, 429, 500, 502, 503, 507} {
		for _, body := range bodies {
			for _, call := range calls {
				c := client(t, Config{
					BaseURL:   "https://host-planted.example",
					Tokens:    fixed{AccessToken: token, Account: 77001, Person: "nora"}.Credential,
					Transport: transportOf(says(status, body, headers...)),
				})
				if err := call(withTimeout(t, time.Second), c); err != nil {
					wantDiscretion(t, status, fault.From(err), token, planted)
				}
			}
		}
	}
}

func TestAFaultOfTheNetworkContainsNoSecrets(t *testing.T) {
	for _, cause := range []error{
		&net.DNSError{Err: "no such host", Name: "host-planted.example"},
		&net.OpError{Op: "read", Err: errors.New("planted-secret")},
	} {
		for _, call := range calls {
			c := client(t, Config{ // a client pauses after some failures
				BaseURL:   "https://host-planted.example",
				Tokens:    fixed{AccessToken: "s3cr3t-token", Account: 77001, Person: "nora"}.Credential,
				Transport: transport(func(*http.Request) (*http.Response, error) { return nil, cause }),
			})
			f := wantFault(t, call(withTimeout(t, time.Second), c), fault.UpstreamError)
			if !errors.Is(f, cause) {
				t.Errorf("the cause %v is missing", cause)
			}
			shown := *f // may name the host of the configuration
			shown.Message = strings.Replace(f.Message, "cannot reach host-planted.example: ", "", 1)
			wantDiscretion(t, 0, &shown, "s3cr3t-token", "planted-secret")
		}
	}
}

// wantDiscretion greps what a caller is shown for secrets, addresses and Go types, and the log for
// tokens.
func wantDiscretion(t *testing.T, status int, f *fault.Error, token, planted string) {
	t.Helper()
	shown, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(shown, []byte(token)) || strings.Contains(f.Error(), token) {
		t.Errorf("%d: the token is in %s\nor in %s", status, shown, f.Error())
	}
	if f.Code == fault.InvalidInput { // it may contain Basecamp's words
		shown = []byte(f.Message)
	}
	for _, secret := range []string{planted, "host-planted", "://", "/77001", ".json", "basecamp.", "json:", "Todo"} {
		if bytes.Contains(shown, []byte(secret)) {
			t.Errorf("%d: %q is in %s", status, secret, shown)
		}
	}
}

func violation(path, message string) fault.Violation {
	return fault.Violation{Path: path, Message: message, Code: "invalid"}
}

func TestInvalid_ReadsEveryFormatOfComplaint(t *testing.T) {
	for body, want := range map[string]struct {
		sentence   string
		violations []fault.Violation
	}{
		`{"error": "Content can't be blank"}`:            {"Content can't be blank", []fault.Violation{violation("", "Content can't be blank")}},
		`{"error": "bad", "error_description": "Worse"}`: {"bad: Worse", []fault.Violation{violation("", "bad: Worse")}},
		`{"message": "No such person"}`:                  {"No such person", []fault.Violation{violation("", "No such person")}},
		`{"errors": ["One", "Two"]}`:                     {"One: Two", []fault.Violation{violation("", "One: Two")}},
		`{"errors": {"due_on": ["is no date"], "content": ["is too long", "is dull"]}}`: {
			"content: is too long; is dull, due_on: is no date",
			[]fault.Violation{violation("content", "is too long"), violation("content", "is dull"), violation("due_on", "is no date")},
		},
		`{"error": "Invalid", "errors": {"content": "is dull"}}`:   {"Invalid", []fault.Violation{violation("content", "is dull")}},
		`{"payload_url": ["is not https"], "status": 400}`:         {"payload_url: is not https", []fault.Violation{violation("payload_url", "is not https")}},
		`{"error": "<b>Too&nbsp;big</b>\n\u202e &amp; red\u0000"}`: {"Too big & red", []fault.Violation{violation("", "Too big & red")}},
		`{}`: {}, `[]`: {}, `{"error": 5}`: {}, `Please send a User-Agent`: {}, ``: {}, `{"errors": null}`: {},
	} {
		for _, status := range []int{400, 422} {
			f := wantFault(t, post(t.Context(), answering(t, says(status, body))), fault.InvalidInput)
			if diff := cmp.Diff(want.violations, f.Validation); diff != "" {
				t.Errorf("%s: %s", body, diff)
			}
			if want.sentence != "" && f.Upstream.Message != want.sentence {
				t.Errorf("%s: upstream says %q, want %q", body, f.Upstream.Message, want.sentence)
			}
			if f.Retryable || f.Upstream.Status != status {
				t.Errorf("%s: %+v", body, f)
			}
		}
	}
}

func TestInvalid_LimitsTheLengthOfComplaints(t *testing.T) {
	long := strings.Repeat("å", 300)
	sentence, violations := complaint([]byte(`{"error": "`+long+`"}`), "secret")
	if n := utf8.RuneCountInString(sentence); n != maxSentence || len(violations) != 1 {
		t.Errorf("%d characters", n)
	}
	fields := make([]string, 0, 50)
	for range cap(fields) {
		fields = append(fields, `"is wrong"`)
	}
	sentence, violations = complaint([]byte(`{"errors": {"`+long+`": [`+strings.Join(fields, ",")+`]}}`), "secret")
	if len(violations) != maxViolations || utf8.RuneCountInString(violations[0].Path) != maxField || utf8.RuneCountInString(sentence) > maxSentence {
		t.Errorf("%d violations, %q", len(violations), sentence)
	}
}

func FuzzComplaint(f *testing.F) {
	f.Add(`{"error": "Content can't be blank"}`)
	f.Add(`{"errors": {"due_on": ["is <i>no</i> date"], "content": ["is too long"]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		sentence, violations := complaint([]byte(body), "secret")
		for _, v := range append(violations, violation("", sentence)) {
			if utf8.RuneCountInString(v.Message) > maxSentence || strings.ContainsAny(v.Path+v.Message, "\n\r\x00") {
				t.Errorf("%q", v)
			}
		}
	})
}
