package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
)

func TestSeat_ShowsNoLinkToAProgramThatOnlyPretendsToShareTheStore(t *testing.T) {
	company, upstream := seatedUpstream(t)
	stored := inMemory(sandbox.ClientID, sandbox.ClientSecret)
	genuine := openPipe(t, stored, company, upstream, freeAddr(t))
	genuine.tool("get_me", "{}") // opens its address
	for name, answer := range map[string]http.HandlerFunc{
		"answers everything": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("0", 64)) },
		"passes everything on": func(w http.ResponseWriter, r *http.Request) {
			response, err := http.Get(genuine.url + r.URL.RequestURI())
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			w.WriteHeader(response.StatusCode)
			_, _ = io.Copy(w, response.Body)
		},
	} {
		var mu sync.Mutex
		var received []string
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			received = append(received, r.URL.RequestURI())
			mu.Unlock()
			answer(w, r)
		}))
		p := openPipe(t, stored, company, upstream, strings.TrimPrefix(stranger.URL, "http://"))
		if got := p.tool("get_me", "{}"); shownLink.MatchString(got) || !strings.Contains(got, "cannot show its sign-in page") {
			t.Errorf("%s: %s", name, got)
		}
		stranger.Close()
		if all := strings.Join(received, " "); len(received) == 0 || strings.Contains(all, "/oauth/start") {
			t.Errorf("%s: it received %s", name, all)
		}
	}
}
