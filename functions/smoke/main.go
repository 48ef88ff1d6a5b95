// Command smoke looks at a deployment from outside, as clients do, and says how to mend what would keep them out. It asks the
// one host it is given, some twenty times, and leaves nothing behind but the registration of a client that never logs in.
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

// limit is how long all checks may take together.
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
		return errors.New("usage: make smoke URL=https://...   with the McpUrl that sam deploy printed")
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
		if made == 1 || ctx.Err() != nil { // the others would say the same
			break
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed, %d were not made", failed, made, len(checks)-made)
	}
	fmt.Fprintf(out, "\nAll is well. Paste this into a client: %s/mcp\n", s.origin)
	return nil
}

// check is one thing that must be as clients need it. Its error says what is wrong and how to mend it, on one line.
type check struct {
	name string
	run  func(context.Context) error
}

func (s *site) checks() []check {
	return []check{
		{"the server is up", s.isUp},
		{"POST /mcp asks for a login", func(ctx context.Context) error { return s.challenges(ctx, "POST") }},
		{"GET /mcp asks for a login", func(ctx context.Context) error { return s.challenges(ctx, "GET") }},
		{"HEAD /mcp asks for a login", func(ctx context.Context) error { return s.challenges(ctx, "HEAD") }},
		{"web pages may read the challenge", s.exposesChallenge},
		{"the challenge leads to the endpoint's metadata", s.followsChallenge},
		{"the metadata is at the root too", func(ctx context.Context) error { return s.describesEndpoint(ctx, resourceMetadata) }},
		{"the authorization server describes itself", func(ctx context.Context) error { return s.describesServer(ctx, serverMetadata) }},
		{"the same where OpenID clients look", func(ctx context.Context) error { return s.describesServer(ctx, openIDMetadata) }},
		{"what is not there is a 404 in JSON", s.knowsItsLimits},
		{"web pages may call /mcp", func(ctx context.Context) error { return s.admitsPages(ctx, "/mcp", "authorization") }},
		{"web pages may call /token", func(ctx context.Context) error { return s.admitsPages(ctx, "/token", "content-type") }},
		{"web pages may call /register", func(ctx context.Context) error { return s.admitsPages(ctx, "/register", "content-type") }},
		{"a client can register", s.registers},
		{"a login begins with a page that asks", s.asksConsent},
		{"a foreign redirect URI is refused on a page", s.refusesStrangers},
		{"/token answers errors as OAuth does", s.refusesCodes},
		{"the front page is there", s.hasFrontPage},
	}
}
