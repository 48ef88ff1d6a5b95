// Command smoke checks a deployment from outside, as clients see it, and says how to fix what would
// keep them out. It sends about twenty requests to one host. The only trace it leaves is the
// registration of a client that never logs in.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// limit is the timeout of all checks together.
const limit = time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) != 1 {
		return errors.New("usage: make smoke URL=https://... (the McpUrl that sam deploy printed)")
	}
	s, err := newSite(arguments[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	checks := s.checks()
	made, failed := 0, 0
	for _, c := range checks {
		err := c.run(ctx)
		made++
		if err == nil {
			fmt.Fprintf(out, "ok      %s\n", c.name)
			continue
		}
		fmt.Fprintf(out, "FAILED  %s: %v\n", c.name, err)
		failed++
		if made == 1 || ctx.Err() != nil { // other checks would fail in the same way
			break
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed, %d did not run", failed, made, len(checks)-made)
	}
	fmt.Fprintf(out, "\nAll checks passed. Add this URL to a client: %s/mcp\n", s.origin)
	return nil
}

// check is one requirement of clients. Its error says in one line what is wrong and how to fix it.
type check struct {
	name string
	run  func(context.Context) error
}

func (s *site) checks() []check {
	return []check{
		{"the server is up", s.isUp},
		{"the server card describes it", s.hasCard},
		{"POST /mcp asks for a login", func(ctx context.Context) error { return s.challenges(ctx, "POST") }},
		{"GET /mcp asks for a login", func(ctx context.Context) error { return s.challenges(ctx, "GET") }},
		{"HEAD /mcp asks for a login", func(ctx context.Context) error { return s.challenges(ctx, "HEAD") }},
		{"web pages can read the challenge", s.exposesChallenge},
		{"the challenge points to the endpoint's metadata", s.followsChallenge},
		{"the metadata is also at the root", func(ctx context.Context) error { return s.describesEndpoint(ctx, resourceMetadata) }},
		{"the authorization server has metadata", func(ctx context.Context) error { return s.describesServer(ctx, serverMetadata) }},
		{"the metadata is also where OpenID clients look", func(ctx context.Context) error { return s.describesServer(ctx, openIDMetadata) }},
		{"an unknown path is a 404 in JSON", s.knowsItsLimits},
		{"web pages can call /mcp", func(ctx context.Context) error { return s.admitsPages(ctx, "/mcp", "authorization") }},
		{"web pages can call /token", func(ctx context.Context) error { return s.admitsPages(ctx, "/token", "content-type") }},
		{"web pages can call /register", func(ctx context.Context) error { return s.admitsPages(ctx, "/register", "content-type") }},
		{"a client can register", s.registers},
		{"a login starts with a consent page", s.asksConsent},
		{"an unregistered redirect URI is refused on a page", s.refusesStrangers},
		{"/token returns errors in the form of OAuth", s.refusesCodes},
		{"the front page works", s.hasFrontPage},
	}
}
