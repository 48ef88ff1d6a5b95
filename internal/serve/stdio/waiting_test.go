package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/serve/mcphttp"
)

// The client sends more requests than may run, and then cancels one that runs and one that waits.
func TestServe_CancelsRequestsWhileOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began atomic.Int64
		release := make(chan struct{})
		p := open(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), "cancelled") {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			began.Add(1)
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusAccepted)
			case <-release:
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				echo(w, r)
			}
		})
		const last = maxRunning + maxWaiting - 3 // the cancellations wait, too
		for i := range last + 1 {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, i))
			synctest.Wait()
		}
		if got := began.Load(); got != maxRunning {
			t.Errorf("%d requests run", got)
		}
		for _, id := range []int{last, 3} {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
			synctest.Wait()
		}
		if got := began.Load(); got != maxRunning+1 {
			t.Errorf("%d requests have begun; the canceled one must make room for the next", got)
		}
		close(release)
		rest := p.rest()
		if answers := strings.Count(rest, `"result"`); answers != last-1 || strings.Contains(rest, fmt.Sprintf(`"id":%d,`, last)) || strings.Contains(rest, `"id":3,`) {
			t.Errorf("%d answers: %s", answers, rest)
		}
	})
}

// A request that waits when the server is stopped has done nothing.
func TestServe_SaysThatAWaitingRequestWasNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p := open(ctx, t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		for i := range maxRunning + 1 {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, i))
			synctest.Wait()
		}
		stop()
		answers, err := io.ReadAll(p.out)
		if err := errors.Join(err, <-p.ended); err != nil {
			t.Fatal(err)
		}
		if begun := strings.Count(string(answers), "during this call"); begun != maxRunning || strings.Count(string(answers), "before this call; nothing was done") != 1 {
			t.Errorf("answers: %s", answers)
		}
	})
}

// The contexts of requests end one after another, so one that waits may be given a place before its
// own has ended.
func TestServe_BeginsNoWaitingRequestBetweenTheEndsOfContexts(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var out strings.Builder
	c := &conversation{server: &Server{}, out: &out, slots: make(chan struct{}, 1)} // without a handler
	c.run(t.Context(), stopped, mcphttp.Message{ID: []byte("1")}, nil)
	if !strings.Contains(out.String(), "before this call; nothing was done") {
		t.Error(out.String())
	}
}

func TestServe_NamesTheClientOfAHandshake(t *testing.T) {
	type key struct{}
	for handshake, want := range map[string]string{
		`{"clientInfo":{"name":"Plumcot","version":"2"}}`: "Plumcot 2", `{"clientInfo":{"name":7}}`: "", `{}`: "",
	} {
		var named, stateless string
		p := openAs(t.Context(), t, &Server{
			Named: func(ctx context.Context, name, version string) context.Context {
				return context.WithValue(ctx, key{}, name+" "+version)
			},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				name, _ := r.Context().Value(key{}).(string)
				switch {
				case strings.Contains(string(body), "2026-07-28"):
					stateless = name
				case strings.Contains(string(body), "ping"):
					named = name
				}
				fmt.Fprintln(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
			}),
		})
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + handshake + `}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		} {
			p.send(line)
			p.line()
		}
		p.rest()
		if named != want || stateless != "" {
			t.Errorf("%s: the client is %q, and %q in a message that needs no handshake", handshake, named, stateless)
		}
	}
}
