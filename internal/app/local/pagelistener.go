package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/config"
)

// PageListener serves the pages of a server on a pipe to browsers of this machine. It starts when
// the first link to a page is shown, and runs as long as the process.
type PageListener struct {
	addr    string
	proof   StoreProof
	handler http.Handler // set before the first request

	mu   sync.Mutex
	isOn bool
}

// NewPageListener returns the one of a server on a pipe, and nil for a server that listens anyway.
func NewPageListener(c config.Config, proof StoreProof) *PageListener {
	if !c.Stdio {
		return nil
	}
	return &PageListener{addr: strings.TrimPrefix(c.PublicURL, "http://"), proof: proof}
}

// Serves sets the handler.
func (l *PageListener) Serves(handler http.Handler) {
	if l != nil {
		l.handler = handler
	}
}

// Open listens on the address if it does not do so yet.
func (l *PageListener) Open(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOn {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", l.addr)
	if err != nil {
		return err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("-addr %s is not an address of this machine alone; use one such as 127.0.0.1:8787", l.addr), listener.Close())
	}
	server := &http.Server{Handler: l.handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until the process ends
	l.isOn = true
	return nil
}

// Serve makes sure that a browser can open the pages. If another process listens on the address, it
// must be a server that shares the store: a link's secret must not reach any other program.
func (l *PageListener) Serve(ctx context.Context) error {
	failed := l.Open(ctx)
	if failed == nil {
		return nil
	}
	if err := l.proof.check(ctx, l.addr); err != nil {
		return fmt.Errorf("%w, and %w; stop it, or choose another address with -addr", failed, err)
	}
	return nil
}
