package basecamptools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
)

// stale answers writes that are answered with a record with the record as it was, and carries none
// of them out.
type stale struct {
	to    http.RoundTripper
	stale *bool // it answered so
}

func (s stale) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPut {
		return s.to.RoundTrip(r)
	}
	body, _ := io.ReadAll(r.Body)
	old := r.Clone(r.Context())
	old.Method, old.Body, old.ContentLength = http.MethodGet, http.NoBody, 0
	old.Header.Del("Content-Type")
	if strings.HasSuffix(r.URL.Path, "/people/users.json") && !bytes.Contains(body, []byte(`"create"`)) {
		*s.stale = true
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"granted":[],"revoked":[]}`)), Request: r}, nil
	}
	if !recordless.MatchString(r.URL.Path) {
		if response, err := s.to.RoundTrip(old); err == nil && response.StatusCode == http.StatusOK {
			record, _ := io.ReadAll(response.Body)
			response.Body = io.NopCloser(bytes.NewReader(record))
			*s.stale = asksOther(body, record)
			return response, nil
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.to.RoundTrip(r)
}

// recordless matches paths of writes that have no record of their own.
var recordless = regexp.MustCompile(`/(position|status|color|wormholes|settings|gauge|markers|notification_settings|name|client_users|users|unreads|completions)\b`)

// asksOther reports whether a body asks for a field that is otherwise in a record.
func asksOther(body, record []byte) bool {
	var asked, is map[string]any
	_ = json.Unmarshal(body, &asked)
	_ = json.Unmarshal(record, &is)
	if _, dated := asked["schedule_attributes"]; dated {
		return true
	}
	for _, only := range asked {
		if inner, ok := only.(map[string]any); ok && len(asked) == 1 {
			asked = inner
		}
	}
	for name, value := range asked {
		if was, has := is[name]; has && !reflect.DeepEqual(was, value) && !(was == nil && value == "") {
			return true
		}
	}
	return false
}

var claimsChange = regexp.MustCompile(`"changed":(true|[1-9])`)

func holdNotAsAsked(t *testing.T, tool, text string, failed bool) {
	t.Helper()
	if failed || !strings.Contains(text, `"not_as_asked":["`) || claimsChange.MatchString(text) {
		t.Errorf("%s: %.600s", tool, text)
	}
}

// Basecamp may answer a write with success and the record as it was.
func TestWrites_ThatBasecampDidNotMakeSayWhatIsNotAsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		is, seen := false, 0
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper { return stale{next, &is} })
		d.short = true
		d.keepUndo()
		calls := typical(d)
		calls["update_work"]["title"] = "Another title"
		try := func(tool string, in args) {
			time.Sleep(time.Minute) // of the test's own time
			is = false
			if text, failed := d.raw(tool, in); is {
				seen++
				holdNotAsAsked(t, tool, text, failed)
			}
		}
		for _, tool := range writingTools() {
			try(tool.Name, calls[tool.Name])
		}
		is = false
		todo := fmt.Sprint("todo:", d.sandbox.Find("Todo", "Print the serial number plates"))
		if text, _ := d.raw("update_work", args{"items": []args{{"item": todo, "title": "Plates"}}}); !strings.Contains(text, `"not_as_asked":["title: Print the serial number plates"]`) {
			t.Errorf("%s", text)
		}
		try("update_schedule_entry", args{"project": launchProject, "entry": "Photographer", "starts_at": "2026-12-24T10:00"})
		try("change_project", args{"project": winterKit, "dates": args{"starts_on": "2027-01-01", "ends_on": "2027-02-01"}})
		if seen < 5 {
			t.Errorf("%d tools were answered so", seen)
		}
	})
}

func TestOperations_ThatBasecampDidNotMakeSayWhatIsNotAsAsked(t *testing.T) {
	seen := 0
	operating(t, true, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
		if !row.Changes() {
			return
		}
		d.keepUndo()
		is := false
		s.next = stale{s.next, &is}
		if text, failed := d.raw(row.Runner(), in); is {
			seen++
			holdNotAsAsked(t, row.Name, text, failed)
		}
	})
	if seen < 5 {
		t.Errorf("%d operations were answered so", seen)
	}
}
