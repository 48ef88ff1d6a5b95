// Package stdio serves one client over a pair of pipes (MCP, stdio transport): a JSON-RPC message a
// line. Each message takes the same way as over HTTP: it becomes a request to the handler of the
// MCP endpoint, so that the guard, the limits, the log and the audit trail are the same. The
// transport of mcp-go would call its server without the guard, reads lines of any length, cancels
// the running calls when the input ends, and sends the text of a panic to the client.
package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/serve/mcphttp"
)

// Limits of a conversation.
const (
	maxLine    = 1 << 20 // bytes of a message, as over HTTP
	maxRunning = 16      // requests at the same time
	maxWaiting = 32      // requests that wait for those; the next ones wait in the pipe

	// inputGrace is how long running calls may go on after the end of the input. It is longer than
	// the time budget of a call.
	inputGrace = 30 * time.Second
	// stopGrace is the same after a signal. Clients kill a server two seconds after SIGTERM.
	stopGrace = 700 * time.Millisecond
	// cancelGrace is the time in which canceled calls record what became of them.
	cancelGrace = 500 * time.Millisecond
)

// Server answers one client. Handler and Log must be set.
type Server struct {
	Handler http.Handler // of the MCP endpoint; concurrent requests call it
	URL     string       // of the endpoint, with the selection of tools: http://host/mcp/readonly
	Bearer  string       // with which the user calls the endpoint
	// Named returns a context with the name and the version that the client sent in a handshake. It
	// may be nil.
	Named func(ctx context.Context, name, version string) context.Context
	Log   *slog.Logger
}

// Serve answers the messages of in on out until the input ends or ctx is done. Running calls then
// get time to finish; after that they are canceled, which makes a write say that it may have
// happened. A client that no longer reads counts as the end of the input. The error is the reason
// why the input could not be read.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c := &conversation{
		server: s, out: out, gone: make(chan struct{}), cancels: map[string]context.CancelCauseFunc{},
		places: make(chan struct{}, maxRunning+maxWaiting), slots: make(chan struct{}, maxRunning),
	}
	ended := make(chan error, 1)
	go func() { ended <- c.read(calls, in) }()
	var err error
	grace := inputGrace
	select {
	case err = <-ended:
	case <-c.gone:
	case <-ctx.Done():
		grace = stopGrace
	}
	c.close()
	if c.finished(ctx, grace) {
		return err
	}
	cancel()
	if !c.finished(context.WithoutCancel(ctx), cancelGrace) {
		s.Log.Warn("stdio: some calls did not end in time")
	}
	return err
}

// conversation is the exchange with one client.
type conversation struct {
	server *Server
	places chan struct{} // of requests that run or wait
	slots  chan struct{} // of requests that run

	writing sync.Mutex
	out     io.Writer
	broken  bool
	gone    chan struct{} // closed when the client no longer reads

	running sync.WaitGroup // requests
	mu      sync.Mutex
	closed  bool                               // no further request may begin
	cancels map[string]context.CancelCauseFunc // of running requests by their encoded ID
	session string                             // of a client with a handshake
	version string                             // on which the handshake agreed
	client  mcp.Implementation                 // that made the handshake
}

// read answers one line after another until the input ends.
func (c *conversation) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, id, err := readLine(lines, maxLine)
		switch {
		case errors.Is(err, errTooLong):
			c.write(failure(id, mcp.INVALID_REQUEST, fmt.Sprintf("the message is larger than %d bytes", maxLine), nil))
		case len(line) > 0:
			c.take(ctx, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return fmt.Errorf("read the input: %w", err)
		}
	}
}

const initialize = string(mcp.MethodInitialize)

// take answers one message. A handshake is answered before the next message is read, because the
// next one belongs to its session.
func (c *conversation) take(ctx context.Context, line []byte) {
	m := mcphttp.Read(line)
	switch m.Method {
	case string(mcp.MethodNotificationCancelled):
		c.cancel(canceled(m))
	case initialize:
		if c.begin("", nil) {
			c.answer(ctx, m, line)
			c.end("")
		}
		return
	}
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return
	}
	server := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	key := ""
	if !isSilent(m) {
		key = string(m.ID)
	}
	if !c.begin(key, cancel) {
		cancel(nil)
		return
	}
	go func() {
		defer func() { <-c.places }()
		defer cancel(nil)
		defer c.end(key)
		c.run(ctx, server, m, line)
	}()
}

// run waits until fewer requests run, and answers a message. Meanwhile the client may cancel it,
// because the lines behind it are read. The context of the server ends before those of its
// requests: one that ends first must not make room for one that waits.
func (c *conversation) run(ctx, server context.Context, m mcphttp.Message, line []byte) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() == nil && server.Err() == nil {
		c.answer(ctx, m, line)
		return
	}
	if !isSilent(m) && !errors.Is(context.Cause(ctx), errCanceled) {
		c.write(failure(m.ID, mcp.INTERNAL_ERROR, "the server was stopped before this call; nothing was done", nil))
	}
}

// begin counts a request that starts. It returns false once the conversation is closed.
func (c *conversation) begin(key string, cancel context.CancelCauseFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running.Add(1)
	if key != "" {
		c.cancels[key] = cancel
	}
	return true
}

func (c *conversation) end(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cancels, key)
	c.running.Done()
}

// errCanceled is the cause of a request that the client has canceled.
var errCanceled = errors.New("canceled by the client")

// cancel cancels a running request at the wish of the client. Over stdio there is only one client,
// so an ID cannot belong to another.
func (c *conversation) cancel(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.cancels[key]; ok {
		cancel(errCanceled)
	}
}

func (c *conversation) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// finished waits until no request is running. It returns false after the grace time. If ctx ends
// meanwhile, the time that is left is at most stopGrace.
func (c *conversation) finished(ctx context.Context, grace time.Duration) bool {
	idle := make(chan struct{})
	go func() {
		c.running.Wait()
		close(idle)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	stopped := ctx.Done()
	for {
		select {
		case <-idle:
			return true
		case <-timer.C:
			return false
		case <-stopped:
			stopped = nil
			timer.Reset(min(grace, stopGrace))
		}
	}
}

// write sends one message.
func (c *conversation) write(message []byte) {
	if message == nil {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.broken {
		return
	}
	if _, err := c.out.Write(append(message, '\n')); err != nil {
		c.server.Log.Warn("stdio: the client no longer reads", "err", err)
		c.broken = true
		close(c.gone)
	}
}
