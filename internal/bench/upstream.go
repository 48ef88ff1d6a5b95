package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/bench/peers/work"
)

// upstream is a stand-in for Basecamp. It answers after a delay, and never twice with the same
// text.
type upstream struct {
	origin string
	server *http.Server
	page   *page
	pages  atomic.Int64 // pages of to-dos that it has sent
	delay  atomic.Int64 // nanoseconds before every answer
}

// newUpstream starts the upstream on a free port of this machine.
func newUpstream(ctx context.Context) (*upstream, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the upstream: %w", err)
	}
	page, err := newPage()
	if err != nil {
		return nil, fmt.Errorf("make a page of to-dos: %w", err)
	}
	u := &upstream{origin: "http://" + listener.Addr().String(), page: page}
	mux := http.NewServeMux()
	prefix := fmt.Sprintf("GET /%d/", work.Account)
	mux.HandleFunc("GET /authorization.json", fixed(authorization))
	mux.HandleFunc(prefix+"my/profile.json", u.after(fixed(profile)))
	mux.HandleFunc(prefix+"account.json", u.after(fixed(account)))
	mux.HandleFunc(prefix+"todolists/{file}", u.after(fixed(todolist)))
	mux.HandleFunc(prefix+"todolists/{list}/groups.json", u.after(fixed("[]")))
	mux.HandleFunc(prefix+"todolists/{list}/todos.json", u.after(u.todos))
	u.server = &http.Server{Handler: authorized(mux), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = u.server.Serve(listener) }()
	return u, nil
}

func (u *upstream) close() { _ = u.server.Close() }

// slow makes every later answer wait.
func (u *upstream) slow(delay time.Duration) { u.delay.Store(int64(delay)) }

func (u *upstream) after(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if delay := time.Duration(u.delay.Load()); delay > 0 {
			select {
			case <-time.After(delay):
			case <-r.Context().Done():
				return
			}
		}
		next(w, r)
	}
}

// todos sends one page with all to-dos of the list. Its texts and its ETag are new each time, so
// that no server can reuse an earlier answer.
func (u *upstream) todos(w http.ResponseWriter, _ *http.Request) {
	n := u.pages.Add(1)
	w.Header().Set("ETag", fmt.Sprintf(`W/"page-%d"`, n))
	w.Header().Set("X-Total-Count", strconv.Itoa(todosPerPage))
	send(w, u.page.numbered(n))
}

func fixed(document string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { send(w, []byte(document)) }
}

func send(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); token != work.Token {
			http.Error(w, `{"error":"unauthorized"}`, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
