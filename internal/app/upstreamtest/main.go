// Command upstreamtest serves the sandboxes of Basecamp and GitHub over HTTP, each on a port of its
// own, until it is interrupted. So the built server can be tested against upstreams at other
// addresses than its own, as in a deployment. The first two lines that it writes are their origins.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, upstream := range []http.Handler{sandbox.New(sandbox.Options{}), githubsandbox.New(githubsandbox.Options{})} {
		if err := serve(ctx, upstream); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	<-ctx.Done()
}

// serve serves an upstream in the background, and writes its origin.
func serve(ctx context.Context, upstream http.Handler) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: upstream, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // until the program ends
	_, err = fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	return err
}
