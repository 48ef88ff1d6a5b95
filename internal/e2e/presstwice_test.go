package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// The server has answered the first time, but the browser has not heard of it when the button is pressed again: it drops the
// first answer and shows the second.
func TestBrowser_PressingApproveTwiceIsLikePressingItOnce(t *testing.T) {
	t.Parallel()
	front := httptest.NewUnstartedServer(nil)
	t.Cleanup(front.Close)
	s := start(t, "PUBLIC_URL=http://"+front.Listener.Addr().String())
	behind, err := url.Parse(s.at(""))
	if err != nil {
		t.Fatal(err)
	}
	slow := &hesitant{next: httputil.NewSingleHostReverseProxy(behind), heard: make(chan struct{}, 1)}
	front.Config.Handler = slow
	front.Start()
	app, arrived := listening(t, &server{url: front.URL + "/mcp"})

	b, begun := browse(t, true), app.begins()
	b.goes(begun.url)
	if err := b.write(map[string]string{"clickTwiceOn": "Approve"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-slow.heard:
	case <-time.After(patience):
		t.Fatal("the server does not hear of it")
	}
	b.wants(b.does("now", "again"), "Choose who you are")
	b.clicks("Marguerite Osei")
	if got := app.redeem(arrived.next(t).Get("code"), begun.verifier); got.AccessToken == "" {
		t.Errorf("no tokens: %s", got.Error)
	}
}

// hesitant has its first consent taken, and keeps the answer to itself until the browser gives up waiting for it.
type hesitant struct {
	next  http.Handler
	begun atomic.Bool
	heard chan struct{}
}

func (h *hesitant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/authorize" && h.begun.CompareAndSwap(false, true) {
		h.next.ServeHTTP(httptest.NewRecorder(), r)
		h.heard <- struct{}{}
		<-r.Context().Done()
		return
	}
	h.next.ServeHTTP(w, r)
}
