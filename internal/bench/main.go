// Command bench compares this server with a bare HTTP server, with a handler that does equal work,
// and with servers that use other SDKs: make bench-peers. All of them offer the same tools of the
// same upstream, a stand-in on this machine. It is a separate module, so that the server does not
// depend on the SDKs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	update := flag.Bool("update", false, "write the figures to docs/performance.md")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *update, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, update bool, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	before := load()
	b, err := newBench(ctx, dir, out)
	if err != nil {
		return err
	}
	defer b.close()
	f, done, err := b.run(ctx)
	if err != nil {
		return err
	}
	text := b.report(f, done, machine(ctx, before))
	fmt.Fprintln(out, "\n"+text)
	if !update {
		return nil
	}
	return writeSection(filepath.Join("..", "..", "docs", "performance.md"), text)
}
