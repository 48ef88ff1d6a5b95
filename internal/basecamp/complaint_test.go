package basecamp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

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
