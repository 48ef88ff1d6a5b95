package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// refusing answers every request of an application.
type refusing struct {
	status int
	body   string
	asked  int
}

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked++
	return &http.Response{StatusCode: r.status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(r.body))}, nil
}

func TestCredentials_AreAskedForCheckedAndWrittenAsJSON(t *testing.T) {
	const id, secret = "0123456789abcdef0123456789abcdef01234567", "76543210fedcba9876543210fedcba9876543210"
	for _, test := range []struct {
		arguments, in string
		answers       refusing
		want          string
		asked         int
	}{
		{"", id + "\n" + secret + "\n", refusing{}, `{"client_id":"` + id + `","client_secret":"` + secret + `"}`, 0},
		{"", " " + id + " \r\n" + secret, refusing{}, `{"client_id":"` + id + `","client_secret":"` + secret + `"}`, 0},
		{"", "", refusing{}, "no client ID was entered", 0},
		{"", id + "\n", refusing{}, "read the client secret", 0},
		{"", "...\n" + secret + "\n", refusing{}, "the client ID has 3 characters", 0},
		{"", id + "\n\"" + secret + "\"\n", refusing{}, "without quotation marks", 0},
		{"", id + "\n" + id + "\n", refusing{}, "are the same", 0},
		{"-git", "", refusing{}, "its flags are -github ORIGIN and -verify", 0},
		{"-verify", id + "\n" + secret + "\n", refusing{400, `{"error":"invalid_grant"}`, 0}, `"client_secret":"` + secret + `"`, 1},
		{"-verify", id + "\n" + secret + "\n", refusing{401, `{"error":"invalid_client"}`, 0}, "37signals does not accept this client ID", 1},
		{"-verify", id + "\n" + secret + "\n", refusing{503, "", 0}, "37signals gave no clear answer", 1},
		{"-github https://github.com -verify", id + "\n" + secret + "\n", refusing{200, `{"error":"bad_verification_code"}`, 0}, `"client_id":"` + id, 1},
		{"-github https://github.com -verify", id + "\n" + secret + "\n", refusing{404, "", 0}, "GitHub does not accept this client ID", 1},
	} {
		var questions, out strings.Builder
		err := asker{strings.NewReader(test.in), &questions, &test.answers}.credentials(t.Context(), strings.Fields(test.arguments), &out)
		got := out.String()
		if err != nil {
			got = err.Error()
			if out.Len() > 0 {
				t.Errorf("%s %q: wrote %s with %v", test.arguments, test.in, &out, err)
			}
		}
		if !strings.Contains(got, test.want) || test.answers.asked != test.asked || strings.Contains(questions.String()+errorText(err), secret) {
			t.Errorf("%s %q: %s after %d requests; asked %s", test.arguments, test.in, got, test.answers.asked, &questions)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
