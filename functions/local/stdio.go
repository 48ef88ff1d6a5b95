package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
)

// runStdio serves one user over a pair of pipes until the input ends or ctx is done. Only messages
// of the protocol go to out; the log and everything else go to standard error.
func runStdio(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error {
	var chosen config.LocalFlags
	var tools config.StdioFlags
	if err := parse(arguments, chosen.Define, tools.Define); err != nil {
		return err
	}
	// A client that no longer reads must not end the process before running calls are recorded.
	signal.Ignore(syscall.SIGPIPE)
	os.Stdout = os.Stderr // for packages that print
	c, err := configure(chosen)
	if err != nil {
		return err
	}
	c.Stdio, c.Loopback = true, true // its pages are served on a loopback address, or not at all
	c.PublicURL = "http://" + withHost(chosen.Addr)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	warnUnused(c, log)
	local, err := app.NewLocal(ctx, c, log, c.PublicURL, app.Kept(chosen.Store), openFile)
	if err != nil {
		return err
	}
	if local.Code != "" {
		log.Info("the pages of this server ask each browser for a code once", "code", local.Code)
	}
	return errors.Join(local.ServeStdio(ctx, log, tools.Toolsets, tools.ReadOnly, in, out), local.Close())
}
