package app

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

// door serves the pages of a server on a pipe to browsers of this machine. It opens when the first
// link to a page is shown, and stays open as long as the process runs.
type door struct {
	addr    string
	handler http.Handler // set before the first request

	mu   sync.Mutex
	isOn bool
}

// newDoor returns the door of a server on a pipe, and nil for a server that listens anyway.
func newDoor(c config.Config) *door {
	if !c.Stdio {
		return nil
	}
	return &door{addr: strings.TrimPrefix(c.PublicURL, "http://")}
}

// serves sets the handler of the door.
func (d *door) serves(handler http.Handler) {
	if d != nil {
		d.handler = handler
	}
}

// open listens on the address if the door is not open yet.
func (d *door) open(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isOn {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", d.addr)
	if err != nil {
		return err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("-addr %s is not an address of this machine alone; use one such as 127.0.0.1:8787", d.addr), listener.Close())
	}
	server := &http.Server{Handler: d.handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until the process ends
	d.isOn = true
	return nil
}

// leadsTo makes sure that a browser can open a link. If another process listens on the address, such
// as a local server that shares the store, that process must know the link.
func (d *door) leadsTo(ctx context.Context, link string) error {
	failed := d.open(ctx)
	if failed == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return failed
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%w, and the program there does not share this server's store; stop it, or choose another address with -addr", failed)
	}
	return nil
}
