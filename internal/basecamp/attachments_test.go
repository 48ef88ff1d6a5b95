package basecamp

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

const fileURL = "https://storage.3.basecamp.com" + account + "/blobs/abc/download/a%20b%3F.csv?disposition=x"

// recorder answers each request with the next answer and records the requests.
type recorder struct {
	requests []*http.Request
	answers  []http.HandlerFunc
}

func (s *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := s.answers[min(len(s.requests), len(s.answers)-1)]
	s.requests = append(s.requests, r)
	return transportOf(answer)(r)
}

func (s *recorder) urls() (urls []string) {
	for _, r := range s.requests {
		urls = append(urls, r.URL.String())
	}
	return urls
}

func newRecorder(t *testing.T, answers ...http.HandlerFunc) (*Client, *recorder) {
	t.Helper()
	s := &recorder{answers: answers}
	return client(t, Config{Transport: s}), s
}

func redirectsTo(location string) http.HandlerFunc {
	return says(http.StatusFound, "", "Location", location)
}

// Of all requests, only those to the API have the token, and the one to the storage says nothing
// about the user.
func TestDownload_FollowsOneRedirectOfTheAPI(t *testing.T) {
	const api, store = "https://basecamp.example" + account + "/blobs/abc/download/a%20b%3F.csv?disposition=x", "https://store.example/abc?signature=1"
	stored := func(status int, body string) []http.HandlerFunc {
		return []http.HandlerFunc{redirectsTo(store), says(status, body)}
	}
	type want struct {
		requests []string
		kind     string // of the file
		code     fault.Code
		message  string
	}
	for name, x := range map[string]struct {
		answers []http.HandlerFunc
		want
	}{
		"stored":               {stored(200, "a,b"), want{[]string{api, store}, "text/plain; charset=utf-8", "", ""}},
		"of the largest size":  {stored(200, strings.Repeat("x", 100)), want{[]string{api, store}, "text/plain; charset=utf-8", "", ""}},
		"too large":            {stored(200, strings.Repeat("x", 101)), want{[]string{api, store}, "", fault.UpstreamError, "larger than 100 bytes"}},
		"from the API":         {[]http.HandlerFunc{says(200, "\x89PNG\r\n\x1a\n")}, want{[]string{api}, "image/png", "", ""}},
		"too large, there":     {[]http.HandlerFunc{says(200, strings.Repeat("x", 101))}, want{[]string{api}, "", fault.UpstreamError, "larger than 100 bytes"}},
		"on the API's host":    {[]http.HandlerFunc{redirectsTo("/other"), says(200, "x")}, want{[]string{api, "https://basecamp.example/other"}, "text/plain; charset=utf-8", "", ""}},
		"redirected again":     {[]http.HandlerFunc{redirectsTo(store), redirectsTo("https://elsewhere.example/")}, want{[]string{api, store}, "", fault.UpstreamError, "again"}},
		"not stored now":       {stored(503, "no"), want{[]string{api, store}, "", fault.UpstreamError, "try again"}},
		"gone":                 {[]http.HandlerFunc{says(404, `{"error":"gone"}`)}, want{[]string{api}, "", fault.NotFound, ""}},
		"with a renewed token": {append([]http.HandlerFunc{says(401, "")}, stored(200, "x")...), want{[]string{api, api, store}, "text/plain; charset=utf-8", "", ""}},
		"by http":              {[]http.HandlerFunc{redirectsTo("http://store.example/abc")}, want{[]string{api}, "", fault.UpstreamError, ""}},
		"by ftp":               {[]http.HandlerFunc{redirectsTo("ftp://store.example/abc")}, want{[]string{api}, "", fault.UpstreamError, ""}},
		"nowhere":              {[]http.HandlerFunc{redirectsTo("//store.example:x/abc")}, want{[]string{api}, "", fault.UpstreamError, ""}},
		"to a script":          {[]http.HandlerFunc{redirectsTo("javascript:alert(1)")}, want{[]string{api}, "", fault.UpstreamError, ""}},
	} {
		c, net := newRecorder(t, x.answers...)
		got, err := c.Download(t.Context(), fileURL, 100)
		if diff := cmp.Diff(x.requests, net.urls()); diff != "" || got.ContentType != x.kind {
			t.Errorf("%s: %s, %s", name, got.ContentType, diff)
		}
		if x.code == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		} else if x.code != "" {
			f := wantFault(t, err, x.code)
			if !strings.Contains(f.Message, x.message) || f.Retryable != strings.Contains(f.Message, "try again") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		for i, r := range net.requests {
			toAPI := r.URL.String() == api
			if toAPI != (r.Header.Get("Authorization") != "") || toAPI != strings.Contains(r.Header.Get("User-Agent"), "@") {
				t.Errorf("%s: request %d has %v", name, i, r.Header)
			}
		}
	}
}

func TestDownload_AsksOnlyForFilesOfTheAccount(t *testing.T) {
	c, net := newRecorder(t, says(200, "x"))
	for _, address := range []string{"https://storage.3.basecamp.com/88002/blobs/abc/download/a.csv", "https://evil.example/", "://", ""} {
		wantFault(t, errOf(c.Download(t.Context(), address, 100)), fault.UpstreamError)
	}
	for _, path := range []string{
		"/blobs/abc/download/../../../projects.json", "/blobs/abc/download/..", "/blobs/abc/download/%2e%2e", "/blobs/%2e%2e/download/a.csv",
		"/blobs/abc/download/%2e%2e%2f%2e%2e%2fprojects.json", "/projects.json", "/blobs/abc/download/", "/download/a.csv",
	} {
		wantFault(t, errOf(c.Download(t.Context(), "https://storage.3.basecamp.com"+account+path, 100)), fault.UpstreamError)
	}
	if len(net.requests) > 0 {
		t.Errorf("requested %v", net.urls())
	}
}

func TestFileName_AcceptsOnlyDownloadAddressesOfBasecamp(t *testing.T) {
	for _, host := range fileHosts {
		if got := FileName("https://" + host + "/88001/blobs/abc/download/a%20b%3F.csv?disposition=x"); got != "a b?.csv" {
			t.Errorf("%s: %q", host, got)
		}
		found := "https://" + host + "/88001/buckets/2/blobs/abc/download/a.csv" // in a search result
		if FileName(found) != "a.csv" || FileAccount(found) != 88001 {
			t.Errorf("%s: %q in %d", found, FileName(found), FileAccount(found))
		}
	}
	for _, address := range []string{
		"https://3.basecamp.com/88001/buckets/x/blobs/abc/download/a.csv",
		"https://3.basecamp.com/88001/buckets/2/uploads/3/download/a.csv",
		"https://evil.example/88001/blobs/abc/download/a.csv",
		"https://evil-3.basecampapi.com/88001/blobs/abc/download/a.csv",
		"https://x3.basecamp.com/88001/blobs/abc/download/a.csv",
		"https://3.basecamp.com.evil.example/88001/blobs/abc/download/a.csv",
		"https://3.basecampapi.com@evil.example/88001/blobs/abc/download/a.csv",
		"https://user@3.basecampapi.com/88001/blobs/abc/download/a.csv",
		"https://user:pass@3.basecampapi.com/88001/blobs/abc/download/a.csv",
		"https://3.basecampapi.com:8443/88001/blobs/abc/download/a.csv",
		"http://storage.3.basecamp.com/88001/blobs/abc/download/a.csv",
		"//storage.3.basecamp.com/88001/blobs/abc/download/a.csv",
		"ftp://storage.3.basecamp.com/88001/blobs/abc/download/a.csv",
		"https://storage.3.basecamp.com/88001/blobs/abc/download/..",
		"https://storage.3.basecamp.com/88001/blobs/abc/download/x/../../projects.json",
		"https://storage.3.basecamp.com/88001/blobs/abc/previews/full",
		"https://3.basecampapi.com/88001/projects.json",
		"https://3.basecamp.com/88001/buckets/2/messages/3",
		"://", "", "photo.png",
	} {
		if got := FileName(address); got != "" {
			t.Errorf("%s: %q", address, got)
		}
	}
}

func TestDownload_DoesNotConnectToPrivateHosts(t *testing.T) {
	c := server(t, redirectsTo("https://localhost/latest/meta-data"))
	f := wantFault(t, errOf(c.Download(t.Context(), fileURL, 100)), fault.UpstreamError)
	if cause := f.Unwrap(); cause == nil || !strings.Contains(cause.Error(), "special-use") {
		t.Errorf("cause %v", cause)
	}
}

func TestDownload_EndsAfterItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		c, _ := newRecorder(t, redirectsTo("https://store.example/abc"), says(200, ""))
		c.outside = transport(func(r *http.Request) (*http.Response, error) {
			hangs(nil, r)
			return nil, r.Context().Err()
		})
		began := time.Now()
		wantFault(t, errOf(c.Download(t.Context(), fileURL, 100)), fault.UpstreamError)
		if took := time.Since(began); took != fetchTime {
			t.Errorf("took %s", took)
		}
	})
}

func TestFetchPublic_AcceptsOnlyHTTPSOfPublicHosts(t *testing.T) {
	c, net := newRecorder(t, says(200, "x"))
	for _, address := range []string{
		"http://files.example/a.csv", "ftp://files.example/a.csv", "file:///etc/passwd", "https://", "https://u:p@files.example/a.csv",
		"https://files.example:8443/a.csv", "a.csv", "https://%zz/",
	} {
		wantFault(t, errOf(c.FetchPublic(t.Context(), address, 100)), fault.InvalidInput)
	}
	if len(net.requests) > 0 {
		t.Errorf("requested %v", net.urls())
	}
	production := client(t, Config{})
	for _, address := range []string{"https://localhost/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest/meta-data/"} {
		wantFault(t, errOf(production.FetchPublic(t.Context(), address, 100)), fault.InvalidInput)
	}
}

func TestFetchPublic_SaysWhyAFileCannotBeUsed(t *testing.T) {
	for want, answer := range map[string]http.HandlerFunc{
		"redirects":  redirectsTo("https://elsewhere.example/"),
		"status 404": says(404, "secret"),
		"empty":      says(200, ""),
		"1 MiB":      says(200, strings.Repeat("x", 1<<20+1)),
	} {
		c, net := newRecorder(t, answer)
		f := wantFault(t, errOf(c.FetchPublic(t.Context(), "https://files.example/a.csv", 1<<20)), fault.InvalidInput)
		if !strings.Contains(f.Message, want) || strings.Contains(f.Message, "secret") || len(net.requests) != 1 {
			t.Errorf("%q, requested %v", f.Message, net.urls())
		}
		if auth := net.requests[0].Header.Get("Authorization"); auth != "" {
			t.Errorf("sent %s", auth)
		}
	}
	c, _ := newRecorder(t, says(200, "a,b"))
	if got, err := c.FetchPublic(t.Context(), "https://files.example/a.csv", 3); err != nil || string(got.Content) != "a,b" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFetch_IsMeteredAndReleasesItsSlot(t *testing.T) {
	c, _ := newRecorder(t, says(200, "x"))
	ctx, count := upstream.Meter(withTimeout(t, 5*time.Second))
	for n := 1; n <= 10; n++ {
		if _, err := c.FetchPublic(ctx, "https://files.example/a", 100); err != nil || count() != n {
			t.Fatalf("%d requests, %v", count(), err)
		}
	}
}

// endless is a body without an end that counts the bytes read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func (e *endless) Close() error { return nil }

func TestFetch_StopsReadingAnEndlessFile(t *testing.T) {
	body := &endless{}
	c := client(t, Config{Transport: transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
	})})
	wantFault(t, errOf(c.FetchPublic(t.Context(), "https://files.example/a", 1<<20)), fault.InvalidInput)
	if body.read > 4<<20 {
		t.Errorf("%d bytes were read", body.read)
	}
}

func TestCreateAttachment_SendsTheContentUnchanged(t *testing.T) {
	for name, want := range map[string]string{"drawing.png": "image/png", "noname": "text/plain; charset=utf-8", "a b&c.pdf": "application/pdf"} {
		content := []byte("a,b\n\x001")
		if name == "noname" {
			content = []byte("a,b")
		}
		c, net := newRecorder(t, says(201, `{"attachable_sgid":"sgid-1"}`))
		sgid, err := c.CreateAttachment(t.Context(), name, content)
		if err != nil || sgid != "sgid-1" {
			t.Fatal(sgid, err)
		}
		r := net.requests[0]
		sent, _ := io.ReadAll(r.Body)
		if r.Method != "POST" || r.URL.Path != account+"/attachments.json" || r.URL.Query().Get("name") != name || r.Header.Get("Content-Type") != want ||
			r.ContentLength != int64(len(content)) || !bytes.Equal(sent, content) {
			t.Errorf("%s %s, %v, %d bytes said, %q", r.Method, r.URL, r.Header, r.ContentLength, sent)
		}
	}
}

func TestCreateAttachment_CanBeRepeatedAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n int
		c := answering(t, counted(&n, says(503, "")))
		f := wantFault(t, errOf(c.CreateAttachment(t.Context(), "a.csv", []byte("a"))), fault.UpstreamError)
		if f.MayHaveHappened || !f.Retryable || n != 3 {
			t.Errorf("%+v after %d attempts", f, n)
		}
		c = answering(t, says(201, `{}`))
		wantFault(t, errOf(c.CreateAttachment(t.Context(), "a.csv", []byte("a"))), fault.UpstreamError)
		c = answering(t, says(507, `{"error":"full"}`))
		wantFault(t, errOf(c.CreateAttachment(t.Context(), "a.csv", []byte("a"))), fault.LimitReached)
	})
}
