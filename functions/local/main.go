// Command local runs the whole product in one process on this machine. By default, a fictional
// company in the sandbox takes the place of Basecamp and GitHub, so that no account and no
// configuration is needed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "basecamp-mcp:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	var chosen config.LocalFlags
	chosen.Define(flags)
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is not a flag; -help lists them", flags.Arg(0))
	}
	if !slices.Contains([]app.Kept{app.InFile, app.InMemory, app.InAWS}, app.Kept(chosen.Store)) {
		return fmt.Errorf("-store must be file, memory or aws, got %q", chosen.Store)
	}
	if chosen.Upstream != "sandbox" && chosen.Upstream != "live" {
		return fmt.Errorf("-upstream must be sandbox or live, got %q", chosen.Upstream)
	}
	c, err := config.LoadLocal(os.Getenv, app.Toolsets(), chosen)
	if err != nil {
		return err
	}
	if chosen.Upstream == "live" && c.BasecampURL == config.Sandbox {
		return errors.New("-upstream live: BASECAMP_API_URL must not be sandbox")
	}
	listener, err := listen(chosen.Addr)
	if err != nil {
		return err
	}
	c.HideBearer = exposed(listener.Addr()) && !chosen.PrintBearer
	origin := "http://" + reachable(listener.Addr())
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	local, err := app.NewLocal(ctx, c, log, origin, app.Kept(chosen.Store), openFile)
	if err != nil {
		return err
	}
	announce(out, local, origin+"/mcp", c.HideBearer)
	if exposed(listener.Addr()) {
		warn(out, listener.Addr(), c.HideBearer && local.Bearer != "")
	}
	err = serve(ctx, listener, local.Handler)
	flushing, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return errors.Join(err, local.Flush(flushing))
}

// reachable returns an address that a client on this machine can use.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return addr.String()
}

func announce(out io.Writer, local app.Local, url string, hideBearer bool) {
	fmt.Fprintf(out, "basecamp-mcp is ready at %s\nBasecamp is %s.\n", url, local.Upstream)
	if local.GitHub != "" {
		fmt.Fprintf(out, "GitHub is %s; its tools are at %s%s.\n", local.GitHub, url, local.GitHubPath)
	}
	if local.File != "" {
		fmt.Fprintf(out, "Logins, links, tasks and checklists are kept in %s.\n", local.File)
	}
	fmt.Fprintln(out)
	sayNext(out, local, url)
	if local.Login {
		fmt.Fprintf(out, "Log in with:   claude mcp add --transport http basecamp %s   (other clients find the login by themselves)\n", url)
	}
	if local.Bearer == "" && !local.Login {
		fmt.Fprint(out, `No client can connect yet. Set one of these variables and start again:
  BASECAMP_ACCESS_TOKEN   your own personal access token; only you can use the server
  BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET   of an application that is registered with 37signals; every user logs in
`)
	}
	if local.Bearer == "" || hideBearer {
		return
	}
	fmt.Fprintf(out, `Bearer token:  %[2]s   (acts for %[3]s, without a login)
Try it:        curl -s %[1]s -H "Authorization: Bearer %[2]s" -H "Content-Type: application/json" \
                 -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{"limit":3}}}'

`, url, local.Bearer, local.Person)
}

func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		stopping, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(stopping)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped // Serve returns before the last answers are sent
	return nil
}
