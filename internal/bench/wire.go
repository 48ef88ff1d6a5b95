package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// wire is one connection to a peer. It does less than http.Client, because the load generator
// shares the machine with the peers.
type wire struct {
	ctx    context.Context //nolint:containedctx // of the whole run, which ends the connection
	to     *process
	conn   net.Conn
	reader *bufio.Reader
	body   bytes.Buffer // of the latest answer
	sent   int          // requests on this connection
}

// dial returns a connection to a peer. It connects with the first request.
func dial(ctx context.Context, to *process) *wire { return &wire{ctx: ctx, to: to} }

func (w *wire) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// ask sends a message and returns the answer, which is valid until the next call.
func (w *wire) ask(c call) ([]byte, error) {
	if w.conn == nil {
		conn, err := new(net.Dialer).DialContext(w.ctx, "tcp", w.to.host)
		if err != nil {
			return nil, err
		}
		w.conn, w.reader = conn, bufio.NewReaderSize(conn, 64<<10)
	}
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	if err := w.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	w.sent++
	if _, err := w.conn.Write(w.request(c)); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(w.reader, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	w.body.Reset()
	if _, err := io.Copy(&w.body, response.Body); err != nil {
		return nil, err
	}
	if response.Close {
		w.close()
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d: %.200s", response.StatusCode, w.body.Bytes())
	}
	return message(w.body.Bytes())
}

func (w *wire) request(c call) []byte {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, 1_000_000+w.sent, c.method, c.params)
	authorization := ""
	if w.to.bearer != "" {
		authorization = "Authorization: Bearer " + w.to.bearer + "\r\n"
	}
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n%sContent-Length: %d\r\n\r\n%s",
		w.to.host, authorization, len(body), body)
}

// message returns the JSON-RPC message of an answer, which may be an event stream.
func message(body []byte) ([]byte, error) {
	if bytes.HasPrefix(body, []byte("{")) {
		return body, nil
	}
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && bytes.HasPrefix(data, []byte("{")) {
			return data, nil
		}
	}
	return nil, errors.New("the answer is neither JSON nor an event stream")
}
