package githubtools

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// staleIssues answers changes of issues with the issue as it was, and carries none out.
type staleIssues struct{ to http.RoundTripper }

func (s staleIssues) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPatch {
		return s.to.RoundTrip(r)
	}
	old := r.Clone(r.Context())
	old.Method, old.Body, old.ContentLength = http.MethodGet, io.NopCloser(bytes.NewReader(nil)), 0
	return s.to.RoundTrip(old)
}

// GitHub may answer a write with success and the record as it was.
func TestWrites_ThatGitHubDidNotMakeSayWhatIsNotAsAsked(t *testing.T) {
	d := newToolEnvOn(t, func(to http.RoundTripper) http.RoundTripper { return staleIssues{to} }).withUndo()
	for _, in := range []args{
		{"title": "Another title"}, {"body": "Another text."}, {"state": "closed"}, {"labels": []string{"bug"}}, {"milestone": "none", "title": "Another title"},
	} {
		in["issue"] = "fernhill-bikes/configurator#1"
		text, failed := d.caller().Raw("github_update_issue", in)
		if failed || !strings.Contains(text, `"not_as_asked":["`) || strings.Contains(text, `"changed":true`) {
			t.Errorf("%v: %.500s", in, text)
		}
	}
}
