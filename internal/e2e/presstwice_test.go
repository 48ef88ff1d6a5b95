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

// The server has answered the first request, but the browser has not received the answer when the
// user presses the button again. The browser drops the first answer and shows the second.
func TestBrowser_ApprovingTwiceIsLikeApprovingOnce(t *testing.T) {
	t.Parallel()
	front := httptest.NewUnstartedServer(nil)
	t.Cleanup(front.Close)
	s := start(t, "PUBLIC_URL=http://"+front.Listener.Addr().String())
	behind, err := url.Parse(s.at(""))
	if err != nil {
		t.Fatal(err)
	}
	slow := &hesitant{next: httputil.NewSingleHostReverseProxy(behind), served: make(chan struct{}, 1)}
	front.Config.Handler = slow
	front.Start()
	app, arrived := listening(t, &server{url: front.URL + "/mcp"})

	b, begun := browse(t, true), app.begins()
	b.goes(begun.url)
	if err := b.write(map[string]string{"clickTwiceOn": "Approve"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-slow.served:
	case <-time.After(patience):
		t.Fatal("the server does not receive the consent")
	}
	b.wants(b.does("now", "again"), "Choose who you are")
	b.clicks("Marguerite Osei")
	if got := app.redeem(arrived.next(t).Get("code"), begun.verifier); got.AccessToken == "" {
		t.Errorf("no tokens: %s", got.Error)
	}
}

// hesitant passes the first consent on to the server, and holds the answer back until the browser
// gives up waiting for it.
type hesitant struct {
	next   http.Handler
	begun  atomic.Bool
	served chan struct{}
}

func (h *hesitant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/authorize" && h.begun.CompareAndSwap(false, true) {
		h.next.ServeHTTP(httptest.NewRecorder(), r)
		h.served <- struct{}{}
		<-r.Context().Done()
		return
	}
	h.next.ServeHTTP(w, r)
}
