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
	var chosen options
	flag.BoolVar(&chosen.update, "update", false, "write the figures to docs/performance.md")
	flag.IntVar(&chosen.rounds, "rounds", 5, "how often everything is measured")
	flag.StringVar(&chosen.before, "before", "", "the path of an older build of functions/local, to be measured too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, chosen, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	update bool
	rounds int
	before string // empty: there is no older build
}

func run(ctx context.Context, chosen options, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	before := load()
	b, err := newBench(ctx, dir, chosen, out)
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
	if !chosen.update {
		return nil
	}
	return writeSection(filepath.Join("..", "..", "docs", "performance.md"), text)
}
