package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

// pipe is a client of a server under test.
type pipe struct {
	testing.TB
	in    *io.PipeWriter
	out   *bufio.Reader
	close func()
	ended chan error
}

// open serves a handler on pipes until the context or the input ends.
func open(ctx context.Context, t testing.TB, handler http.HandlerFunc) *pipe {
	return openAs(ctx, t, &Server{Handler: handler})
}

// openAs serves with a server that may have more than a handler.
func openAs(ctx context.Context, t testing.TB, server *Server) *pipe {
	inReads, inWrites := io.Pipe()
	outReads, outWrites := io.Pipe()
	p := &pipe{TB: t, in: inWrites, out: bufio.NewReader(outReads), close: func() { outReads.Close() }, ended: make(chan error, 1)}
	server.URL, server.Bearer, server.Log = "http://127.0.0.1:1/mcp/x/tasks/readonly", "b", quiet
	go func() {
		p.ended <- server.Serve(ctx, inReads, outWrites)
		outWrites.Close()
		inReads.Close()
	}()
	return p
}

func (p *pipe) send(lines ...string) {
	p.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *pipe) line() string {
	p.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.Fatalf("no answer: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// rest closes the input and returns what the server still writes.
func (p *pipe) rest() string {
	p.Helper()
	p.in.Close()
	rest, err := io.ReadAll(p.out)
	if err := errors.Join(err, <-p.ended); err != nil {
		p.Fatal(err)
	}
	return string(rest)
}

// echo answers with the ID of the message.
func echo(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", m.ID)
}

func TestServe_AnswersEachMessageOnALineOfItsOwn(t *testing.T) {
	p := open(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/mcp/x/tasks/readonly" || r.Header.Get("Authorization") != "Bearer b" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		_, _ = io.WriteString(w, "{\n \"jsonrpc\": \"2.0\", \"id\": 1,\n \"result\": {\"text\": \"a\\nb\"}\n}\n")
	})
	p.send("", "  ", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	want := `{"id":1,"jsonrpc":"2.0","result":{"text":"a\nb"}}`
	if got := p.line(); got != want {
		t.Errorf("got %s", got)
	}
	if rest := p.rest(); rest != "" {
		t.Errorf("more: %q", rest)
	}
}

func TestServe_RepeatsAStatelessMessageInItsHeaders(t *testing.T) {
	seen := make(chan http.Header, 1)
	p := open(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		echo(w, r)
	})
	p.send(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"größe","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	h := <-seen
	if h.Get("Mcp-Protocol-Version") != "2026-07-28" || h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Name") != "=?base64?Z3LDtsOfZQ==?=" {
		t.Errorf("headers %v", h)
	}
	p.line()
	p.rest()
}

func TestServe_KeepsTheSessionAndTheVersionOfAHandshake(t *testing.T) {
	p := open(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "initialize") {
			w.Header().Set("Mcp-Session-Id", "s1")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":2,"result":{"session":%q,"version":%q}}`, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"))
	})
	go func() { // the second message before the first answer is read
		_, _ = io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	}()
	p.line()
	if got := p.line(); !strings.Contains(got, `{"session":"s1","version":"2025-11-25"}`) {
		t.Error(got)
	}
	p.rest()
}

func refuses(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`)
}

func TestServe_NeverAnswersNotificationsAndResponses(t *testing.T) {
	p := open(t.Context(), t, refuses)
	p.send(`{"jsonrpc":"2.0","method":"notifications/x"}`, `{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":7,"error":{}}`)
	if rest := p.rest(); rest != "" {
		t.Errorf("answered %s", rest)
	}
}

func TestServe_AnswersWithNullWhatHasNoReadableID(t *testing.T) {
	for _, line := range []string{"no JSON", "[]", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"text"`, `{"method":5}`, `{}`} {
		p := open(t.Context(), t, refuses)
		p.send(line)
		if rest := p.rest(); rest != `{"error":{"code":-32600,"message":"no"},"id":null,"jsonrpc":"2.0"}`+"\n" {
			t.Errorf("%s: %s", line, rest)
		}
	}
}

func TestServe_TurnsRefusalsOfTheEndpointIntoErrors(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"server_error","error_description":"broken","request_id":"r1"}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken","data":{"error":"server_error","request_id":"r1"}}}`,
		"oops": `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server returned no answer"}}`,
	} {
		p := open(t.Context(), t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, body)
		})
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if got := p.line(); got != want {
			t.Errorf("%s: %s", body, got)
		}
		p.rest()
	}
}

func TestServe_RefusesALineThatIsTooLongByItsID(t *testing.T) {
	p := open(t.Context(), t, echo)
	filler := strings.Repeat(`{"id":9},`, maxLine/8)
	go func() {
		_, _ = io.WriteString(p.in, `{"jsonrpc":"2.0","method":"tools/call","params":{"id":8,"list":[`+filler+`1]},"a\"id":7,"id":"the one"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	}()
	if got := p.line(); !strings.Contains(got, `"id":"the one"`) || !strings.Contains(got, "larger than 1048576 bytes") {
		t.Errorf("got %.200s", got)
	}
	if got := p.line(); !strings.Contains(got, `"id":2`) {
		t.Errorf("the next message: %.200s", got)
	}
	p.rest()
}

func TestServe_AnswersTheLastLineWithoutItsEnd(t *testing.T) {
	p := open(t.Context(), t, echo)
	go func() {
		_, _ = io.WriteString(p.in, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		p.in.Close()
	}()
	if got := p.line(); !strings.Contains(got, `"id":3`) {
		t.Error(got)
	}
	p.rest()
}

// slow returns a handler that answers after a time, or is silent when it is canceled.
func slow(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			echo(w, r)
		case <-r.Context().Done():
		}
	}
}

func TestServe_FinishesRunningCallsAfterTheEndOfTheInput(t *testing.T) {
	for took, want := range map[time.Duration]string{25 * time.Second: `"result":{}`, time.Hour: "may have been done"} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			p := open(t.Context(), t, slow(took))
			p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			if rest := p.rest(); !strings.Contains(rest, want) {
				t.Errorf("a call of %v: %q", took, rest)
			}
			if waited := time.Since(start); waited > min(took, inputGrace+cancelGrace) {
				t.Errorf("a call of %v: ended after %v", took, waited)
			}
		})
	}
}

func TestServe_CancelsRunningCallsSoonAfterASignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p := open(ctx, t, slow(time.Hour))
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		synctest.Wait()
		start := time.Now()
		stop()
		if got := p.line(); !strings.Contains(got, "may have been done") {
			t.Error(got)
		}
		if err := <-p.ended; err != nil || time.Since(start) > 2*time.Second { // clients kill the process then
			t.Errorf("ended after %v with %v", time.Since(start), err)
		}
	})
}

func TestServe_EndsEvenIfACallDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		release := make(chan struct{})
		p := open(ctx, t, func(http.ResponseWriter, *http.Request) { <-release })
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		synctest.Wait()
		stop()
		if err := <-p.ended; err != nil {
			t.Error(err)
		}
		close(release)
	})
}

func TestServe_CancelsARequestAtTheWishOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), "ping") {
				<-r.Context().Done()
			}
			w.WriteHeader(http.StatusAccepted)
		})
		p.send(`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		start := time.Now()
		if rest := p.rest(); rest != "" {
			t.Errorf("a canceled request was answered: %s", rest)
		}
		if waited := time.Since(start); waited > 0 {
			t.Errorf("the request went on for %v", waited)
		}
	})
}

func TestServe_EndsWhenTheClientNoLongerReads(t *testing.T) {
	p := open(t.Context(), t, echo)
	p.close()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}

func TestIDOf_FindsOnlyTheIDOfTheMessage(t *testing.T) {
	for ends, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"a","id":-1,"params":{"a":"|"}}`:           `-1`,
		`{"id" : "a\"b" , "x":[|]}`:                                           `"a\"b"`,
		`{"method":"a","params":{"x":"|"},"jsonrpc":"2.0","id":"c"}`:          `"c"`,
		`{"method":"a","params":{"x":"|"},"id":7,"jsonrpc":"2.0"}` + "\n":     `7`,
		`{"method":"a","params":{"id":1,"x":"|","y":{"id":8}},"id":{"id":9}}`: ``,
		`{"params":{"id":1,"x":"|","id":2}}`:                                  ``,
		`{"params":"|,\"id\":2}`:                                              ``,
		`[{"id":1,"x":"|"}]`:                                                  ``,
	} {
		head, tail, _ := strings.Cut(ends, "|")
		if got := string(idOf([]byte(head), []byte(tail))); got != want {
			t.Errorf("%s: found %q", ends, got)
		}
	}
}

func TestServe_AnswersAFewRequestsAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		p := open(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second) // of the test's own time
			running.Add(-1)
			echo(w, r)
		})
		go func() {
			defer p.in.Close()
			for i := range 3 * maxRunning {
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			}
		}()
		answers, err := io.ReadAll(p.out)
		if err := errors.Join(err, <-p.ended); err != nil {
			t.Fatal(err)
		}
		if count := strings.Count(string(answers), `"result"`); count != 3*maxRunning || most.Load() != maxRunning {
			t.Errorf("%d answers, %d at the same time, want %d", count, most.Load(), maxRunning)
		}
	})
}
