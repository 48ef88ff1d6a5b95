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

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
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

func TestDownload_SendsTheTokenToTheAPIButNotToTheStorage(t *testing.T) {
	c, net := newRecorder(t, redirectsTo("https://store.example/abc?signature=1"), says(200, "a,b\n1,2\n"))
	got, err := c.Download(t.Context(), fileURL, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(File{ContentType: "text/plain; charset=utf-8", Content: []byte("a,b\n1,2\n")}, got); diff != "" {
		t.Error(diff)
	}
	want := []string{"https://basecamp.example" + account + "/blobs/abc/download/a%20b%3F.csv?disposition=x", "https://store.example/abc?signature=1"}
	if diff := cmp.Diff(want, net.urls()); diff != "" {
		t.Error(diff)
	}
	if first := net.requests[0].Header; first.Get("Authorization") != "Bearer token-1" || first.Get("Accept") != "*/*" {
		t.Errorf("the API received %v", first)
	}
	if second := net.requests[1].Header; second.Get("Authorization") != "" || strings.Contains(second.Get("User-Agent"), "@") || second.Get("Accept-Encoding") != "identity" {
		t.Errorf("the storage received %v", second)
	}
}

func TestDownload_SendsNoTokenToARedirectOnTheAPIsHost(t *testing.T) {
	c, net := newRecorder(t, redirectsTo("/elsewhere?signature=1"), says(200, "x"))
	if _, err := c.Download(t.Context(), fileURL, 100); err != nil {
		t.Fatal(err)
	}
	if second := net.requests[1]; second.URL.String() != "https://basecamp.example/elsewhere?signature=1" || second.Header.Get("Authorization") != "" {
		t.Errorf("requested %s with %v", second.URL, second.Header)
	}
}

func TestDownload_FollowsOnlyOneRedirect(t *testing.T) {
	c, net := newRecorder(t, redirectsTo("https://store.example/abc"), redirectsTo("https://elsewhere.example/abc"))
	_, err := c.Download(t.Context(), fileURL, 100)
	wantFault(t, err, fault.UpstreamError)
	if len(net.requests) != 2 {
		t.Errorf("requested %v", net.urls())
	}
}

func TestDownload_FollowsOnlyHTTPS(t *testing.T) {
	for _, location := range []string{"http://store.example/abc", "ftp://store.example/abc", "", "//store.example:x/abc", "javascript:alert(1)"} {
		c, net := newRecorder(t, redirectsTo(location), says(200, "secret"))
		if got, err := c.Download(t.Context(), fileURL, 100); location != "" && err == nil {
			t.Errorf("%q returned %+v", location, got)
		}
		for _, r := range net.requests[1:] {
			if r.URL.Scheme != "https" || r.Header.Get("Authorization") != "" {
				t.Errorf("%q: requested %s with %v", location, r.URL, r.Header)
			}
		}
	}
}

func TestDownload_RefusesAddressesOutsideTheAccount(t *testing.T) {
	c, net := newRecorder(t, says(200, "x"))
	for _, address := range []string{"https://storage.3.basecamp.com/88002/blobs/abc/download/a.csv", "https://evil.example/", "://", ""} {
		wantFault(t, errOf(c.Download(t.Context(), address, 100)), fault.UpstreamError)
	}
	if len(net.requests) > 0 {
		t.Errorf("requested %v", net.urls())
	}
}

func TestDownload_DoesNotLeaveThePathsOfFiles(t *testing.T) {
	c, net := newRecorder(t, says(200, "x"))
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

func TestDownload_RefusesAFileOverTheLimit(t *testing.T) {
	for _, first := range []http.HandlerFunc{redirectsTo("https://store.example/abc"), says(200, strings.Repeat("x", 101))} {
		c, _ := newRecorder(t, first, says(200, strings.Repeat("x", 101)))
		f := wantFault(t, errOf(c.Download(t.Context(), fileURL, 100)), fault.UpstreamError)
		if f.Retryable || !strings.Contains(f.Message, "larger than 100 bytes") {
			t.Errorf("got %+v", f)
		}
	}
	c, _ := newRecorder(t, redirectsTo("https://store.example/abc"), says(200, strings.Repeat("x", 100)))
	if got, err := c.Download(t.Context(), fileURL, 100); err != nil || len(got.Content) != 100 {
		t.Errorf("%d bytes, %v", len(got.Content), err)
	}
}

func TestDownload_AcceptsAFileFromTheAPIItself(t *testing.T) {
	c, net := newRecorder(t, says(200, "\x89PNG\r\n\x1a\n"))
	got, err := c.Download(t.Context(), fileURL, 100)
	if err != nil || got.ContentType != "image/png" || len(net.requests) != 1 {
		t.Errorf("%+v, %v, requested %v", got, err, net.urls())
	}
}

func TestDownload_ReturnsTheAPIsFaults(t *testing.T) {
	c, _ := newRecorder(t, says(404, `{"error":"gone"}`))
	wantFault(t, errOf(c.Download(t.Context(), fileURL, 100)), fault.NotFound)
	c, net := newRecorder(t, says(401, ""), redirectsTo("https://store.example/abc"), says(200, "x"))
	if _, err := c.Download(t.Context(), fileURL, 100); err != nil || net.requests[1].Header.Get("Authorization") != "Bearer token-2" {
		t.Errorf("%v, requested %v", err, net.urls())
	}
}

func TestDownload_IsRetryableIfTheStorageFails(t *testing.T) {
	c, _ := newRecorder(t, redirectsTo("https://store.example/abc"), says(503, "no"))
	if f := wantFault(t, errOf(c.Download(t.Context(), fileURL, 100)), fault.UpstreamError); !f.Retryable {
		t.Errorf("got %+v", f)
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
